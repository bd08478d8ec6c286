//! Calls: opened, told of, answered, ended.

use super::super::answer::{busy, Refused};
use super::shared::{Phase, Shared, State};
use super::timers::Timer;
use crate::call::{Call, State as CallState};
use crate::config::Dispatch;
use crate::dispatch::Job;
use crate::engine::{number, Exchange, Prepared};
use crate::host::CancelReason;
use crate::jsonrpc::{ErrorBody, Outgoing};
use crate::protocol::wire::code;
use std::sync::atomic::Ordering;
use std::sync::Arc;

impl Shared {
    pub(super) fn call(self: &Arc<Self>, prepared: Prepared) {
        let endpoint = &self.endpoint;
        let message = &prepared.request.message;
        let Some(key) = message.id_key().cloned() else { return self.refuse_message(Refused::Failed) };
        if endpoint.calls.fetch_add(1, Ordering::SeqCst) >= endpoint.config.max_calls {
            endpoint.calls.fetch_sub(1, Ordering::SeqCst);
            let most = endpoint.config.max_calls;
            return self.respond(message.error(&busy(format!("At most {most} calls are served at once."))));
        }
        self.seated.store(true, Ordering::Relaxed);
        let exchange = Exchange { key, number: number(&endpoint.server) };
        let state = Arc::new(CallState::new(prepared, exchange));
        let call = Call::new(Arc::clone(&state));
        call.count();
        endpoint.owe();
        let begun = self.act(|own| {
            let begun = matches!(own.phase, Phase::Serving);
            if begun {
                own.phase = Phase::Calling(Arc::clone(&state));
            }
            begun
        });
        if !begun {
            // The client went while its message was read. The call has nobody to answer and was not handed over.
            state.end(CancelReason::Closed);
            endpoint.settle();
            return;
        }
        endpoint.server.dispatch(Job::Call(call));
        self.wait_for(&state);
    }

    /// The call was handed over: if it was not answered at once, its times begin.
    fn wait_for(self: &Arc<Self>, call: &Arc<CallState>) {
        if !self.lock().is_calling(call.number()) {
            return;
        }
        let kept = self.endpoint.keep(call.number(), Arc::downgrade(self));
        self.kept.store(true, Ordering::SeqCst);
        let (config, now) = (&self.endpoint.server.config, self.endpoint.now());
        let waits = config.dispatch == Dispatch::Pool;
        let mut state = self.lock();
        if !state.is_calling(call.number()) {
            drop(state);
            return self.endpoint.forget(call.number());
        }
        state.timers.after(Timer::Call, now, call.timeout_ms());
        state.timers.after(Timer::Queue, now, if waits { config.pool_wait_ms } else { 0 });
        if state.accepts.event_stream {
            state.timers.after(Timer::Quiet, now, self.endpoint.config.keep_alive_ms);
        }
        // The driver may have asked for deadlines before there were any.
        let waker = state.take_waker();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        if let Err(reason) = kept {
            self.close(reason);
        }
    }

    /// A notification that belongs to the call.
    pub(super) fn tell(&self, exchange: &Exchange, message: &[u8]) -> bool {
        self.act(|state| {
            if !state.is_calling(exchange.number) {
                return false;
            }
            // Notifications are optional: who takes no stream, or does not read it, goes without.
            let room = self.endpoint.config.stream_queue_bytes;
            if !state.accepts.event_stream || state.out.bytes + message.len() > room {
                return true;
            }
            self.commit(state);
            state.out.event(message);
            state.timers.after(Timer::Quiet, self.endpoint.now(), self.endpoint.config.keep_alive_ms);
            true
        })
    }

    pub(super) fn answered(&self, exchange: &Exchange, outgoing: Outgoing) -> bool {
        let open = self.act(|state| {
            let open = state.is_calling(exchange.number);
            if open {
                self.say(state, outgoing);
            }
            open
        });
        if open {
            self.settled(exchange.number);
        }
        open
    }

    fn settled(&self, number: u64) {
        // Most calls are answered before anybody had to keep them.
        if self.kept.swap(false, Ordering::SeqCst) {
            self.endpoint.forget(number);
        }
        self.endpoint.settle();
    }

    /// Ends a call that nobody waits for any more.
    pub(super) fn abandon(&self, call: &CallState, reason: CancelReason) {
        if call.end(reason) && call.started() {
            self.endpoint.server.tell_cancelled(call.number(), reason);
        }
        self.settled(call.number());
    }

    pub(super) fn time_out(&self) {
        self.give_up(&ErrorBody::new(code::INTERNAL_ERROR, "The call took too long."));
    }

    /// No thread was free in time.
    pub(super) fn unstarted(&self) {
        let started = match &self.lock().phase {
            Phase::Calling(call) => call.started(),
            Phase::Asked
            | Phase::Reading(_)
            | Phase::Serving
            | Phase::Listening(_)
            | Phase::Following(_)
            | Phase::Over => true,
        };
        if !started {
            self.give_up(&busy("The server is busy: no thread was free in time."));
        }
    }

    fn give_up(&self, error: &ErrorBody) {
        let call = self.act(|state| {
            let Phase::Calling(call) = &state.phase else { return None };
            let call = Arc::clone(call);
            self.say(state, call.refuse(error));
            Some(call)
        });
        if let Some(call) = call {
            self.abandon(&call, CancelReason::Timeout);
        }
    }
}

impl State {
    pub(super) fn is_calling(&self, number: u64) -> bool {
        matches!(&self.phase, Phase::Calling(call) if call.number() == number)
    }
}
