//! One request that the host answers once.

use crate::bytes::bytes_of;
use crate::caller::Caller;
use crate::error::{raise, wrong_value};
use crate::gate::Permit;
use crate::host::Shared;
use crate::json;
use crate::route::Work;
use mcpcore_engine as engine;
use mcpcore_engine::{CallView, ErrorKind, LogLevel};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Above so many bytes an answer is checked and copied without the interpreter's lock.
const LARGE: usize = 64 << 10;

/// What a call is told that waited too long for a thread.
pub(crate) const BUSY: &str = "The server is busy: no thread was free in time.";

/// One request that the host answers once.
#[pyclass(frozen, weakref, module = "mcpcore")]
pub(crate) struct Call {
    view: CallView,
    open: Mutex<Option<engine::Call>>,
    permit: Mutex<Option<Permit>>,
    /// What is kept for the next round, as JSON.
    kept: Mutex<Option<String>>,
    handler: u32,
    threaded: bool,
    shared: Arc<Shared>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Call {
    pub(crate) fn new(work: Work, shared: Arc<Shared>) -> Self {
        Self {
            view: work.call.view(),
            handler: work.handler,
            threaded: work.threaded,
            open: Mutex::new(Some(work.call)),
            permit: Mutex::new(work.permit),
            kept: Mutex::default(),
            shared,
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.view.cancelled().is_some()
    }

    /// Answers that there is no thread for it.
    pub(crate) fn refuse_busy(&self) {
        let taken = lock(&self.open).take();
        if let Some(call) = taken {
            // -32603, as everywhere for what is the server's fault; a lost race is fine.
            let _ = call.reject(-32603, BUSY, None);
        }
        let permit = lock(&self.permit).take();
        drop(permit);
    }

    /// Answers with `size` bytes. False if nothing could be sent: the call is over, or the answer is none that may be
    /// sent, which the engine has told the log and the client.
    fn answer(
        &self,
        py: Python<'_>,
        size: usize,
        with: impl FnOnce(engine::Call) -> engine::Result<()> + Send,
    ) -> PyResult<bool> {
        let taken = lock(&self.open).take();
        let Some(call) = taken else { return Ok(false) };
        let answered = if size > LARGE { py.detach(|| with(call)) } else { with(call) };
        // Dropped here, outside its lock: it may start the next call.
        let permit = lock(&self.permit).take();
        drop(permit);
        match answered {
            Ok(()) => Ok(true),
            Err(error) => match error.kind() {
                ErrorKind::Gone | ErrorKind::Answered | ErrorKind::InvalidJson | ErrorKind::Closed => {
                    Ok(false)
                }
                _ => Err(raise(py, &error)),
            },
        }
    }
}

#[pymethods]
impl Call {
    /// `tool`, `resource`, `prompt` or `completion`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.view.kind().as_str()
    }

    #[getter]
    fn number(&self) -> u64 {
        self.view.number()
    }

    #[getter]
    fn name(&self) -> &str {
        self.view.name()
    }

    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.view.kind() {
            engine::CallKind::Completion => json::from_text(py, self.view.arguments()),
            _ => json::value(py, self.view.argument_node()),
        }
    }

    #[getter]
    fn raw_arguments<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.view.arguments().as_bytes())
    }

    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::from_text(py, self.view.meta())
    }

    #[getter]
    fn raw_meta<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.view.meta().as_bytes())
    }

    #[getter]
    fn answers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        json::value(py, self.view.answer_node())
    }

    /// The answer with this key, or `None`.
    fn _answer<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.view.answer_node().get(key).map(|node| json::value(py, node)).transpose()
    }

    #[getter]
    fn round(&self) -> u32 {
        self.view.round()
    }

    #[getter]
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in self.view.variables() {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }

    #[getter]
    fn template(&self) -> Option<&str> {
        self.view.template()
    }

    #[getter]
    fn protocol_version(&self) -> &'static str {
        self.view.revision().as_str()
    }

    #[getter]
    fn caller(&self) -> Caller {
        Caller { inner: Arc::clone(self.view.caller()) }
    }

    /// Why the call ended without its answer, or `None` while it is open.
    #[getter]
    fn cancelled(&self) -> Option<String> {
        self.view.cancelled().map(|reason| reason.to_string())
    }

    /// The server that took the call.
    #[getter]
    fn server(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.shared.owner(py).ok_or_else(|| wrong_value("the server is gone"))
    }

    /// What the server's lifespan gave.
    #[getter]
    fn shared(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.server(py)?.getattr(py, "shared")
    }

    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let kept = lock(&self.kept).clone();
        match kept.as_deref().or(self.view.state()) {
            Some(state) => json::from_text(py, state),
            None => Ok(py.None().into_bound(py)),
        }
    }

    #[setter]
    fn set_state(&self, state: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = if state.is_none() { None } else { Some(json::text(state)?) };
        *lock(&self.kept) = text;
        Ok(())
    }

    fn header(&self, name: &str) -> Option<String> {
        self.view.header(name).map(std::borrow::Cow::into_owned)
    }

    fn client_supports(&self, capability: &str) -> bool {
        self.view.client_supports(capability)
    }

    #[pyo3(signature = (progress, total = None, message = None))]
    fn progress(
        &self,
        py: Python<'_>,
        progress: f64,
        total: Option<f64>,
        message: Option<&str>,
    ) -> PyResult<()> {
        quiet(py, self.view.progress(progress, total, message))
    }

    #[pyo3(signature = (level, data, *, logger = None))]
    fn log(&self, level: &str, data: &Bound<'_, PyAny>, logger: Option<&str>) -> PyResult<()> {
        let Some(read) = LogLevel::read(level) else {
            let known = LogLevel::ALL.map(LogLevel::as_str).join(", ");
            return Err(wrong_value(format!("level must be one of {known}, not {level:?}")));
        };
        let text = json::text(data)?;
        quiet(data.py(), self.view.log(read, logger, &text))
    }

    #[pyo3(signature = (retry = None))]
    fn close_stream(&self, retry: Option<f64>) -> PyResult<()> {
        let retry = match retry {
            None => 0,
            Some(seconds) => Duration::try_from_secs_f64(seconds)
                .ok()
                .and_then(|time| u64::try_from(time.as_millis()).ok())
                .ok_or_else(|| wrong_value("retry: must be a time of 0 or more"))?,
        };
        self.view.close_stream(retry);
        Ok(())
    }

    #[pyo3(signature = (key, message, schema = None))]
    fn elicit(
        slf: &Bound<'_, Self>,
        key: &str,
        message: &str,
        schema: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        ask(slf, "elicit")?.call1((slf, key, message, schema)).map(Bound::unbind)
    }

    fn elicit_url(slf: &Bound<'_, Self>, key: &str, message: &str, url: &str) -> PyResult<Py<PyAny>> {
        ask(slf, "elicit_url")?.call1((slf, key, message, url)).map(Bound::unbind)
    }

    #[pyo3(signature = (key, messages, *, max_tokens = 1024, **options))]
    fn sample(
        slf: &Bound<'_, Self>,
        key: &str,
        messages: &Bound<'_, PyAny>,
        max_tokens: u64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        ask(slf, "sample")?.call((slf, key, messages, max_tokens), options).map(Bound::unbind)
    }

    #[pyo3(signature = (key = "roots"))]
    fn roots(slf: &Bound<'_, Self>, key: &str) -> PyResult<Py<PyAny>> {
        ask(slf, "roots")?.call1((slf, key)).map(Bound::unbind)
    }

    fn require_input(slf: &Bound<'_, Self>, requests: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        ask(slf, "require_input")?.call1((slf, requests)).map(Bound::unbind)
    }

    #[getter]
    fn _handler(&self) -> u32 {
        self.handler
    }

    /// Whether it is for a thread rather than for an event loop.
    #[getter]
    fn _threaded(&self) -> bool {
        self.threaded
    }

    fn _complete_text(&self, given: &Bound<'_, PyString>) -> PyResult<bool> {
        let text = match given.to_cow() {
            Ok(text) => text,
            // Half a surrogate pair.
            Err(_) => given.to_string_lossy(),
        };
        let py = given.py();
        self.answer(py, text.len(), |call| call.complete_text(&text))
    }

    #[pyo3(signature = (data, mime_type = None))]
    fn _complete_blob(&self, data: &Bound<'_, PyAny>, mime_type: Option<&str>) -> PyResult<bool> {
        let bytes = bytes_of(data)?;
        self.answer(data.py(), bytes.len(), |call| call.complete_blob(&bytes, mime_type))
    }

    /// Answers with a whole result, as a value.
    fn _complete(&self, result: &Bound<'_, PyAny>) -> PyResult<bool> {
        let text = json::text(result)?;
        self.answer(result.py(), text.len(), |call| call.complete_json(&text))
    }

    /// Answers with a whole result, as JSON text.
    fn _complete_json(&self, py: Python<'_>, result: &str) -> PyResult<bool> {
        self.answer(py, result.len(), |call| call.complete_json(result))
    }

    /// Answers with structured content alone; the engine adds its text.
    fn _complete_structured(&self, content: &Bound<'_, PyAny>) -> PyResult<bool> {
        let mut out = b"{\"structuredContent\":".to_vec();
        json::write(content, &mut out, 1)?;
        out.push(b'}');
        let text = String::from_utf8(out).map_err(|error| wrong_value(error.to_string()))?;
        self.answer(content.py(), text.len(), |call| call.complete_json(&text))
    }

    fn _fail(&self, py: Python<'_>, message: &str) -> PyResult<bool> {
        self.answer(py, message.len(), |call| call.fail(message))
    }

    fn _fault(&self, py: Python<'_>, details: &str) -> PyResult<bool> {
        self.answer(py, details.len(), |call| call.fault(details))
    }

    #[pyo3(signature = (code, message, data = None))]
    fn _reject(
        &self,
        py: Python<'_>,
        code: i32,
        message: &str,
        data: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        let data = data.map(json::text).transpose()?;
        self.answer(py, message.len(), |call| call.reject(code, message, data.as_deref()))
    }

    /// Ends this round; the state that was set is kept for the next.
    fn _require_input(&self, requests: &Bound<'_, PyAny>) -> PyResult<bool> {
        let text = json::text(requests)?;
        let state = lock(&self.kept).clone();
        let state = state.as_deref().or(self.view.state());
        self.answer(requests.py(), text.len(), |call| call.require_input(&text, state))
    }

    /// Lets go of the call unanswered, if it still is.
    fn _drop(&self, py: Python<'_>) -> PyResult<bool> {
        self.answer(py, 0, |call| {
            drop(call);
            Ok(())
        })
    }

    fn __repr__(&self) -> String {
        format!("<Call {} {:?} number {}>", self.kind(), self.name(), self.number())
    }
}

/// A function of `mcpcore.questions`.
fn ask<'py>(call: &Bound<'py, Call>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    call.py().import("mcpcore.questions")?.getattr(name)
}

/// That the client is gone is no fault of whoever reports.
fn quiet(py: Python<'_>, reported: engine::Result<()>) -> PyResult<()> {
    match reported {
        Ok(()) => Ok(()),
        Err(error) => match error.kind() {
            ErrorKind::Gone | ErrorKind::Answered => Ok(()),
            _ => Err(raise(py, &error)),
        },
    }
}
