//! Where sessions are kept besides the memory of their endpoint.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
/// sessions itself. It forgets nothing by itself.
#[derive(Debug, Default)]
pub struct MemoryStore {
    sessions: Mutex<HashMap<String, String>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many sessions it keeps.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether it keeps none.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionStore for MemoryStore {
    fn save(&self, id: &str, session: &str, _: u64) -> Result<(), String> {
        self.lock().insert(id.to_owned(), session.to_owned());
        Ok(())
    }

    fn load(&self, id: &str) -> Result<Option<String>, String> {
        Ok(self.lock().get(id).cloned())
    }

    fn delete(&self, id: &str) -> Result<(), String> {
        self.lock().remove(id);
        Ok(())
    }
}
