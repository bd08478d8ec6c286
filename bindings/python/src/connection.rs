//! One stdio-like peer inside the process.

use crate::error::raise;
use crate::host::Shared;
use crate::inbox::{Event, Inbox, Mailbox};
use mcpcore_engine as engine;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::sync::Arc;

/// Gives messages to a Python function, on its loop.
struct Sink {
    mailbox: Arc<Mailbox>,
    function: Py<PyAny>,
}

impl engine::Output for Sink {
    fn write(&self, messages: &[u8]) {
        let Some(function) = Python::try_attach(|py| self.function.clone_ref(py)) else { return };
        // A loop that has ended reads no messages.
        let _ = self.mailbox.push(Event::Tell(function, Some(messages.to_vec())));
    }
}

/// One stdio-like peer inside the process.
#[pyclass(frozen, module = "mcpcore._mcpcore")]
pub(crate) struct Connection {
    connection: engine::Connection,
    shared: Arc<Shared>,
}

impl Connection {
    pub(crate) fn open(
        py: Python<'_>,
        server: &engine::Server,
        shared: &Arc<Shared>,
        caller: Arc<engine::Caller>,
        inbox: &Inbox,
        function: Py<PyAny>,
    ) -> PyResult<Self> {
        let sink = Sink { mailbox: Arc::clone(&inbox.mailbox), function };
        let connection =
            engine::Connection::new(server, caller, Box::new(sink)).map_err(|error| raise(py, &error))?;
        Ok(Self { connection, shared: Arc::clone(shared) })
    }
}

#[pymethods]
impl Connection {
    /// Takes the next bytes. Returns the calls that they brought.
    fn receive<'py>(&self, data: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyList>> {
        let py = data.py();
        let bytes = data.as_bytes();
        let (received, calls) = self.shared.capture(py, || self.connection.receive(bytes))?;
        received.map_err(|error| raise(py, &error))?;
        Ok(calls)
    }

    /// Seconds until [`Connection::tick`] has something to do, or `None`.
    fn next_deadline(&self) -> Option<f64> {
        self.connection.next_deadline().map(|due| due.as_secs_f64())
    }

    fn tick(&self, py: Python<'_>) {
        py.detach(|| self.connection.tick());
    }

    /// Ends everything at once.
    fn close(&self, py: Python<'_>) {
        py.detach(|| self.connection.close());
    }
}
