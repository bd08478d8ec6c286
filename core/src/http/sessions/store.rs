//! Where sessions are kept besides the memory of their endpoint.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Keeps sessions outside the process, so that another one can go on with them. A session is its id and a JSON text that
/// means nothing to anybody but this library: what `initialize` agreed on, the owner, the log level, the subscriptions.
/// Calls in flight, streams and what waits to be sent are not in it.
///
/// The functions may block. They run on the pool ([`crate::Dispatch::Pool`]), inside [`crate::Server::pump`]
/// ([`crate::Dispatch::Pump`]), or on one thread of the endpoint that does nothing else ([`crate::Dispatch::Inline`]); never
/// under a lock of the library, on the pool possibly several at once, also for the same session: then the last one to save
/// wins. One that panics has failed.
pub trait SessionStore: Send + Sync + 'static {
    /// Keeps `session` under `id`, instead of what was there. It may be forgotten when it was not saved again for
    /// `ttl_ms`; a session that is in use is saved again in time. 0: for ever.
    ///
    /// # Errors
    /// Why it was not kept, for the log. A session that could not be saved when it was opened is refused (503).
    fn save(&self, id: &str, session: &str, ttl_ms: u64) -> Result<(), String>;

    /// What was saved under `id` last; `None` if there is nothing.
    ///
    /// # Errors
    /// Why nobody can tell, for the log. The client gets 503.
    fn load(&self, id: &str) -> Result<Option<String>, String>;

    /// Forgets the session, if it is there.
    ///
    /// # Errors
    /// Why it may still be there, for the log.
    fn delete(&self, id: &str) -> Result<(), String>;
}

/// A store in memory, for several endpoints of one process, and for tests. Without any store an endpoint keeps its
/// sessions itself.
#[derive(Debug, Default)]
pub struct MemoryStore {
    sessions: Mutex<HashMap<String, Kept>>,
}

#[derive(Debug)]
struct Kept {
    session: String,
    /// Until when; none: for ever.
    until: Option<Instant>,
}

impl Kept {
    fn is_over(&self) -> bool {
        self.until.is_some_and(|until| until <= Instant::now())
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many sessions it keeps.
    pub fn len(&self) -> usize {
        let mut sessions = self.lock();
        sessions.retain(|_, kept| !kept.is_over());
        sessions.len()
    }

    /// Whether it keeps none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionStore for MemoryStore {
    fn save(&self, id: &str, session: &str, ttl_ms: u64) -> Result<(), String> {
        let until = match ttl_ms {
            0 => None,
            ttl => Instant::now().checked_add(Duration::from_millis(ttl)),
        };
        let mut sessions = self.lock();
        // Those that are over are forgotten when the room runs out, not one by one.
        if sessions.len() == sessions.capacity() {
            sessions.retain(|_, kept| !kept.is_over());
        }
        sessions.insert(id.to_owned(), Kept { session: session.to_owned(), until });
        Ok(())
    }

    fn load(&self, id: &str) -> Result<Option<String>, String> {
        Ok(self.lock().get(id).filter(|kept| !kept.is_over()).map(|kept| kept.session.clone()))
    }

    fn delete(&self, id: &str) -> Result<(), String> {
        self.lock().remove(id);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_for_a_while_is_forgotten() {
        let store = MemoryStore::new();
        store.save("a", "1", 0).unwrap();
        store.save("b", "2", 1).unwrap();
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!((store.load("a").unwrap().as_deref(), store.load("b").unwrap()), (Some("1"), None));
        assert_eq!(store.len(), 1);
        store.delete("a").unwrap();
        store.delete("a").unwrap();
        assert!(store.is_empty());
    }
}
