//! The server.

use crate::bytes::mcp_bytes;
use crate::caller::mcp_caller;
use crate::config::mcp_config;
use crate::error::mcp_error;
use crate::fork::{Birth, Native};
use crate::guard::{guard, shield};
use crate::status::mcp_status;
use crate::text::{bytes, cleared, long_span, present, span, store, text};
use mcpcore_engine::Server;
use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;

/// A protocol server: immutable, usable from any number of threads at once, without I/O of its own.
///
/// Functions: mcp_server_new, mcp_server_free, mcp_handle_request, mcp_connection_new, mcp_serve_stdio, mcp_serve_fd,
/// mcp_server_catalog_changed, mcp_server_resource_updated, mcp_server_revoke, mcp_server_pump, mcp_server_pump_fd,
/// mcp_server_stats, mcp_server_stop.
///
/// Since: 0.1.
pub struct mcp_server {
    server: Native<Server>,
}

impl mcp_server {
    /// The server, unless this process is a child of the one that made it.
    pub(crate) fn running(&self) -> Result<&Server, mcp_error> {
        self.server.get("server")
    }

    pub(crate) fn birth(&self) -> Birth {
        self.server.birth()
    }
}

/// Makes a server. Everything is checked here, and every fault of the configuration and the catalog is reported, a line
/// each.
///
/// Ownership: consumes `config`. *out is yours. Free with mcp_server_free.
/// Threads: any.
/// Errors: MCP_STATUS_INVALID_ARGUMENT, MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON, MCP_STATUS_CATALOG.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_server_new(
    config: Option<Box<mcp_config>>,
    out: Option<&mut MaybeUninit<*mut mcp_server>>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let out = cleared(out, "out")?;
        let server = present(config, "config")?.into_server()?;
        let server = mcp_server { server: Native::new(server, Birth::here()) };
        out.write(Box::into_raw(Box::new(server)));
        Ok(())
    })
}

/// Frees a server; NULL does nothing. Calls and connections that are still open keep what they need; calls that wait for
/// mcp_server_pump are ended, since nobody can pump any more.
///
/// Threads: one at a time. Not inside a callback of this server.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_server_free(server: Option<Box<mcp_server>>) {
    shield((), || drop(server));
}

/// Serves one modern message (2026-07-28 or newer) and gives its response, on this thread; it starts no thread.
///
/// Callbacks run on this thread too. A call that is not answered when they return is waited for. What a call says
/// before its answer (progress, log lines) is dropped: there is nowhere to send it.
///
/// Ownership: `message` is any bytes; what is wrong with it stands in the response. *response is yours, NULL if there is
/// none because the message was a notification. Free with mcp_bytes_free.
/// Threads: any.
/// Errors: MCP_STATUS_TIMEOUT after timeout_ms (-1: without limit) without an answer; MCP_STATUS_CLOSED.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_handle_request(
    server: Option<&mcp_server>,
    caller: Option<&mcp_caller>,
    message: *const c_char,
    len: usize,
    timeout_ms: i64,
    response: Option<&mut MaybeUninit<*mut mcp_bytes>>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let response = cleared(response, "response")?;
        let server = present(server, "server")?.running()?;
        let caller = present(caller, "caller")?.sound()?;
        let message = bytes(message, len, "message")?;
        if let Some(answer) = server.handle(caller, message, span(timeout_ms, "timeout_ms")?)? {
            response.write(mcp_bytes::handle(answer));
        }
        Ok(())
    })
}

/// Builds the catalog for a key anew ("" is the common one), publishes it before it returns, and tells subscribers. On a
/// fault the old one stays.
///
/// Threads: any; also inside callbacks, but not inside mcp_catalog_fn.
/// Errors: MCP_STATUS_CATALOG.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_server_catalog_changed(
    server: Option<&mcp_server>,
    catalog_key: *const c_char,
    len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let server = present(server, "server")?.running()?;
        Ok(server.catalog_changed(text(catalog_key, len, "catalog_key")?)?)
    })
}

/// Tells the subscribers of a resource that it changed.
///
/// Threads: any; also inside callbacks.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_server_resource_updated(
    server: Option<&mcp_server>,
    uri: *const c_char,
    len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let server = present(server, "server")?.running()?;
        server.resource_updated(text(uri, len, "uri")?);
        Ok(())
    })
}

/// Ends the subscriptions of callers whose owner key or principal this is.
///
/// Threads: any; also inside callbacks.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_server_revoke(
    server: Option<&mcp_server>,
    owner_key: *const c_char,
    len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let server = present(server, "server")?.running()?;
        server.revoke(text(owner_key, len, "owner_key")?);
        Ok(())
    })
}

/// Runs waiting callbacks on this thread, for about max_ms and at least one if there is one. With MCP_DISPATCH_PUMP
/// callbacks run nowhere else.
///
/// `calls_run` may be NULL; it gets how many ran.
///
/// Threads: any; the host's own choice, since that is where its code runs.
/// Errors: MCP_STATUS_INVALID_ARGUMENT if the server has no pump.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_server_pump(
    server: Option<&mcp_server>,
    max_ms: i64,
    calls_run: Option<&mut MaybeUninit<u32>>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let server = present(server, "server")?.running()?;
        store(calls_run, server.pump(long_span(max_ms, "max_ms")?)?);
        Ok(())
    })
}

/// A descriptor that is readable while mcp_server_pump has work, for poll() and the like; -1 if the server has no pump.
///
/// Ownership: the library's; do not read or close it. Valid until the server is freed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_server_pump_fd(server: Option<&mcp_server>) -> c_int {
    shield(-1, || server.and_then(|server| server.running().ok()).map_or(-1, pump_fd))
}

#[cfg(unix)]
fn pump_fd(server: &Server) -> c_int {
    use std::os::fd::AsRawFd;
    server.pump_fd().map_or(-1, |fd| fd.as_raw_fd())
}

#[cfg(not(unix))]
fn pump_fd(_: &Server) -> c_int {
    -1
}

/// Counters of the server as a JSON object.
///
/// Ownership: *json is yours. Free with mcp_bytes_free.
/// Threads: any; also inside callbacks.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_server_stats(
    server: Option<&mcp_server>,
    json: Option<&mut MaybeUninit<*mut mcp_bytes>>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let json = cleared(json, "json")?;
        let stats = present(server, "server")?.running()?.stats();
        json.write(mcp_bytes::handle(stats.into_bytes()));
        Ok(())
    })
}

/// Stops a server for good: ends subscriptions, refuses new requests, gives calls in flight timeout_ms (-1: without
/// limit) to end, and cancels the rest.
///
/// Threads: any. Not inside a callback of this server, which it would wait for.
/// Errors: MCP_STATUS_TIMEOUT if calls had to be cancelled.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_server_stop(
    server: Option<&mcp_server>,
    timeout_ms: i64,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let server = present(server, "server")?.running()?;
        Ok(server.stop(long_span(timeout_ms, "timeout_ms")?)?)
    })
}
