//! Where sessions are kept outside the process: asked of JavaScript, and waited for.

use crate::engine::Engine;
use crate::inbox::{Event, Inbox};
use mcpcore_engine::http::SessionStore;
use napi_derive::napi;
use std::sync::mpsc::{sync_channel, SyncSender};
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Duration;

/// A store that says nothing for so long has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is said to a question: a session, nothing, or why there is no answer.
type Said = Result<Option<String>, String>;

/// A question to a store. Dropped, it is answered with a failure.
pub(crate) struct Keeping {
    pub(crate) keeper: u32,
    pub(crate) wish: Wish,
    pub(crate) id: String,
    said: SyncSender<Said>,
}

/// What a store is to do.
pub(crate) enum Wish {
    Save { session: String, ttl_ms: u64 },
    Load,
    Delete,
}

/// Puts every question into the inbox, under the number of the store that answers it.
pub(crate) struct Store {
    keeper: u32,
    inbox: Arc<Inbox>,
    /// That of JavaScript, which cannot wait for itself.
    home: ThreadId,
}

impl Store {
    pub(crate) fn new(keeper: u32, inbox: &Arc<Inbox>) -> Self {
        Self { keeper, inbox: Arc::clone(inbox), home: thread::current().id() }
    }

    fn ask(&self, id: &str, wish: Wish) -> Said {
        if thread::current().id() == self.home {
            return Err("it was asked on the thread of JavaScript, which would wait for itself".to_owned());
        }
        let (said, answer) = sync_channel(1);
        self.inbox.push(Event::Keep(Keeping { keeper: self.keeper, wish, id: id.to_owned(), said }));
        answer.recv_timeout(PATIENCE).unwrap_or_else(|_| Err("it did not answer".to_owned()))
    }
}

impl SessionStore for Store {
    fn save(&self, id: &str, session: &str, ttl_ms: u64) -> Result<(), String> {
        self.ask(id, Wish::Save { session: session.to_owned(), ttl_ms }).map(drop)
    }

    fn load(&self, id: &str) -> Result<Option<String>, String> {
        self.ask(id, Wish::Load)
    }

    fn delete(&self, id: &str) -> Result<(), String> {
        self.ask(id, Wish::Delete).map(drop)
    }
}

#[napi]
impl Engine {
    /// What a store has said: that it failed, or a session if it was asked for one.
    #[napi]
    pub fn kept(&self, place: u32, failure: Option<String>, session: Option<String>) {
        let keeping = self.keepings.borrow_mut().take(place);
        if let Some(keeping) = keeping {
            // Nobody waits any more after its patience.
            let _ = keeping.said.try_send(failure.map_or(Ok(session), Err));
        }
    }
}
