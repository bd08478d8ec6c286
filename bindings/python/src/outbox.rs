//! Answers that go out together.

use crate::gate::Permit;
use mcpcore_engine::Call;
use std::sync::{Mutex, PoisonError};

/// An answer that may wait for the others of its batch.
pub(crate) enum Answer {
    /// As of [`Call::complete_text`].
    Text(String),
    /// As of [`Call::complete_json`].
    Json(String),
}

/// A call and its answer.
pub(crate) struct Entry {
    pub(crate) call: Call,
    pub(crate) answer: Answer,
    pub(crate) permit: Option<Permit>,
}

impl Entry {
    /// Answers the call.
    pub(crate) fn send(self) -> mcpcore_engine::Result<()> {
        let answered = match self.answer {
            Answer::Text(text) => self.call.complete_text(&text),
            Answer::Json(json) => self.call.complete_json(&json),
        };
        drop(self.permit);
        answered
    }
}

/// Answers of one turn of an event loop. The engine's threads are woken once for all of them: woken by each answer, they and
/// the loop would wake each other for every single call.
#[derive(Default)]
pub(crate) struct Outbox {
    /// `None` while no turn is under way; then answers go out at once.
    entries: Mutex<Option<Vec<Entry>>>,
}

impl Outbox {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Vec<Entry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn begins.
    pub(crate) fn open(&self) {
        self.lock().get_or_insert_default();
    }

    /// Whether a turn is under way.
    pub(crate) fn is_open(&self) -> bool {
        self.lock().is_some()
    }

    /// Takes an answer; it comes back when the turn has ended meanwhile.
    pub(crate) fn push(&self, entry: Entry) -> Option<Entry> {
        match &mut *self.lock() {
            Some(entries) => {
                entries.push(entry);
                None
            }
            None => Some(entry),
        }
    }

    /// The turn ends: all answers go out.
    pub(crate) fn flush(&self) {
        let entries = self.lock().take();
        for entry in entries.into_iter().flatten() {
            // What cannot be sent the engine has told the log and the client; that the client is gone is no matter.
            let _ = entry.send();
        }
    }
}
