//! Stringified values turned back, where the schema wants it and only there.

use super::adapter::{Budget, Cursor};
use super::{Schema, EXPLAIN_STEPS, LISTED_VALUES};
use crate::json::{Document, Kind, Node};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, JsonTypeSet, ValidationError};
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
    let budget = Budget::new(EXPLAIN_STEPS, schema.name_steps);
    let errors = schema.errors(Cursor::new(instance, &budget), true)?;
    let mut edits = Edits::new();
    for error in &errors {
        turn(error, instance, &mut edits);
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

/// Adds what would mend `error`; tells whether it would.
fn turn(error: &ValidationError<'_>, instance: Node<'_>, edits: &mut Edits) -> bool {
    let kinds = match error.kind() {
        ValidationErrorKind::Type { kind: TypeKind::Single(kind) } => JsonTypeSet::from(*kind),
        ValidationErrorKind::Type { kind: TypeKind::Multiple(kinds) } => *kinds,
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            for branch in context {
                let mut own = Edits::new();
                if branch.iter().all(|error| turn(error, instance, &mut own)) {
                    edits.extend(own);
                    return true;
                }
            }
            return false;
        }
        _ => return false,
    };
    let Some(node) = instance.pointer(error.instance_path().as_str()) else {
        return false;
    };
    let Some(new) = node.as_str().and_then(|text| turned(&text, kinds)) else {
        return false;
    };
    let start = node.offset() - instance.offset();
    edits.insert(start, (start + node.raw().len(), new));
    true
}

/// The text as a value of one of `kinds`. Numbers are only what a JSON writer gives for them: no exponent, no space.
fn turned(text: &str, kinds: JsonTypeSet) -> Option<String> {
    let document = Document::parse(text.as_bytes().to_vec()).ok()?;
    let root = document.root();
    let wanted = match root.kind() {
        Kind::Null => kinds.contains(JsonType::Null),
        Kind::True | Kind::False => kinds.contains(JsonType::Boolean),
        Kind::Number => {
            let plain = !text.contains(['e', 'E']);
            let whole = !text.contains('.');
            plain && (kinds.contains(JsonType::Number) || whole && kinds.contains(JsonType::Integer))
        }
        Kind::Array => kinds.contains(JsonType::Array),
        Kind::Object => kinds.contains(JsonType::Object),
        Kind::String => false,
    };
    let scalar = !root.is_array() && !root.is_object();
    let spaced = root.raw().len() != text.len();
    (wanted && document.duplicate().is_none() && !(scalar && spaced)).then(|| root.raw().to_owned())
}
