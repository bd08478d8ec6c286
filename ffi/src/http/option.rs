//! The options of an HTTP configuration.

mod table;

pub(crate) use table::TABLE;

use crate::option::Options;
use mcpcore_engine::http::{HttpConfig, ListenerConfig};

/// Options of an HTTP endpoint: mcp_http_config_set_int for numbers and switches (0 off, 1 on), mcp_http_config_set_text
/// for texts, mcp_http_config_add_text for lists. Texts are checked by mcp_http_listen and mcp_endpoint_new.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum mcp_http_option {
    /// Where a listener waits for connections: "127.0.0.1:4000", "[::1]:0" (port 0: any free one), "unix:/run/x.sock".
    /// At least one for mcp_http_listen, none for mcp_endpoint_new. List: mcp_http_config_add_text.
    MCP_HTTP_OPTION_ADDRESS = 1,
    /// The path of the endpoint, "/mcp" unless set; "" where your router has chosen already: every path is the endpoint
    /// then. Text.
    MCP_HTTP_OPTION_PATH = 2,
    /// A page in browsers that may use the endpoint, as "https://host" or "https://host:port"; "loopback" is every page
    /// that this machine itself serves. One of this and mcp_http_config_allow_any_origin is required. List:
    /// mcp_http_config_add_text.
    MCP_HTTP_OPTION_ORIGIN = 3,
    /// A name that the Host header may have; without a port it stands for every port. Without any: loopback names where
    /// only loopback addresses are listened on, else everything. List: mcp_http_config_add_text.
    MCP_HTTP_OPTION_HOST = 4,
    /// The longest body, in bytes; a longer one is answered 413. Number: 1024 to 2147483647, default 1048576.
    MCP_HTTP_OPTION_MAX_BODY_BYTES = 5,
    /// How long a whole body may take to arrive, in milliseconds, before 408; 0: for ever. Number: 0 to 31536000000,
    /// default 15000.
    MCP_HTTP_OPTION_BODY_TIMEOUT_MS = 6,
    /// Bytes of all bodies that were received and are not answered yet; the first 65536 of each are free. Over it new
    /// requests are answered 503. Number: 0 to 1099511627776, default 67108864.
    MCP_HTTP_OPTION_BYTE_BUDGET = 7,
    /// After so much silence, in milliseconds, a stream gets a comment, and a call becomes a stream; 0: never. Number: 0
    /// to 31536000000, default 15000.
    MCP_HTTP_OPTION_KEEP_ALIVE_MS = 8,
    /// The protected resource metadata of RFC 9728, a JSON object with "resource". It is served without a token at
    /// "/.well-known/oauth-protected-resource" followed by the path, and every challenge names its URL. Text.
    MCP_HTTP_OPTION_RESOURCE_METADATA = 9,
    /// A request header that calls may see with mcp_call_header. List: mcp_http_config_add_text.
    MCP_HTTP_OPTION_CALL_HEADER = 10,
    /// Calls in flight; one more is answered 503. Number: 1 to 1000000, default 1024.
    MCP_HTTP_OPTION_MAX_CALLS = 11,
    /// Open subscriptions; one more is answered 503. Number: 0 to 1000000, default 1024.
    MCP_HTTP_OPTION_MAX_STREAMS = 12,
    /// The longest life of a subscription, in milliseconds; 0: no end. Number: 0 to 31536000000, default 0.
    MCP_HTTP_OPTION_MAX_STREAM_MS = 13,
    /// What may wait to be sent on one stream, in bytes; a subscription whose client does not read is closed over it.
    /// Number: 1024 to 2147483647, default 1048576.
    MCP_HTTP_OPTION_STREAM_QUEUE_BYTES = 14,
    /// The realm that challenges name. Text.
    MCP_HTTP_OPTION_REALM = 15,
    /// How often mcp_authorize_fn is asked again about an open subscription, in milliseconds; 0: never. Number: 0 to
    /// 31536000000, default 0.
    MCP_HTTP_OPTION_REAUTHORIZE_MS = 16,
    /// Whether mcp_authorize_fn is asked again before a subscription is told something. Switch: default 0.
    MCP_HTTP_OPTION_REAUTHORIZE_ON_DELIVERY = 17,
    /// Whether the principal of a peer on a Unix socket is "uid:" and its user id. Only with
    /// mcp_http_config_allow_any_caller. Switch: default 0.
    MCP_HTTP_OPTION_UNIX_PRINCIPAL = 18,
    /// Threads of a listener; a connection stays on one. Number: 1 to 1024, default 1.
    MCP_HTTP_OPTION_THREADS = 19,
    /// Open connections of a listener; more wait until one closes. Number: 1 to 1000000, default 4096.
    MCP_HTTP_OPTION_MAX_CONNECTIONS = 20,
    /// How long a listener waits for the head of a request, in milliseconds, before 408; 0: for ever. Number: 0 to
    /// 31536000000, default 10000.
    MCP_HTTP_OPTION_HEADER_TIMEOUT_MS = 21,
    /// How long a listener keeps a connection without a request, or one whose client does not read what is sent to it, in
    /// milliseconds; 0: for ever. Number: 0 to 31536000000, default 60000.
    MCP_HTTP_OPTION_IDLE_MS = 22,
    /// How long requests in flight on a listener have to be answered after mcp_server_stop, in milliseconds. Number: 0 to
    /// 31536000000, default 5000.
    MCP_HTTP_OPTION_DRAIN_MS = 23,
    /// What becomes of initialize, with which clients of the revisions before 2026-07-28 begin. Choice: MCP_SESSIONS_KEPT
    /// (default), MCP_SESSIONS_STATELESS.
    MCP_HTTP_OPTION_SESSIONS = 24,
    /// Sessions at once. For one more, that is ended whose client has been away for longest; with none to end, initialize
    /// is answered 503. Number: 1 to 1000000, default 10000.
    MCP_HTTP_OPTION_MAX_SESSIONS = 25,
    /// How long a session is kept whose client sends nothing and has no stream open, in milliseconds; 0: for ever. Number:
    /// 0 to 31536000000, default 1800000.
    MCP_HTTP_OPTION_SESSION_IDLE_MS = 26,
    /// What is kept of each session's streams, so that a client that was cut off can have it again, in bytes; the last
    /// event is kept in any case. 0: streams cannot be resumed. Number: 0 to 2147483647, default 262144.
    MCP_HTTP_OPTION_SESSION_REPLAY_BYTES = 27,
    /// After how long a client comes back to a stream that ended before it was complete, in milliseconds; 0: it is not
    /// told. Number: 0 to 31536000000, default 1000.
    MCP_HTTP_OPTION_RETRY_MS = 28,
    /// The path of the HTTP+SSE transport of 2024-11-05, beside MCP_HTTP_OPTION_PATH; it is not served unless set. Text.
    MCP_HTTP_OPTION_SSE_PATH = 29,
}

/// What becomes of initialize: MCP_HTTP_OPTION_SESSIONS.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mcp_sessions {
    /// It opens a session, which later requests name in Mcp-Session-Id.
    MCP_SESSIONS_KEPT = 0,
    /// It is answered, and nothing is kept: each request is served by itself, for hosts that run in many places or only
    /// while they answer. Clients are asked nothing and hear of no changes.
    MCP_SESSIONS_STATELESS = 1,
}

impl Options for mcp_http_option {
    const PREFIX: &'static str = "MCP_HTTP_OPTION_";
    const SETTERS: &'static str = "mcp_http_config";
}

/// What the options set.
pub(crate) struct Settings {
    pub(crate) http: HttpConfig,
    pub(crate) listen: ListenerConfig,
    pub(crate) origins: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        let mut listen = ListenerConfig::new("");
        listen.addresses.clear();
        Self { http: HttpConfig::default(), listen, origins: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
