//! Stringified values turned back, where the schema wants it and only there.

use super::budget::Budget;
use super::run::{Fault, What};
use super::types::Types;
use super::{Schema, EXPLAIN_STEPS, LISTED_VALUES};
use crate::json::{Document, Node};
use std::collections::BTreeMap;

/// An array that came as a string may hold strings that the next round turns.
const ROUNDS: usize = 4;

/// Replacements by where their string starts: where it ends, and the new text.
type Edits = BTreeMap<usize, (usize, String)>;

pub(super) fn repair(schema: &Schema, instance: Node<'_>) -> Option<String> {
    let mut text = round(schema, instance)?;
    for _ in 1..ROUNDS {
        let document = Document::parse(text.into_bytes()).ok()?;
        if schema.check(document.root()).is_ok() {
            return Some(document.text().to_owned());
        }
        text = round(schema, document.root())?;
    }
    let document = Document::parse(text.into_bytes()).ok()?;
    schema.check(document.root()).is_ok().then(|| document.text().to_owned())
}

/// The instance with everything turned that can be; nothing if nothing can.
fn round(schema: &Schema, instance: Node<'_>) -> Option<String> {
    if instance.values() > LISTED_VALUES {
        return None;
    }
    let faults = schema.faults(instance, Budget::new(EXPLAIN_STEPS), usize::MAX)?;
    let mut edits = Edits::new();
    for fault in &faults {
        turn(fault, instance, &mut edits);
    }
    if edits.is_empty() {
        return None;
    }
    let raw = instance.raw();
    let mut out = String::with_capacity(raw.len());
    let mut from = 0;
    for (start, (end, new)) in edits {
        out.push_str(raw.get(from..start)?);
        out.push_str(&new);
        from = end;
    }
    out.push_str(raw.get(from..)?);
    Some(out)
}

/// Adds what would mend `fault`; tells whether it would.
fn turn(fault: &Fault<'_>, instance: Node<'_>, edits: &mut Edits) -> bool {
    let types = match &fault.what {
        What::Type(types) => *types,
        What::Alternatives(branches) => {
            for branch in branches {
                let mut own = Edits::new();
                if branch.iter().all(|fault| turn(fault, instance, &mut own)) {
                    edits.extend(own);
                    return true;
                }
            }
            return false;
        }
        What::Missing(_) | What::Unexpected | What::Name { .. } | What::Expected(_) => return false,
    };
    let node = fault.node;
    let Some(new) = node.as_str().and_then(|text| turned(&text, types)) else {
        return false;
    };
    let start = node.offset() - instance.offset();
    edits.insert(start, (start + node.raw().len(), new));
    true
}

/// The text as a value of one of `types`. Numbers are only what a JSON writer gives for them: no exponent, no space.
fn turned(text: &str, types: Types) -> Option<String> {
    let document = Document::parse(text.as_bytes().to_vec()).ok()?;
    let root = document.root();
    let number = root.as_number().is_some();
    let wanted = !root.is_string() && types.hold(root) && !(number && types.is_unlike_writers(text));
    let scalar = !root.is_array() && !root.is_object();
    let spaced = root.raw().len() != text.len();
    (wanted && document.duplicate().is_none() && !(scalar && spaced)).then(|| root.raw().to_owned())
}
