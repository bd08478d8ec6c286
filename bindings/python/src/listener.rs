//! The library's own HTTP server.

use crate::error::raise;
use mcpcore_engine::http as engine;
use mcpcore_engine::ErrorKind;
use pyo3::prelude::*;
use std::time::Duration;

/// The library's own HTTP server, with threads of its own.
#[pyclass(frozen, module = "mcpcore._mcpcore")]
pub(crate) struct Listener {
    listener: engine::HttpListener,
}

impl Listener {
    pub(crate) fn bind(
        py: Python<'_>,
        server: &mcpcore_engine::Server,
        http: engine::HttpConfig,
        listener: &engine::ListenerConfig,
    ) -> PyResult<Self> {
        let bound = py.detach(|| engine::HttpListener::bind(server, http, listener));
        Ok(Self { listener: bound.map_err(|error| raise(py, &error))? })
    }
}

#[pymethods]
impl Listener {
    /// The port of the first address that has one.
    #[getter]
    fn port(&self) -> Option<u16> {
        self.listener.port()
    }

    /// Where it listens.
    #[getter]
    fn addresses(&self) -> Vec<String> {
        self.listener.addresses().to_vec()
    }

    /// Waits until it has stopped.
    fn wait(&self, py: Python<'_>) {
        py.detach(|| self.listener.wait());
    }

    /// Stops; false if requests in flight had to be cut.
    fn stop(&self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        let longest = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        match py.detach(|| self.listener.stop(longest)) {
            Ok(()) => Ok(true),
            Err(error) if matches!(error.kind(), ErrorKind::Timeout | ErrorKind::Busy) => Ok(false),
            Err(error) => Err(raise(py, &error)),
        }
    }
}
