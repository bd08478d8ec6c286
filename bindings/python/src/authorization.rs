//! The question of who may use an HTTP door.

use crate::caller::Caller;
use crate::host::Shared;
use mcpcore_engine::http::Authorization as Question;
use mcpcore_engine::http::{Authorizer, PeerAddress, Refusal};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Puts questions where the function that answers them runs.
pub(crate) struct Gatekeeper {
    shared: Weak<Shared>,
    /// Python's number of the function.
    function: u32,
    /// Whether it may block, and so runs on a thread.
    threaded: bool,
}

impl Gatekeeper {
    pub(crate) fn new(shared: &Arc<Shared>, (function, threaded): (u32, bool)) -> Self {
        Self { shared: Arc::downgrade(shared), function, threaded }
    }
}

impl Authorizer for Gatekeeper {
    fn authorize(&self, question: Question) {
        // Without the server the question is dropped, which is an answer.
        if let Some(shared) = self.shared.upgrade() {
            shared.deliver_question(Authorization::new(question, self.function, self.threaded));
        }
    }
}

/// A request that wants in: its head and its peer.
#[pyclass(frozen, module = "mcpcore")]
pub(crate) struct Authorization {
    open: Mutex<Option<Question>>,
    function: u32,
    threaded: bool,
}

impl Authorization {
    fn new(question: Question, function: u32, threaded: bool) -> Self {
        Self { open: Mutex::new(Some(question)), function, threaded }
    }

    pub(crate) fn is_threaded(&self) -> bool {
        self.threaded
    }

    fn read<R>(&self, read: impl FnOnce(&Question) -> R) -> Option<R> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(read)
    }

    fn take(&self) -> Option<Question> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[pymethods]
impl Authorization {
    #[getter]
    fn method(&self) -> String {
        self.read(|question| question.method().to_owned()).unwrap_or_default()
    }

    #[getter]
    fn path(&self) -> String {
        self.read(|question| question.path().to_owned()).unwrap_or_default()
    }

    fn header(&self, name: &str) -> Option<String> {
        self.read(|question| question.header(name).map(std::borrow::Cow::into_owned)).flatten()
    }

    /// The token of `Authorization: Bearer TOKEN`.
    #[getter]
    fn bearer(&self) -> Option<String> {
        let value = self.header("authorization")?;
        let (scheme, token) = value.split_once(' ')?;
        let token = token.trim();
        (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then(|| token.to_owned())
    }

    /// The peer's address; `unix:N` on a Unix socket, with the user that the system names, or `unix`.
    #[getter]
    fn peer(&self) -> Option<String> {
        self.read(|question| match question.peer() {
            PeerAddress::Unknown => None,
            peer => Some(peer.to_string()),
        })
        .flatten()
    }

    #[getter]
    fn _function(&self) -> u32 {
        self.function
    }

    #[getter]
    fn _threaded(&self) -> bool {
        self.threaded
    }

    fn _allow(&self, py: Python<'_>, caller: &Caller) {
        let Some(question) = self.take() else { return };
        let caller = (*caller.inner).clone();
        py.detach(|| question.allow(caller));
    }

    fn _refuse(
        &self,
        py: Python<'_>,
        status: u16,
        scope: Option<String>,
        error: Option<String>,
        description: Option<String>,
        reason: Option<String>,
    ) {
        let Some(question) = self.take() else { return };
        let mut refusal = Refusal::unauthorized();
        refusal.status = status;
        refusal.scope = scope;
        refusal.error = error;
        refusal.description = description;
        refusal.reason = reason;
        py.detach(|| question.refuse(&refusal));
    }

    /// No answer: the client gets 500 and no reason.
    fn _drop(&self, py: Python<'_>) {
        let question = self.take();
        py.detach(|| drop(question));
    }

    fn __repr__(&self) -> String {
        format!("<Authorization {} {}>", self.method(), self.path())
    }
}
