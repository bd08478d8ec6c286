//! Requests of a session: taken in, told of, answered, asked about, cancelled.

use super::super::answer::busy;
use super::super::endpoint::Inner;
use super::super::exchange::Shared;
use super::channel::{Channel, STANDALONE};
use super::conversation::Conversation;
use super::ledger::{Effect, Slot, Work, NEVER};
use super::Counted;
use crate::call::State as CallState;
use crate::config::Dispatch;
use crate::engine::Inquiry;
use crate::host::CancelReason;
use crate::jsonrpc::{ErrorBody, IdKey, Outgoing};
use crate::protocol::wire::code;
use std::sync::atomic::Ordering;
use std::sync::Arc;

impl Conversation {
    /// Opens the stream of a POST that owes so many responses. None once the session is over.
    pub(crate) fn open_channel(
        &self,
        reader: &Arc<Shared>,
        takes_events: bool,
        owed: usize,
        batch: bool,
    ) -> Option<u64> {
        let mut ledger = self.lock();
        if ledger.ended {
            return None;
        }
        let mut channel = Channel::new(Some(Arc::downgrade(reader)), takes_events);
        channel.owed = owed;
        channel.batch = batch.then(Vec::new);
        Some(ledger.open_channel(channel))
    }

    /// Takes a call in. False once the session is over.
    pub(crate) fn enter(&self, endpoint: &Arc<Inner>, call: &Arc<CallState>, channel: u64) -> bool {
        let config = &endpoint.server.config;
        let now = endpoint.now();
        let after = |ms: u64| if ms == 0 { NEVER } else { now.saturating_add(ms) };
        let waits = config.dispatch == Dispatch::Pool;
        let slot = Slot {
            key: call.key().clone(),
            channel,
            work: Work::Call(Arc::clone(call)),
            due: after(call.timeout_ms()),
            queue_due: if waits { after(config.pool_wait_ms) } else { NEVER },
            counted: (Counted::owed(endpoint), None),
        };
        let due = slot.due();
        {
            let mut ledger = self.lock();
            if ledger.ended {
                return false;
            }
            ledger.slots.insert(call.number(), slot);
        }
        endpoint.sessions.hasten(due);
        true
    }

    /// A response to a request that opened no call.
    pub(crate) fn respond(&self, channel: u64, outgoing: Outgoing) {
        let effect = self.lock().respond(channel, Some(outgoing));
        effect.run();
    }

    pub(super) fn notify(&self, number: u64, message: &[u8], room: usize) -> bool {
        let effect = {
            let mut ledger = self.lock();
            let Some(channel) = ledger.slots.get(&number).map(|slot| slot.channel) else { return false };
            ledger.notify(channel, message, room)
        };
        effect.run();
        true
    }

    pub(super) fn reply(&self, number: u64, outgoing: Outgoing) -> bool {
        let (effect, slot) = {
            let mut ledger = self.lock();
            let Some(slot) = ledger.slots.remove(&number) else { return false };
            (ledger.respond(slot.channel, Some(outgoing)), slot)
        };
        effect.run();
        drop(slot);
        true
    }

    pub(super) fn close_stream(&self, number: u64, retry: u64) {
        let effect = {
            let mut ledger = self.lock();
            let Some(channel) = ledger.slots.get(&number).map(|slot| slot.channel) else { return };
            ledger.end_early(channel, retry)
        };
        effect.run();
    }

    pub(super) fn ask(
        &self,
        endpoint: &Arc<Inner>,
        number: u64,
        inquiry: &Arc<Inquiry>,
        questions: &[Vec<u8>],
    ) -> bool {
        let due = inquiry.due.unwrap_or(NEVER);
        let asking = Counted::asking(endpoint);
        let crowded = endpoint.sessions.asking.load(Ordering::Relaxed) > endpoint.config.max_calls;
        let outcome = {
            let mut ledger = self.lock();
            let Some(slot) = ledger.slots.remove(&number) else { return false };
            let (told, effect) =
                if crowded { (false, Effect::None) } else { ledger.tell(slot.channel, questions) };
            if told {
                let Slot { key, channel, counted: (owed, _), .. } = slot;
                let work = Work::Inquiry(Arc::clone(inquiry));
                let counted = (owed, Some(asking));
                let slot = Slot { key, channel, work, due, queue_due: NEVER, counted };
                ledger.slots.insert(number, slot);
                Ok(effect)
            } else {
                Err(slot)
            }
        };
        match outcome {
            Ok(effect) => {
                endpoint.sessions.hasten(due);
                effect.run();
            }
            Err(slot) => {
                let why =
                    if crowded { "Too many calls wait for the client." } else { "The client has left." };
                // They were never sent, so there is nothing to call off.
                drop(inquiry.forget());
                let response = inquiry.unanswered(why);
                let effect = self.lock().respond(slot.channel, Some(response));
                effect.run();
            }
        }
        true
    }

    /// The next round of a request takes its place. False if it was over.
    pub(super) fn replace(&self, endpoint: &Arc<Inner>, number: u64, call: &Arc<CallState>) -> bool {
        let before = self.lock().slots.remove(&number);
        // It counts as owed until its next round does.
        before.is_some_and(|slot| self.enter(endpoint, call, slot.channel))
    }

    /// Cancels the requests with this id.
    pub(crate) fn cancel(&self, endpoint: &Inner, key: &IdKey) {
        let slots = self.lock().take(|slot| slot.key == *key);
        for slot in slots {
            self.finish(&slot, None);
            slot.abandon(&endpoint.server, CancelReason::Client);
        }
    }

    /// Calls off what the client was asked for a request that is not among the open ones any more, and answers it.
    fn finish(&self, slot: &Slot, response: Option<Outgoing>) {
        let called_off = match &slot.work {
            Work::Call(_) => Vec::new(),
            Work::Inquiry(inquiry) => inquiry.forget(),
        };
        let effect = {
            let mut ledger = self.lock();
            if !called_off.is_empty() {
                // Its reader is nudged below.
                drop(ledger.tell(slot.channel, &called_off));
            }
            ledger.respond(slot.channel, response)
        };
        effect.run();
    }

    /// Ends requests whose time is over.
    pub(crate) fn tick(&self, endpoint: &Inner, now: u64) {
        let late = self.lock().take(|slot| slot.due() <= now);
        for slot in late {
            let response = match &slot.work {
                Work::Call(call) if slot.due <= now => {
                    call.refuse(&ErrorBody::new(code::INTERNAL_ERROR, "The call took too long."))
                }
                Work::Call(call) => call.refuse(&busy("The server is busy: no thread was free in time.")),
                Work::Inquiry(inquiry) => inquiry.unanswered("The client did not answer in time."),
            };
            self.finish(&slot, Some(response));
            slot.abandon(&endpoint.server, CancelReason::Timeout);
        }
    }

    /// The client opened the session anew (HTTP+SSE): it will answer nothing of what it was asked so far.
    pub(crate) fn end_inquiries(&self, endpoint: &Inner) {
        let slots = self.lock().take(|slot| matches!(slot.work, Work::Inquiry(_)));
        for slot in slots {
            if let Work::Inquiry(inquiry) = &slot.work {
                self.finish(&slot, Some(inquiry.unanswered("The client opened another session.")));
            }
            slot.abandon(&endpoint.server, CancelReason::Closed);
        }
    }

    /// Whether the one stream of the session has more to be read than it may.
    pub(crate) fn is_stuck(&self, room: usize) -> bool {
        self.lock().channels.get(&STANDALONE).is_some_and(|channel| channel.unread > room)
    }
}
