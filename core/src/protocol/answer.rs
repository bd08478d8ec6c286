//! What a client answers to an input request.

use super::content::{self, meta, text};
use super::form;
use super::format;
use super::input::{Asked, InputKind};
use super::shape::{self, optional, required, Checked, Fault, Field, Side};
use crate::json::{Document, Node};

/// Checks one value of `inputResponses` against what was asked, or, if that is not known, against any question.
///
/// # Errors
/// Half a sentence for the client, which names the path inside the answer but not the answer's key.
pub(crate) fn check_answer(asked: Option<&Asked>, node: Node<'_>) -> Result<(), String> {
    let kind = asked.map_or_else(|| guess(node), |asked| Ok(asked.kind));
    let outcome = kind.and_then(|kind| match kind {
        InputKind::Elicit => elicited(node, asked.and_then(|asked| asked.schema.as_deref())),
        InputKind::ElicitUrl => {
            let [_, content, _] = shape::read(node, Side::Client, &ELICITED)?;
            empty(content)
        }
        InputKind::Sample => sampled(node),
        InputKind::Roots => roots(node),
    });
    outcome.map_err(|fault| fault.locate(node).to_string())
}

/// Each kind of answer has a member that no other has.
fn guess(node: Node<'_>) -> Checked<InputKind> {
    let has = |name: &str| node.get(name).is_some();
    match (has("action"), has("model"), has("roots")) {
        (true, false, false) => Ok(InputKind::Elicit),
        (false, true, false) => Ok(InputKind::Sample),
        (false, false, true) => Ok(InputKind::Roots),
        _ => Err(Fault::at(node, "must be the result of an elicitation, a sampling or a list of roots")),
    }
}

const ELICITED: [Field; 3] = [
    required("action", |node, _| {
        if ["accept", "decline", "cancel"].iter().any(|action| node.is_str(action)) {
            Ok(())
        } else {
            Err(Fault::at(node, "must be \"accept\", \"decline\" or \"cancel\""))
        }
    }),
    optional("content", form::content_shape),
    optional("_meta", meta),
];

fn elicited(node: Node<'_>, schema: Option<&str>) -> Checked {
    let [action, content, _] = shape::read(node, Side::Client, &ELICITED)?;
    if !action.is_some_and(|action| action.is_str("accept")) {
        return empty(content);
    }
    let Some(schema) = schema else { return Ok(()) };
    let Ok(schema) = Document::parse(schema.as_bytes().to_vec()) else {
        return Err(Fault::at(node, "cannot be checked: the form's schema is lost"));
    };
    match content {
        Some(content) => form::content(schema.root(), content),
        None if schema.root().get("required").is_some_and(|required| !required.is_empty()) => {
            Err(Fault::at(node, "needs `content`"))
        }
        None => Ok(()),
    }
}

// Some clients send an empty object with every action; it says nothing, so it is let through.
fn empty(content: Option<Node<'_>>) -> Checked {
    content
        .filter(|content| !content.is_empty())
        .map_or(Ok(()), |content| Err(Fault::at(content, "belongs to an accepted form only")))
}

fn sampled(node: Node<'_>) -> Checked {
    const FIELDS: [Field; 5] = [
        required("role", content::role),
        required("content", content::sampling_content),
        required("model", shape::string),
        optional("stopReason", shape::string),
        optional("_meta", meta),
    ];
    shape::read(node, Side::Client, &FIELDS).map(drop)
}

fn roots(node: Node<'_>) -> Checked {
    const ROOT: [Field; 3] = [
        required("uri", |node, side| {
            shape::string(node, side)?;
            let uri = text(node);
            if uri.starts_with("file://") && format::is_absolute(&uri) {
                Ok(())
            } else {
                Err(Fault::at(node, "must be a file:// URI"))
            }
        }),
        optional("name", shape::string),
        optional("_meta", meta),
    ];
    const FIELDS: [Field; 2] = [
        required("roots", |node, side| {
            shape::each(node, side, "must be an array of roots", |root, side| {
                shape::read(root, side, &ROOT).map(drop)
            })
        }),
        optional("_meta", meta),
    ];
    shape::read(node, Side::Client, &FIELDS).map(drop)
}
