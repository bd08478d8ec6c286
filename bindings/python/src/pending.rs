//! A message that was taken and is not answered yet.

use mcpcore_engine as engine;
use mcpcore_engine::CancelReason;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a wait may be deaf to signals: a condition is not woken by them, nor is a lock that is asked for right behind one.
pub(crate) const DEAF: Duration = Duration::from_millis(100);

/// Where the response comes to.
#[derive(Default)]
pub(crate) struct Slot {
    place: Mutex<Place>,
    arrived: Condvar,
}

#[derive(Default)]
struct Place {
    arrived: bool,
    /// `None` for a notification.
    response: Option<Vec<u8>>,
    /// Told when the response comes, by the thread that brings it.
    notice: Option<Box<dyn FnOnce() + Send>>,
}

impl Slot {
    fn lock(&self) -> std::sync::MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits so long, at most. True if the response is there.
    fn wait(&self, longest: Duration) -> bool {
        let waited = self.arrived.wait_timeout_while(self.lock(), longest, |place| !place.arrived);
        waited.unwrap_or_else(PoisonError::into_inner).0.arrived
    }

    pub(crate) fn put(&self, response: Option<Vec<u8>>) {
        let mut place = self.lock();
        place.arrived = true;
        place.response = response;
        let notice = place.notice.take();
        drop(place);
        self.arrived.notify_all();
        if let Some(notice) = notice {
            notice();
        }
    }
}

/// A message that was taken and is not answered yet.
#[pyclass(frozen, module = "mcpcore._mcpcore")]
pub(crate) struct Pending {
    slot: Arc<Slot>,
    pending: Option<engine::Pending>,
}

impl Pending {
    pub(crate) fn new(slot: Arc<Slot>, pending: Option<engine::Pending>) -> Self {
        Self { slot, pending }
    }
}

#[pymethods]
impl Pending {
    /// The time-out of the call in seconds, if it has one.
    #[getter]
    fn timeout(&self) -> Option<f64> {
        self.pending.as_ref().and_then(engine::Pending::timeout).map(|timeout| timeout.as_secs_f64())
    }

    /// Whether the response is there.
    #[getter]
    fn done(&self) -> bool {
        self.slot.lock().arrived
    }

    /// The response, if it is there and is one.
    #[getter]
    fn response<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let place = self.slot.lock();
        let text = place.response.as_ref()?;
        Some(PyBytes::new(py, text))
    }

    /// Waits for the response without the interpreter's lock, at most so many seconds. True if it is there. Handlers of
    /// signals run meanwhile, and what they raise ends it.
    #[pyo3(signature = (seconds = None))]
    fn wait(&self, py: Python<'_>, seconds: Option<f64>) -> PyResult<bool> {
        let until = seconds.and_then(|seconds| {
            let longest = Duration::try_from_secs_f64(seconds.max(0.0)).ok()?;
            Instant::now().checked_add(longest)
        });
        loop {
            let left = until.map_or(DEAF, |until| until.saturating_duration_since(Instant::now()));
            let arrived = py.detach(|| self.slot.wait(left.min(DEAF)));
            if arrived || left.is_zero() {
                return Ok(arrived);
            }
            py.check_signals()?;
        }
    }

    /// Tells `function` through the inbox when the response is there; false if it is there already.
    fn notify(&self, inbox: &crate::inbox::Inbox, function: Py<PyAny>) -> bool {
        let mut place = self.slot.lock();
        if place.arrived {
            return false;
        }
        let mailbox = Arc::clone(&inbox.mailbox);
        place.notice = Some(Box::new(move || {
            // A loop that has ended waits for nothing.
            let _ = mailbox.push(crate::inbox::Event::Tell(function, None));
        }));
        true
    }

    /// The time of the call is over.
    fn time_out(&self, py: Python<'_>) {
        if let Some(pending) = &self.pending {
            py.detach(|| pending.time_out());
        }
    }

    /// Nobody waits for the response any more.
    fn cancel(&self, py: Python<'_>) {
        if let Some(pending) = &self.pending {
            py.detach(|| pending.cancel(CancelReason::Closed));
        }
    }
}
