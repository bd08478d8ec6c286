//! Sessions of the legacy era: what `initialize` agreed on, and what is remembered until the session ends. A session
//! knows no transport: its door gives it messages and a [`Stream`].

pub(crate) mod batch;
mod inquiry;
mod methods;
mod notices;
mod open;
mod saved;

pub(crate) use inquiry::Inquiry;
#[cfg(feature = "http")]
pub(crate) use methods::unopened;
pub(crate) use methods::{refuse, serve, Served};
pub(crate) use open::Place;

use super::hub::Event;
use super::tools::nothing;
use crate::caller::Caller;
use crate::json::{push_compact, push_quoted, Document, Node};
use crate::jsonrpc::Message;
#[cfg(feature = "http")]
use crate::jsonrpc::Outgoing;
use crate::protocol::wire::{key, method};
use crate::protocol::{ClientCapabilities, LogLevel, Revision};
#[cfg(feature = "http")]
use crate::server::Inner;
use arc_swap::{ArcSwap, Guard};
use inquiry::Questions;
use notices::Notices;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A session's way to its client for what belongs to no request.
pub(crate) trait Stream: Send + Sync {
    /// The session has something to say; see [`Session::take`]. Called under no lock.
    fn wake(&self, session: &Session);
}

/// One session.
pub(crate) struct Session {
    revision: Revision,
    /// What the client declared, as far as the revision has it.
    capabilities: Option<Document>,
    /// What the client says about itself.
    info: Option<Document>,
    /// Who asked last.
    caller: ArcSwap<Caller>,
    stream: Weak<dyn Stream>,
    /// Whether it is there for more than one request.
    lasts: bool,
    /// Whether it is not what was saved last.
    changed: AtomicBool,
    /// Whether the client may be told things unasked.
    ready: AtomicBool,
    log_level: AtomicU8,
    notices: Mutex<Notices>,
    questions: Mutex<Questions>,
}

/// Without `logging/setLevel` the server chooses (2025-11-25, logging).
const FIRST_LEVEL: LogLevel = LogLevel::Info;

impl Session {
    /// A session of a client of whom nothing else is known.
    fn new(revision: Revision, caller: &Arc<Caller>, stream: Weak<dyn Stream>) -> Self {
        Self {
            revision,
            capabilities: None,
            info: None,
            caller: ArcSwap::new(Arc::clone(caller)),
            stream,
            lasts: true,
            changed: AtomicBool::new(true),
            ready: AtomicBool::new(false),
            log_level: AtomicU8::new(FIRST_LEVEL as u8),
            notices: Mutex::default(),
            questions: Mutex::default(),
        }
    }

    /// What stands for a session while one request is served by itself: its client is known to be able to do nothing.
    #[cfg(feature = "http")]
    pub(crate) fn passing(revision: Revision, caller: &Arc<Caller>, stream: Weak<dyn Stream>) -> Arc<Self> {
        Arc::new(Self { lasts: false, ..Self::new(revision, caller, stream) })
    }

    pub(crate) fn revision(&self) -> Revision {
        self.revision
    }

    pub(crate) fn caller(&self) -> Guard<Arc<Caller>> {
        self.caller.load()
    }

    /// Its client asks again, perhaps with other rights than before.
    #[cfg(feature = "http")]
    pub(crate) fn renew(&self, caller: &Arc<Caller>) {
        if !Arc::ptr_eq(&self.caller.load(), caller) {
            self.caller.store(Arc::clone(caller));
        }
    }

    fn change(&self) {
        self.changed.store(true, Ordering::Release);
    }

    pub(crate) fn capabilities(&self) -> ClientCapabilities<'_> {
        let declared = self.capabilities.as_ref().map(Document::root);
        ClientCapabilities::new(declared.unwrap_or_else(|| nothing().root()))
    }

    /// The `_meta` of a request as one of 2026-07-28 would have it: `given`, and what the session knows.
    pub(crate) fn meta(&self, given: Option<Node<'_>>) -> String {
        let mut out = b"{".to_vec();
        let mut member = |name: &str, value: &dyn Fn(&mut Vec<u8>)| {
            if out.len() > 1 {
                out.push(b',');
            }
            push_quoted(&mut out, name);
            out.push(b':');
            value(&mut out);
        };
        let known = [key::PROTOCOL_VERSION, key::CLIENT_CAPABILITIES, key::CLIENT_INFO];
        for (name, value) in
            given.into_iter().flat_map(Node::members).filter(|(name, _)| !known.contains(&&**name))
        {
            member(&name, &|out| push_compact(out, value));
        }
        member(key::PROTOCOL_VERSION, &|out| push_quoted(out, self.revision.as_str()));
        member(key::CLIENT_CAPABILITIES, &|out| push_compact(out, self.capabilities().node()));
        if let Some(info) = &self.info {
            member(key::CLIENT_INFO, &|out| push_compact(out, info.root()));
        }
        out.push(b'}');
        String::from_utf8(out).unwrap_or_default()
    }

    /// Below which no log line is sent.
    pub(crate) fn log_level(&self) -> LogLevel {
        let level = usize::from(self.log_level.load(Ordering::Relaxed));
        LogLevel::ALL.get(level).copied().unwrap_or(LogLevel::Emergency)
    }

    fn set_log_level(&self, level: LogLevel) {
        self.log_level.store(level as u8, Ordering::Relaxed);
        self.change();
    }

    /// A session and the answer that opens it.
    ///
    /// # Errors
    /// The refusal.
    #[cfg(feature = "http")]
    pub(crate) fn open(
        server: &Inner,
        caller: &Arc<Caller>,
        message: &Message,
        place: Place,
    ) -> Result<(Arc<Self>, Outgoing), Outgoing> {
        open::open(server, caller, message, place)
    }

    /// Takes a notification of the client; others than those of the session mean nothing here.
    pub(crate) fn notified(&self, message: &Message) {
        if message.method() == method::INITIALIZED {
            self.begin();
        }
    }

    /// The client is ready (2025-11-25, lifecycle, initialization). One that asks for something is too, whether or not
    /// it said so.
    fn begin(&self) {
        if !self.ready.swap(true, Ordering::AcqRel) {
            self.change();
            self.wake();
        }
    }

    pub(crate) fn wants(&self, event: Event<'_>) -> bool {
        match event {
            Event::Tools | Event::Resources | Event::Prompts => true,
            Event::Updated(uri) => self.notices().has(uri),
        }
    }

    pub(crate) fn note(&self, event: Event<'_>) {
        self.notices().note(event);
        self.wake();
    }

    /// Every notification that is due; each is told once. None before the client is ready.
    pub(crate) fn take(&self) -> Vec<Vec<u8>> {
        if self.ready.load(Ordering::Acquire) {
            self.notices().take()
        } else {
            Vec::new()
        }
    }

    /// False if there are `most` subscriptions already.
    fn subscribe(&self, uri: &str, most: usize) -> bool {
        self.change();
        self.notices().add(uri, most)
    }

    fn unsubscribe(&self, uri: &str) {
        self.change();
        self.notices().remove(uri);
    }

    /// Ends the subscriptions of the session.
    pub(crate) fn unsubscribe_all(&self) {
        *self.notices() = Notices::default();
        self.change();
    }

    /// Whether [`Session::take`] has something.
    #[cfg(feature = "http")]
    pub(crate) fn has_news(&self) -> bool {
        self.ready.load(Ordering::Acquire) && self.notices().is_due()
    }

    fn wake(&self) {
        if let Some(stream) = self.stream.upgrade() {
            stream.wake(self);
        }
    }

    fn notices(&self) -> MutexGuard<'_, Notices> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
