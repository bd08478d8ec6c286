//! What an endpoint is made from.

use super::authorize::{Authorizer, BodyCheck};
use super::metadata;
use super::origin::{HostRule, Rule};
use super::sessions::SessionStore;
use crate::caller::Caller;
use crate::error::{Error, ErrorKind, Result};
use http::header::{HeaderName, AUTHORIZATION, PROXY_AUTHORIZATION};
use std::fmt;
use std::sync::Arc;

/// Which pages in browsers may talk to the endpoint. A request without an `Origin` header comes from no page and passes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origins {
    /// Every page there is.
    Any,
    /// These, each as `scheme://host` or `scheme://host:port`. The word `loopback` stands for every http and https origin
    /// on this machine's loopback names, at any port.
    Only(Vec<String>),
}

/// Who may use the endpoint.
#[derive(Clone)]
#[non_exhaustive]
pub enum Access {
    /// Everyone, as this caller.
    Anyone(Caller),
    /// Whom this authorizer lets in.
    Ask(Arc<dyn Authorizer>),
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anyone(_) => "Anyone(_)",
            Self::Ask(_) => "Ask(_)",
        })
    }
}

/// What becomes of `initialize`, with which clients of the older revisions begin, where [`crate::Config::legacy`] serves
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Sessions {
    /// It opens a session, which later requests name in `Mcp-Session-Id`.
    #[default]
    Kept,
    /// It is answered, and nothing is kept: each request is served by itself, for hosts that run in many places or only
    /// while they answer. Clients are not asked anything and hear of no changes.
    Stateless,
}

/// What an endpoint is made from. [`HttpConfig::origins`] and [`HttpConfig::access`] must be set; every other field has
/// a default. Checked in [`super::Endpoint::new`].
#[derive(Clone)]
#[non_exhaustive]
pub struct HttpConfig {
    /// The path of the endpoint, or empty where the host's router has chosen already: then every path is the endpoint.
    pub path: String,
    /// Which pages in browsers may use it.
    pub origins: Option<Origins>,
    /// Who may use it.
    pub access: Option<Access>,
    /// Sees the exact bytes of a body before they are read as JSON. False: 403, told nothing.
    pub authorize_body: Option<Arc<BodyCheck>>,
    /// Names that the `Host` header may have; a name without a port stands for every port. Empty: not checked, unless
    /// the listener is bound to loopback, where loopback names are required.
    pub hosts: Vec<String>,
    /// The longest body, in bytes.
    pub max_body_bytes: usize,
    /// How long a body may take to arrive as a whole, in ms; 0: for ever.
    pub body_timeout_ms: u64,
    /// Bytes of all bodies that were received and are not answered yet. The first 64 KiB of each are free.
    pub byte_budget: usize,
    /// Calls in flight.
    pub max_calls: usize,
    /// Open subscriptions; 0: none are served (-32601), for drivers that must not be held for long.
    pub max_streams: usize,
    /// The longest life of a subscription, in ms; 0: no end.
    pub max_stream_ms: u64,
    /// What may wait to be sent on one stream, in bytes. A subscription over it is closed.
    pub stream_queue_bytes: usize,
    /// After so much silence an SSE stream gets a comment, and a call becomes an SSE stream, in ms; 0: never. A
    /// subscription whose client takes nothing for two such silences, though something waits, is closed.
    pub keep_alive_ms: u64,
    /// How often the authorizer is asked again about an open subscription, in ms; 0: never.
    pub reauthorize_ms: u64,
    /// Whether the authorizer is asked again before a subscription is told something.
    pub reauthorize_on_delivery: bool,
    /// The protected resource metadata of RFC 9728, a JSON object with `resource`.
    pub resource_metadata: Option<String>,
    /// The realm that challenges name.
    pub realm: Option<String>,
    /// Request headers that calls may see ([`crate::Call::header`]).
    pub call_headers: Vec<String>,
    /// Under [`Access::Anyone`], whether the principal of a peer on a Unix socket is `uid:` and its user id.
    pub unix_principal: bool,
    /// What becomes of `initialize`.
    pub sessions: Sessions,
    /// Sessions at once. For one more, that is ended whose client has been away for longest; with none to end: 503.
    pub max_sessions: usize,
    /// How long a session is kept whose client sends nothing and has no stream open, in ms; 0: for ever.
    pub session_idle_ms: u64,
    /// What is kept of each session's streams, so that a client that was cut off can have it again, in bytes; the last
    /// event is kept in any case. 0: streams cannot be resumed.
    pub session_replay_bytes: usize,
    /// After how long a client comes back to a stream that ended before it was complete, in ms; 0: it is not told.
    pub retry_ms: u64,
    /// The path of the HTTP+SSE transport of 2024-11-05, beside [`HttpConfig::path`]; none: it is not served.
    pub sse_path: Option<String>,
    /// Keeps sessions outside of the endpoint too.
    pub session_store: Option<Arc<dyn SessionStore>>,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            path: "/mcp".to_owned(),
            origins: None,
            access: None,
            authorize_body: None,
            hosts: Vec::new(),
            max_body_bytes: 1 << 20,
            body_timeout_ms: 15_000,
            byte_budget: 64 << 20,
            max_calls: 1024,
            max_streams: 1024,
            max_stream_ms: 0,
            stream_queue_bytes: 1 << 20,
            keep_alive_ms: 15_000,
            reauthorize_ms: 0,
            reauthorize_on_delivery: false,
            resource_metadata: None,
            realm: None,
            call_headers: Vec::new(),
            unix_principal: false,
            sessions: Sessions::default(),
            max_sessions: 10_000,
            session_idle_ms: 1_800_000,
            session_replay_bytes: 256 << 10,
            retry_ms: 1_000,
            sse_path: None,
            session_store: None,
        }
    }
}

impl fmt::Debug for HttpConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConfig")
            .field("path", &self.path)
            .field("origins", &self.origins)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

/// What a configuration says, read.
pub(super) struct Checked {
    pub(super) origins: Rule,
    pub(super) hosts: HostRule,
    pub(super) access: Access,
    pub(super) call_headers: Vec<HeaderName>,
    /// The `resource` of the metadata.
    pub(super) resource: Option<String>,
}

impl HttpConfig {
    /// Reads what needs reading; `loopback` as for [`super::Endpoint`]'s listener.
    pub(super) fn check(&self, loopback: bool) -> Result<Checked> {
        let mut faults = self.plain_faults();
        let mut note = |wrong: Vec<String>| faults.extend(wrong);
        let origins = match self.origins.as_ref().map(Rule::new) {
            None => {
                note(
                    vec!["origins: say which pages may use the endpoint; `Any` is an answer too".to_owned()],
                );
                None
            }
            Some(read) => read.map_err(&mut note).ok(),
        };
        let hosts = HostRule::new(&self.hosts, loopback).map_err(&mut note).ok();
        if self.access.is_none() {
            note(vec!["access: say who may use the endpoint; `Anyone` is an answer too".to_owned()]);
        }
        let checked = self.resource_metadata.as_deref().map(metadata::check);
        let resource = checked.and_then(|checked| checked.map_err(&mut note).ok());
        let mut call_headers = Vec::new();
        for name in &self.call_headers {
            match HeaderName::try_from(name) {
                Ok(name) if name == AUTHORIZATION || name == PROXY_AUTHORIZATION => note(vec![format!(
                    "call_headers: {name} is never passed on; let the authorizer put what is needed into the claims"
                )]),
                Ok(name) => call_headers.push(name),
                Err(_) => note(vec![format!("call_headers: {name:?} is not a header name")]),
            }
        }
        match (origins, hosts, self.access.clone()) {
            (Some(origins), Some(hosts), Some(access)) if faults.is_empty() => {
                Ok(Checked { origins, hosts, access, call_headers, resource })
            }
            _ => Err(Error::new(ErrorKind::InvalidArgument, faults.join("\n"))),
        }
    }

    fn plain_faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if !(self.path.is_empty() || is_path(&self.path)) {
            faults.push("path: must begin with / and have neither query nor fragment".to_owned());
        }
        match &self.sse_path {
            Some(path) if !is_path(path) => {
                faults.push("sse_path: must begin with / and have neither query nor fragment".to_owned());
            }
            Some(path) if *path == self.path => faults.push("sse_path: must differ from path".to_owned()),
            Some(_) | None => {}
        }
        if self.session_store.is_some() && self.sessions == Sessions::Stateless {
            faults.push("session_store: there is nothing to keep where sessions are stateless".to_owned());
        }
        for (name, value) in [
            ("max_body_bytes", self.max_body_bytes),
            ("byte_budget", self.byte_budget),
            ("max_calls", self.max_calls),
            ("stream_queue_bytes", self.stream_queue_bytes),
            ("max_sessions", self.max_sessions),
        ] {
            if value == 0 {
                faults.push(format!("{name}: must be at least 1"));
            }
        }
        match &self.access {
            Some(Access::Anyone(_)) if self.reauthorize_ms > 0 || self.reauthorize_on_delivery => {
                faults.push("reauthorize: there is nobody to ask under the access `Anyone`".to_owned());
            }
            Some(Access::Ask(_)) if self.unix_principal => {
                faults.push(
                    "unix_principal: under the access `Ask` the authorizer names the caller".to_owned(),
                );
            }
            Some(Access::Anyone(_) | Access::Ask(_)) | None => {}
        }
        faults
    }
}

fn is_path(path: &str) -> bool {
    let plain = path.bytes().all(|byte| matches!(byte, b'!'..=b'~') && !matches!(byte, b'?' | b'#'));
    path.starts_with('/') && plain
}
