//! One HTTP request of a web server in Python.

use crate::error::{raise, wrong_value};
use crate::host::Shared;
use crate::inbox::{Event, Inbox, Mailbox};
use crate::pending::DEAF;
use http::{HeaderName, HeaderValue, Request};
use mcpcore_engine::http as engine;
use mcpcore_engine::http::{Part, PeerAddress};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// One endpoint path, for a web server in Python.
#[pyclass(frozen, module = "mcpcore._mcpcore")]
pub(crate) struct Endpoint {
    endpoint: engine::Endpoint,
    shared: Arc<Shared>,
}

impl Endpoint {
    pub(crate) fn new(
        py: Python<'_>,
        server: &mcpcore_engine::Server,
        config: engine::HttpConfig,
        shared: &Arc<Shared>,
    ) -> PyResult<Self> {
        let endpoint = engine::Endpoint::new(server, config).map_err(|error| raise(py, &error))?;
        Ok(Self { endpoint, shared: Arc::clone(shared) })
    }
}

#[pymethods]
impl Endpoint {
    /// Begins to serve one request; `headers` are pairs of bytes, as ASGI gives them. Returns it, and what it brought for Python to answer.
    fn begin<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        path: &str,
        headers: &Bound<'py, PyAny>,
        peer: Option<(String, u16)>,
    ) -> PyResult<(Exchange, Bound<'py, PyList>)> {
        let mut request = Request::new(());
        *request.method_mut() =
            method.parse().map_err(|_| wrong_value(format!("no HTTP method: {method:?}")))?;
        // A path that is none cannot be the endpoint's.
        *request.uri_mut() = path.parse().unwrap_or_else(|_| http::Uri::from_static("/"));
        for pair in headers.try_iter()? {
            let (name, value): (Bound<'_, PyBytes>, Bound<'_, PyBytes>) = pair?.extract()?;
            // The web server has read them, so they are headers; one that is none stands for nothing.
            let pair = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.as_bytes()));
            if let (Ok(name), Ok(value)) = pair {
                request.headers_mut().append(name, value);
            }
        }
        let peer = peer.and_then(|(host, port)| Some(SocketAddr::new(host.parse::<IpAddr>().ok()?, port)));
        let peer = peer.map_or(PeerAddress::Unknown, PeerAddress::Ip);
        let (head, ()) = request.into_parts();
        let (exchange, arrived) = self.shared.capture(py, || self.endpoint.begin(head, peer))?;
        let state = Mutex::new(Some(Arc::new(exchange)));
        Ok((
            Exchange {
                open: state,
                bell: Arc::default(),
                held: Mutex::default(),
                shared: Arc::clone(&self.shared),
            },
            arrived,
        ))
    }

    /// Takes no more requests, and ends subscriptions.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| self.endpoint.stop());
    }
}

/// Wakes whoever waits for the next part: a loop, or a thread.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    ringing: Condvar,
    /// Whether the loop was told and has not come yet.
    told: AtomicBool,
    target: Mutex<Option<(Arc<Mailbox>, Py<PyAny>)>>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        Self::wake_by_ref(&self);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.ringing.notify_all();
        if self.told.swap(true, Ordering::AcqRel) {
            return;
        }
        let target = self.target.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((mailbox, function)) = target {
            // A loop that has ended sends nothing any more.
            let _ = mailbox.push(Event::Tell(function, None));
        }
    }
}

/// One HTTP request.
#[pyclass(frozen, module = "mcpcore._mcpcore")]
pub(crate) struct Exchange {
    /// `None` once it is closed.
    open: Mutex<Option<Arc<engine::Exchange>>>,
    bell: Arc<Bell>,
    /// What was polled behind a head and has not been given yet.
    held: Mutex<Option<Part>>,
    shared: Arc<Shared>,
}

impl Exchange {
    fn get(&self) -> Option<Arc<engine::Exchange>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn next<'py>(&self, py: Python<'py>, waker: &Waker) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(part) = held {
            return write(py, part);
        }
        let Some(exchange) = self.get() else { return tuple(py, (END,)) };
        let mut context = Context::from_waker(waker);
        let Poll::Ready(part) = exchange.poll(&mut context) else { return Ok(None) };
        let Part::Head { parts } = part else { return write(py, part) };
        // Most answers are whole, and one step over the border is enough for them.
        match exchange.poll(&mut context) {
            Poll::Ready(Part::Data { bytes, last: true }) => {
                tuple(py, (WHOLE, parts.status.as_u16(), headers(py, &parts)?, PyBytes::new(py, &bytes)))
            }
            following => {
                if let Poll::Ready(part) = following {
                    *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(part);
                }
                write(py, Part::Head { parts })
            }
        }
    }
}

const WANT: u8 = 0;
const HEAD: u8 = 1;
const DATA: u8 = 2;
const END: u8 = 3;
const WHOLE: u8 = 4;

fn headers<'py>(py: Python<'py>, parts: &http::response::Parts) -> PyResult<Bound<'py, PyList>> {
    let headers = PyList::empty(py);
    for (name, value) in &parts.headers {
        let name = PyBytes::new(py, name.as_str().as_bytes());
        headers.append((name, PyBytes::new(py, value.as_bytes())))?;
    }
    Ok(headers)
}

fn write(py: Python<'_>, part: Part) -> PyResult<Option<Bound<'_, PyTuple>>> {
    match part {
        Part::WantBody { most } => tuple(py, (WANT, most)),
        Part::Head { parts } => tuple(py, (HEAD, parts.status.as_u16(), headers(py, &parts)?)),
        Part::Data { bytes, last } => tuple(py, (DATA, PyBytes::new(py, &bytes), last)),
        // What a later engine adds says nothing that this driver has to do.
        _ => tuple(py, (END,)),
    }
}

fn tuple<'py, T: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>>>(
    py: Python<'py>,
    parts: T,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    parts.into_pyobject(py).map(Some).map_err(Into::into)
}

#[pymethods]
impl Exchange {
    /// The next part: `(0, most)` read a body, `(1, status, headers)`, `(2, bytes, last)`, `(3,)` the end, `(4, status,
    /// headers, bytes)` a whole answer, or `None` if there is none yet. Nobody is woken for the next.
    fn poll<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.next(py, Waker::noop())
    }

    /// Whether there is a part.
    fn ready(&self) -> bool {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            let Some(exchange) = self.get() else { return true };
            if let Poll::Ready(part) = exchange.poll(&mut Context::from_waker(Waker::noop())) {
                *held = Some(part);
            }
        }
        held.is_some()
    }

    /// As `poll`; if there is no part yet, `function` is told through the inbox, once, when there is one.
    fn poll_or_tell<'py>(
        &self,
        py: Python<'py>,
        inbox: &Inbox,
        function: Py<PyAny>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let target = Some((Arc::clone(&inbox.mailbox), function));
        let before =
            std::mem::replace(&mut *self.bell.target.lock().unwrap_or_else(PoisonError::into_inner), target);
        drop(before);
        self.bell.told.store(false, Ordering::Release);
        self.next(py, &Waker::from(Arc::clone(&self.bell)))
    }

    /// As `poll`, and waits for the part without the interpreter's lock; what is due meanwhile is done, and handlers of
    /// signals run.
    fn wait<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let waker = Waker::from(Arc::clone(&self.bell));
        self.bell.told.store(true, Ordering::Release);
        loop {
            *self.bell.rung.lock().unwrap_or_else(PoisonError::into_inner) = false;
            if let Some(part) = self.next(py, &waker)? {
                return Ok(Some(part));
            }
            let Some(exchange) = self.get() else { return tuple(py, (END,)) };
            let bell = &self.bell;
            py.detach(|| {
                let due = exchange.next_deadline();
                let rung = bell.rung.lock().unwrap_or_else(PoisonError::into_inner);
                let longest = due.map_or(DEAF, |due| due.min(DEAF));
                let (rung, _) = bell
                    .ringing
                    .wait_timeout_while(rung, longest, |rung| !*rung)
                    .unwrap_or_else(PoisonError::into_inner);
                drop(rung);
                exchange.tick();
            });
            py.check_signals()?;
        }
    }

    /// Takes bytes of the body; `last` says that it is complete. Returns what it brought for Python to answer.
    fn body<'py>(&self, chunk: &Bound<'py, PyBytes>, last: bool) -> PyResult<Bound<'py, PyList>> {
        let py = chunk.py();
        let Some(exchange) = self.get() else { return Ok(PyList::empty(py)) };
        let bytes = chunk.as_bytes();
        let ((), arrived) = self.shared.capture(py, || {
            if !bytes.is_empty() {
                exchange.body(bytes);
            }
            if last {
                exchange.end_body();
            }
        })?;
        Ok(arrived)
    }

    /// Seconds until `tick` has something to do, or `None`.
    fn next_deadline(&self) -> Option<f64> {
        self.get()?.next_deadline().map(|due| due.as_secs_f64())
    }

    fn tick(&self, py: Python<'_>) {
        if let Some(exchange) = self.get() {
            py.detach(|| exchange.tick());
        }
    }

    /// The client is gone, or the request is over.
    fn close(&self, py: Python<'_>) {
        let exchange = self.open.lock().unwrap_or_else(PoisonError::into_inner).take();
        let target = self.bell.target.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(target);
        if exchange.is_some() {
            py.detach(|| drop(exchange));
        }
    }
}
