//! The session of a peer: requests of the legacy era, questions to the client, batches.

use super::super::outlet::{Exchange, Outlet};
use super::super::route::Step;
use super::super::session::{batch, serve, Inquiry, Place, Served, Session, Stream};
use super::ledger::Slot;
use super::{Peer, HIGH_WATER};
use crate::json::Document;
use crate::jsonrpc::{refuse_batch, IdKey, Inbound, Message, Outgoing};
use crate::protocol::LogLevel;
use std::sync::{Arc, Weak};

impl Peer {
    /// Serves a request that does not name its revision.
    pub(super) fn legacy(&self, me: Arc<dyn Outlet>, message: Message, key: IdKey, batch: Option<u64>) {
        let session = self.session.load();
        let place = || Place { stream: Weak::clone(&self.me) as Weak<dyn Stream>, lasts: true };
        match serve(me, session.as_ref(), message, place) {
            Served::Step(Step::Reply(outgoing)) => self.respond(batch, &outgoing),
            Served::Step(Step::Call(prepared)) => self.call(prepared, key, batch),
            Served::Step(Step::Listen(prepared)) => self.listen(*prepared, key),
            // It was looked at as one of the legacy era, so it is not found to be one again.
            Served::Step(Step::Legacy(..)) => {}
            Served::Opened(session, answer) => {
                if self.session.swap(Some(session)).is_some() {
                    self.end_inquiries("The client opened another session.");
                }
                self.respond(batch, &answer);
            }
        }
    }

    pub(super) fn response(&self, response: Document) {
        match self.session.load().as_ref().map(|session| session.respond(response)) {
            Some(Ok(Some(inquiry))) => {
                inquiry.resume();
            }
            Some(Ok(None)) => {}
            Some(Err(())) | None => {
                self.server.log(LogLevel::Notice, "a response was sent where none is awaited");
            }
        }
    }

    /// Serves several messages that came as one (2025-03-26, base protocol, batching).
    pub(super) fn batch(&self, batch: &Document) {
        let session = self.session.load();
        if !session.as_ref().is_some_and(|session| session.revision().has_batches()) {
            return self.refused(batch.text().len(), refuse_batch());
        }
        let messages = match batch::messages(batch) {
            Ok(messages) => messages,
            Err(refusal) => return self.refused(batch.text().len(), refusal),
        };
        let owed = batch::owed(&messages);
        let number = (owed > 0).then(|| self.lock().open_batch(owed));
        for message in messages {
            match message {
                Ok(Inbound::Request(message)) => self.request(message, number),
                Ok(Inbound::Notification(message)) => self.notification(&message),
                Ok(Inbound::Response(response)) => self.response(response),
                Ok(Inbound::Batch(_)) => {}
                Err(refusal) => self.respond(number, &self.identified(refusal)),
            }
        }
    }

    /// A refusal of what could not be read, as the session's revision has it.
    pub(super) fn identified(&self, refusal: Outgoing) -> Outgoing {
        match self.session.load().as_ref().and_then(|session| session.revision().unread_id()) {
            Some(id) => refusal.with_id(id),
            None => refusal,
        }
    }

    /// See `Outlet::ask`.
    pub(super) fn inquire(&self, exchange: &Exchange, inquiry: &Arc<Inquiry>, questions: &[Vec<u8>]) -> bool {
        let mut state = self.lock();
        let most = self.server.config.max_calls;
        let hindrance = if state.deaf {
            Some("The client has left.")
        } else if state.inquiries >= most {
            Some("Too many calls wait for the client.")
        } else {
            None
        };
        let Some(slot) = state.remove(&exchange.key, Some(exchange.number)) else { return false };
        let batch = slot.batch();
        if let Some(why) = hindrance {
            drop(state);
            // It was never sent, so there is nothing to call off.
            drop(inquiry.forget());
            self.end_inquiry(inquiry, batch, why);
            return true;
        }
        state.insert(exchange.key.clone(), Slot::Inquiry { inquiry: Arc::clone(inquiry), batch });
        for question in questions {
            state.say(question);
        }
        drop(state);
        self.flush_if(false);
        self.hurry(inquiry.due);
        true
    }

    /// Ends an inquiry that is not among the exchanges any more.
    pub(super) fn end_inquiry(&self, inquiry: &Inquiry, batch: Option<u64>, why: &str) {
        let response = inquiry.unanswered(why);
        let cancellations = inquiry.forget();
        let mut state = self.lock();
        for cancellation in cancellations {
            state.say(&cancellation);
        }
        state.respond(batch, &response.text);
        drop(state);
        self.settled.notify_all();
        self.flush_if(false);
    }

    /// The client will answer nothing of what it was asked so far.
    pub(super) fn end_inquiries(&self, why: &str) {
        let ended: Vec<Slot> = {
            let mut state = self.lock();
            let waiting = |slot: &Slot| matches!(slot, Slot::Inquiry { .. });
            let keys: Vec<IdKey> = state
                .exchanges
                .iter()
                .filter(|(_, slot)| waiting(slot))
                .map(|(key, _)| key.clone())
                .collect();
            keys.iter().filter_map(|key| state.remove(key, None)).collect()
        };
        for slot in ended {
            if let Slot::Inquiry { inquiry, batch } = slot {
                self.end_inquiry(&inquiry, batch, why);
            }
        }
    }

    /// No more input: what the client was asked, it will not answer.
    pub(in super::super) fn end_of_input(&self) {
        self.lock().deaf = true;
        self.end_inquiries("The client has left.");
    }

    /// Says what the session has to say, if the output can take it.
    pub(super) fn wake_session(&self) {
        if let Some(session) = self.session.load().as_ref() {
            Stream::wake(self, session);
        }
    }
}

impl Stream for Peer {
    fn wake(&self, session: &Session) {
        let current = self.session.load();
        if !current.as_ref().is_some_and(|current| std::ptr::eq(Arc::as_ptr(current), session)) {
            return;
        }
        let mut state = self.lock();
        // With a slow reader it stays noted, and `resume` comes back to it.
        if state.closed || state.out.len() + self.output.backlog() >= HIGH_WATER {
            return;
        }
        for message in session.take() {
            state.say(&message);
        }
        drop(state);
        self.flush_if(false);
    }
}
