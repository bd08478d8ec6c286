//! Takes definitions, notes every fault.

use super::cursor::List;
use super::directory::Directory;
use super::fault::Fault;
use super::item::{Context, Prompt, Resource, Template, Tool, OPEN_SCHEMA};
use super::review::Review;
use super::settings::Settings;
use super::snapshot::Catalog;
use crate::config::InvalidItems;
use crate::error::{Error, ErrorKind, Result};
use crate::json::{Document, Node};
use crate::protocol::definition::{did_you_mean, escape, kind_word, shown};
use std::collections::HashSet;

/// A catalog being filled. Definitions are JSON texts in the protocol's own shapes.
///
/// They are listed as they were written: members, their order and their numbers, unknown members too; only white space
/// between tokens is dropped. Lists are sorted, so the order of adding does not matter. A tool without an
/// `inputSchema` takes any arguments.
///
/// One member of an item is for the engine and never listed:
///
/// ```json
/// {"name": "pay", "mcpcore": {"scopes": ["pay:write"], "timeoutMs": 5000, "asksInput": true}}
/// ```
///
/// | key | value | on |
/// |---|---|---|
/// | `scopes` | what a caller needs, all of it; one that ends in `*` is met by any that begins the same | all |
/// | `timeoutMs` | how long a call may take; 0: for ever | all |
/// | `asksInput` | whether it asks the user for what is missing; then required arguments may be left out | all |
/// | `ttlMs` | cache hint of a read | resources, templates |
/// | `cacheScope` | cache hint of a read, `public` or `private` | resources, templates |
/// | `allowTraversal` | whether `..` and the like may stand in the values of variables | templates |
///
/// A definition is at most 4 MiB long, a name or uri 64 KiB, and a catalog holds at most a million items.
///
/// # Errors
/// A text that is not JSON is an error at once. It and every other fault (missing members, wrong types, names that
/// stand twice, schemas that cannot be enforced, unknown keys) are noted, and all are reported together when the
/// catalog is published, a line each: `tool "echo" at /inputSchema/type: …`.
pub struct Builder {
    settings: Settings,
    documents: Vec<Document>,
    drafts: Vec<Draft>,
    /// Faults of the whole, which no policy lets through.
    faults: Vec<Fault>,
    /// Items that are no JSON.
    unread: Vec<Fault>,
    warnings: Vec<Fault>,
    /// How many items of each list were added singly.
    singles: [usize; List::ALL.len()],
}

/// A definition that was added.
pub(super) struct Draft {
    pub(super) list: List,
    pub(super) document: usize,
    pub(super) node: u32,
    /// Where it stands: in its array, or among what was added singly.
    pub(super) position: usize,
}

impl Builder {
    /// An empty catalog.
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            documents: Vec::new(),
            drafts: Vec::new(),
            faults: Vec::new(),
            unread: Vec::new(),
            warnings: Vec::new(),
            singles: Default::default(),
        }
    }

    /// Adds a whole document: `{"tools":[…],"resources":[…],"resourceTemplates":[…],"prompts":[…]}`. Each key may be
    /// left out; others are faults.
    pub fn add(&mut self, json: &str) -> Result<()> {
        let root = match self.parse(json) {
            Ok(document) => document,
            Err(reason) => {
                self.faults.push(Fault::whole("", reason.clone()));
                return Err(Error::new(ErrorKind::InvalidJson, format!("catalog: {reason}")));
            }
        };
        let Some(document) = self.documents.get(root) else {
            return Ok(());
        };
        if !document.root().is_object() {
            let reason = format!("must be an object, not {}", kind_word(document.root().kind()));
            self.faults.push(Fault::whole("", reason));
            return Ok(());
        }
        let mut keys = HashSet::new();
        for (key, value) in document.root().members() {
            let pointer = format!("/{}", escape(&key));
            if !keys.insert(key.clone()) {
                self.faults.push(Fault::whole(pointer, "stands twice"));
            } else if let Some(list) = List::ALL.into_iter().find(|list| list.member() == key) {
                if !value.is_array() {
                    let reason = format!("must be an array, not {}", kind_word(value.kind()));
                    self.faults.push(Fault::whole(pointer, reason));
                }
                let drafts = value.elements().enumerate();
                self.drafts.extend(drafts.map(|(position, node)| Draft::new(list, root, node, position)));
            } else {
                self.faults.push(Fault::whole(pointer, unknown_key(&key)));
            }
        }
        Ok(())
    }

    /// Adds one tool: `{"name", "title"?, "description"?, "inputSchema"?, "outputSchema"?, "annotations"?, "icons"?,
    /// "_meta"?}`.
    pub fn tool(&mut self, json: &str) -> Result<()> {
        self.single(List::Tools, json)
    }

    /// Adds one resource: `{"uri", "name", "title"?, "description"?, "mimeType"?, "size"?, "annotations"?, "icons"?,
    /// "_meta"?}`.
    pub fn resource(&mut self, json: &str) -> Result<()> {
        self.single(List::Resources, json)
    }

    /// Adds one resource template: `{"uriTemplate", "name", "title"?, "description"?, "mimeType"?, "annotations"?,
    /// "icons"?, "_meta"?}`.
    pub fn resource_template(&mut self, json: &str) -> Result<()> {
        self.single(List::ResourceTemplates, json)
    }

    /// Adds one prompt: `{"name", "title"?, "description"?, "arguments"?, "icons"?, "_meta"?}`, its arguments
    /// `{"name", "title"?, "description"?, "required"?}`.
    pub fn prompt(&mut self, json: &str) -> Result<()> {
        self.single(List::Prompts, json)
    }

    /// Says that the catalog cannot be had, and why. Nothing is published then.
    pub fn fail(&mut self, reason: impl Into<String>) {
        self.faults.push(Fault::whole("", reason));
    }

    fn single(&mut self, list: List, json: &str) -> Result<()> {
        let position = self.next_position(list);
        match self.parse(json) {
            Ok(document) => {
                let node = self.documents.get(document).map(Document::root);
                self.drafts.extend(node.map(|node| Draft::new(list, document, node, position)));
                Ok(())
            }
            Err(reason) => {
                let item = format!("{}[{position}]", list.member());
                let error = Error::new(ErrorKind::InvalidJson, format!("{item}: {reason}"));
                self.unread.push(Fault { item, pointer: String::new(), reason });
                Err(error)
            }
        }
    }

    fn next_position(&mut self, list: List) -> usize {
        let counts = List::ALL.iter().zip(&mut self.singles);
        let count = counts.into_iter().find_map(|(other, count)| (*other == list).then_some(count));
        count.map_or(0, |count| std::mem::replace(count, *count + 1))
    }

    /// Keeps a text; says where.
    fn parse(&mut self, json: &str) -> Result<usize, String> {
        let document =
            Document::parse_host(json.as_bytes().to_vec()).map_err(|fault| format!("not JSON: {fault}"))?;
        if document.surrogates() {
            let reason = "half of a surrogate pair stands in a string; it is listed as U+FFFD";
            self.warnings.push(Fault::whole("", reason));
        }
        self.documents.push(document);
        Ok(self.documents.len() - 1)
    }

    /// The catalog and the faults of the items that were skipped, or every fault of everything.
    pub(crate) fn finish(mut self) -> Result<(Catalog, Vec<Fault>), Vec<Fault>> {
        if self.drafts.len() > self.settings.max_items {
            let reason = format!("holds more than {} items", self.settings.max_items);
            self.faults.push(Fault::whole("", reason));
            return Err(self.faults);
        }
        let open_schema = match Document::parse_host(OPEN_SCHEMA.as_bytes().to_vec()) {
            Ok(document) => document,
            Err(fault) => return Err(vec![Fault::whole("", fault.to_string())]),
        };
        let (drafts, documents) = (&self.drafts, &self.documents);
        let context = Context { settings: &self.settings, open_schema: open_schema.root(), directory: None };
        let resources = Review::<Resource>::new(drafts, documents, &context);
        let templates = Review::<Template>::new(drafts, documents, &context);
        let prompts = Review::<Prompt>::new(drafts, documents, &context);
        let directory = Directory::new(resources.items, templates.items, &self.settings);
        let context = Context { directory: Some(&directory), ..context };
        let tools = Review::<Tool>::new(drafts, documents, &context);

        let mut faults = self.unread;
        let mut warnings = self.warnings;
        for found in [tools.faults, resources.faults, templates.faults, prompts.faults] {
            faults.extend(found);
        }
        for found in [tools.warnings, resources.warnings, templates.warnings, prompts.warnings] {
            warnings.extend(found);
        }
        let refused = !faults.is_empty() && self.settings.invalid_items == InvalidItems::Refuse;
        if refused || !self.faults.is_empty() {
            self.faults.extend(faults);
            return Err(self.faults);
        }
        let catalog = Catalog::new(tools.items, directory, prompts.items, warnings, &self.settings);
        Ok((catalog, faults))
    }
}

impl Draft {
    fn new(list: List, document: usize, node: Node<'_>, position: usize) -> Self {
        Self { list, document, node: node.index(), position }
    }
}

fn unknown_key(key: &str) -> String {
    let known = List::ALL.map(List::member);
    match did_you_mean(key, &known) {
        Some(meant) => format!("unknown key {}; did you mean \"{meant}\"?", shown(key)),
        None => format!("unknown key {}; the keys are {}", shown(key), known.join(", ")),
    }
}
