//! The engine's host, made of queues.

use crate::authorization::Authorization;
use crate::call::Call;
use crate::caller::Caller;
use crate::inbox::{Event, Mailbox};
use crate::json;
use crate::pool::{Job, Pool};
use crate::route::{Routes, Work};
use mcpcore_engine::{CancelReason, CatalogBuilder, Error, ErrorKind, Host, LogLevel};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// What a server of Python, its doors and its calls share.
pub(crate) struct Shared {
    pub(crate) routes: Routes,
    pub(crate) pool: Arc<Pool>,
    /// Of the loop that takes calls which belong to no other.
    home: Mutex<Option<Arc<Mailbox>>>,
    mailboxes: Mutex<Vec<Weak<Mailbox>>>,
    /// A weak reference to the server in Python.
    owner: OnceLock<Py<PyAny>>,
    me: Weak<Shared>,
}

thread_local! {
    /// Calls and questions that arrive on this thread while it is inside of [`Shared::capture`].
    static CAPTURED: RefCell<Option<Vec<Event>>> = const { RefCell::new(None) };
}

/// Collects calls until it is dropped, also when the engine panics. What was collected for before goes on then.
struct Capture(Option<Vec<Event>>);

impl Capture {
    fn begin() -> Self {
        Self(CAPTURED.replace(Some(Vec::new())))
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        CAPTURED.set(self.0.take());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    pub(crate) fn new(threads: usize, wait_ms: u64) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            routes: Routes::default(),
            pool: Arc::new(Pool::new(threads, wait_ms)),
            home: Mutex::default(),
            mailboxes: Mutex::default(),
            owner: OnceLock::new(),
            me: Weak::clone(me),
        })
    }

    pub(crate) fn set_owner(&self, weak: Py<PyAny>) {
        // Set once, by the server's constructor.
        let _ = self.owner.set(weak);
    }

    /// The server in Python, while it lives.
    pub(crate) fn owner(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let owner = self.owner.get()?.call0(py).ok()?;
        (!owner.is_none(py)).then_some(owner)
    }

    pub(crate) fn add_mailbox(&self, mailbox: &Arc<Mailbox>) {
        let mut mailboxes = lock(&self.mailboxes);
        mailboxes.retain(|known| known.strong_count() > 0);
        mailboxes.push(Arc::downgrade(mailbox));
    }

    pub(crate) fn set_home(&self, mailbox: Option<Arc<Mailbox>>) {
        let before = std::mem::replace(&mut *lock(&self.home), mailbox);
        drop(before);
    }

    fn mailboxes(&self) -> Vec<Arc<Mailbox>> {
        lock(&self.mailboxes).iter().filter_map(Weak::upgrade).collect()
    }

    /// Closes every mailbox and ends the pool.
    pub(crate) fn close(&self) {
        for mailbox in self.mailboxes() {
            mailbox.close();
        }
        self.pool.end();
    }

    /// Runs `work` on this thread without the interpreter's lock. Calls that arrive meanwhile on this thread are
    /// returned, so that they run in the context of whoever brought them.
    pub(crate) fn capture<'py, R: Send>(
        self: &Arc<Self>,
        py: Python<'py>,
        work: impl FnOnce() -> R + Send,
    ) -> PyResult<(R, Bound<'py, PyList>)> {
        let (result, captured) = py.detach(|| {
            let capture = Capture::begin();
            let result = work();
            let captured = CAPTURED.with_borrow_mut(Option::take).unwrap_or_default();
            drop(capture);
            (result, captured)
        });
        let arrived = PyList::empty(py);
        for event in captured {
            match event {
                Event::Work(work) => arrived.append(Call::new(work, Arc::clone(self)).into_pyobject(py)?)?,
                Event::Question(question) => arrived.append(question.into_pyobject(py)?)?,
                Event::Cancelled(..) | Event::Tell(..) => {}
            }
        }
        Ok((result, arrived))
    }

    /// Puts a call where it is to run.
    pub(crate) fn deliver(&self, work: Work) {
        let threaded = work.threaded;
        let Some(Event::Work(work)) = collect(Event::Work(work)) else { return };
        if threaded {
            let Some(shared) = self.me.upgrade() else { return };
            return self.pool.push(Job::Work(work, shared));
        }
        if let Err(Event::Work(work)) = self.push_home(Event::Work(work)) {
            // Only once a loop has ended, or before one was begun; that the client is gone too is no matter.
            let _ = work.call.fault("no event loop runs for the server's async functions");
        }
    }

    /// Puts a question where it is to be answered.
    pub(crate) fn deliver_question(&self, question: Authorization) {
        let threaded = question.is_threaded();
        let Some(Event::Question(question)) = collect(Event::Question(question)) else { return };
        if threaded {
            self.pool.push(Job::Question(question));
        } else {
            // Without a loop nobody answers it: dropped, it answers itself.
            drop(self.push_home(Event::Question(question)));
        }
    }

    fn push_home(&self, event: Event) -> Result<(), Event> {
        let home = lock(&self.home).clone();
        match home {
            None => Err(event),
            Some(home) => home.push(event),
        }
    }
}

/// Gives what arrives to whoever collects on this thread; `None` then.
fn collect(event: Event) -> Option<Event> {
    CAPTURED.with_borrow_mut(|captured| match captured {
        Some(list) => {
            list.push(event);
            None
        }
        None => Some(event),
    })
}

/// The engine's end of it. Nothing here waits for the interpreter's lock but the log and the catalog.
pub(crate) struct Bridge(pub(crate) Arc<Shared>);

impl Host for Bridge {
    fn catalog(&self, key: &str, catalog: &mut CatalogBuilder) -> Result<(), Error> {
        Python::try_attach(|py| {
            let Some(owner) = self.0.owner(py) else { return Ok(()) };
            let caller = mcpcore_engine::Caller::new("").with_catalog_key(key);
            let filled = owner
                .bind(py)
                .call_method1("_catalog", (Caller { inner: Arc::new(caller) },))
                .and_then(|documents| fill(&documents, catalog));
            filled.map_err(|error| {
                let text = error.to_string();
                error.write_unraisable(py, None);
                Error::new(ErrorKind::Catalog, format!("the catalog function failed: {text}"))
            })
        })
        .unwrap_or_else(|| Err(Error::new(ErrorKind::Closed, "the interpreter is shutting down")))
    }

    fn call(&self, call: mcpcore_engine::Call) {
        let Some(route) = self.0.routes.find(&call) else {
            let why = "no function was given that answers it";
            // That the client is gone is no matter.
            let _ = call.fault(why);
            return;
        };
        let work = Work { call, handler: route.handler, threaded: route.threaded, permit: None };
        let work = match route.gate {
            None => Some(work),
            Some(gate) => gate.admit(work),
        };
        if let Some(work) = work {
            self.0.deliver(work);
        }
    }

    fn answers_calls(&self) -> bool {
        !self.0.routes.is_empty()
    }

    fn cancelled(&self, number: u64, reason: CancelReason) {
        for mailbox in self.0.mailboxes() {
            // A closed one has no calls left to end.
            let _ = mailbox.push(Event::Cancelled(number, reason));
        }
    }

    fn log(&self, level: LogLevel, text: &str) {
        // While the interpreter shuts down there is nobody to tell.
        Python::try_attach(|py| {
            let Some(owner) = self.0.owner(py) else { return };
            if let Err(error) = owner.bind(py).call_method1("_log", (level.as_str(), text)) {
                error.write_unraisable(py, None);
            }
        });
    }
}

/// Adds what the server's catalog is made of: JSON texts, and values of the same shape.
fn fill(documents: &Bound<'_, PyAny>, catalog: &mut CatalogBuilder) -> PyResult<()> {
    for document in documents.try_iter()? {
        let document = document?;
        let text = match document.cast::<PyString>() {
            Ok(text) => text.to_str()?.to_owned(),
            Err(_) => json::text(&document)?,
        };
        // What is wrong with it is reported with everything else that is, when the catalog is published.
        let _ = catalog.add(&text);
    }
    Ok(())
}
