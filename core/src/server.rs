//! The server: immutable, shared by any number of threads.

mod door;

pub(crate) use door::Door;

use crate::call::CallKind;
use crate::caller::Caller;
use crate::catalog::Settings;
use crate::config::{Config, Dispatch};
use crate::dispatch::{Dispatcher, Job};
use crate::engine::{self, Catalogs, Event, Hub, Peer};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{CancelReason, Host};
use crate::json::{push_compact, push_quoted, quote, Document};
use crate::protocol::wire::key::SERVER_INFO;
use crate::protocol::{definition, meta_key, LogLevel, Offered};
use crate::state::Sealer;
use crate::stdio::Stop;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// A protocol server without I/O: message bytes in, message bytes out. Cloning shares it.
#[derive(Clone)]
pub struct Server {
    pub(crate) inner: Arc<Inner>,
    _held: Arc<Held>,
}

/// What the handles of a server share. Connections and endpoints keep the server itself, but only a handle can pump it:
/// behind the last one, calls that wait for that would keep for ever what they wait in.
struct Held(Arc<Inner>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.dispatcher.abandon();
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("config", &self.inner.config).finish_non_exhaustive()
    }
}

pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) settings: Settings,
    pub(crate) catalogs: Catalogs,
    pub(crate) sealer: Sealer,
    pub(crate) hub: Hub,
    pub(crate) offered: Offered,
    /// `serverInfo` as JSON.
    pub(crate) identity: Box<str>,
    /// The same; empty where the configuration says not to identify.
    pub(crate) info: Box<str>,
    /// What ends an ordinary result: `,"_meta":{…}` with `serverInfo`, or nothing.
    pub(crate) info_suffix: Box<str>,
    /// The same behind `,"resultType":"complete"`.
    pub(crate) ending: Box<str>,
    pub(crate) numbers: AtomicU64,
    stopping: AtomicBool,
    connections: Mutex<Vec<Weak<Peer>>>,
    /// What besides connections has exchanges of its own: endpoints.
    doors: Mutex<Vec<Weak<dyn Door>>>,
    stops: Mutex<Vec<Weak<dyn Stop>>>,
}

impl Server {
    /// Checks everything and builds the catalog.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for the configuration, [`ErrorKind::Catalog`] for the catalog; every fault at
    /// once, a line each.
    pub fn new(config: Config, host: Arc<dyn Host>) -> Result<Self> {
        let identity = check_config(&config)?;
        let sealer = Sealer::new(&config.state_keys, Arc::clone(&config.environment)).map_err(|why| {
            Error::new(ErrorKind::Internal, format!("no random key for requestState: {why}"))
        })?;
        let info = if config.identify { identity.clone() } else { String::new() };
        let info_suffix =
            if config.identify { format!(",\"_meta\":{{\"{SERVER_INFO}\":{info}}}") } else { String::new() };
        let inner = Inner {
            dispatcher: Dispatcher::new(config.dispatch, config.pool_threads, Arc::clone(&host)),
            settings: Settings::of(&config, &*info_suffix),
            catalogs: Catalogs::default(),
            sealer,
            hub: Hub::default(),
            offered: Offered::new(&config.revisions, config.legacy),
            identity: identity.into(),
            info: info.into(),
            ending: format!(",\"resultType\":\"complete\"{info_suffix}").into(),
            info_suffix: info_suffix.into(),
            numbers: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
            connections: Mutex::default(),
            doors: Mutex::default(),
            stops: Mutex::default(),
            config,
            host,
        };
        inner.catalogs.rebuild(&inner, "")?;
        let inner = Arc::new(inner);
        Ok(Self { _held: Arc::new(Held(Arc::clone(&inner))), inner })
    }

    /// One modern message in, its response out, on this thread; `None` for a notification. The host's callback runs
    /// on this thread too; a call that it does not answer before it returns is waited for, at most `timeout` (`None`:
    /// for ever). Progress and log lines have nowhere to go and are dropped; subscriptions are refused.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`] (the call is cancelled), [`ErrorKind::Closed`] after [`Server::stop`]. What is wrong with
    /// the message is a response, not an error.
    pub fn handle(
        &self,
        caller: &Arc<Caller>,
        message: &[u8],
        timeout: Option<Duration>,
    ) -> Result<Option<Vec<u8>>> {
        engine::handle::handle(&self.inner, caller, message, timeout)
    }

    /// As [`Server::handle`], but never waits: `answer` takes the response (`None` for a notification) on the thread that
    /// gives it, before this returns or later. The host's callback runs where [`Dispatch`] says. `None` is returned for
    /// what needed no callback; otherwise the time-out of the call, if it has one, is the caller's to watch.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after [`Server::stop`]. What is wrong with the message is a response, not an error.
    pub fn begin(
        &self,
        caller: &Arc<Caller>,
        message: Vec<u8>,
        answer: impl FnOnce(Option<Vec<u8>>) + Send + 'static,
    ) -> Result<Option<engine::begin::Pending>> {
        engine::begin::begin(&self.inner, caller, message, Box::new(answer))
    }

    /// Builds the catalog for `key` (empty: the common one) anew on this thread, publishes it and tells subscribers.
    /// Calls in flight finish on the old one.
    ///
    /// # Errors
    /// [`ErrorKind::Catalog`] with every fault; then the old catalog stays.
    pub fn catalog_changed(&self, key: &str) -> Result<()> {
        self.inner.catalogs.rebuild(&self.inner, key)
    }

    /// Tells subscribers of `uri` that it changed.
    pub fn resource_updated(&self, uri: &str) {
        self.inner.hub.publish(Event::Updated(uri), |caller| self.inner.may_see(caller, uri));
    }

    /// Ends the subscriptions of callers whose owner key or principal this is, and the streams of their sessions.
    pub fn revoke(&self, owner_key: &str) {
        let theirs = |caller: &Caller| caller.owner_key() == owner_key || caller.principal() == owner_key;
        self.inner.hub.evict(|listener| theirs(&listener.caller.load()));
        self.inner.hub.unsubscribe_sessions(theirs);
        for door in self.inner.doors() {
            door.evict(&theirs);
        }
    }

    /// Runs waiting callbacks on this thread ([`Dispatch::Pump`]) for at most `max`, at least one if there is one.
    /// Returns how many ran.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] in another mode.
    pub fn pump(&self, max: Duration) -> Result<u32> {
        if self.inner.config.dispatch != Dispatch::Pump {
            return Err(Error::new(ErrorKind::InvalidArgument, "pump needs the dispatch mode `pump`"));
        }
        Ok(self.inner.dispatcher.pump(max))
    }

    /// A descriptor that is readable while [`Server::pump`] has work.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] in another mode.
    #[cfg(unix)]
    pub fn pump_fd(&self) -> Result<std::os::fd::BorrowedFd<'_>> {
        self.inner.dispatcher.pump_fd()
    }

    /// Refuses new requests, ends subscriptions gracefully, gives calls in flight `timeout` to end, cancels the rest,
    /// and ends the doors. Whoever calls it again waits for nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Timeout`] if calls had to be cancelled.
    pub fn stop(&self, timeout: Duration) -> Result<()> {
        let inner = &self.inner;
        inner.stopping.store(true, Ordering::Release);
        let doors = inner.doors();
        for door in &doors {
            door.end_gracefully();
        }
        let until = Instant::now().checked_add(timeout);
        let mut late = 0;
        for door in &doors {
            let left = until.map_or(timeout, |until| until.saturating_duration_since(Instant::now()));
            if !door.drain(left) {
                late += door.owed();
            }
            door.close(CancelReason::Stopped);
        }
        let left = until.map_or(timeout, |until| until.saturating_duration_since(Instant::now()));
        inner.dispatcher.stop(left);
        let stops = std::mem::take(&mut *lock(&inner.stops));
        for door in stops.iter().filter_map(Weak::upgrade) {
            door.stop();
        }
        match late {
            0 => Ok(()),
            late => Err(Error::new(ErrorKind::Timeout, format!("{late} calls were cancelled"))),
        }
    }

    /// Whether [`Server::stop`] was called.
    pub fn is_stopped(&self) -> bool {
        self.inner.is_stopping()
    }

    /// Counters as a JSON object: `exchanges` opened since the start (calls and subscriptions), `callsOwed` and
    /// `connections` and `subscriptions` now, the common catalog's `catalogDigest`.
    pub fn stats(&self) -> String {
        let connections = self.inner.connections();
        let owed: usize = self.inner.doors().iter().map(|door| door.owed()).sum();
        let digest = self.inner.catalogs.snapshot(&self.inner, "").map(|s| s.catalog.digest().to_owned());
        format!(
            "{{\"exchanges\":{},\"callsOwed\":{owed},\"connections\":{},\"subscriptions\":{},\"catalogDigest\":{}}}",
            self.inner.numbers.load(Ordering::Relaxed),
            connections.len(),
            self.inner.hub.len(),
            quote(&digest.unwrap_or_default()),
        )
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Inner {
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    pub(crate) fn register(&self, connection: &Arc<Peer>) {
        let mut connections = lock(&self.connections);
        connections.retain(|known| known.strong_count() > 0);
        connections.push(Arc::downgrade(connection));
    }

    /// Wakes `door` when the server stops.
    pub(crate) fn on_stop(&self, door: Weak<dyn Stop>) {
        let mut stops = lock(&self.stops);
        stops.retain(|known| known.strong_count() > 0);
        stops.push(door);
    }

    /// Ends what `door` serves when the server stops.
    #[cfg(feature = "http")]
    pub(crate) fn register_door(&self, door: Weak<dyn Door>) {
        let mut doors = lock(&self.doors);
        doors.retain(|known| known.strong_count() > 0);
        doors.push(door);
    }

    fn doors(&self) -> Vec<Arc<dyn Door>> {
        let connections = self.connections().into_iter().map(|connection| connection as Arc<dyn Door>);
        connections.chain(lock(&self.doors).iter().filter_map(Weak::upgrade)).collect()
    }

    fn connections(&self) -> Vec<Arc<Peer>> {
        lock(&self.connections).iter().filter_map(Weak::upgrade).collect()
    }

    /// Whether `caller` may hear of `uri` now; what is not in the catalog has no scopes.
    fn may_see(&self, caller: &Caller, uri: &str) -> bool {
        let Ok(snapshot) = self.catalogs.snapshot(self, caller.catalog_key()) else {
            return false;
        };
        engine::may_see(&snapshot.catalog, caller, uri)
    }

    /// Runs host code where the configuration says.
    pub(crate) fn dispatch(&self, job: Job) {
        if let Err(error) = self.dispatcher.run(job) {
            // Only another process than the one that made the server comes here, or one without threads to spare.
            let _ = writeln!(std::io::stderr(), "mcpcore: {error}");
        }
    }

    pub(crate) fn log(&self, level: LogLevel, text: &str) {
        self.dispatch(Job::Log { level, text: text.to_owned() });
    }

    /// Logs what a client must not see. Returns the id that the client is given instead.
    pub(crate) fn log_masked(&self, text: &str) -> String {
        let mut bytes = [0; 8];
        // Without randomness an id of zeros still leads to the line.
        let _ = self.config.environment.random(&mut bytes);
        let id = format!("{:016x}", u64::from_le_bytes(bytes));
        self.log(LogLevel::Error, &format!("[{id}] {text}"));
        id
    }

    pub(crate) fn tell_cancelled(&self, number: u64, reason: CancelReason) {
        self.dispatch(Job::Cancel { number, reason });
    }

    pub(crate) fn report_call(&self, kind: CallKind, name: &str, number: u64, outcome: &str) {
        if self.config.events {
            let (kind, name) = (kind.as_str(), quote(name));
            let event = "{\"event\":\"call\",\"kind\":";
            let json =
                format!("{event}\"{kind}\",\"name\":{name},\"number\":{number},\"outcome\":\"{outcome}\"}}");
            self.dispatch(Job::Event(json));
        }
    }
}

/// Checks the configuration. Returns `serverInfo`.
fn check_config(config: &Config) -> Result<String> {
    let mut faults = Vec::new();
    if config.name.is_empty() {
        faults.push("name: must not be empty".to_owned());
    }
    if config.version.is_empty() {
        faults.push("version: must not be empty; give the version of your server".to_owned());
    }
    for (name, value) in [
        ("max_calls", config.max_calls),
        ("max_message_bytes", config.max_message_bytes),
        ("max_result_bytes", config.max_result_bytes),
        ("max_state_bytes", config.max_state_bytes),
    ] {
        if value == 0 {
            faults.push(format!("{name}: must be at least 1"));
        }
    }
    if Offered::new(&config.revisions, config.legacy).is_empty() {
        faults.push("revisions: none is left; those before 2026-07-28 need `legacy`".to_owned());
    }
    for (name, text) in [("extensions", &config.extensions), ("experimental", &config.experimental)] {
        let Some(text) = text else { continue };
        match object(text) {
            Err(why) => faults.push(format!("{name}: {why}")),
            Ok(map) => {
                for (id, settings) in map.root().members() {
                    if name == "extensions" {
                        if let Err(why) = meta_key::check_extension_id(&id) {
                            faults.push(format!("extensions: {id:?}: {why}"));
                        }
                    }
                    if !settings.is_object() {
                        faults.push(format!("{name}: the settings of {id:?} must be an object"));
                    }
                }
            }
        }
    }
    let mut info = b"{\"name\":".to_vec();
    push_quoted(&mut info, &config.name);
    info.extend_from_slice(b",\"version\":");
    push_quoted(&mut info, &config.version);
    match config.info.as_deref().map(object).transpose() {
        Err(why) => faults.push(format!("info: {why}")),
        Ok(None) => {}
        Ok(Some(extra)) => {
            let mut checks = definition::Checks::default();
            definition::implementation(&mut checks, extra.root());
            faults.extend(checks.faults().iter().map(|(pointer, why)| format!("info at {pointer}: {why}")));
            for (name, value) in extra.root().members() {
                info.push(b',');
                push_quoted(&mut info, &name);
                info.push(b':');
                push_compact(&mut info, value);
            }
        }
    }
    info.push(b'}');
    if faults.is_empty() {
        return Ok(String::from_utf8(info).unwrap_or_default());
    }
    Err(Error::new(ErrorKind::InvalidArgument, faults.join("\n")))
}

fn object(text: &str) -> std::result::Result<Document, String> {
    let document = Document::parse(text.as_bytes().to_vec()).map_err(|fault| format!("not JSON: {fault}"))?;
    match document.duplicate() {
        Some(name) => return Err(format!("the member {name:?} stands twice")),
        None if !document.root().is_object() => return Err("must be a JSON object".to_owned()),
        None => {}
    }
    Ok(document)
}
