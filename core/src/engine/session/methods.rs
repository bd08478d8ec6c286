//! What a session answers, and what is answered to those who have none.

use super::super::catalogs::Snapshot;
use super::super::listen::may_see;
use super::super::outlet::Outlet;
use super::super::resources::not_found;
use super::super::route::{self, legacy_meta, unsupported, Method, Request, Step};
use super::{open, Place, Session};
use crate::json::Node;
use crate::jsonrpc::{About, ErrorBody, Message, Outgoing};
use crate::protocol::wire::{code, key, method};
use crate::protocol::LogLevel;
use crate::server::Inner;
use std::borrow::Cow;
use std::sync::Arc;

/// What a door has to do about a request of the legacy era.
#[expect(
    clippy::large_enum_variant,
    reason = "a call is the usual step, and is moved into what is shared of it at once"
)]
pub(crate) enum Served {
    Step(Step),
    /// Keep the session, then send this.
    Opened(Arc<Session>, Outgoing),
}

/// The session's own methods.
const METHODS: &[Method] = &[
    Method { name: method::SET_LEVEL, offered: |_, config| config.logging, serve: |r, _, _| set_level(&r) },
    Method {
        name: method::SUBSCRIBE,
        offered: |_, config| config.resources_subscribe,
        serve: |r, s, _| subscribe(&r, &s),
    },
    Method {
        name: method::UNSUBSCRIBE,
        offered: |_, config| config.resources_subscribe,
        serve: |r, _, _| unsubscribe(&r),
    },
];

/// The first of them, for what has only one request.
const ALONE: &[Method] = match METHODS.split_first() {
    Some((first, _)) => std::slice::from_ref(first),
    None => &[],
};

/// Serves one request of the legacy era: in `session`, or to open one at `place`.
pub(crate) fn serve(
    outlet: Arc<dyn Outlet>,
    session: Option<&Arc<Session>>,
    message: Message,
    place: impl FnOnce() -> Place,
) -> Served {
    let asked = message.method();
    if asked == method::INITIALIZE {
        return match open::open(outlet.server(), outlet.caller(), &message, place()) {
            Ok((session, answer)) => Served::Opened(session, answer),
            Err(refusal) => Served::Step(Step::Reply(refusal)),
        };
    }
    if asked == method::PING {
        return Served::Step(Step::Reply(empty(&message)));
    }
    drop(asked);
    Served::Step(match session {
        None => Step::Reply(message.error(&unopened(&message))),
        Some(session) => {
            session.begin();
            within(outlet, session, message)
        }
    })
}

fn within(outlet: Arc<dyn Outlet>, session: &Arc<Session>, message: Message) -> Step {
    let meta = match legacy_meta(&message) {
        Ok(meta) => meta,
        Err(error) => return Step::Reply(message.error(&error)),
    };
    let request = Request { outlet, message, meta, session: Some(Arc::clone(session)) };
    let asked = request.message.method();
    let methods = match METHODS.iter().any(|own| own.name == asked) {
        _ if !session.revision().has_method(&asked) => &[],
        true if session.lasts => METHODS,
        true => ALONE,
        false => route::METHODS,
    };
    drop(asked);
    request.serve(methods, None)
}

/// The answer of a door that has no sessions; `probed` if it may be asked for a sign of life.
pub(crate) fn refuse(server: &Inner, message: &Message, probed: bool) -> Outgoing {
    let asked = message.method();
    if probed && asked == method::PING {
        return empty(message);
    }
    if asked != method::INITIALIZE {
        return message.error(&unopened(message));
    }
    let requested = message.params().and_then(|params| params.get("protocolVersion")?.as_str());
    let requested = requested.unwrap_or_default();
    if server.offered.negotiate(&requested).is_none() {
        return message.error(&unsupported(server, &requested));
    }
    message.error(&ErrorBody::new(code::METHOD_NOT_FOUND, "Sessions need a connection."))
}

/// Why a request without a revision and without a session is refused (decided: it names the key).
pub(crate) fn unopened(message: &Message) -> ErrorBody {
    let meta = message.params().and_then(|params| params.get("_meta"));
    let what: Cow<'static, str> = match meta {
        Some(meta) if !meta.is_object() => "params._meta must be an object.".into(),
        Some(_) | None => {
            let key = key::PROTOCOL_VERSION;
            format!("params._meta lacks \"{key}\": send it with each request, or open with initialize.")
                .into()
        }
    };
    ErrorBody::new(code::INVALID_PARAMS, what).about(About::Meta)
}

fn empty(message: &Message) -> Outgoing {
    Outgoing::result(message.id(), 2, |out| out.extend_from_slice(b"{}"))
}

fn set_level(request: &Request) -> Step {
    let level = request.params().get("level").and_then(Node::as_str).and_then(|word| LogLevel::read(&word));
    let Some((level, session)) = level.zip(request.session.as_ref()) else {
        let words = LogLevel::ALL.map(LogLevel::as_str).join(", ");
        return request.invalid(format!("params.level must be one of {words}."));
    };
    session.set_log_level(level);
    Step::Reply(empty(&request.message))
}

fn subscribe(request: &Request, snapshot: &Snapshot) -> Step {
    let uri = match request.text("uri") {
        Ok(uri) => uri,
        Err(error) => return request.refuse(&error),
    };
    if !may_see(&snapshot.catalog, request.caller(), &uri) {
        return request.refuse(&not_found(request, &uri));
    }
    let most = request.server().config.max_subscription_uris;
    if request.session.as_ref().is_some_and(|session| session.subscribe(&uri, most)) {
        return Step::Reply(empty(&request.message));
    }
    request.invalid(format!("A session may subscribe to at most {most} resources."))
}

fn unsubscribe(request: &Request) -> Step {
    match request.text("uri") {
        Ok(uri) => {
            if let Some(session) = &request.session {
                session.unsubscribe(&uri);
            }
            Step::Reply(empty(&request.message))
        }
        Err(error) => request.refuse(&error),
    }
}
