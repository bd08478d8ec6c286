//! What a session's client is told unasked.

use super::super::hub::{Event, Pending};
use std::collections::HashSet;

/// The resources that a client subscribed to, and what happened and was not told yet.
#[derive(Debug, Default)]
pub(super) struct Notices {
    uris: HashSet<String>,
    pending: Pending,
}

impl Notices {
    pub(super) fn has(&self, uri: &str) -> bool {
        self.uris.contains(uri)
    }

    /// Adds a subscription; false if there are `most` already.
    pub(super) fn add(&mut self, uri: &str, most: usize) -> bool {
        if self.uris.len() >= most && !self.uris.contains(uri) {
            return false;
        }
        self.uris.insert(uri.to_owned());
        true
    }

    pub(super) fn remove(&mut self, uri: &str) {
        self.uris.remove(uri);
        self.pending.forget(uri);
    }

    pub(super) fn note(&mut self, event: Event<'_>) {
        self.pending.note(event);
    }

    #[cfg(feature = "http")]
    pub(super) fn is_due(&self) -> bool {
        !self.pending.is_empty()
    }

    #[cfg(feature = "http")]
    pub(super) fn uris(&self) -> impl Iterator<Item = &str> {
        self.uris.iter().map(String::as_str)
    }

    pub(super) fn take(&mut self) -> Vec<Vec<u8>> {
        let mut messages = Vec::new();
        std::mem::take(&mut self.pending).tell(|method, members| {
            let mut out = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\"").into_bytes();
            // The members of params, a comma before each.
            if let Some((_, members)) = members.split_first() {
                out.extend_from_slice(b",\"params\":{");
                out.extend_from_slice(members);
                out.push(b'}');
            }
            out.push(b'}');
            messages.push(out);
        });
        messages
    }
}
