//! What a peer's exchanges are, under one lock.

use super::super::hub::Listener;
use crate::call::{Call, State as CallState};
use crate::jsonrpc::IdKey;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// One request that has not had its response.
pub(super) enum Slot {
    Call { state: Arc<CallState>, deadline: Option<u64> },
    Listener(Arc<Listener>),
}

impl Slot {
    pub(super) fn number(&self) -> u64 {
        match self {
            Slot::Call { state, .. } => state.number(),
            Slot::Listener(listener) => listener.exchange.number,
        }
    }

    /// Whether this is a call that was waited for, which it no longer is.
    pub(super) fn come_back(&self) -> bool {
        match self {
            Slot::Call { state, .. } => state.come_back(),
            Slot::Listener(_) => false,
        }
    }
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent fact")]
pub(super) struct Ledger {
    pub(super) exchanges: HashMap<IdKey, Slot, foldhash::quality::RandomState>,
    /// Calls among the exchanges.
    pub(super) owed: usize,
    pub(super) waiting: VecDeque<Call>,
    /// Bytes of the messages behind `waiting`.
    pub(super) waiting_bytes: usize,
    /// Calls handed to the pool, oldest first, with the time until which each may wait for a thread.
    pub(super) queued: VecDeque<(u64, Arc<CallState>)>,
    /// Times at which calls are over, with the number that tells equal times apart.
    pub(super) deadlines: BTreeMap<(u64, u64), IdKey>,
    pub(super) out: Vec<u8>,
    pub(super) draining: bool,
    /// Threads that wait until all is settled.
    pub(super) drainers: usize,
    pub(super) starting: bool,
    /// Calls that the host holds, ended ones included: they still cost something.
    pub(super) running: usize,
    /// Whether calls wait for one of those to come back.
    pub(super) held: bool,
    pub(super) closed: bool,
}

impl Ledger {
    pub(super) fn next_due(&mut self) -> Option<u64> {
        self.forget_started();
        let queued = self.queued.front().map(|(due, _)| *due);
        let running = self.deadlines.keys().next().map(|(due, _)| *due);
        queued.into_iter().chain(running).min()
    }

    pub(super) fn forget_started(&mut self) {
        while self.queued.front().is_some_and(|(_, call)| call.started()) {
            self.queued.pop_front();
        }
    }

    /// Takes an exchange out; `number` must be its own if given.
    pub(super) fn remove(&mut self, key: &IdKey, number: Option<u64>) -> Option<Slot> {
        let slot = self.exchanges.remove(key)?;
        if number.is_some_and(|number| slot.number() != number) {
            // It belongs to a later request.
            self.exchanges.insert(key.clone(), slot);
            return None;
        }
        if let Slot::Call { state, deadline } = &slot {
            self.owed -= 1;
            if let Some(due) = deadline {
                self.deadlines.remove(&(*due, state.number()));
            }
        }
        Some(slot)
    }

    /// Nothing is owed, and all that was said is with the output.
    pub(super) fn is_settled(&self) -> bool {
        self.owed == 0 && self.out.is_empty() && !self.draining
    }

    pub(super) fn say(&mut self, message: &[u8]) {
        self.out.extend_from_slice(message);
        self.out.push(b'\n');
    }
}
