//! Who asks.

use crate::error::raise;
use crate::json;
use mcpcore_engine as engine;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Who asks.
#[pyclass(frozen, module = "mcpcore")]
pub(crate) struct Caller {
    pub(crate) inner: Arc<engine::Caller>,
}

#[pymethods]
impl Caller {
    #[new]
    #[pyo3(signature = (principal = "", *, scopes = None, all_scopes = false, owner_key = None, catalog_key = "", claims = None, expires_at = None))]
    fn new(
        principal: &str,
        scopes: Option<Vec<String>>,
        all_scopes: bool,
        owner_key: Option<String>,
        catalog_key: &str,
        claims: Option<&Bound<'_, PyDict>>,
        expires_at: Option<f64>,
    ) -> PyResult<Self> {
        let mut caller = engine::Caller::new(principal).with_catalog_key(catalog_key);
        for scope in scopes.unwrap_or_default() {
            caller = caller.with_scope(scope);
        }
        if all_scopes {
            caller = caller.with_all_scopes();
        }
        if let Some(key) = owner_key {
            caller = caller.with_owner_key(key);
        }
        if let Some(claims) = claims {
            let text = json::text(claims)?;
            caller = caller.with_claims(&text).map_err(|error| raise(claims.py(), &error))?;
        }
        if let Some(seconds) = expires_at {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the cast ends at the bounds, which is what is wanted of times before 1970 and after all"
            )]
            let ms = (seconds * 1000.0) as u64;
            caller = caller.with_expiry(ms);
        }
        Ok(Self { inner: Arc::new(caller) })
    }

    /// The user of this machine, on stdio: principal `local`, with all scopes.
    #[staticmethod]
    fn local() -> Self {
        Self { inner: Arc::new(engine::Caller::local()) }
    }

    #[getter]
    fn principal(&self) -> &str {
        self.inner.principal()
    }

    #[getter]
    fn owner_key(&self) -> &str {
        self.inner.owner_key()
    }

    #[getter]
    fn catalog_key(&self) -> &str {
        self.inner.catalog_key()
    }

    #[getter]
    fn scopes(&self) -> Vec<&str> {
        self.inner.scopes().iter().map(String::as_str).collect()
    }

    #[getter]
    fn all_scopes(&self) -> bool {
        self.inner.has_all_scopes()
    }

    /// The claims of the credential; empty if there are none.
    #[getter]
    fn claims<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.inner.claims() {
            Some(claims) => json::from_text(py, claims),
            None => Ok(PyDict::new(py).into_any()),
        }
    }

    /// When the credential ends, in seconds since 1970.
    #[getter]
    fn expires_at(&self) -> Option<f64> {
        #[expect(clippy::cast_precision_loss, reason = "a double holds the milliseconds of 285 000 years")]
        self.inner.expires_at().map(|ms| ms as f64 / 1000.0)
    }

    fn has_scope(&self, scope: &str) -> bool {
        self.inner.has_scope(scope)
    }

    fn __repr__(&self) -> String {
        format!("Caller({:?})", self.inner.principal())
    }
}
