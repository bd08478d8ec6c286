//! Calls: opened, started when there is room, ended when their time is over.

use super::super::outlet::Exchange;
use super::super::Prepared;
use super::ledger::{Ledger, Slot};
use super::{number, Peer, HIGH_WATER};
use crate::call::{Call, State as CallState};
use crate::config::Dispatch;
use crate::dispatch::Job;
use crate::host::CancelReason;
use crate::jsonrpc::{ErrorBody, IdKey};
use crate::protocol::wire::code;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

impl Peer {
    pub(super) fn call(&self, prepared: Prepared, key: IdKey, batch: Option<u64>) {
        let exchange = Exchange { key, number: number(&self.server) };
        let call = Arc::new(CallState::new(prepared, exchange));
        let state = self.lock();
        if !state.closed {
            self.enter(state, &call, batch, true);
        }
    }

    /// The call waits its turn, which may be now. `adding`: this is the thread that receives.
    fn enter(
        &self,
        mut state: MutexGuard<'_, Ledger>,
        call: &Arc<CallState>,
        batch: Option<u64>,
        adding: bool,
    ) {
        let deadline = match call.timeout_ms() {
            0 => None,
            timeout => Some(self.server.config.environment.monotonic_ms().saturating_add(timeout)),
        };
        let slot = Slot::Call { state: Arc::clone(call), deadline, batch };
        state.insert(call.key().clone(), slot);
        self.open.store(state.exchanges.len(), Ordering::Relaxed);
        let call = Call::new(Arc::clone(call));
        state.waiting_bytes += call.message_bytes();
        state.waiting.push_back(call);
        let first = self.claim(&mut state, adding);
        drop(state);
        self.hurry(deadline);
        self.run(first);
    }

    /// The next round of an exchange; see [`Outlet::again`].
    pub(super) fn next_round(&self, exchange: &Exchange, call: &Arc<CallState>) -> bool {
        let mut state = self.lock();
        let Some(slot) = state.remove(&exchange.key, Some(exchange.number)) else { return false };
        // Not as the thread that receives: it may be inside a callback, which would be entered ever deeper.
        self.enter(state, call, slot.batch(), false);
        true
    }

    /// Hands waiting calls to the host while there is room.
    pub(super) fn start(&self) {
        let first = self.claim(&mut self.lock(), false);
        self.run(first);
    }

    /// The first of the calls to hand over, if this thread is to do it, and whether it goes on with others behind. One
    /// thread at a time does: a call that is answered inside its callback makes room for the next without growing the
    /// stack. The thread that receives (`adding`) need not say so for a lone call, since nobody else adds one behind it.
    fn claim(&self, state: &mut Ledger, adding: bool) -> Option<(Call, bool)> {
        if state.starting {
            return None;
        }
        let call = self.next(state)?;
        state.starting = !adding || !state.waiting.is_empty();
        Some((call, state.starting))
    }

    fn run(&self, mut first: Option<(Call, bool)>) {
        while let Some((call, more)) = first.take() {
            self.hand_over(call);
            if more {
                let mut state = self.lock();
                first = self.next(&mut state).map(|next| (next, true));
                state.starting = first.is_some();
            }
        }
    }

    /// The next call that waits, if there is room for it. Else whoever makes room is told to come back.
    fn next(&self, state: &mut Ledger) -> Option<Call> {
        state.waiting.front()?;
        if !self.has_room(state) {
            state.held = true;
            return None;
        }
        let call = state.waiting.pop_front()?;
        state.waiting_bytes -= call.message_bytes();
        state.running += 1;
        call.count();
        Some(call)
    }

    fn has_room(&self, state: &Ledger) -> bool {
        state.running < self.server.config.max_calls && state.out.len() + self.output.backlog() < HIGH_WATER
    }

    fn hand_over(&self, call: Call) {
        // A worker that feeds a connection of its own server waits for the answer: another worker may never be free.
        if self.is_receiving() && self.server.dispatcher.in_worker() {
            return self.server.dispatcher.run_here(Job::Call(call));
        }
        let wait = self.server.config.pool_wait_ms;
        if self.server.config.dispatch == Dispatch::Pool && wait > 0 {
            let due = self.server.config.environment.monotonic_ms().saturating_add(wait);
            let mut state = self.lock();
            state.forget_started();
            state.queued.push_back((due, call.shared()));
        }
        self.server.dispatch(Job::Call(call));
    }

    pub(super) fn end_call(&self, call: &CallState, reason: CancelReason) {
        if call.end(reason) && call.started() {
            self.server.tell_cancelled(call.number(), reason);
        }
        self.settled.notify_all();
    }

    pub(crate) fn drain(&self, timeout: Duration) -> bool {
        let until = Instant::now().checked_add(timeout);
        let mut state = self.lock();
        state.drainers += 1;
        // An answer that another thread is still handing to the output is owed too.
        while !state.closed && !state.is_settled() {
            let left = match until {
                Some(until) => match until.checked_duration_since(Instant::now()) {
                    Some(left) => left,
                    None => break,
                },
                None => timeout,
            };
            // Deadlines of calls pass while we wait.
            let step = left.min(Duration::from_millis(100));
            state = self.settled.wait_timeout(state, step).unwrap_or_else(PoisonError::into_inner).0;
            drop(state);
            self.tick();
            state = self.lock();
        }
        state.drainers -= 1;
        state.is_settled()
    }

    pub(in super::super) fn next_deadline(&self) -> Option<Duration> {
        let due = self.lock().next_due()?;
        let now = self.server.config.environment.monotonic_ms();
        Some(Duration::from_millis(due.saturating_sub(now)))
    }

    pub(in super::super) fn tick(&self) {
        let now = self.server.config.environment.monotonic_ms();
        loop {
            let mut state = self.lock();
            state.forget_started();
            let late = match state.deadlines.first_key_value() {
                Some(((due, number), key)) if *due <= now => Some((key.clone(), *number)),
                Some(_) | None => None,
            };
            let (slot, error) = match late {
                Some((key, number)) => {
                    state.deadlines.pop_first();
                    (state.remove(&key, Some(number)), "The call took too long.")
                }
                None => match state.queued.front() {
                    Some((due, _)) if *due <= now => match state.queued.pop_front() {
                        Some((_, call)) => {
                            let key = call.key().clone();
                            (
                                state.remove(&key, Some(call.number())),
                                "The server is busy: no thread was free in time.",
                            )
                        }
                        None => return,
                    },
                    Some(_) | None => return,
                },
            };
            match slot {
                Some(Slot::Call { state: call, batch, .. }) => {
                    let refusal = call.refuse(&ErrorBody::new(code::INTERNAL_ERROR, error));
                    state.respond(batch, &refusal.text);
                    drop(state);
                    self.end_call(&call, CancelReason::Timeout);
                    self.flush_if(false);
                }
                Some(Slot::Inquiry { inquiry, batch }) => {
                    let why = "The client did not answer in time.";
                    drop(state);
                    self.end_inquiry(&inquiry, batch, why);
                }
                Some(Slot::Listener(_)) | None => {}
            }
        }
    }
}
