//! Whose turn it is to hand over the parts of an exchange.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// One thread at a time hands over; what comes up meanwhile is its work too.
#[derive(Default)]
pub(super) struct Turn(Mutex<State>);

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "four questions that are asked each by itself")]
struct State {
    taken: bool,
    /// Somebody rang while the turn was taken.
    again: bool,
    paused: bool,
    over: bool,
}

impl State {
    fn free(&mut self) -> bool {
        self.taken = false;
        self.again = false;
        false
    }
}

impl Turn {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is this thread's turn now.
    pub(super) fn begin(&self) -> bool {
        let mut state = self.state();
        if state.over || state.paused {
            return false;
        }
        let free = !state.taken;
        state.again |= state.taken;
        state.taken = true;
        free
    }

    /// There was no part. True if there may be one by now.
    pub(super) fn pend(&self) -> bool {
        let mut state = self.state();
        if state.again && !state.paused && !state.over {
            state.again = false;
            return true;
        }
        state.free()
    }

    /// A part was handed over. True if this thread goes on.
    pub(super) fn go_on(&self, last: bool) -> bool {
        let mut state = self.state();
        state.over |= last;
        if state.over || state.paused {
            return state.free();
        }
        true
    }

    /// True if somebody has to look what is there now.
    pub(super) fn pause(&self, paused: bool) -> bool {
        let mut state = self.state();
        let resumed = state.paused && !paused;
        state.paused = paused;
        resumed
    }

    /// Nothing is handed over any more.
    pub(super) fn end(&self) {
        self.state().over = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_at_a_time_and_no_ring_is_lost() {
        let turn = Turn::default();
        assert!(turn.begin());
        assert!(!turn.begin(), "somebody has the turn");
        assert!(turn.pend(), "and has to look again");
        assert!(!turn.pend());
        assert!(turn.begin());
        assert!(turn.go_on(false));
        assert!(!turn.go_on(true));
        assert!(!turn.begin(), "nothing comes behind the last part");
    }

    #[test]
    fn a_pause_inside_and_outside_of_a_turn() {
        let turn = Turn::default();
        assert!(!turn.pause(false), "it was not paused");
        assert!(turn.begin());
        assert!(!turn.pause(true));
        assert!(!turn.go_on(false), "paused by the host while it was called");
        assert!(!turn.begin());
        assert!(turn.pause(false));
        assert!(turn.begin());
        // Paused and resumed inside one callback: this turn goes on, whoever looks.
        turn.pause(true);
        assert!(turn.pause(false));
        assert!(!turn.begin());
        assert!(turn.go_on(false));
        turn.end();
        assert!(!turn.pend());
    }
}
