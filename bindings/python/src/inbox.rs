//! What waits for an event loop.

use crate::authorization::Authorization;
use crate::call::Call;
use crate::error::wrong_value;
use crate::host::Shared;
use crate::route::Work;
use mcpcore_engine::CancelReason;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

/// Something for an event loop.
pub(crate) enum Event {
    /// A call to answer.
    Work(Work),
    /// A call ended without its answer.
    Cancelled(u64, CancelReason),
    /// A request that wants in.
    Question(Authorization),
    /// Something to tell a Python function.
    Tell(Py<PyAny>, Option<Vec<u8>>),
}

/// A queue with a descriptor that is readable while something waits. The loop is woken once for many.
pub(crate) struct Mailbox {
    state: Mutex<State>,
    rope: UnixStream,
    bell: UnixStream,
}

#[derive(Default)]
struct State {
    events: Vec<Event>,
    closed: bool,
}

impl Mailbox {
    fn new() -> std::io::Result<Self> {
        let (rope, bell) = UnixStream::pair()?;
        rope.set_nonblocking(true)?;
        bell.set_nonblocking(true)?;
        Ok(Self { state: Mutex::default(), rope, bell })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event. Once closed it comes back: nobody will take it.
    pub(crate) fn push(&self, event: Event) -> Result<(), Event> {
        let mut state = self.lock();
        if state.closed {
            return Err(event);
        }
        let first = state.events.is_empty();
        state.events.push(event);
        drop(state);
        if first {
            self.ring();
        }
        Ok(())
    }

    fn ring(&self) {
        // A full pipe rings already; both ends live here, so there is no SIGPIPE.
        let _ = (&self.rope).write(&[1]);
    }

    fn take(&self) -> (Vec<Event>, bool) {
        let mut bytes = [0; 64];
        // Before the events are taken: whoever adds the next first one rings again.
        while matches!((&self.bell).read(&mut bytes), Ok(count) if count == bytes.len()) {}
        let mut state = self.lock();
        (std::mem::take(&mut state.events), state.closed)
    }

    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let events = std::mem::take(&mut state.events);
        drop(state);
        self.ring();
        // Calls among them answer themselves.
        drop(events);
    }
}

/// What waits for one event loop.
#[pyclass(frozen, module = "mcpcore._mcpcore")]
pub(crate) struct Inbox {
    pub(crate) mailbox: Arc<Mailbox>,
    shared: Arc<Shared>,
}

impl Inbox {
    pub(crate) fn new(shared: &Arc<Shared>) -> PyResult<Self> {
        let mailbox = Mailbox::new().map_err(|error| wrong_value(format!("no descriptors: {error}")))?;
        let mailbox = Arc::new(mailbox);
        shared.add_mailbox(&mailbox);
        Ok(Self { mailbox, shared: Arc::clone(shared) })
    }
}

#[pymethods]
impl Inbox {
    /// A descriptor that is readable while something waits.
    fn fileno(&self) -> i32 {
        self.mailbox.bell.as_raw_fd()
    }

    /// Takes all that waits: calls, authorizations, and tuples of a function and what it is to be told. `None` once closed.
    #[pyo3(signature = (on_cancel))]
    fn take<'py>(
        &self,
        py: Python<'py>,
        on_cancel: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyList>>> {
        let (events, closed) = self.mailbox.take();
        if closed && events.is_empty() {
            return Ok(None);
        }
        let list = PyList::empty(py);
        for event in events {
            match event {
                Event::Work(work) => {
                    list.append(Call::new(work, Arc::clone(&self.shared)).into_pyobject(py)?)?;
                }
                Event::Question(question) => list.append(question.into_pyobject(py)?)?,
                Event::Cancelled(number, reason) => list.append((on_cancel, (number, reason.to_string())))?,
                Event::Tell(function, bytes) => {
                    let bytes = bytes.map(|bytes| PyBytes::new(py, &bytes));
                    list.append((function, (bytes,)))?;
                }
            }
        }
        Ok(Some(list))
    }

    /// Takes nothing more. The loop is woken a last time.
    fn close(&self) {
        self.mailbox.close();
    }
}
