//! Where sessions are kept outside the process: an object of Python.

use mcpcore_engine::http::SessionStore;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// An object with `save`, `load` and `delete`.
pub(crate) struct Store(Py<PyAny>);

impl Store {
    pub(crate) fn new(object: Py<PyAny>) -> Self {
        Self(object)
    }

    fn call<R>(&self, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<R>) -> Result<R, String> {
        Python::try_attach(|py| ask(self.0.bind(py)).map_err(|error| explain(py, &error)))
            .unwrap_or_else(|| Err("the interpreter is shutting down".to_owned()))
    }
}

/// The exception with where it was raised, for the log.
fn explain(py: Python<'_>, error: &PyErr) -> String {
    let details =
        py.import("mcpcore.calls").and_then(|module| module.call_method1("details", (error.value(py),)));
    details.and_then(|text| text.extract()).unwrap_or_else(|_| error.to_string())
}

impl SessionStore for Store {
    fn save(&self, id: &str, session: &str, ttl_ms: u64) -> Result<(), String> {
        #[expect(clippy::cast_precision_loss, reason = "a time, not a count")]
        let ttl = (ttl_ms > 0).then_some(ttl_ms as f64 / 1000.0);
        self.call(|store| store.call_method1("save", (id, session, ttl)).map(drop))
    }

    fn load(&self, id: &str) -> Result<Option<String>, String> {
        self.call(|store| {
            let found = store.call_method1("load", (id,))?;
            if found.is_none() {
                return Ok(None);
            }
            Ok(Some(found.cast::<PyString>()?.to_str()?.to_owned()))
        })
    }

    fn delete(&self, id: &str) -> Result<(), String> {
        self.call(|store| store.call_method1("delete", (id,)).map(drop))
    }
}
