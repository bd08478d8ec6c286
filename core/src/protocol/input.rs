//! What a host asks of the user, of the client's model, or of the client itself before it can answer.

use super::capability::{ClientCapabilities, Missing, Need};
use super::content::meta;
use super::elicitation::{self, Elicitation};
use super::form;
use super::sampling;
use super::shape::{self, optional, required, Checked, Fault, Field, ShapeFault, Side};
use super::wire::method;
use crate::json::{push_compact, Node};

/// The kinds of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputKind {
    /// A form for the user.
    Elicit,
    /// An address for the user to open.
    ElicitUrl,
    /// A message from the client's model.
    Sample,
    /// The roots that the client works in.
    Roots,
}

/// One checked question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// What the host calls it.
    pub(crate) key: String,
    pub(crate) kind: InputKind,
    /// The schema of a form, without white space.
    pub(crate) schema: Option<String>,
    /// The field of a form that seems to ask for a secret; worth a warning in the log, since secrets belong on a web
    /// page (2026-07-28, elicitation).
    pub(crate) secret_field: Option<String>,
}

/// Why the questions cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InputFault {
    /// They are of the wrong shape.
    Shape(ShapeFault),
    /// The client did not declare what they need.
    Undeclared {
        /// A JSON object for `data.requiredCapabilities`, for all questions together.
        required: String,
    },
}

/// Checks an object of key to `{"method":…,"params":…}`. It may be empty.
pub(crate) fn check_input_requests(
    node: Node<'_>,
    capabilities: ClientCapabilities<'_>,
) -> Result<Vec<Asked>, InputFault> {
    let mut missing = Missing::default();
    let asked = questions(node, |need| missing.require(capabilities, need))
        .map_err(|fault| InputFault::Shape(fault.locate(node)))?;
    if missing.is_empty() {
        Ok(asked)
    } else {
        Err(InputFault::Undeclared { required: missing.to_json() })
    }
}

fn questions(node: Node<'_>, mut need: impl FnMut(Need)) -> Checked<Vec<Asked>> {
    shape::object(node, Side::Host)?;
    node.members()
        .map(|(key, request)| {
            let (kind, form) = question(request, &mut need)?;
            let (schema, secret_field) = (form.map(compact), form.and_then(form::secret_field));
            Ok(Asked { key: key.into_owned(), kind, schema, secret_field })
        })
        .collect()
}

fn compact(node: Node<'_>) -> String {
    let mut out = Vec::with_capacity(node.raw().len());
    push_compact(&mut out, node);
    // `push_compact` only copies whole characters.
    String::from_utf8(out).unwrap_or_default()
}

/// One question, and the schema of its form if it has one; `need` hears what the client must have declared.
fn question(node: Node<'_>, mut need: impl FnMut(Need)) -> Checked<(InputKind, Option<Node<'_>>)> {
    const FIELDS: [Field; 2] = [required("method", shape::string), optional("params", shape::object)];
    let [name, params] = shape::read(node, Side::Host, &FIELDS)?;
    for foreign in ["id", "jsonrpc"] {
        if let Some(value) = node.get(foreign) {
            return Err(Fault::at(
                value,
                "has no place in an input request; give `method` and `params` only",
            ));
        }
    }
    let is = |method: &str| name.is_some_and(|name| name.is_str(method));
    let params_needed = || params.ok_or_else(|| Fault::at(node, "needs `params`"));
    if is(method::ELICIT) {
        match elicitation::read(params_needed()?)? {
            Elicitation::Form(schema) => {
                need(Need::Form);
                Ok((InputKind::Elicit, Some(schema)))
            }
            Elicitation::Url => {
                need(Need::Url);
                Ok((InputKind::ElicitUrl, None))
            }
        }
    } else if is(method::SAMPLE) {
        need(Need::Sampling);
        sampling::read(params_needed()?)?.into_iter().for_each(need);
        Ok((InputKind::Sample, None))
    } else if is(method::LIST_ROOTS) {
        const PARAMS: [Field; 1] = [optional("_meta", meta)];
        need(Need::Roots);
        params.map_or(Ok(()), |params| shape::read(params, Side::Host, &PARAMS).map(drop))?;
        Ok((InputKind::Roots, None))
    } else {
        let reason = "must be elicitation/create, sampling/createMessage or roots/list";
        Err(Fault::at(name.unwrap_or(node), reason))
    }
}
