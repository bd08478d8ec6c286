//! The library's own HTTP server: sockets, threads, times. What is answered is the endpoint's to say.

#[cfg(not(unix))]
compile_error!("the listener is written for Unix sockets; a port has to supply addresses without them");

mod accept;
mod address;
mod alarm;
mod answer;
mod config;
mod connection;
mod http1;
mod payload;
mod places;
mod progress;
mod stop;
mod transport;
mod worker;

pub use config::ListenerConfig;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use http1::requests;

use super::config::HttpConfig;
use super::endpoint::Endpoint;
use crate::error::{Error, ErrorKind, Result};
use crate::server::Server;
use accept::{Acceptor, Inbox};
use address::{Address, Bound};
use places::Places;
use std::io;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Duration;
use stop::Stop;
use tokio::runtime::{Builder, Runtime};
use worker::{Shared, Source};

/// An endpoint that is served on sockets of its own, over HTTP/1.1 and HTTP/2 without encryption (with prior
/// knowledge), by threads of its own. Dropped, it closes at once.
///
/// A connection is accepted only while there is room for it ([`ListenerConfig::max_connections`]). A request with both
/// `Content-Length` and `Transfer-Encoding` is answered 400. One that is answered before its body has been read closes
/// its connection, but not before the client had time to read the answer.
#[derive(Debug)]
pub struct HttpListener {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    endpoint: Endpoint,
    stop: Arc<Stop>,
    threads: Mutex<Vec<JoinHandle<()>>>,
    ids: Vec<ThreadId>,
    addresses: Vec<String>,
    port: Option<u16>,
    drain: Duration,
}

impl HttpListener {
    /// Makes the endpoint, binds every address and begins to serve.
    ///
    /// A file that stands where a Unix socket should be is removed if it is a socket on which nobody listens; the
    /// socket's own file is removed when the listener stops.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] with every fault of both configurations, a line each; `Closed` after
    /// [`Server::stop`]; `Io` if an address cannot be bound or a thread not be started.
    pub fn bind(server: &Server, http: HttpConfig, config: &ListenerConfig) -> Result<Self> {
        let mut faults = config.check();
        let mut addresses = Vec::new();
        for text in &config.addresses {
            match Address::read(text) {
                Ok(address) => addresses.push(address),
                Err(fault) => faults.push(fault),
            }
        }
        let mut networks = addresses.iter().filter_map(Address::is_loopback).peekable();
        let loopback = networks.peek().is_some() && networks.all(|is_loopback| is_loopback);
        let endpoint = match Endpoint::build(server, http, loopback) {
            Ok(endpoint) if faults.is_empty() => endpoint,
            Ok(_) => return Err(Error::new(ErrorKind::InvalidArgument, faults.join("\n"))),
            Err(error) if error.kind() == ErrorKind::InvalidArgument && !faults.is_empty() => {
                faults.push(error.message().to_owned());
                return Err(Error::new(ErrorKind::InvalidArgument, faults.join("\n")));
            }
            Err(error) => return Err(error),
        };
        let bound = addresses.iter().map(Address::bind).collect::<Result<Vec<_>>>()?;
        let inner = Arc::new(Inner::start(server, endpoint, bound, config).map_err(|error| {
            Error::new(ErrorKind::Io, "the threads of the listener cannot be started").with_source(error)
        })?);
        server.inner.on_stop(Arc::downgrade(&inner) as Weak<dyn crate::stdio::Stop>);
        Ok(Self { inner })
    }

    /// The port of the first address that has one.
    pub fn port(&self) -> Option<u16> {
        self.inner.port
    }

    /// Where it listens, as in [`ListenerConfig::addresses`], with the ports that were chosen.
    pub fn addresses(&self) -> &[String] {
        &self.inner.addresses
    }

    /// The endpoint that is served.
    pub fn endpoint(&self) -> &Endpoint {
        &self.inner.endpoint
    }

    /// Waits until the listener has stopped, which somebody else has to begin.
    pub fn wait(&self) {
        self.inner.stop.wait();
    }

    /// Accepts no more connections, ends subscriptions gracefully, answers the requests in flight, and closes
    /// everything, after `timeout` what is still open too.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`] if connections with requests in flight had to be cut; `Busy` on a thread of the
    /// listener itself, which cannot be waited for: it stops all the same.
    pub fn stop(&self, timeout: Duration) -> Result<()> {
        self.inner.endpoint.stop();
        self.inner.stop(timeout)
    }
}

impl Drop for HttpListener {
    fn drop(&mut self) {
        // There is nobody to tell.
        let _ = self.stop(Duration::ZERO);
    }
}

impl Inner {
    fn start(
        server: &Server,
        endpoint: Endpoint,
        bound: Vec<Bound>,
        config: &ListenerConfig,
    ) -> io::Result<Self> {
        let port = bound.iter().find_map(Bound::port);
        let addresses = bound.iter().map(ToString::to_string).collect();
        let stop = Arc::new(Stop::new(config.threads));
        let places = Arc::new(Places::new(config.max_connections));
        let limit = |ms: u64| (ms > 0).then(|| Duration::from_millis(ms));
        let share = || {
            let (header, idle) = (limit(config.header_timeout_ms), limit(config.idle_ms));
            Shared::new(
                server.clone(),
                endpoint.clone(),
                Arc::clone(&stop),
                Arc::clone(&places),
                header,
                idle,
            )
        };
        let runtimes = (0..config.threads).map(|_| runtime()).collect::<io::Result<Vec<_>>>()?;
        let inboxes: Vec<Arc<Inbox>> = (1..config.threads).map(|_| Arc::default()).collect();
        let mut sources: Vec<Source> = inboxes.iter().map(|inbox| Source::Inbox(Arc::clone(inbox))).collect();
        if let Some(first) = runtimes.first() {
            let _context = first.enter();
            sources.insert(0, Source::Acceptor(Acceptor::new(bound, inboxes)?));
        }
        let mut threads = Vec::new();
        for (runtime, source) in runtimes.into_iter().zip(sources) {
            let shared = Arc::new(share());
            let thread = thread::Builder::new().name("mcpcore-http".to_owned());
            match thread.spawn(move || worker::run(runtime, &shared, source)) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    stop.begin(Duration::ZERO);
                    return Err(error);
                }
            }
        }
        let drain = Duration::from_millis(config.drain_ms);
        let ids = threads.iter().map(|thread| thread.thread().id()).collect();
        Ok(Self { endpoint, stop, threads: Mutex::new(threads), ids, addresses, port, drain })
    }

    fn stop(&self, timeout: Duration) -> Result<()> {
        self.stop.begin(timeout);
        if self.ids.contains(&thread::current().id()) {
            return Err(Error::new(ErrorKind::Busy, "a thread of the listener cannot wait for itself"));
        }
        let cut = self.stop.wait();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // One that panicked has ended as well.
            let _ = thread.join();
        }
        match cut {
            0 => Ok(()),
            cut => Err(Error::new(ErrorKind::Timeout, format!("{cut} connections were cut"))),
        }
    }
}

impl crate::stdio::Stop for Inner {
    fn stop(&self) {
        // The server has waited for the calls; what is left is on its way to the clients.
        let _ = Inner::stop(self, self.drain);
    }
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_io().enable_time().build()
}
