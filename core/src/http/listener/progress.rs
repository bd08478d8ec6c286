//! Where a connection stands: told by its transport and its answers, read by the one that keeps its times.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// A request: nothing of it has come.
    Idle,
    /// The rest of a head.
    Head,
    /// A request is being served.
    Busy,
    /// The client, which does not read.
    Stalled,
}

/// One connection's. All its users run on one thread, so that no order between the fields is needed.
#[derive(Debug)]
pub(super) struct Progress {
    /// What moments are counted from.
    epoch: Instant,
    /// Goes up with every change of phase and every write, so that a reader sees that something happened.
    turns: AtomicU32,
    /// Exchanges in flight.
    open: AtomicU32,
    /// Bytes have come that no request has claimed.
    unclaimed: AtomicBool,
    stalled: AtomicBool,
    /// When an exchange wants to be woken, in nanoseconds from the epoch.
    wake_at: AtomicU64,
    /// That moment has come.
    due: AtomicBool,
    /// The client has ended its side or is gone.
    ended: AtomicBool,
    /// The length of the last request's body, or [`NEVER`].
    length: AtomicU64,
    /// Whether a head gave two lengths: somebody asks, or knows.
    lengths: AtomicU8,
    /// The body of the last request has come as a whole.
    received: AtomicBool,
    /// The transport holds bytes that hyper does not know of.
    ahead: AtomicBool,
}

const NEVER: u64 = u64::MAX;
const UNKNOWN: u8 = 0;
const ASKED: u8 = 1;
const CLEAR: u8 = 2;
const AMBIGUOUS: u8 = 3;

impl Progress {
    pub(super) fn new(epoch: Instant) -> Self {
        Self {
            epoch,
            turns: AtomicU32::new(0),
            open: AtomicU32::new(0),
            unclaimed: AtomicBool::new(false),
            stalled: AtomicBool::new(false),
            wake_at: AtomicU64::new(NEVER),
            due: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            length: AtomicU64::new(NEVER),
            lengths: AtomicU8::new(UNKNOWN),
            received: AtomicBool::new(true),
            ahead: AtomicBool::new(false),
        }
    }

    fn turn(&self) {
        self.turns.store(self.turns.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    pub(super) fn turns(&self) -> u32 {
        self.turns.load(Ordering::Relaxed)
    }

    pub(super) fn phase(&self) -> Phase {
        if self.stalled.load(Ordering::Relaxed) {
            Phase::Stalled
        } else if self.is_busy() {
            Phase::Busy
        } else if self.unclaimed.load(Ordering::Relaxed) {
            Phase::Head
        } else {
            Phase::Idle
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.open.load(Ordering::Relaxed) > 0
    }

    /// Bytes came in.
    pub(super) fn note_read(&self) {
        if !self.is_busy() && !self.unclaimed.load(Ordering::Relaxed) {
            self.unclaimed.store(true, Ordering::Relaxed);
            self.turn();
        }
    }

    /// Bytes went out.
    pub(super) fn note_written(&self) {
        if self.stalled.load(Ordering::Relaxed) {
            self.stalled.store(false, Ordering::Relaxed);
            self.turn();
        }
    }

    /// Bytes could not go out.
    pub(super) fn note_stalled(&self) {
        if !self.stalled.load(Ordering::Relaxed) {
            self.stalled.store(true, Ordering::Relaxed);
            self.turn();
        }
    }

    pub(super) fn note_ended(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Asks whether the request's head gave its length twice. The transport knows, once it comes by.
    pub(super) fn ask_lengths(&self) -> Option<bool> {
        match self.lengths.load(Ordering::Relaxed) {
            CLEAR => Some(false),
            AMBIGUOUS => Some(true),
            _ => {
                self.lengths.store(ASKED, Ordering::Relaxed);
                None
            }
        }
    }

    pub(super) fn is_asked_for_lengths(&self) -> bool {
        self.lengths.load(Ordering::Relaxed) == ASKED
    }

    pub(super) fn tell_lengths(&self, ambiguous: bool) {
        self.lengths.store(if ambiguous { AMBIGUOUS } else { CLEAR }, Ordering::Relaxed);
    }

    /// The length of the body of the last request, if it has been answered and nothing has come since.
    pub(super) fn ended_length(&self) -> Option<u64> {
        let length = self.length.load(Ordering::Relaxed);
        (length != NEVER && self.phase() == Phase::Idle).then_some(length)
    }

    /// The body of the last request is complete, so that what comes now belongs to the next one.
    pub(super) fn note_received(&self) {
        self.received.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_received(&self) -> bool {
        self.received.load(Ordering::Relaxed)
    }

    pub(super) fn note_ahead(&self, ahead: bool) {
        self.ahead.store(ahead, Ordering::Relaxed);
    }

    /// Whether the next request waits in the transport and can be read, so that nothing else will wake the connection.
    pub(super) fn has_next(&self) -> bool {
        self.ahead.load(Ordering::Relaxed) && !self.is_busy() && !self.stalled.load(Ordering::Relaxed)
    }

    /// A request begins, with the length of its body if its head says it.
    pub(super) fn begin(&self, length: Option<u64>) {
        self.length.store(length.unwrap_or(NEVER), Ordering::Relaxed);
        self.lengths.store(UNKNOWN, Ordering::Relaxed);
        self.open.store(self.open.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.unclaimed.store(false, Ordering::Relaxed);
        self.received.store(false, Ordering::Relaxed);
        self.turn();
    }

    pub(super) fn end(&self) {
        self.open.store(self.open.load(Ordering::Relaxed).saturating_sub(1), Ordering::Relaxed);
        self.wake_at.store(NEVER, Ordering::Relaxed);
        self.due.store(false, Ordering::Relaxed);
        self.turn();
    }

    /// The exchange wants to be woken after `wait`, and no more at the moment it named before.
    pub(super) fn wake_after(&self, wait: Option<Duration>) {
        let at = wait.map_or(NEVER, |wait| {
            let at = self.epoch.elapsed().saturating_add(wait).as_nanos();
            u64::try_from(at).unwrap_or(NEVER)
        });
        self.wake_at.store(at, Ordering::Relaxed);
    }

    pub(super) fn wake_at(&self) -> Option<Instant> {
        match self.wake_at.load(Ordering::Relaxed) {
            NEVER => None,
            at => self.epoch.checked_add(Duration::from_nanos(at)),
        }
    }

    /// The moment has come.
    pub(super) fn wake(&self) {
        self.wake_at.store(NEVER, Ordering::Relaxed);
        self.due.store(true, Ordering::Relaxed);
    }

    pub(super) fn take_due(&self) -> bool {
        let due = self.due.load(Ordering::Relaxed);
        if due {
            self.due.store(false, Ordering::Relaxed);
        }
        due
    }
}
