//! One endpoint path of one server.

use super::answer::busy;
use super::budget::Budget;
use super::config::{Access, HttpConfig};
use super::exchange::{Exchange, PeerAddress, Shared};
use super::metadata;
use super::origin::{HostRule, Rule};
use super::sessions::Registry;
use crate::caller::Caller;
use crate::error::{Error, ErrorKind, Result};
use crate::host::CancelReason;
use crate::server::{self, Door, Server};
use http::HeaderName;
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The realm of challenges where none is configured.
const REALM: &str = "mcp";

/// One endpoint path of one server, without I/O. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) server: Arc<server::Inner>,
    pub(super) config: HttpConfig,
    pub(super) origins: Rule,
    pub(super) hosts: HostRule,
    pub(super) door: Access,
    /// The caller that everyone is, under [`Access::Anyone`].
    pub(super) anyone: Arc<Caller>,
    pub(super) call_headers: Vec<HeaderName>,
    metadata: Option<Metadata>,
    pub(super) budget: Budget,
    /// Calls that the host holds, ended ones included.
    pub(super) calls: AtomicUsize,
    /// Calls without their answer.
    owed: AtomicUsize,
    pub(super) streams: AtomicUsize,
    /// The sessions of the older revisions.
    pub(super) sessions: Registry,
    stopping: AtomicBool,
    draining: AtomicBool,
    open: Mutex<Open>,
    settled: Condvar,
}

/// The document of RFC 9728 and where it is.
struct Metadata {
    text: Vec<u8>,
    path: String,
    url: String,
}

/// Exchanges that wait for their host or are subscriptions.
#[derive(Default)]
struct Open {
    exchanges: HashMap<u64, Weak<Shared>>,
    closed: Option<CancelReason>,
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Checks the configuration.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] with every fault, a line each; [`ErrorKind::Closed`] after [`Server::stop`].
    pub fn new(server: &Server, config: HttpConfig) -> Result<Self> {
        Self::build(server, config, false)
    }

    /// The same; `loopback` says that only this machine can reach the socket, so that `Host` must be a loopback name
    /// unless it is one of the configured hosts.
    pub(crate) fn build(server: &Server, mut config: HttpConfig, loopback: bool) -> Result<Self> {
        let server = &server.inner;
        if server.is_stopping() {
            return Err(Error::new(ErrorKind::Closed, "the server was stopped"));
        }
        let checked = config.check(loopback)?;
        let door = checked.access;
        let anyone = match &door {
            Access::Anyone(caller) => Arc::new(caller.clone()),
            Access::Ask(_) => Arc::default(),
        };
        let metadata = match (config.resource_metadata.take(), checked.resource) {
            (Some(text), Some(resource)) => Some(Metadata {
                text: text.into_bytes(),
                path: metadata::path(&config.path),
                url: metadata::url(&resource),
            }),
            (Some(_) | None, _) => None,
        };
        let inner = Arc::new(Inner {
            server: Arc::clone(server),
            origins: checked.origins,
            hosts: checked.hosts,
            door,
            anyone,
            call_headers: checked.call_headers,
            metadata,
            budget: Budget::new(config.byte_budget),
            calls: AtomicUsize::new(0),
            owed: AtomicUsize::new(0),
            streams: AtomicUsize::new(0),
            sessions: Registry::new(life(server)),
            stopping: AtomicBool::new(false),
            draining: AtomicBool::new(false),
            open: Mutex::default(),
            settled: Condvar::new(),
            config,
        });
        let door: Weak<Inner> = Arc::downgrade(&inner);
        server.register_door(door);
        Ok(Self { inner })
    }

    /// Begins to serve one request.
    pub fn begin(&self, head: http::request::Parts, peer: PeerAddress) -> Exchange {
        Exchange::begin(&self.inner, head, peer, true)
    }

    /// The same for a driver that writes `Content-Length` itself, unless to `HEAD`.
    pub(crate) fn begin_unmeasured(&self, head: http::request::Parts, peer: PeerAddress) -> Exchange {
        Exchange::begin(&self.inner, head, peer, false)
    }

    /// Takes no more requests (503), and ends subscriptions with their result. [`Server::stop`] does it too.
    pub fn stop(&self) {
        self.inner.end_gracefully();
    }

    /// How long until [`Endpoint::tick`] has something to do.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.inner.sessions.next_deadline(self.inner.now())
    }

    /// Ends what of its sessions took too long: those whose clients have been away, and calls that go on without a
    /// connection. A driver that never calls it has it done by later requests of sessions.
    pub fn tick(&self) {
        self.inner.sessions.tick(&self.inner);
    }

    /// As [`Endpoint::next_deadline`]; the waker is woken when it gets earlier.
    pub(crate) fn watch_deadline(&self, waker: &std::task::Waker) -> Option<Duration> {
        self.inner.sessions.watch_deadline(self.inner.now(), waker)
    }

    #[cfg(test)]
    pub(super) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.inner.is_stopping()
    }
}

impl Inner {
    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire) || self.server.is_stopping()
    }

    pub(super) fn now(&self) -> u64 {
        self.server.config.environment.monotonic_ms()
    }

    pub(super) fn realm(&self) -> &str {
        self.config.realm.as_deref().unwrap_or(REALM)
    }

    pub(super) fn metadata_url(&self) -> Option<&str> {
        self.metadata.as_ref().map(|metadata| &*metadata.url)
    }

    /// The metadata document, if that is what `path` asks for: by the endpoint's path, or for the server as a whole.
    pub(super) fn metadata_at(&self, path: &str) -> Option<&[u8]> {
        let metadata = self.metadata.as_ref()?;
        (path == metadata.path || path == metadata::WELL_KNOWN).then_some(&*metadata.text)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes an exchange that stays open. Once everything was closed, says why instead.
    pub(super) fn keep(&self, number: u64, exchange: Weak<Shared>) -> Result<(), CancelReason> {
        let mut open = self.lock();
        if let Some(reason) = open.closed {
            return Err(reason);
        }
        open.exchanges.insert(number, exchange);
        Ok(())
    }

    pub(super) fn forget(&self, number: u64) {
        self.lock().exchanges.remove(&number);
    }

    pub(super) fn owe(&self) {
        self.owed.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn settle(&self) {
        if self.owed.fetch_sub(1, Ordering::SeqCst) == 1 && self.draining.load(Ordering::SeqCst) {
            drop(self.lock());
            self.settled.notify_all();
        }
    }

    fn exchanges(&self) -> Vec<Arc<Shared>> {
        self.lock().exchanges.values().filter_map(Weak::upgrade).collect()
    }
}

impl Door for Inner {
    fn end_gracefully(&self) {
        self.stopping.store(true, Ordering::Release);
        for exchange in self.exchanges() {
            exchange.end_gracefully();
        }
        for conversation in self.sessions.all() {
            conversation.end_gracefully();
        }
    }

    fn drain(&self, timeout: Duration) -> bool {
        let until = Instant::now().checked_add(timeout);
        self.draining.store(true, Ordering::SeqCst);
        let mut open = self.lock();
        while self.owed() > 0 {
            let left = until.map_or(timeout, |until| until.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            open = self.settled.wait_timeout(open, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        self.owed() == 0
    }

    fn owed(&self) -> usize {
        self.owed.load(Ordering::SeqCst)
    }

    fn close(&self, reason: CancelReason) {
        self.lock().closed = Some(reason);
        for exchange in self.exchanges() {
            exchange.close(reason);
        }
        for conversation in self.sessions.all() {
            self.sessions.forget(&conversation);
            conversation.end(&self.server, reason, Some(&busy("The server was stopped.")));
        }
    }

    fn evict(&self, whose: &dyn Fn(&Caller) -> bool) {
        for conversation in self.sessions.all() {
            if conversation.session().is_some_and(|session| whose(&session.caller())) {
                for reader in conversation.readers() {
                    reader.end_stream();
                }
            }
        }
    }
}

/// Where the lives of this endpoint's sessions begin: elsewhere than those of another.
fn life(server: &server::Inner) -> u32 {
    let mut bytes = [0; 4];
    // Without randomness a client may be sent events of another life of its own session.
    let _ = server.config.environment.random(&mut bytes);
    u32::from_le_bytes(bytes)
}
