//! What a peer's exchanges are, under one lock.

use super::super::hub::Listener;
use super::super::session::Inquiry;
use crate::call::{Call, State as CallState};
use crate::jsonrpc::IdKey;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// One request that has not had its response.
pub(super) enum Slot {
    Call {
        state: Arc<CallState>,
        deadline: Option<u64>,
        batch: Option<u64>,
    },
    /// A call that waits while the client is asked.
    Inquiry {
        inquiry: Arc<Inquiry>,
        batch: Option<u64>,
    },
    Listener(Arc<Listener>),
}

impl Slot {
    pub(super) fn number(&self) -> u64 {
        match self {
            Slot::Call { state, .. } => state.number(),
            Slot::Inquiry { inquiry, .. } => inquiry.call().number(),
            Slot::Listener(listener) => listener.exchange.number,
        }
    }

    /// Whether this is a call that was waited for, which it no longer is.
    pub(super) fn come_back(&self) -> bool {
        match self {
            Slot::Call { state, .. } => state.come_back(),
            Slot::Inquiry { .. } | Slot::Listener(_) => false,
        }
    }

    /// The batch that its response belongs to.
    pub(super) fn batch(&self) -> Option<u64> {
        match self {
            Slot::Call { batch, .. } | Slot::Inquiry { batch, .. } => *batch,
            Slot::Listener(_) => None,
        }
    }

    /// When it is over.
    fn due(&self) -> Option<u64> {
        match self {
            Slot::Call { deadline, .. } => *deadline,
            Slot::Inquiry { inquiry, .. } => inquiry.due,
            Slot::Listener(_) => None,
        }
    }

    fn is_owed(&self) -> bool {
        match self {
            Slot::Call { .. } | Slot::Inquiry { .. } => true,
            Slot::Listener(_) => false,
        }
    }
}

/// A batch whose responses are gathered (2025-03-26).
struct Batch {
    left: usize,
    /// The responses so far, with commas between them.
    text: Vec<u8>,
}

#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent fact")]
pub(super) struct Ledger {
    pub(super) exchanges: HashMap<IdKey, Slot, foldhash::quality::RandomState>,
    /// Calls among the exchanges.
    pub(super) owed: usize,
    /// Calls among them that wait while the client is asked.
    pub(super) inquiries: usize,
    batches: HashMap<u64, Batch>,
    last_batch: u64,
    pub(super) waiting: VecDeque<Call>,
    /// Bytes of the messages behind `waiting`.
    pub(super) waiting_bytes: usize,
    /// Calls handed to the pool, oldest first, with the time until which each may wait for a thread.
    pub(super) queued: VecDeque<(u64, Arc<CallState>)>,
    /// Times at which calls are over, with the number that tells equal times apart.
    pub(super) deadlines: BTreeMap<(u64, u64), IdKey>,
    pub(super) out: Vec<u8>,
    pub(super) draining: bool,
    /// Nothing will come in any more.
    pub(super) deaf: bool,
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
        if slot.is_owed() {
            self.owed -= 1;
        }
        if matches!(slot, Slot::Inquiry { .. }) {
            self.inquiries -= 1;
        }
        if let Some(due) = slot.due() {
            self.deadlines.remove(&(due, slot.number()));
        }
        Some(slot)
    }

    /// Adds an exchange.
    pub(super) fn insert(&mut self, key: IdKey, slot: Slot) {
        if slot.is_owed() {
            self.owed += 1;
        }
        if matches!(slot, Slot::Inquiry { .. }) {
            self.inquiries += 1;
        }
        if let Some(due) = slot.due() {
            self.deadlines.insert((due, slot.number()), key.clone());
        }
        self.exchanges.insert(key, slot);
    }

    /// Begins a batch to which so many responses are owed, at least one.
    pub(super) fn open_batch(&mut self, left: usize) -> u64 {
        self.last_batch += 1;
        self.batches.insert(self.last_batch, Batch { left, text: Vec::new() });
        self.last_batch
    }

    /// Says a response, or gathers it in its batch.
    pub(super) fn respond(&mut self, batch: Option<u64>, response: &[u8]) {
        match batch {
            None => self.say(response),
            Some(number) => self.gather(number, response),
        }
    }

    /// A request of a batch gets no response: it was cancelled.
    pub(super) fn skip(&mut self, batch: Option<u64>) {
        if let Some(number) = batch {
            self.gather(number, b"");
        }
    }

    fn gather(&mut self, number: u64, response: &[u8]) {
        let Some(batch) = self.batches.get_mut(&number) else { return };
        if !response.is_empty() {
            batch.text.push(if batch.text.is_empty() { b'[' } else { b',' });
            batch.text.extend_from_slice(response);
        }
        batch.left -= 1;
        if batch.left > 0 {
            return;
        }
        if let Some(Batch { mut text, .. }) = self.batches.remove(&number) {
            if !text.is_empty() {
                text.push(b']');
                self.say(&text);
            }
        }
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
