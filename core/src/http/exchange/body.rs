//! The body: read within its limits, then its message is served.

use super::super::answer::Refused;
use super::super::budget::FREE;
use super::super::mirror::Headers;
use super::shared::{Phase, Reading, Shared, State};
use crate::config::Dispatch;
use crate::dispatch::Job;
use crate::engine::{route_mirrored, Outlet, Step};
use crate::json::spare;
use crate::jsonrpc::{read, Inbound, Message, Outgoing};
use crate::protocol::LogLevel;
use bytes::buf::Limit;
use bytes::BufMut;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::Ordering;
use std::sync::Arc;

impl Shared {
    pub(super) fn body(self: &Arc<Self>, chunk: &[u8]) {
        let most = self.endpoint.config.max_body_bytes;
        let over = self.act(|state| {
            let State { phase: Phase::Reading(reading), .. } = state else { return false };
            if chunk.len() > most - reading.body.len() {
                self.stop_reading(state, Refused::TooLarge(most));
                return false;
            }
            reading.make_room(chunk.len());
            reading.body.extend_from_slice(chunk);
            self.draw(reading)
        });
        if over {
            self.endpoint.budget.cut();
        }
    }

    /// Has `read` append at most `most` bytes of the body. `None` if no body is being read.
    pub(super) fn fill<R>(
        self: &Arc<Self>,
        most: usize,
        read: impl FnOnce(&mut Limit<&mut Vec<u8>>) -> R,
    ) -> Option<R> {
        let longest = self.endpoint.config.max_body_bytes;
        let (read, over) = self.act(|state| {
            let Phase::Reading(reading) = &mut state.phase else { return None };
            if reading.body.len() == reading.body.capacity() {
                reading.make_room(1);
            }
            let received = reading.body.len();
            let most = most.min(longest - received).min(reading.body.capacity() - received);
            let read = read(&mut (&mut reading.body).limit(most));
            Some((read, self.draw(reading)))
        })?;
        if over {
            self.endpoint.budget.cut();
        }
        Some(read)
    }

    /// Draws on the budget for what was received. True if that was too much.
    fn draw(self: &Arc<Self>, reading: &mut Reading) -> bool {
        let due = reading.body.len().saturating_sub(FREE);
        let drawn = self.drawn.load(Ordering::Relaxed);
        if due <= drawn {
            return false;
        }
        let budget = &self.endpoint.budget;
        reading.turn.get_or_insert_with(|| budget.join(Arc::downgrade(self)));
        self.drawn.store(due, Ordering::Relaxed);
        !budget.draw(due - drawn)
    }

    /// Answers before the body was read to its end.
    fn stop_reading(&self, state: &mut State, refused: Refused) {
        let phase = std::mem::replace(&mut state.phase, Phase::Over);
        if let Phase::Reading(reading) = phase {
            self.leave_readers(&reading);
            self.release();
            self.refuse(state, refused);
        } else {
            state.phase = phase;
        }
    }

    pub(super) fn leave_readers(&self, reading: &Reading) {
        if let Some(turn) = reading.turn {
            self.endpoint.budget.leave(turn);
        }
    }

    /// There is no room for the rest.
    pub(in super::super) fn cut(&self) {
        self.act(|state| self.stop_reading(state, Refused::Spent));
    }

    pub(super) fn late(&self) {
        self.act(|state| self.stop_reading(state, Refused::Late));
    }

    pub(super) fn end_body(self: &Arc<Self>) {
        let reading = {
            let mut state = self.lock();
            if !matches!(state.phase, Phase::Reading(_)) {
                return;
            }
            state.timers.clear();
            state.unread = false;
            match std::mem::replace(&mut state.phase, Phase::Serving) {
                Phase::Reading(reading) => reading,
                Phase::Asked
                | Phase::Serving
                | Phase::Calling(_)
                | Phase::Listening(_)
                | Phase::Following(_)
                | Phase::Over => return,
            }
        };
        self.leave_readers(&reading);
        let Reading { body, .. } = reading;
        let serving = Served { shared: Arc::clone(self), done: false };
        let server = &self.endpoint.server;
        let asks_host = self.endpoint.config.authorize_body.is_some()
            || !server.catalogs.is_current(self.caller().catalog_key());
        if asks_host && server.config.dispatch != Dispatch::Inline {
            server.dispatch(Job::Run("request", Box::new(move || serving.run(body))));
        } else {
            serving.run(body);
        }
    }

    fn serve(self: &Arc<Self>, body: Vec<u8>) {
        if self.endpoint.is_stopping() {
            return self.refuse_message(Refused::Stopping);
        }
        if let Err(refused) = self.check_body(&body) {
            return self.refuse_message(refused);
        }
        match read(body) {
            Ok(Inbound::Request(message)) => self.route(message),
            Ok(Inbound::Notification(message)) => self.with_session(move |me| me.notification(&message)),
            Ok(Inbound::Response(response)) => self.with_session(|me| me.response(response)),
            Ok(Inbound::Batch(batch)) => self.with_session(move |me| me.batch(&batch)),
            Err(refusal) => self.with_session(|me| me.unreadable(refusal)),
        }
    }

    fn check_body(&self, body: &[u8]) -> Result<(), Refused> {
        let Some(check) = &self.endpoint.config.authorize_body else { return Ok(()) };
        match catch_unwind(AssertUnwindSafe(|| check(self.caller(), body))) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refused::Body),
            Err(panic) => {
                // What was thrown may throw again when it is dropped.
                let _ = catch_unwind(AssertUnwindSafe(|| drop(panic)));
                self.endpoint.server.log(LogLevel::Error, "the host's authorize_body callback panicked");
                Err(Refused::Failed)
            }
        }
    }

    fn route(self: &Arc<Self>, message: Message) {
        match route_mirrored(Arc::clone(self) as Arc<dyn Outlet>, message, Some(&Headers(&self.head.headers)))
        {
            Step::Reply(outgoing) => self.respond(outgoing),
            Step::Call(prepared) => self.call(prepared),
            Step::Listen(prepared) => self.listen(*prepared),
            Step::Legacy(_, message) => self.with_session(|me| me.legacy(message)),
        }
    }

    pub(super) fn refuse_message(&self, refused: Refused) {
        self.done(|state| self.refuse(state, refused));
    }

    /// Answers a message that opened nothing.
    pub(super) fn respond(&self, outgoing: Outgoing) {
        self.done(|state| self.say(state, outgoing));
    }

    pub(super) fn done(&self, answer: impl FnOnce(&mut State)) {
        self.act(|state| {
            if matches!(state.phase, Phase::Serving) {
                answer(state);
            }
        });
        self.release();
    }
}

impl Reading {
    /// Makes room for `more` bytes. What was declared is believed once some of it is there: the rest is then read in place.
    fn make_room(&mut self, more: usize) {
        let received = self.body.len();
        if received > 0 && received + more <= FREE {
            return;
        }
        let declared = if received == 0 { self.length.min(FREE) } else { self.length };
        // Without a declared length it grows by steps of its own size.
        let needed = declared.max(received + more.max(received));
        if needed > self.body.capacity() {
            let mut larger = spare::take(needed);
            larger.extend_from_slice(&self.body);
            spare::keep(std::mem::replace(&mut self.body, larger));
        }
    }
}

/// A message on its way through the ladder. Whatever becomes of it, its client is answered.
struct Served {
    shared: Arc<Shared>,
    done: bool,
}

impl Served {
    fn run(mut self, body: Vec<u8>) {
        self.shared.serve(body);
        self.done = true;
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if !self.done {
            self.shared.endpoint.server.log(LogLevel::Error, "a message could not be served");
            self.shared.refuse_message(Refused::Failed);
        }
    }
}
