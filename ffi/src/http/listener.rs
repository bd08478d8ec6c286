//! HTTP with its own sockets.

use crate::arena::Arena;
use crate::error::mcp_error;
use crate::fork::Native;
use crate::guard::{guard, shield};
use crate::http::config::mcp_http_config;
use crate::server::mcp_server;
use crate::status::mcp_status;
use crate::text::{cleared, long_span, present, CText};
use mcpcore_engine::http::HttpListener;
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// HTTP with its own sockets and threads: HTTP/1.1 and HTTP/2 without TLS (h2c), over TCP and Unix sockets.
///
/// Functions: mcp_http_listen, mcp_listener_port, mcp_listener_address, mcp_listener_wait, mcp_listener_stop,
/// mcp_listener_free.
///
/// Since: 0.1.
pub struct mcp_listener {
    listener: Native<HttpListener>,
    texts: Arena,
}

impl mcp_listener {
    /// The listener, unless this process is a child of the one that made it.
    fn running(&self) -> Result<&HttpListener, mcp_error> {
        self.listener.get("listener")
    }
}

/// Listens on every MCP_HTTP_OPTION_ADDRESS and serves there, on threads of its own, until it is stopped. Everything is
/// checked here, and every fault is reported, a line each.
///
/// Ownership: consumes `config`. *out is yours. Free with mcp_listener_free.
/// Threads: any.
/// Errors: MCP_STATUS_INVALID_ARGUMENT, MCP_STATUS_INVALID_UTF8; MCP_STATUS_IO if an address cannot be listened on;
/// MCP_STATUS_CLOSED if the server was stopped.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_listen(
    server: Option<&mcp_server>,
    config: Option<Box<mcp_http_config>>,
    out: Option<&mut MaybeUninit<*mut mcp_listener>>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let out = cleared(out, "out")?;
        let handle = present(server, "server")?;
        let server = handle.running()?;
        let made = present(config, "config")?.into_made();
        let listener = made.finish(|http, listen| HttpListener::bind(server, http, &listen))?;
        let listener = Native::new(listener, handle.birth());
        let listener = mcp_listener { listener, texts: Arena::default() };
        out.write(Box::into_raw(Box::new(listener)));
        Ok(())
    })
}

/// The port of the first address that is no Unix socket; 0 if there is none.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_listener_port(listener: Option<&mcp_listener>) -> u16 {
    shield(0, || {
        listener.and_then(|listener| listener.running().ok()).and_then(HttpListener::port).unwrap_or(0)
    })
}

/// An address that is listened on, "127.0.0.1:4000" or "unix:/run/x.sock", in the order of MCP_HTTP_OPTION_ADDRESS from
/// 0; NULL beyond the last one.
///
/// Ownership: valid until the listener is freed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_listener_address(
    listener: Option<&mcp_listener>,
    number: usize,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    shield(std::ptr::null(), || {
        let Some(handle) = listener else {
            return std::ptr::null();
        };
        let address = || Some(CText::new(handle.running().ok()?.addresses().get(number)?));
        handle.texts.view_named(&number.to_string(), address, len)
    })
}

/// Waits until the listener was stopped, by mcp_listener_stop or mcp_server_stop.
///
/// Threads: any. Not inside a callback.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_listener_wait(
    listener: Option<&mcp_listener>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        present(listener, "listener")?.running()?.wait();
        Ok(())
    })
}

/// Stops a listener for good: takes no more connections, ends subscriptions with their result, gives requests in flight
/// timeout_ms (-1: without limit) to be answered, and closes the rest. Other doors of the server go on.
///
/// Threads: any. Not inside a callback of the server, which it would wait for.
/// Errors: MCP_STATUS_TIMEOUT if requests had to be given up.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_listener_stop(
    listener: Option<&mcp_listener>,
    timeout_ms: i64,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let listener = present(listener, "listener")?.running()?;
        Ok(listener.stop(long_span(timeout_ms, "timeout_ms")?)?)
    })
}

/// Frees a listener; NULL does nothing. One that was not stopped closes at once: its calls are cancelled.
///
/// Threads: one at a time. Not inside a callback of the server.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_listener_free(listener: Option<Box<mcp_listener>>) {
    shield((), || drop(listener));
}
