//! `initialize`: the revision is agreed on, and each side says what it can do.

use super::super::discover;
use super::super::route::unsupported;
use super::{Session, Stream};
use crate::caller::Caller;
use crate::json::{push_compact, push_quoted, Document, Node};
use crate::jsonrpc::{ErrorBody, Message, Outgoing};
use crate::protocol::wire::code;
use crate::protocol::{edition, Asks, Revision};
use crate::server::Inner;
use std::borrow::Cow;
use std::sync::{Arc, Weak};

/// Where a session is about to be.
pub(crate) struct Place {
    pub(crate) stream: Weak<dyn Stream>,
    /// Whether it is there for more than one request. Else it can be told nothing unasked.
    pub(crate) lasts: bool,
}

/// A session and the answer that opens it.
///
/// # Errors
/// The refusal: params of the wrong shape, a server that offers no session.
pub(super) fn open(
    server: &Inner,
    caller: &Arc<Caller>,
    message: &Message,
    place: Place,
) -> Result<(Arc<Session>, Outgoing), Outgoing> {
    let params = message.params();
    let wanted = params.and_then(|params| params.get("protocolVersion")?.as_str());
    // A client that finds no session here must learn what there is, whatever it sent.
    let Some(revision) = server.offered.negotiate(wanted.as_deref().unwrap_or_default()) else {
        return Err(message.error(&unsupported(server, &wanted.unwrap_or_default())));
    };
    let asked = (|| {
        let params = params.filter(|_| wanted.is_some()).ok_or("params.protocolVersion must be a string.")?;
        Ok((object(params, "capabilities")?, object(params, "clientInfo")?))
    })();
    let (capabilities, info) =
        asked.map_err(|why: Cow<'static, str>| message.error(&ErrorBody::new(code::INVALID_PARAMS, why)))?;
    let snapshot =
        server.catalogs.snapshot(server, caller.catalog_key()).map_err(|error| message.error(&error))?;
    let session = Arc::new(Session {
        capabilities: keep(|out| known(out, capabilities, revision)),
        info: info.and_then(|info| keep(|out| push_compact(out, info))),
        lasts: place.lasts,
        ..Session::new(revision, caller, place.stream)
    });
    if place.lasts {
        server.hub.add_session(&session);
    }
    let can = discover::capabilities(server, snapshot.offers, revision, place.lasts);
    let answer = Outgoing::result(message.id(), can.len() + server.identity.len() + 128, |out| {
        out.extend_from_slice(
            format!("{{\"protocolVersion\":\"{}\",\"capabilities\":{can}", revision.as_str()).as_bytes(),
        );
        out.extend_from_slice(b",\"serverInfo\":");
        push_identity(out, &server.identity, revision);
        if let Some(instructions) = &server.config.instructions {
            out.extend_from_slice(b",\"instructions\":");
            push_quoted(out, instructions);
        }
        out.push(b'}');
    });
    Ok((session, answer))
}

/// A member that must be an object if it is there. Some clients leave out what the revision demands.
fn object<'d>(params: Node<'d>, name: &str) -> Result<Option<Node<'d>>, Cow<'static, str>> {
    match params.get_present(name) {
        Some(value) if !value.is_object() => Err(format!("params.{name} must be an object.").into()),
        value => Ok(value),
    }
}

/// A copy, so that the session does not keep the whole message.
pub(super) fn keep(write: impl FnOnce(&mut Vec<u8>)) -> Option<Document> {
    let mut text = Vec::new();
    write(&mut text);
    Document::parse(text).ok()
}

/// The client's capabilities, as far as the revision has them, so that nobody else must ask for the revision.
fn known(out: &mut Vec<u8>, declared: Option<Node<'_>>, revision: Revision) {
    out.push(b'{');
    let mut first = true;
    for (name, value) in declared.into_iter().flat_map(Node::members).filter(|(_, value)| !value.is_null()) {
        let instead = match &*name {
            "elicitation" => match revision.asks() {
                Asks::Nothing => continue,
                Asks::PlainForm => Some("{}"),
                Asks::NumberedUrl | Asks::Url => None,
            },
            "sampling" if !revision.has_sampling_parts() => Some("{\"context\":{}}"),
            _ => None,
        };
        if !std::mem::take(&mut first) {
            out.push(b',');
        }
        push_quoted(out, &name);
        out.push(b':');
        match instead {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None => push_compact(out, value),
        }
    }
    out.push(b'}');
}

fn push_identity(out: &mut Vec<u8>, identity: &str, revision: Revision) {
    // The server wrote it, so it can be read.
    if let Ok(identity) = Document::parse_host(identity.as_bytes().to_vec()) {
        edition::push(out, identity.root(), revision, edition::IMPLEMENTATION);
    }
}
