//! Where a connection of HTTP/2 stands: told by its transport and its answers, read by the one that keeps its times.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Arc;

/// One connection's. All its users run on one thread, so that no order between the fields is needed.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Goes up with every change, so that a reader sees that something happened.
    turn: AtomicU32,
    /// Exchanges in flight.
    open: AtomicU32,
    is_stalled: AtomicBool,
}

impl Progress {
    fn change(&self) {
        self.turn.store(self.turn().wrapping_add(1), Ordering::Relaxed);
    }

    pub(super) fn turn(&self) -> u32 {
        self.turn.load(Ordering::Relaxed)
    }

    pub(super) fn is_busy(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }

    /// The client does not take what is sent.
    pub(super) fn is_stalled(&self) -> bool {
        self.is_stalled.load(Ordering::Relaxed)
    }

    /// Bytes went out, or could not.
    pub(super) fn note_write(&self, is_stalled: bool) {
        if is_stalled != self.is_stalled() {
            self.is_stalled.store(is_stalled, Ordering::Relaxed);
            self.change();
        }
    }
}

/// An exchange counts as open while one of these lives.
#[derive(Debug)]
pub(super) struct Open(Arc<Progress>);

impl Open {
    pub(super) fn new(progress: &Arc<Progress>) -> Self {
        progress.open.fetch_add(1, Ordering::Relaxed);
        progress.change();
        Self(Arc::clone(progress))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
        self.0.change();
    }
}
