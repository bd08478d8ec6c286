//! The engine behind one server of Python.

use crate::bytes::bytes_of;
use crate::caller::Caller;
use crate::config;
use crate::connection::Connection;
use crate::error::{raise, wrong_value};
use crate::exchange::Endpoint;
use crate::gate::Gate;
use crate::host::{Bridge, Shared};
use crate::inbox::Inbox;
use crate::listener::Listener;
use crate::pending::{Pending, Slot};
use crate::pool::Jobs;
use crate::route::Route;
use mcpcore_engine as engine;
use mcpcore_engine::{ErrorKind, Server};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The engine behind one server of Python. Handlers are routed first; [`Engine::build`] checks everything.
#[pyclass(frozen, module = "mcpcore._mcpcore")]
pub(crate) struct Engine {
    server: OnceLock<Server>,
    shared: Arc<Shared>,
    config: engine::Config,
    /// The process that it was made in; threads and locks do not come along to a child of a fork.
    process: u32,
}

impl Engine {
    pub(crate) fn server(&self, py: Python<'_>) -> PyResult<&Server> {
        if self.process != std::process::id() {
            let why = "the server was made before this process was forked; make a new one here";
            return Err(raise(py, &engine::Error::new(ErrorKind::Closed, why)));
        }
        self.server.get().ok_or_else(|| wrong_value("the engine is not built yet"))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if self.process == std::process::id() {
            self.shared.close();
        }
    }
}

#[pymethods]
impl Engine {
    /// `owner` is a weak reference to the server in Python, whose `_catalog(caller)` and `_log(level, text)` are called.
    #[new]
    fn new(name: &str, version: &str, options: &Bound<'_, PyDict>, owner: Py<PyAny>) -> PyResult<Self> {
        let (config, threads) = config::read(name, version, options)?;
        let shared = Shared::new(threads.limit, threads.wait_ms);
        shared.set_owner(owner);
        Ok(Self { server: OnceLock::new(), shared, config, process: std::process::id() })
    }

    /// Checks everything, and builds the catalog.
    fn build(&self, py: Python<'_>) -> PyResult<()> {
        let bridge = Arc::new(Bridge(Arc::clone(&self.shared)));
        let server =
            py.detach(|| Server::new(self.config.clone(), bridge)).map_err(|error| raise(py, &error))?;
        self.server.set(server).map_err(|_| wrong_value("the engine is built already"))
    }

    /// Routes calls of an item (without a name: of all others) to Python's handler of that number; `limit` of them at
    /// once, 0: any number.
    fn route(
        &self,
        kind: &str,
        name: Option<&str>,
        handler: u32,
        threaded: bool,
        limit: usize,
    ) -> PyResult<()> {
        let gate = (limit > 0).then(|| Arc::new(Gate::new(limit, Arc::downgrade(&self.shared))));
        let route = Route { handler, threaded, gate };
        if self.shared.routes.set(kind, name, Some(route)) {
            Ok(())
        } else {
            Err(wrong_value("no such kind"))
        }
    }

    /// Takes a route away.
    fn unroute(&self, kind: &str, name: &str) -> PyResult<()> {
        if self.shared.routes.set(kind, Some(name), None) {
            Ok(())
        } else {
            Err(wrong_value("no such kind"))
        }
    }

    /// The queue for threads.
    fn jobs(&self) -> Jobs {
        Jobs { pool: Arc::clone(&self.shared.pool) }
    }

    /// A queue for an event loop.
    fn inbox(&self) -> PyResult<Inbox> {
        Inbox::new(&self.shared)
    }

    /// Calls that belong to no other loop go to this one.
    fn set_home(&self, inbox: Option<&Inbox>) {
        self.shared.set_home(inbox.map(|inbox| Arc::clone(&inbox.mailbox)));
    }

    /// Takes one message. Returns what becomes of it, and the calls that it brought.
    fn begin<'py>(
        &self,
        caller: &Caller,
        message: &Bound<'py, PyAny>,
    ) -> PyResult<(Pending, Bound<'py, PyList>)> {
        let py = message.py();
        let server = self.server(py)?;
        let bytes = bytes_of(message)?;
        let slot = Arc::new(Slot::default());
        let sink = Arc::clone(&slot);
        let (begun, calls) = self
            .shared
            .capture(py, || server.begin(&caller.inner, bytes, move |response| sink.put(response)))?;
        let pending = begun.map_err(|error| raise(py, &error))?;
        Ok((Pending::new(slot, pending), calls))
    }

    /// Opens a connection whose messages are told to `function` through `inbox`.
    fn connect(
        &self,
        py: Python<'_>,
        caller: &Caller,
        inbox: &Inbox,
        function: Py<PyAny>,
    ) -> PyResult<Connection> {
        let caller = Arc::clone(&caller.inner);
        Connection::open(py, self.server(py)?, &self.shared, caller, inbox, function)
    }

    /// Serves standard input and output without the interpreter's lock, until the end.
    fn serve_stdio(&self, py: Python<'_>) -> PyResult<()> {
        let server = self.server(py)?;
        py.detach(|| engine::serve_stdio(server)).map_err(|error| raise(py, &error))
    }

    /// Opens the library's own HTTP server.
    fn listen(&self, options: &Bound<'_, PyDict>) -> PyResult<Listener> {
        let py = options.py();
        let (http, listener) = crate::http::read(options, &self.shared)?;
        Listener::bind(py, self.server(py)?, http, &listener)
    }

    /// An HTTP endpoint for a web server in Python.
    fn endpoint(&self, options: &Bound<'_, PyDict>) -> PyResult<Endpoint> {
        let py = options.py();
        let (http, _) = crate::http::read(options, &self.shared)?;
        Endpoint::new(py, self.server(py)?, http, &self.shared)
    }

    fn catalog_changed(&self, py: Python<'_>, key: &str) -> PyResult<()> {
        let server = self.server(py)?;
        py.detach(|| server.catalog_changed(key)).map_err(|error| raise(py, &error))
    }

    fn resource_updated(&self, py: Python<'_>, uri: &str) -> PyResult<()> {
        let server = self.server(py)?;
        py.detach(|| server.resource_updated(uri));
        Ok(())
    }

    fn revoke(&self, py: Python<'_>, owner_key: &str) -> PyResult<()> {
        let server = self.server(py)?;
        py.detach(|| server.revoke(owner_key));
        Ok(())
    }

    /// Stops; false if calls had to be cancelled.
    fn stop(&self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        let Some(server) = self.server.get() else { return Ok(true) };
        let longest = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        match py.detach(|| server.stop(longest)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::Timeout => Ok(false),
            Err(error) => Err(raise(py, &error)),
        }
    }

    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        let server = self.server(py)?;
        Ok(py.detach(|| server.stats()))
    }

    /// Wakes threads and loops for the last time.
    fn close(&self) {
        self.shared.close();
    }
}
