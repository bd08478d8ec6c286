//! The ladder of refusals, from a request to the method that serves it.

use super::catalogs::Snapshot;
use super::mirror::Mirror;
use super::outlet::Outlet;
use super::session::Session;
use super::{completion, discover, listen, lists, prompts, resources, rounds::Rounds, tools};
use crate::call::CallKind;
use crate::caller::Caller;
use crate::catalog::{Catalog, ItemSettings, List};
use crate::config::Config;
use crate::json::{quote, remember, Document, Mark, Node};
use crate::jsonrpc::{cut, About, ErrorBody, IdKey, Message, Outgoing};
use crate::protocol::wire::code;
use crate::protocol::wire::{key, method};
use crate::protocol::{check_request_meta, ClientCapabilities, LogLevel, Revision};
use crate::server::Inner;
use std::borrow::Cow;
use std::cell::Cell;
use std::sync::Arc;

/// What a door has to do.
pub(crate) enum Step {
    /// Send this; the exchange is over.
    Reply(Outgoing),
    /// Open a call and hand it to the host.
    Call(Prepared),
    /// Open a subscription.
    Listen(Box<listen::Prepared>),
    /// It does not name its revision, so it belongs to the session that the door knows, if any.
    Legacy(Arc<dyn Outlet>, Message),
}

/// A request whose envelope and `_meta` are in order.
pub(crate) struct Request {
    /// The door, which knows the server and the caller.
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) message: Message,
    pub(crate) meta: Meta,
    /// The session that it belongs to; none in the modern era.
    pub(crate) session: Option<Arc<Session>>,
}

/// Where the parts of `_meta` stand in the message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meta {
    /// In a session there may be none.
    pub(crate) node: Option<u32>,
    /// In a session they are known from its beginning.
    capabilities: u32,
    pub(crate) progress_token: Option<u32>,
    pub(crate) log_level: Option<LogLevel>,
}

/// What a call is about, as an index into its snapshot.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item {
    Tool(usize),
    Resource(usize),
    Template(usize),
    Prompt(usize),
}

impl Item {
    pub(crate) fn settings(self, catalog: &Catalog) -> &ItemSettings {
        match self {
            Item::Tool(index) => &catalog.tool_at(index).settings,
            Item::Resource(index) => &catalog.resource_at(index).settings,
            Item::Template(index) => &catalog.template_at(index).settings,
            Item::Prompt(index) => &catalog.prompt_at(index).settings,
        }
    }
}

/// The arguments of a call.
pub(crate) enum Arguments {
    /// There were none.
    Absent,
    /// A node of the message.
    Sent(u32),
    /// Repaired copies of what was sent.
    Repaired(Box<Document>),
}

/// A call that the host has to answer, not opened yet.
pub(crate) struct Prepared {
    pub(crate) request: Request,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) kind: CallKind,
    pub(crate) item: Item,
    /// The requested uri, for reads.
    pub(crate) uri: Option<String>,
    pub(crate) arguments: Arguments,
    pub(crate) variables: Vec<(Box<str>, String)>,
    pub(crate) rounds: Rounds,
}

/// One method.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// Whether its capability is offered.
    pub(crate) offered: fn(&Snapshot, &Config) -> bool,
    pub(crate) serve: fn(Request, Arc<Snapshot>, Option<&dyn Mirror>) -> Step,
}

/// The methods of the modern era, most of which are in every revision. The most frequent first: the table is searched
/// from the top.
pub(crate) const METHODS: &[Method] = &[
    Method { name: method::TOOLS_CALL, offered: |s, _| s.offers.tools, serve: tools::call },
    Method {
        name: method::TOOLS_LIST,
        offered: |s, _| s.offers.tools,
        serve: |r, s, _| lists::list(&r, &s, List::Tools),
    },
    Method { name: method::DISCOVER, offered: |_, _| true, serve: |r, s, _| discover::discover(&r, &s) },
    Method {
        name: method::RESOURCES_READ,
        offered: |s, _| s.offers.resources,
        serve: |r, s, _| resources::read(r, s),
    },
    Method {
        name: method::RESOURCES_LIST,
        offered: |s, _| s.offers.resources,
        serve: |r, s, _| lists::list(&r, &s, List::Resources),
    },
    Method {
        name: method::RESOURCE_TEMPLATES_LIST,
        offered: |s, _| s.offers.resources,
        serve: |r, s, _| lists::list(&r, &s, List::ResourceTemplates),
    },
    Method {
        name: method::PROMPTS_GET,
        offered: |s, _| s.offers.prompts,
        serve: |r, s, _| prompts::get(r, s),
    },
    Method {
        name: method::PROMPTS_LIST,
        offered: |s, _| s.offers.prompts,
        serve: |r, s, _| lists::list(&r, &s, List::Prompts),
    },
    Method {
        name: method::COMPLETE,
        offered: |_, c| c.completions,
        serve: |r, s, _| completion::complete(r, s),
    },
    Method { name: method::LISTEN, offered: |_, c| c.offers_events(), serve: |r, s, _| listen::listen(r, s) },
];

/// Walks the ladder for one request that came in at `outlet`.
pub(crate) fn route(outlet: Arc<dyn Outlet>, message: Message) -> Step {
    route_mirrored(outlet, message, None)
}

/// The same for a request whose parts are repeated outside its message.
pub(crate) fn route_mirrored(outlet: Arc<dyn Outlet>, message: Message, mirror: Option<&dyn Mirror>) -> Step {
    let meta = match read_meta(outlet.server(), &message, mirror) {
        Ok(Some(meta)) => meta,
        Ok(None) => return Step::Legacy(outlet, message),
        Err(refusal) => return Step::Reply(refusal),
    };
    if let (Some(mirror), Some(params)) = (mirror, message.params()) {
        if let Err(error) = mirror.names(&message.method(), params) {
            return Step::Reply(message.error(&error));
        }
    }
    Request { outlet, message, meta, session: None }.serve(METHODS, mirror)
}

/// A `_meta` that was in order, and where its parts stand in it.
#[derive(Clone, Copy)]
struct Accepted {
    mark: Mark,
    parts: Meta,
}

thread_local! {
    /// The `_meta` that this thread accepted last. Clients send the same one with each request, and what is the same
    /// text is as much in order as it was.
    static ACCEPTED: Cell<Option<Accepted>> = const { Cell::new(None) };
}

/// Checks `_meta` and the revision it names. A request without the revision's key is of the legacy era.
fn read_meta(
    server: &Inner,
    message: &Message,
    mirror: Option<&dyn Mirror>,
) -> Result<Option<Meta>, Outgoing> {
    if let Some(Accepted { mark, parts }) = ACCEPTED.get().filter(|_| server.offered.has(Revision::LATEST)) {
        if let Some(node) = message.recalled(mark) {
            if let Some(mirror) = mirror {
                mirror.version(Revision::LATEST.as_str()).map_err(|error| message.error(&error))?;
            }
            return Ok(Some(parts.shifted(node.index())));
        }
    }
    let Some(node) = message.params().and_then(|params| params.get("_meta")) else {
        return Ok(None);
    };
    let Some(meta) = check_meta(server, message, node, mirror)? else { return Ok(None) };
    // A progress token is another one each time.
    if meta.progress_token.is_none() {
        // Relative to the node, as if it stood first.
        let parts = meta.shifted(node.index().wrapping_neg());
        ACCEPTED.set(remember(node).map(|mark| Accepted { mark, parts }));
    }
    Ok(Some(meta))
}

fn check_meta(
    server: &Inner,
    message: &Message,
    node: Node<'_>,
    mirror: Option<&dyn Mirror>,
) -> Result<Option<Meta>, Outgoing> {
    if node.get(key::PROTOCOL_VERSION).is_none() {
        return Ok(None);
    }
    let invalid = |why: String| message.error(&ErrorBody::new(code::INVALID_PARAMS, why).about(About::Meta));
    let read = check_request_meta(node).map_err(invalid)?;
    if let Some(mirror) = mirror {
        let named = read.protocol_version.as_str().unwrap_or_default();
        mirror.version(&named).map_err(|error| message.error(&error))?;
    }
    let offered = server.offered.has(Revision::LATEST);
    if !offered || !read.protocol_version.is_str(Revision::LATEST.as_str()) {
        let requested = read.protocol_version.as_str().unwrap_or_default();
        return Err(message.error(&unsupported(server, &requested)));
    }
    read.rest().map_err(|why| invalid(why.to_owned()))?;
    Ok(Some(Meta {
        node: Some(node.index()),
        capabilities: read.capabilities.node().index(),
        progress_token: read.progress_token.map(Node::index),
        log_level: read.log_level,
    }))
}

/// Reads the `_meta` of a request in a session, which may be absent.
pub(crate) fn legacy_meta(message: &Message) -> Result<Meta, ErrorBody> {
    let invalid = |why: &'static str| Err(ErrorBody::new(code::INVALID_PARAMS, why));
    let node = message.params().and_then(|params| params.get_present("_meta"));
    let token = node.and_then(|node| node.get_present(key::PROGRESS_TOKEN));
    if node.is_some_and(|node| !node.is_object()) {
        return invalid("params._meta must be an object.");
    }
    if token.is_some_and(|token| IdKey::of(token).is_none()) {
        return invalid("params._meta.progressToken must be a string or an integer.");
    }
    Ok(Meta {
        node: node.map(Node::index),
        capabilities: 0,
        progress_token: token.map(Node::index),
        log_level: None,
    })
}

impl Meta {
    /// The same parts, `by` entries further on.
    fn shifted(self, by: u32) -> Self {
        Self {
            node: self.node.map(|node| node.wrapping_add(by)),
            capabilities: self.capabilities.wrapping_add(by),
            progress_token: self.progress_token.map(|token| token.wrapping_add(by)),
            log_level: self.log_level,
        }
    }
}

/// No revision that the client named is offered.
pub(crate) fn unsupported(server: &Inner, requested: &str) -> ErrorBody {
    let offered: Vec<String> = server.offered.iter().map(|revision| quote(revision.as_str())).collect();
    let data = format!("{{\"supported\":[{}],\"requested\":{}}}", offered.join(","), quote(requested));
    let names: Vec<&str> = server.offered.iter().map(Revision::as_str).collect();
    let message = format!("Unsupported protocol version; this server speaks {}.", names.join(", "));
    ErrorBody::new(code::UNSUPPORTED_VERSION, message).with_data(data)
}

/// The id that a `notifications/cancelled` names; `None` for any other or malformed notification.
pub(crate) fn cancelled_id(message: &Message) -> Option<IdKey> {
    if message.method() != method::CANCELLED {
        return None;
    }
    IdKey::of(message.params()?.get("requestId")?)
}

impl Request {
    pub(crate) fn server(&self) -> &Arc<Inner> {
        self.outlet.server()
    }

    pub(crate) fn caller(&self) -> &Arc<Caller> {
        self.outlet.caller()
    }

    /// Serves the request by the first of the methods whose capability is offered.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "it takes the whole request, which would be moved once more")]
    pub(crate) fn serve(self, methods: &[Method], mirror: Option<&dyn Mirror>) -> Step {
        let server = self.server();
        let snapshot = match server.catalogs.snapshot(server, self.caller().catalog_key()) {
            Ok(snapshot) => snapshot,
            Err(error) => return self.refuse(&error),
        };
        let asked = self.message.method();
        let known = |method: &&Method| method.name == asked && (method.offered)(&snapshot, &server.config);
        if let Some(Method { serve, .. }) = methods.iter().find(known) {
            drop(asked);
            return serve(self, snapshot, mirror);
        }
        let message = format!("Method not found: {}", cut(&asked, 128));
        self.refuse(&ErrorBody::new(code::METHOD_NOT_FOUND, message))
    }

    /// The revision that the request is served under.
    pub(crate) fn revision(&self) -> Revision {
        self.session.as_ref().map_or(Revision::LATEST, |session| session.revision())
    }

    /// What ends a result that has no `_meta` of its own: the engine's members, which no session knows.
    pub(crate) fn ending(&self) -> &str {
        match self.session {
            None => &self.server().ending,
            Some(_) => "",
        }
    }

    /// Below which no log line is sent; none at all if there is no level.
    pub(crate) fn log_level(&self) -> Option<LogLevel> {
        match &self.session {
            None => self.meta.log_level,
            Some(session) => Some(session.log_level()),
        }
    }

    pub(crate) fn refuse(&self, error: &ErrorBody) -> Step {
        Step::Reply(self.message.error(error))
    }

    pub(crate) fn invalid(&self, why: impl Into<Cow<'static, str>>) -> Step {
        self.refuse(&ErrorBody::new(code::INVALID_PARAMS, why))
    }

    /// The params; in a session there may be none, which is as good as empty.
    pub(crate) fn params(&self) -> Node<'_> {
        self.message.params().unwrap_or_else(|| tools::nothing().root())
    }

    pub(crate) fn capabilities(&self) -> ClientCapabilities<'_> {
        match &self.session {
            None => ClientCapabilities::new(self.message.node(self.meta.capabilities)),
            Some(session) => session.capabilities(),
        }
    }

    /// A member of the params that must be a string.
    #[inline]
    pub(crate) fn text(&self, name: &str) -> Result<Cow<'_, str>, ErrorBody> {
        let wrong = || ErrorBody::new(code::INVALID_PARAMS, format!("params.{name} must be a string."));
        self.params().get(name).and_then(Node::as_str).ok_or_else(wrong)
    }

    /// The `arguments` member: an object, or absent (which `null` is too).
    pub(crate) fn arguments(&self) -> Result<Option<Node<'_>>, ErrorBody> {
        match self.params().get_present("arguments") {
            Some(arguments) if !arguments.is_object() => {
                Err(ErrorBody::new(code::INVALID_PARAMS, "params.arguments must be an object."))
            }
            arguments => Ok(arguments),
        }
    }
}
