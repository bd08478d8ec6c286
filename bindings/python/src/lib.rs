//! The native half of the Python package: it converts and calls, and decides nothing about the protocol.
//!
//! No thread of the engine runs Python code for a call. Calls are put into an [`inbox::Inbox`] (for an event loop) or a
//! [`pool::Pool`] (for threads), and Python comes for them, many at once. So the engine's threads never wait for the
//! interpreter's lock, but for a line of the log or a catalog.
#![forbid(unsafe_code)]

mod authorization;
mod bytes;
mod call;
mod caller;
mod config;
mod connection;
mod error;
mod exchange;
mod gate;
mod host;
mod http;
mod inbox;
mod json;
mod listener;
mod pending;
mod pool;
mod route;
mod server;
mod store;

use pyo3::prelude::*;

/// The native half of the package `mcpcore`.
#[pymodule]
mod _mcpcore {
    #[pymodule_export]
    use crate::authorization::Authorization;
    #[pymodule_export]
    use crate::call::Call;
    #[pymodule_export]
    use crate::caller::Caller;
    #[pymodule_export]
    use crate::connection::Connection;
    #[pymodule_export]
    use crate::exchange::{Endpoint, Exchange};
    #[pymodule_export]
    use crate::inbox::Inbox;
    #[pymodule_export]
    use crate::json::{from_json, to_json};
    #[pymodule_export]
    use crate::listener::Listener;
    #[pymodule_export]
    use crate::pending::Pending;
    #[pymodule_export]
    use crate::pool::Jobs;
    #[pymodule_export]
    use crate::server::Engine;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's own name for it")]
    const __version__: &str = mcpcore_engine::VERSION;
}
