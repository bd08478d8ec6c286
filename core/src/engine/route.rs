//! The ladder of refusals, from a request to the method that serves it.

use super::catalogs::Snapshot;
use super::mirror::Mirror;
use super::outlet::Outlet;
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
#[expect(
    clippy::large_enum_variant,
    reason = "a call is the usual step, and is moved into what is shared of it at once"
)]
pub(crate) enum Step {
    /// Send this; the exchange is over.
    Reply(Outgoing),
    /// Open a call and hand it to the host.
    Call(Prepared),
    /// Open a subscription.
    Listen(Box<listen::Prepared>),
}

/// A request of the modern era whose envelope and `_meta` are in order.
pub(crate) struct Request {
    /// The door, which knows the server and the caller.
    pub(crate) outlet: Arc<dyn Outlet>,
    pub(crate) message: Message,
    pub(crate) meta: Meta,
}

/// Where the parts of `_meta` stand in the message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Meta {
    pub(crate) node: u32,
    pub(crate) capabilities: u32,
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

/// One method of the modern era.
struct Method {
    name: &'static str,
    /// Whether its capability is offered.
    offered: fn(&Snapshot, &Config) -> bool,
    serve: fn(Request, Arc<Snapshot>, Option<&dyn Mirror>) -> Step,
}

/// The most frequent first: the table is searched from the top.
const METHODS: &[Method] = &[
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
    let meta = match read_meta(&message, mirror) {
        Ok(meta) => meta,
        Err(refusal) => return Step::Reply(refusal),
    };
    if let (Some(mirror), Some(params)) = (mirror, message.params()) {
        if let Err(error) = mirror.names(&message.method(), params) {
            return Step::Reply(message.error(&error));
        }
    }
    let request = Request { outlet, message, meta };
    let server = request.server();
    let snapshot = match server.catalogs.snapshot(server, request.caller().catalog_key()) {
        Ok(snapshot) => snapshot,
        Err(error) => return request.refuse(&error),
    };
    let asked = request.message.method();
    let known = |method: &&Method| method.name == asked && (method.offered)(&snapshot, &server.config);
    if let Some(Method { serve, .. }) = METHODS.iter().find(known) {
        drop(asked);
        return serve(request, snapshot, mirror);
    }
    let message = format!("Method not found: {}", cut(&asked, 128));
    request.refuse(&ErrorBody::new(code::METHOD_NOT_FOUND, message))
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
fn read_meta(message: &Message, mirror: Option<&dyn Mirror>) -> Result<Meta, Outgoing> {
    if let Some(Accepted { mark, parts }) = ACCEPTED.get() {
        if let Some(node) = message.recalled(mark) {
            if let Some(mirror) = mirror {
                mirror.version(Revision::LATEST.as_str()).map_err(|error| message.error(&error))?;
            }
            return Ok(parts.shifted(node.index()));
        }
    }
    let Some(node) = message.params().and_then(|params| params.get("_meta")) else {
        return Err(legacy(message, None, mirror.is_some()));
    };
    let meta = check_meta(message, node, mirror)?;
    // A progress token is another one each time.
    if meta.progress_token.is_none() {
        // Relative to the node, as if it stood first.
        let parts = meta.shifted(node.index().wrapping_neg());
        ACCEPTED.set(remember(node).map(|mark| Accepted { mark, parts }));
    }
    Ok(meta)
}

fn check_meta(message: &Message, node: Node<'_>, mirror: Option<&dyn Mirror>) -> Result<Meta, Outgoing> {
    if node.get(key::PROTOCOL_VERSION).is_none() {
        return Err(legacy(message, Some(node), mirror.is_some()));
    }
    let invalid = |why: String| message.error(&ErrorBody::new(code::INVALID_PARAMS, why).about(About::Meta));
    let read = check_request_meta(node).map_err(invalid)?;
    if let Some(mirror) = mirror {
        let named = read.protocol_version.as_str().unwrap_or_default();
        mirror.version(&named).map_err(|error| message.error(&error))?;
    }
    if !read.protocol_version.is_str(Revision::LATEST.as_str()) {
        return Err(message.error(&unsupported(&read.protocol_version.as_str().unwrap_or_default())));
    }
    read.rest().map_err(|why| invalid(why.to_owned()))?;
    Ok(Meta {
        node: node.index(),
        capabilities: read.capabilities.node().index(),
        progress_token: read.progress_token.map(Node::index),
        log_level: read.log_level,
    })
}

impl Meta {
    /// The same parts, `by` entries further on.
    fn shifted(self, by: u32) -> Self {
        Self {
            node: self.node.wrapping_add(by),
            capabilities: self.capabilities.wrapping_add(by),
            progress_token: self.progress_token.map(|token| token.wrapping_add(by)),
            log_level: self.log_level,
        }
    }
}

fn unsupported(requested: &str) -> ErrorBody {
    let served: Vec<String> = Revision::served().map(|revision| quote(revision.as_str())).collect();
    let data = format!("{{\"supported\":[{}],\"requested\":{}}}", served.join(","), quote(requested));
    let names: Vec<&str> = Revision::served().map(Revision::as_str).collect();
    let message = format!("Unsupported protocol version; this server speaks {}.", names.join(", "));
    ErrorBody::new(code::UNSUPPORTED_VERSION, message).with_data(data)
}

/// The answer to a request that does not say its revision: this build serves no session, so only a probe for life
/// succeeds, and `initialize` is told which revisions there are. Over HTTP (`mirrored`) nobody has a line to probe.
fn legacy(message: &Message, meta: Option<Node<'_>>, mirrored: bool) -> Outgoing {
    let asked = message.method();
    if asked == method::PING && !mirrored {
        return Outgoing::result(message.id(), 2, |out| out.extend_from_slice(b"{}"));
    }
    if asked == method::INITIALIZE {
        let requested = message.params().and_then(|params| params.get("protocolVersion")?.as_str());
        return message.error(&unsupported(&requested.unwrap_or_default()));
    }
    let what: Cow<'static, str> = match meta {
        Some(meta) if !meta.is_object() => "params._meta must be an object.".into(),
        Some(_) | None => {
            let key = key::PROTOCOL_VERSION;
            format!("params._meta lacks \"{key}\": send it with each request, or open with initialize.")
                .into()
        }
    };
    message.error(&ErrorBody::new(code::INVALID_PARAMS, what).about(About::Meta))
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

    pub(crate) fn refuse(&self, error: &ErrorBody) -> Step {
        Step::Reply(self.message.error(error))
    }

    pub(crate) fn invalid(&self, why: impl Into<Cow<'static, str>>) -> Step {
        self.refuse(&ErrorBody::new(code::INVALID_PARAMS, why))
    }

    /// The params: an object, since `_meta` was read from it.
    pub(crate) fn params(&self) -> Node<'_> {
        self.message.params().unwrap_or_else(|| self.message.node(0))
    }

    pub(crate) fn capabilities(&self) -> ClientCapabilities<'_> {
        ClientCapabilities::new(self.message.node(self.meta.capabilities))
    }

    /// A member of the params that must be a string.
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
