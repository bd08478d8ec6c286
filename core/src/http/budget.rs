//! Bytes of bodies in memory: received and not answered yet.

use super::exchange::Shared;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};

/// So much of each body is free: ordinary requests are served however many large ones are on their way.
pub(super) const FREE: usize = 64 << 10;

/// What all exchanges of an endpoint draw on. Counted is what was received, not what was declared.
#[derive(Debug)]
pub(super) struct Budget {
    most: usize,
    drawn: AtomicUsize,
    turns: AtomicU64,
    /// Exchanges that have drawn and are still reading, the one that began first in front: it is the slowest.
    readers: Mutex<BTreeMap<u64, Weak<Shared>>>,
}

impl Budget {
    pub(super) fn new(most: usize) -> Self {
        Self { most, drawn: AtomicUsize::new(0), turns: AtomicU64::new(0), readers: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Weak<Shared>>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether nothing is left.
    pub(super) fn is_spent(&self) -> bool {
        self.drawn.load(Ordering::Relaxed) >= self.most
    }

    /// Draws `bytes`. False if that was more than there is; the bytes are drawn all the same until they are given back.
    pub(super) fn draw(&self, bytes: usize) -> bool {
        self.drawn.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.most
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.drawn.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Notes an exchange that reads a large body. Returns its turn.
    pub(super) fn join(&self, reader: Weak<Shared>) -> u64 {
        let turn = self.turns.fetch_add(1, Ordering::Relaxed);
        self.lock().insert(turn, reader);
        turn
    }

    pub(super) fn leave(&self, turn: u64) {
        self.lock().remove(&turn);
    }

    /// Cuts the slowest readers until the rest has room. The caller holds no lock.
    pub(super) fn cut(&self) {
        while self.drawn.load(Ordering::Relaxed) > self.most {
            let Some((_, slowest)) = self.lock().pop_first() else { return };
            if let Some(slowest) = slowest.upgrade() {
                slowest.cut();
            }
        }
    }
}
