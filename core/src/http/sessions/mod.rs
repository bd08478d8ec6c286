//! Sessions of the older revisions over HTTP.
//!
//! A [`Conversation`] is what an endpoint remembers of one: its streams (`channel`), which an exchange reads while its
//! client is there, and its open requests, which go on without it. Nothing here decides a status.

mod apart;
mod channel;
mod conversation;
mod ledger;
mod post;
mod registry;
mod requests;
mod saved;
mod store;

pub(super) use channel::{EventId, Pulled, STANDALONE};
pub(super) use conversation::{Conversation, Kind};
pub(super) use post::Post;
pub(super) use registry::{Absent, Registry};
pub use store::{MemoryStore, SessionStore};

use super::endpoint::Inner;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// Counts as long as it is there.
pub(crate) struct Counted {
    endpoint: Arc<Inner>,
    what: What,
}

enum What {
    Owed,
    Asking,
    Stream,
}

impl Counted {
    /// A call that is owed its answer.
    fn owed(endpoint: &Arc<Inner>) -> Self {
        endpoint.owe();
        Self { endpoint: Arc::clone(endpoint), what: What::Owed }
    }

    /// A call that waits for its client.
    fn asking(endpoint: &Arc<Inner>) -> Self {
        endpoint.sessions.asking.fetch_add(1, Ordering::Relaxed);
        Self { endpoint: Arc::clone(endpoint), what: What::Asking }
    }

    /// A stream that stays open, if there is room for it.
    pub(super) fn stream(endpoint: &Arc<Inner>) -> Option<Self> {
        let open = endpoint.streams.fetch_add(1, Ordering::SeqCst);
        let counted = Self { endpoint: Arc::clone(endpoint), what: What::Stream };
        (open < endpoint.config.max_streams).then_some(counted)
    }

    fn count(&self) -> Option<&AtomicUsize> {
        match self.what {
            What::Owed => None,
            What::Asking => Some(&self.endpoint.sessions.asking),
            What::Stream => Some(&self.endpoint.streams),
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        match self.count() {
            Some(count) => drop(count.fetch_sub(1, Ordering::SeqCst)),
            None => self.endpoint.settle(),
        }
    }
}
