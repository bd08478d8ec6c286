//! One row an option.

use super::mcp_http_option as Key;
use super::Settings;
use crate::option::{choice, number, one, switch, text, Entry, Value, MOST_BYTES, MOST_ITEMS, YEAR_MS};

use mcpcore_engine::http::Sessions;

/// A TiB: a budget for a whole machine.
const MOST_BUDGET: i64 = 1 << 40;

/// Texts in a list, added one at a time.
macro_rules! list {
    ($option:ident, $($field:ident).+) => {
        Entry {
            option: Key::$option,
            field: stringify!($($field).+),
            value: Value::List {
                add: |settings, text| {
                    settings.$($field).+.push(text.to_owned());
                    Ok(())
                },
            },
        }
    };
}

/// Every option, in the order of their numbers.
pub(crate) static TABLE: &[Entry<Key, Settings>] = &[
    list!(MCP_HTTP_OPTION_ADDRESS, listen.addresses),
    Entry {
        option: Key::MCP_HTTP_OPTION_PATH,
        field: "http.path",
        value: Value::Text { set: |settings, text| settings.http.path = text },
    },
    list!(MCP_HTTP_OPTION_ORIGIN, origins),
    list!(MCP_HTTP_OPTION_HOST, http.hosts),
    number!(MCP_HTTP_OPTION_MAX_BODY_BYTES, http.max_body_bytes, 1024, MOST_BYTES),
    number!(MCP_HTTP_OPTION_BODY_TIMEOUT_MS, http.body_timeout_ms, 0, YEAR_MS),
    number!(MCP_HTTP_OPTION_BYTE_BUDGET, http.byte_budget, 0, MOST_BUDGET),
    number!(MCP_HTTP_OPTION_KEEP_ALIVE_MS, http.keep_alive_ms, 0, YEAR_MS),
    text!(MCP_HTTP_OPTION_RESOURCE_METADATA, http.resource_metadata),
    list!(MCP_HTTP_OPTION_CALL_HEADER, http.call_headers),
    number!(MCP_HTTP_OPTION_MAX_CALLS, http.max_calls, 1, MOST_ITEMS),
    number!(MCP_HTTP_OPTION_MAX_STREAMS, http.max_streams, 0, MOST_ITEMS),
    number!(MCP_HTTP_OPTION_MAX_STREAM_MS, http.max_stream_ms, 0, YEAR_MS),
    number!(MCP_HTTP_OPTION_STREAM_QUEUE_BYTES, http.stream_queue_bytes, 1024, MOST_BYTES),
    text!(MCP_HTTP_OPTION_REALM, http.realm),
    number!(MCP_HTTP_OPTION_REAUTHORIZE_MS, http.reauthorize_ms, 0, YEAR_MS),
    switch!(MCP_HTTP_OPTION_REAUTHORIZE_ON_DELIVERY, http.reauthorize_on_delivery),
    switch!(MCP_HTTP_OPTION_UNIX_PRINCIPAL, http.unix_principal),
    number!(MCP_HTTP_OPTION_THREADS, listen.threads, 1, 1024),
    number!(MCP_HTTP_OPTION_MAX_CONNECTIONS, listen.max_connections, 1, MOST_ITEMS),
    number!(MCP_HTTP_OPTION_HEADER_TIMEOUT_MS, listen.header_timeout_ms, 0, YEAR_MS),
    number!(MCP_HTTP_OPTION_IDLE_MS, listen.idle_ms, 0, YEAR_MS),
    number!(MCP_HTTP_OPTION_DRAIN_MS, listen.drain_ms, 0, YEAR_MS),
    choice!(MCP_HTTP_OPTION_SESSIONS, http.sessions, [
        "MCP_SESSIONS_KEPT": Sessions::Kept,
        "MCP_SESSIONS_STATELESS": Sessions::Stateless
    ]),
    number!(MCP_HTTP_OPTION_MAX_SESSIONS, http.max_sessions, 1, MOST_ITEMS),
    number!(MCP_HTTP_OPTION_SESSION_IDLE_MS, http.session_idle_ms, 0, YEAR_MS),
    number!(MCP_HTTP_OPTION_SESSION_REPLAY_BYTES, http.session_replay_bytes, 0, MOST_BYTES),
    number!(MCP_HTTP_OPTION_RETRY_MS, http.retry_ms, 0, YEAR_MS),
    text!(MCP_HTTP_OPTION_SSE_PATH, http.sse_path),
];
