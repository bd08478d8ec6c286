//! A session as the text that a store keeps.

use super::super::endpoint::Inner;
use super::conversation::{Conversation, Kind};
use crate::caller::Caller;
use crate::engine::Session;
use crate::json::{push_quoted, Document, Node};
use crate::protocol::LogLevel;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::Arc;

/// What went wrong with the store; the log has the rest.
#[derive(Debug)]
pub(crate) struct StoreFailed;

impl Conversation {
    fn text(&self, session: &Session, now: u64) -> String {
        let (owner_key, principal) = self.owner();
        let mut out = b"{\"owner\":".to_vec();
        push_quoted(&mut out, owner_key);
        out.extend_from_slice(b",\"principal\":");
        push_quoted(&mut out, principal);
        out.extend_from_slice(format!(",\"saved\":{now},\"session\":").as_bytes());
        session.save(&mut out);
        out.push(b'}');
        String::from_utf8(out).unwrap_or_default()
    }

    /// Whether it changed since it was saved last, or was not saved for long.
    pub(crate) fn wants_to_be_saved(&self, endpoint: &Inner) -> bool {
        let stored = endpoint.config.session_store.is_some() && self.kind() == Kind::Kept;
        stored && self.session().is_some_and(|session| session.is_changed() || self.is_stale(endpoint))
    }

    fn is_stale(&self, endpoint: &Inner) -> bool {
        let idle = endpoint.config.session_idle_ms;
        idle > 0 && endpoint.now().saturating_sub(self.last_saved.load(Ordering::Relaxed)) >= idle / 2
    }

    /// Saves the session if it changed, or if it was not saved for long. Runs host code: the caller holds no lock.
    ///
    /// # Errors
    /// It could not be saved.
    pub(crate) fn save(&self, endpoint: &Inner) -> Result<(), StoreFailed> {
        let (Some(store), Some(session)) = (&endpoint.config.session_store, self.session()) else {
            return Ok(());
        };
        if self.kind() != Kind::Kept {
            return Ok(());
        }
        let (now, idle) = (endpoint.now(), endpoint.config.session_idle_ms);
        if !session.take_changed() && !self.is_stale(endpoint) {
            return Ok(());
        }
        let text = self.text(&session, endpoint.server.config.environment.unix_ms());
        let saved = attempt(endpoint, "save", || store.save(self.id(), &text, idle));
        match saved {
            Ok(()) => self.last_saved.store(now, Ordering::Relaxed),
            Err(_) => session.unsaved(),
        }
        saved
    }

    /// Forgets what was saved of it. Runs host code: the caller holds no lock.
    pub(crate) fn unsave(&self, endpoint: &Inner) {
        if let (Some(store), Kind::Kept) = (&endpoint.config.session_store, self.kind()) {
            // The log says so; the client need not know.
            let _ = attempt(endpoint, "delete", || store.delete(self.id()));
        }
    }

    /// The session that a store has under `id`, if it is the caller's and not too old. Runs host code.
    ///
    /// # Errors
    /// Nobody can tell.
    pub(super) fn load(
        endpoint: &Inner,
        id: &str,
        caller: &Arc<Caller>,
        life: u64,
    ) -> Result<Option<Arc<Self>>, StoreFailed> {
        let Some(store) = &endpoint.config.session_store else { return Ok(None) };
        let Some(text) = attempt(endpoint, "load", || store.load(id))? else { return Ok(None) };
        let Ok(read) = Document::parse(text.into_bytes()) else {
            endpoint.server.log(LogLevel::Error, "the session store gave something else than it was given");
            return Ok(None);
        };
        let saved = read.root();
        let conversation =
            Self::new(id.to_owned(), Kind::Kept, caller, &endpoint.config, life, endpoint.now());
        let is = |name: &str, value: &str| saved.get(name).is_some_and(|node| node.is_str(value));
        if !is("owner", caller.owner_key()) || !is("principal", caller.principal()) {
            return Ok(None);
        }
        let at = saved.get("saved").and_then(Node::as_i64).and_then(|at| u64::try_from(at).ok()).unwrap_or(0);
        let age = endpoint.server.config.environment.unix_ms().saturating_sub(at);
        let idle = endpoint.config.session_idle_ms;
        if idle > 0 && age > idle {
            conversation.unsave(endpoint);
            return Ok(None);
        }
        let restored = saved
            .get("session")
            .and_then(|saved| Session::restore(&endpoint.server, caller, saved, conversation.stream()));
        Ok(restored.map(|session| {
            conversation.adopt(session);
            conversation
        }))
    }
}

/// Asks the store, and tells the log what went wrong.
fn attempt<T>(
    endpoint: &Inner,
    what: &str,
    ask: impl FnOnce() -> Result<T, String>,
) -> Result<T, StoreFailed> {
    let why = match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(Ok(done)) => return Ok(done),
        Ok(Err(why)) => why,
        Err(panic) => {
            // What was thrown may throw again when it is dropped.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(panic)));
            "it panicked".to_owned()
        }
    };
    let line = format!("the session store could not {what} a session: {why}");
    endpoint.server.log(LogLevel::Error, &line);
    Err(StoreFailed)
}
