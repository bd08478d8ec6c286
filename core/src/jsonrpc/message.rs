//! Is this text one well-formed message?

use super::{ErrorBody, IdKey, Outgoing};
use crate::json::{Document, Fault, FaultKind, Kind, Mark, Node};
use crate::protocol::wire::code;
use std::borrow::Cow;

/// A request or notification that is well-formed as such.
#[derive(Debug)]
pub(crate) struct Message {
    document: Document,
    method: u32,
    id: Option<(u32, IdKey)>,
    params: Option<u32>,
}

impl Message {
    pub(crate) fn method(&self) -> Cow<'_, str> {
        self.document.node(self.method).as_str().unwrap_or_default()
    }

    /// The id as it came; empty for a notification.
    pub(crate) fn id(&self) -> &str {
        self.id.as_ref().map_or("", |(id, _)| self.document.node(*id).raw())
    }

    pub(crate) fn id_key(&self) -> Option<&IdKey> {
        self.id.as_ref().map(|(_, key)| key)
    }

    /// An object, if there are any.
    pub(crate) fn params(&self) -> Option<Node<'_>> {
        self.params.map(|params| self.document.node(params))
    }

    /// The `_meta` of the params, if it is what was remembered under `mark`.
    pub(crate) fn recalled(&self, mark: Mark) -> Option<Node<'_>> {
        self.document.recalled(self.params()?, mark)
    }

    /// The size of the text, in bytes.
    pub(crate) fn len(&self) -> usize {
        self.document.text().len()
    }

    pub(crate) fn node(&self, index: u32) -> Node<'_> {
        self.document.node(index)
    }

    pub(crate) fn error(&self, error: &ErrorBody) -> Outgoing {
        Outgoing::error(Some(self.id()), error)
    }
}

/// What a text turned out to be.
#[derive(Debug)]
pub(crate) enum Inbound {
    Request(Message),
    Notification(Message),
    /// An answer to a request of ours.
    Response(Document),
    /// Several messages in one array, not looked at yet.
    Batch(Document),
}

/// The members of an envelope, as they are met.
#[derive(Default)]
struct Envelope<'d> {
    version: Option<Node<'d>>,
    method: Option<Node<'d>>,
    id: Option<Node<'d>>,
    params: Option<Node<'d>>,
    answer: bool,
    /// How many members are called `id`.
    ids: u32,
}

/// Reads one message.
///
/// # Errors
/// The refusal, ready to be sent: -32700 for what is not JSON, -32600 for JSON that is no message.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Inbound, Outgoing> {
    let document = Document::parse(bytes).map_err(|fault| Outgoing::error(None, &not_json(fault)))?;
    let root = document.root();
    match root.kind() {
        Kind::Object => {}
        Kind::Array => return Ok(Inbound::Batch(document)),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::String => {
            let what = "A message must be a JSON object.";
            return Err(Outgoing::error(None, &ErrorBody::new(code::INVALID_REQUEST, what)));
        }
    }
    let envelope = walk(root);
    let key = envelope.id.map(IdKey::of);
    // Of two ids neither is the request's.
    let id = envelope.id.filter(|_| matches!(key, Some(Some(_))) && envelope.ids == 1).map(Node::raw);
    let refuse =
        |why: Cow<'static, str>| Err(Outgoing::error(id, &ErrorBody::new(code::INVALID_REQUEST, why)));
    if let Some(name) = document.duplicate() {
        return refuse(format!("The member \"{}\" stands twice in one object.", cut(&name, 64)).into());
    }
    if !envelope.version.is_some_and(|version| version.is_str("2.0")) {
        return refuse("The member \"jsonrpc\" must be \"2.0\".".into());
    }
    if envelope.method.is_none() && envelope.answer {
        return Ok(Inbound::Response(document));
    }
    let Some(method) = envelope.method.filter(|method| method.is_string()) else {
        return refuse("The member \"method\" must be a string.".into());
    };
    if envelope.answer {
        return refuse("A request has no \"result\" and no \"error\".".into());
    }
    let id = match (envelope.id, key) {
        (None, _) | (_, None) => None,
        (Some(id), Some(Some(key))) => Some((id.index(), key)),
        (Some(_), Some(None)) => {
            return refuse("The member \"id\" must be a string or an integer of at most 40 digits.".into());
        }
    };
    let is_request = id.is_some();
    let params = envelope.params.filter(|params| params.is_object());
    if is_request && envelope.params.is_some_and(|params| !params.is_object() && !params.is_null()) {
        return refuse("The member \"params\" must be an object.".into());
    }
    let (method, params) = (method.index(), params.map(Node::index));
    let message = Message { document, method, id, params };
    Ok(if is_request { Inbound::Request(message) } else { Inbound::Notification(message) })
}

/// What a batch is answered where none is accepted.
pub(crate) fn refuse_batch() -> Outgoing {
    let what = "A batch is not accepted: send one message at a time.";
    Outgoing::error(None, &ErrorBody::new(code::INVALID_REQUEST, what))
}

fn walk(root: Node<'_>) -> Envelope<'_> {
    let mut envelope = Envelope::default();
    let mut members = root.members();
    while let Some((name, value)) = members.next_nodes() {
        match &*name.name() {
            b"jsonrpc" => envelope.version = Some(value),
            b"method" => envelope.method = Some(value),
            b"id" => {
                envelope.id = Some(value);
                envelope.ids += 1;
            }
            b"params" => envelope.params = Some(value),
            b"result" | b"error" => envelope.answer = true,
            _ => {}
        }
    }
    envelope
}

fn not_json(fault: Fault) -> ErrorBody {
    match fault.kind() {
        FaultKind::Depth | FaultKind::Length => {
            ErrorBody::new(code::INVALID_REQUEST, format!("The message is {fault}."))
        }
        FaultKind::Utf8 | FaultKind::Syntax | FaultKind::Surrogate => {
            ErrorBody::new(code::PARSE_ERROR, format!("The message is not valid JSON: {fault}."))
        }
    }
}

/// At most `max` bytes of `text`, cut on a character boundary.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
