//! All sessions of an endpoint.

use super::super::endpoint::Inner;
use super::apart::Apart;
use super::conversation::{Conversation, Kind};
use super::ledger::NEVER;
use crate::caller::Caller;
use crate::host::CancelReason;
use crate::jsonrpc::ErrorBody;
use crate::protocol::wire::code;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Waker;
use std::time::Duration;

/// Sessions that end by their age do so in this many steps, so that they are looked through rarely.
const STEPS: u64 = 32;

/// The shortest time between two looks, in ms.
const SHORTEST: u64 = 10;

/// Room for fewer sessions than this is kept when they have ended.
const FEW: usize = 64;

type Open = HashMap<String, Arc<Conversation>, foldhash::quality::RandomState>;

pub(crate) struct Registry {
    open: Mutex<Open>,
    /// Those that nobody can name and that wait for the host.
    passing: Mutex<Vec<Weak<Conversation>>>,
    /// When something is due next.
    due: AtomicU64,
    /// Who waits for that time.
    waker: Mutex<Option<Waker>>,
    thread: Apart,
    /// Calls that wait for their client.
    pub(super) asking: AtomicUsize,
    /// Tells this endpoint's events from those of others, and the lives of a session from each other.
    life: AtomicU64,
}

/// Why there is no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absent {
    /// There is none with this id, or it is somebody else's.
    Unknown,
    /// The store did not say.
    Failed,
    /// There is no room for another.
    Full,
}

impl Registry {
    pub(crate) fn new(life: u32) -> Self {
        Self {
            open: Mutex::default(),
            passing: Mutex::default(),
            due: AtomicU64::new(NEVER),
            waker: Mutex::default(),
            thread: Apart::default(),
            asking: AtomicUsize::new(0),
            life: AtomicU64::new(life.into()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn all(&self) -> Vec<Arc<Conversation>> {
        let passing = self.passing.lock().unwrap_or_else(PoisonError::into_inner);
        let passing = passing.iter().filter_map(Weak::upgrade).collect::<Vec<_>>();
        self.lock().values().cloned().chain(passing).collect()
    }

    fn waker(&self) -> MutexGuard<'_, Option<Waker>> {
        self.waker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn life(&self) -> u64 {
        self.life.fetch_add(1, Ordering::Relaxed)
    }

    /// Something is due then.
    pub(super) fn hasten(&self, due: u64) {
        if due < self.due.load(Ordering::Relaxed) && due < self.due.fetch_min(due, Ordering::Relaxed) {
            if let Some(waker) = self.waker().take() {
                waker.wake();
            }
        }
    }

    /// A session that nobody can name: for one POST.
    pub(crate) fn pass(&self, endpoint: &Inner, caller: &Caller) -> Arc<Conversation> {
        let now = endpoint.now();
        Conversation::new(String::new(), Kind::Passing, caller, &endpoint.config, self.life(), now)
    }

    /// A new session, which [`Registry::keep`] has to take in.
    ///
    /// # Errors
    /// There is no randomness to name it by.
    pub(crate) fn begin(
        &self,
        endpoint: &Inner,
        caller: &Caller,
        kind: Kind,
    ) -> Result<Arc<Conversation>, Absent> {
        let mut bytes = [0; 16];
        let random = endpoint.server.config.environment.random(&mut bytes);
        random.map_err(|_| Absent::Failed)?;
        let id = format!("{:032x}", u128::from_be_bytes(bytes));
        Ok(Conversation::new(id, kind, caller, &endpoint.config, self.life(), endpoint.now()))
    }

    /// Takes a session in. If there are as many as there may be, the one ends whose client has been away for longest.
    ///
    /// # Errors
    /// None can be ended.
    pub(crate) fn keep(&self, endpoint: &Inner, conversation: &Arc<Conversation>) -> Result<(), Absent> {
        let most = endpoint.config.max_sessions;
        let outcome = {
            let mut open = self.lock();
            if open.contains_key(conversation.id()) {
                return Err(Absent::Failed);
            }
            let longest = if open.len() < most {
                None
            } else {
                let away = open.iter().filter_map(|(id, known)| Some((known.away_since()?, known.life, id)));
                let (_, _, id) = away.min_by_key(|(since, life, _)| (*since, *life)).ok_or(Absent::Full)?;
                Some(id.clone())
            };
            let ended = longest.and_then(|id| open.remove(&id));
            open.insert(conversation.id().to_owned(), Arc::clone(conversation));
            ended
        };
        if let Some(ended) = outcome {
            // What a store has of it stays there: there is only no room for it here.
            ended.end(&endpoint.server, CancelReason::Closed, Some(&gone()));
        }
        let idle = endpoint.config.session_idle_ms;
        if idle > 0 {
            self.hasten(endpoint.now().saturating_add(idle + idle / STEPS));
        }
        Ok(())
    }

    /// The caller's session with this id.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn find(
        &self,
        endpoint: &Inner,
        id: &str,
        caller: &Arc<Caller>,
        kind: Kind,
    ) -> Result<Arc<Conversation>, Absent> {
        let known = self.lock().get(id).cloned();
        let now = endpoint.now();
        if let Some(known) = known {
            if known.kind() != kind || !known.belongs_to(caller) {
                return Err(Absent::Unknown);
            }
            if !is_stale(endpoint, &known, now) {
                known.touch(now);
                if let Some(session) = known.session() {
                    session.renew(caller);
                }
                return Ok(known);
            }
            self.end(endpoint, &known);
        }
        Err(Absent::Unknown)
    }

    /// Whether only the store can know the session with this id.
    pub(crate) fn is_elsewhere(&self, endpoint: &Inner, id: &str) -> bool {
        let named = id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        named && self.lock().get(id).is_none_or(|known| is_stale(endpoint, known, endpoint.now()))
    }

    /// Takes the caller's session with this id out of the store. Runs host code.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn load(&self, endpoint: &Inner, id: &str, caller: &Arc<Caller>) -> Result<(), Absent> {
        let stale = self.lock().get(id).cloned().filter(|known| is_stale(endpoint, known, endpoint.now()));
        if let Some(stale) = stale {
            self.end(endpoint, &stale);
        }
        let loaded = Conversation::load(endpoint, id, caller, self.life()).map_err(|_| Absent::Failed)?;
        match self.keep(endpoint, &loaded.ok_or(Absent::Unknown)?) {
            // Another request may have loaded it meanwhile.
            Ok(()) | Err(Absent::Failed | Absent::Unknown) => Ok(()),
            Err(Absent::Full) => Err(Absent::Full),
        }
    }

    /// Runs what may block on a thread that is there for it.
    pub(crate) fn run_apart(&self, job: Box<dyn FnOnce() + Send>) {
        self.thread.run(job);
    }

    /// Ends a session and forgets it; a store may still have it.
    pub(crate) fn end(&self, endpoint: &Inner, conversation: &Arc<Conversation>) {
        self.forget(conversation);
        conversation.end(&endpoint.server, CancelReason::Closed, Some(&gone()));
    }

    /// It is not found any more.
    pub(crate) fn forget(&self, conversation: &Arc<Conversation>) {
        let mut open = self.lock();
        if open.get(conversation.id()).is_some_and(|known| Arc::ptr_eq(known, conversation)) {
            open.remove(conversation.id());
            if open.capacity() > FEW && open.len() < open.capacity() / 8 {
                let room = open.len() * 2;
                open.shrink_to(room);
            }
        }
    }

    /// An exchange waits for a session that nobody can name: it ends with the endpoint all the same.
    pub(crate) fn watch(&self, conversation: &Arc<Conversation>) {
        if conversation.kind() == Kind::Passing && !conversation.is_over() {
            let mut passing = self.passing.lock().unwrap_or_else(PoisonError::into_inner);
            if passing.len() == passing.capacity() {
                passing.retain(|known| known.strong_count() > 0);
            }
            passing.push(Arc::downgrade(conversation));
        }
    }

    /// How long until [`Registry::tick`] has something to do.
    pub(crate) fn next_deadline(&self, now: u64) -> Option<Duration> {
        let due = self.due.load(Ordering::Relaxed);
        (due != NEVER).then(|| Duration::from_millis(due.saturating_sub(now)))
    }

    /// As [`Registry::next_deadline`]; the waker is woken when it gets earlier.
    pub(crate) fn watch_deadline(&self, now: u64, waker: &Waker) -> Option<Duration> {
        *self.waker() = Some(waker.clone());
        self.next_deadline(now)
    }

    /// Ends what took too long.
    pub(crate) fn tick(&self, endpoint: &Arc<Inner>) {
        let now = endpoint.now();
        if self.due.load(Ordering::Relaxed) > now {
            return;
        }
        self.due.store(NEVER, Ordering::Relaxed);
        let idle = endpoint.config.session_idle_ms;
        let mut next = NEVER;
        for conversation in self.all() {
            conversation.tick(endpoint, now);
            if is_stale(endpoint, &conversation, now) {
                self.end(endpoint, &conversation);
                continue;
            }
            next = next.min(conversation.next_due());
            if idle > 0 {
                let since = conversation.away_since().unwrap_or(now);
                next = next.min(since.saturating_add(idle).max(now) + idle / STEPS);
            }
        }
        self.hasten(next.max(now + SHORTEST));
    }
}

/// Whether the client has been away for longer than it may.
fn is_stale(endpoint: &Inner, conversation: &Conversation, now: u64) -> bool {
    let idle = endpoint.config.session_idle_ms;
    idle > 0
        && conversation.kind() == Kind::Kept
        && conversation.away_since().is_some_and(|since| now.saturating_sub(since) >= idle)
}

fn gone() -> ErrorBody {
    ErrorBody::new(code::INTERNAL_ERROR, "The session was ended.")
}
