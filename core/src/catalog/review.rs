//! From the definitions that a host added to items, and to all of their faults.

use super::builder::Draft;
use super::cursor;
use super::fault::Fault;
use super::item::{Context, Item};
use crate::config::InvalidItems;
use crate::json::{Document, Kind, Node};
use crate::protocol::definition::{shown_within, Checks};
use std::borrow::Cow;
use std::collections::HashSet;

/// Characters of a name or uri that messages show.
const LABEL: usize = 64;

/// What became of the definitions of one list.
pub(super) struct Review<T> {
    pub(super) items: Vec<T>,
    pub(super) faults: Vec<Fault>,
    pub(super) warnings: Vec<Fault>,
}

impl<T: Item> Review<T> {
    /// Reads those of `drafts` that belong to the list.
    pub(super) fn new(drafts: &[Draft], documents: &[Document], context: &Context<'_>) -> Self {
        let mut review = Self { items: Vec::new(), faults: Vec::new(), warnings: Vec::new() };
        let mut keys = HashSet::new();
        for draft in drafts.iter().filter(|draft| draft.list == T::LIST) {
            let Some(document) = documents.get(draft.document) else {
                continue;
            };
            review.read(document, draft, context, &mut keys);
        }
        review
    }

    fn read<'d>(
        &mut self,
        document: &'d Document,
        draft: &Draft,
        context: &Context<'_>,
        keys: &mut HashSet<Cow<'d, str>>,
    ) {
        let node = document.node(draft.node);
        let mut checks = Checks::new();
        let limit = context.settings.max_definition_bytes;
        let item = if node.raw().len() > limit {
            checks.fault(format!("is longer than {limit} bytes"));
            None
        } else {
            if document.duplicate().is_some() {
                repeated(&mut checks, node);
            }
            T::read(&mut checks, node, context)
        };
        let key = node.get(T::KEY).and_then(Node::as_str).filter(|key| !key.is_empty());
        let label = match &key {
            Some(key) => format!("{} {}", T::WORD, shown_within(key, LABEL)),
            None => format!("{}[{}]", T::LIST.member(), draft.position),
        };
        if key.as_ref().is_some_and(|key| !keys.insert(key.clone())) {
            checks.at(T::KEY, |checks| {
                checks.fault(format!("is that of an earlier {} too", T::WORD));
            });
        }
        if key.as_ref().is_some_and(|key| key.len() > cursor::MAX_KEY_BYTES) {
            let reason = format!("is longer than {} bytes", cursor::MAX_KEY_BYTES);
            checks.at(T::KEY, |checks| checks.fault(reason));
        }
        let sound = checks.faults().is_empty();
        let (faults, warnings) = checks.into_parts();
        self.faults.extend(faults.into_iter().map(|found| Fault::of(&label, found)));
        self.warnings.extend(warnings.into_iter().map(|found| Fault::of(&label, found)));
        // Of a catalog that is refused whole, faulty items stay, so that links to them are not faults as well.
        let keep = sound || context.settings.invalid_items == InvalidItems::Refuse;
        self.items.extend(item.filter(|_| keep));
    }
}

/// Notes every member name that its object has twice. Recursion is bounded by the depth of a document.
fn repeated(checks: &mut Checks, node: Node<'_>) {
    match node.kind() {
        Kind::Object => {
            let mut names = HashSet::new();
            for (name, value) in node.members() {
                checks.at(&name, |checks| {
                    if !names.insert(name.clone()) {
                        checks.fault("stands twice in its object");
                    }
                    repeated(checks, value);
                });
            }
        }
        Kind::Array => checks.each(node, repeated),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::String => {}
    }
}
