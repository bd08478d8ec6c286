//! What an exchange waits for, by its due time.

/// A moment that something is done at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Timer {
    /// The authorizer must have answered.
    Door,
    /// The body must be complete.
    Body,
    /// The call must be answered.
    Call,
    /// The call must have found a thread.
    Queue,
    /// Something must be sent, so that nobody takes the connection for dead.
    Quiet,
    /// The subscription has lived long enough.
    Life,
    /// The credential ends.
    Expiry,
    /// The authorizer is asked again.
    Again,
}

const ALL: [Timer; 8] = [
    Timer::Door,
    Timer::Body,
    Timer::Call,
    Timer::Queue,
    Timer::Quiet,
    Timer::Life,
    Timer::Expiry,
    Timer::Again,
];
/// No moment at all.
const NEVER: u64 = u64::MAX;

/// When each timer is due, on the environment's clock.
#[derive(Debug)]
pub(super) struct Timers([u64; ALL.len()]);

impl Default for Timers {
    fn default() -> Self {
        Self([NEVER; ALL.len()])
    }
}

impl Timers {
    pub(super) fn set(&mut self, timer: Timer, due: u64) {
        self.put(timer, due.min(NEVER - 1));
    }

    /// Sets the timer `after` ms from `now`; 0 is never.
    pub(super) fn after(&mut self, timer: Timer, now: u64, after: u64) {
        match after {
            0 => self.put(timer, NEVER),
            after => self.set(timer, now.saturating_add(after)),
        }
    }

    fn put(&mut self, timer: Timer, due: u64) {
        if let Some(place) = self.0.get_mut(timer as usize) {
            *place = due;
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn next(&self) -> Option<u64> {
        self.0.iter().copied().min().filter(|due| *due != NEVER)
    }

    /// Takes a timer that is due.
    pub(super) fn take_due(&mut self, now: u64) -> Option<Timer> {
        let due = ALL.into_iter().zip(&mut self.0).find(|(_, due)| **due <= now)?;
        *due.1 = NEVER;
        Some(due.0)
    }
}
