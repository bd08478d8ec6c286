//! HTTP without a socket.

use crate::error::mcp_error;
use crate::fork::{Birth, Native};
use crate::guard::{guard, shield};
use crate::http::config::mcp_http_config;
use crate::server::mcp_server;
use crate::status::mcp_status;
use crate::text::{cleared, millis, present};
use mcpcore_engine::http::Endpoint;
use std::mem::MaybeUninit;

/// HTTP without a socket, for your own web server: it routes requests here, an mcp_http_exchange answers each.
///
/// Functions: mcp_endpoint_new, mcp_endpoint_free, mcp_endpoint_stop, mcp_endpoint_next_deadline, mcp_endpoint_tick,
/// mcp_http_begin.
///
/// Since: 0.1.
pub struct mcp_endpoint {
    endpoint: Native<Endpoint>,
}

impl mcp_endpoint {
    /// The endpoint, unless this process is a child of the one that made it.
    pub(crate) fn running(&self) -> Result<&Endpoint, mcp_error> {
        self.endpoint.get("endpoint")
    }

    pub(crate) fn birth(&self) -> Birth {
        self.endpoint.birth()
    }
}

/// Makes an endpoint of a server. Everything is checked here, and every fault is reported, a line each.
///
/// Ownership: consumes `config`. *out is yours. Free with mcp_endpoint_free.
/// Threads: any.
/// Errors: MCP_STATUS_INVALID_ARGUMENT, MCP_STATUS_INVALID_UTF8; MCP_STATUS_CLOSED if the server was stopped.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_endpoint_new(
    server: Option<&mcp_server>,
    config: Option<Box<mcp_http_config>>,
    out: Option<&mut MaybeUninit<*mut mcp_endpoint>>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let out = cleared(out, "out")?;
        let handle = present(server, "server")?;
        let server = handle.running()?;
        let mut made = present(config, "config")?.into_made();
        if !made.listen.addresses.is_empty() {
            made.add_fault("option ADDRESS is for mcp_http_listen: an endpoint has no socket");
        }
        let endpoint = made.finish(|http, _| Endpoint::new(server, http))?;
        let endpoint = Native::new(endpoint, handle.birth());
        out.write(Box::into_raw(Box::new(mcp_endpoint { endpoint })));
        Ok(())
    })
}

/// Frees an endpoint; NULL does nothing. Its exchanges go on with what they need.
///
/// Threads: one at a time. Not inside a callback of this endpoint.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_endpoint_free(endpoint: Option<Box<mcp_endpoint>>) {
    shield((), || drop(endpoint));
}

/// Stops an endpoint for good: new requests are answered 503, subscriptions end with their result, calls in flight go
/// on. mcp_server_stop does it too.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_endpoint_stop(
    endpoint: Option<&mcp_endpoint>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        present(endpoint, "endpoint")?.running()?.stop();
        Ok(())
    })
}

/// How long until mcp_endpoint_tick has something to do, in milliseconds; -1 for nothing.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_endpoint_next_deadline(endpoint: Option<&mcp_endpoint>) -> i64 {
    shield(-1, || {
        let running = endpoint.and_then(|endpoint| endpoint.running().ok());
        millis(running.and_then(Endpoint::next_deadline))
    })
}

/// Does what is due of an endpoint's sessions: ends those whose clients have been away for too long, and calls that go on
/// without a connection. Without it, later requests of sessions do it.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_endpoint_tick(
    endpoint: Option<&mcp_endpoint>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        present(endpoint, "endpoint")?.running()?.tick();
        Ok(())
    })
}
