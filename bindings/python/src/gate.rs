//! How many calls of one item run at once.

use crate::host::Shared;
use crate::route::Work;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Lets so many calls through; the rest wait their turn.
pub(crate) struct Gate {
    limit: usize,
    state: Mutex<State>,
    shared: Weak<Shared>,
}

#[derive(Default)]
struct State {
    running: usize,
    waiting: VecDeque<Work>,
}

/// One place inside. Whoever drops it lets the next call through.
pub(crate) struct Permit(Arc<Gate>);

impl Gate {
    pub(crate) fn new(limit: usize, shared: Weak<Shared>) -> Self {
        Self { limit, state: Mutex::default(), shared }
    }

    /// The work with its permit, if there is room now.
    pub(crate) fn admit(self: &Arc<Self>, mut work: Work) -> Option<Work> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.running >= self.limit {
            state.waiting.push_back(work);
            return None;
        }
        state.running += 1;
        drop(state);
        work.permit = Some(Permit(Arc::clone(self)));
        Some(work)
    }

    fn next(&self) -> Option<Work> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(work) = state.waiting.pop_front() {
            if work.call.cancelled().is_none() {
                return Some(work);
            }
        }
        state.running -= 1;
        None
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(mut work) = self.0.next() else { return };
        // The place passes on; it is the next one's to give back.
        work.permit = Some(Permit(Arc::clone(&self.0)));
        if let Some(shared) = self.0.shared.upgrade() {
            shared.deliver(work);
        }
    }
}
