//! Subscriptions: a stream of events for as long as the client reads and may.

use super::super::answer::{busy, Refused};
use super::super::config::Access;
use super::shared::{Phase, Shared, State};
use super::timers::Timer;
use crate::caller::Caller;
use crate::engine::{number, Exchange, Listener, Outlet, PreparedListen};
use crate::jsonrpc::{ErrorBody, Outgoing};
use crate::protocol::wire::code;
use crate::protocol::LogLevel;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

/// So many silences may pass before a client that takes nothing is let go.
pub(super) const PATIENCE: u8 = 2;

/// An open subscription.
pub(super) struct Listening {
    pub(super) listener: Arc<Listener>,
    /// Whether changes wait to be taken from the listener.
    news: bool,
    /// Whether the authorizer is asked before each delivery.
    guarded: bool,
    pub(super) question: Question,
    /// Silences in which something waited and was not taken.
    unread: u8,
}

/// What is between the stream and the authorizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// Nothing.
    None,
    /// It was asked at this time and has not answered.
    Open(u64),
    /// It has let the news pass that wait.
    Granted,
}

impl Listening {
    fn is_asking(&self) -> bool {
        matches!(self.question, Question::Open(_))
    }

    /// Whether news may be told now.
    fn may_tell(&self) -> bool {
        self.news && (!self.guarded || self.question == Question::Granted)
    }

    /// The authorizer says who listens. False if that is somebody else.
    pub(super) fn renew(&mut self, caller: Arc<Caller>) -> bool {
        let known = self.listener.caller.load();
        if known.owner_key() != caller.owner_key() || known.principal() != caller.principal() {
            return false;
        }
        self.listener.caller.store(caller);
        self.question = if self.news { Question::Granted } else { Question::None };
        true
    }
}

impl Shared {
    pub(super) fn listen(self: &Arc<Self>, prepared: PreparedListen) {
        let PreparedListen { request, filter } = prepared;
        let endpoint = &self.endpoint;
        if !self.lock().accepts.event_stream {
            return self.refuse_message(Refused::AcceptStream);
        }
        let Some(key) = request.message.id_key().cloned() else {
            return self.refuse_message(Refused::Failed);
        };
        let most = endpoint.config.max_streams;
        if most == 0 {
            let error = ErrorBody::new(code::METHOD_NOT_FOUND, "Subscriptions are not served here.");
            return self.respond(request.message.error(&error));
        }
        if endpoint.streams.fetch_add(1, Ordering::SeqCst) >= most {
            endpoint.streams.fetch_sub(1, Ordering::SeqCst);
            let why = format!("Too many subscriptions: at most {most} are open at once.");
            return self.respond(request.message.error(&busy(why)));
        }
        let dead = filter.is_empty();
        let exchange = Exchange { key, number: number(&endpoint.server) };
        let me = Arc::downgrade(self);
        let outlet: Weak<dyn Outlet> = Weak::clone(&me) as Weak<dyn Outlet>;
        let caller = Arc::clone(request.caller());
        let listener = Arc::new(Listener::new(exchange, request.message.id(), filter, caller, outlet));
        let number = listener.exchange.number;
        drop(request);
        let open = self.act(|state| {
            if !matches!(state.phase, Phase::Serving) {
                return false;
            }
            self.commit(state);
            // The first event: a change that is told while this lock is held comes behind it, and none that happens
            // from now on is lost.
            state.out.event(&listener.acknowledgement());
            if dead {
                self.conclude(state, &listener);
                return false;
            }
            endpoint.server.hub.add(Arc::clone(&listener));
            state.phase = Phase::Listening(Listening {
                listener,
                news: false,
                guarded: endpoint.config.reauthorize_on_delivery && matches!(endpoint.door, Access::Ask(_)),
                question: Question::None,
                unread: 0,
            });
            let (config, now) = (&endpoint.config, endpoint.now());
            state.timers.after(Timer::Quiet, now, config.keep_alive_ms);
            state.timers.after(Timer::Life, now, config.max_stream_ms);
            state.timers.after(Timer::Again, now, config.reauthorize_ms);
            self.renew_timers(state);
            true
        });
        self.release();
        if !open {
            endpoint.streams.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        match endpoint.keep(number, me) {
            Err(reason) => self.close(reason),
            Ok(()) if endpoint.is_stopping() => self.end_gracefully(),
            // The client may have gone meanwhile.
            Ok(()) if !self.is_open() => endpoint.forget(number),
            Ok(()) => {}
        }
    }

    fn is_open(&self) -> bool {
        matches!(self.lock().phase, Phase::Listening(_))
    }

    /// How long the credential still lasts, in ms; `None`: for ever.
    fn time_left(&self, phase: &Phase) -> Option<u64> {
        let end = match phase {
            Phase::Listening(listening) => listening.listener.caller.load().expires_at()?,
            Phase::Following(following) => following.expires_at()?,
            Phase::Asked | Phase::Reading(_) | Phase::Serving | Phase::Calling(_) | Phase::Over => {
                return None
            }
        };
        Some(end.saturating_sub(self.endpoint.server.config.environment.unix_ms()))
    }

    /// The stream ends when the credential does.
    pub(super) fn renew_timers(&self, state: &mut State) {
        let left = self.time_left(&state.phase);
        state.timers.after(Timer::Expiry, self.endpoint.now(), left.map_or(0, |left| left.max(1)));
    }

    /// The credential should have ended; a clock that was set meanwhile may say otherwise.
    pub(super) fn expire(&self, now: u64) {
        let ended = self.act(|state| {
            if !matches!(state.phase, Phase::Listening(_) | Phase::Following(_)) {
                return false;
            }
            match self.time_left(&state.phase) {
                Some(0) => true,
                left => {
                    state.timers.after(Timer::Expiry, now, left.unwrap_or(0));
                    false
                }
            }
        });
        if ended {
            self.end_stream();
        }
    }

    /// Something changed that the listener wants to hear.
    pub(super) fn news(&self, listener: &Arc<Listener>) {
        let most = self.endpoint.config.stream_queue_bytes;
        let full = self.act(|state| {
            let State { phase: Phase::Listening(listening), out, .. } = state else { return false };
            if !Arc::ptr_eq(&listening.listener, listener) {
                return false;
            }
            listening.news = true;
            out.bytes + listener.pending_bytes() > most
        });
        if full {
            self.too_slow();
        }
    }

    fn too_slow(&self) {
        let line = "a subscription was closed: its client does not read (option stream_queue_bytes)";
        self.endpoint.server.log(LogLevel::Notice, line);
        self.end_stream();
    }

    pub(super) fn is_listening(&self, listener: &Arc<Listener>) -> bool {
        matches!(&self.lock().phase, Phase::Listening(listening) if Arc::ptr_eq(&listening.listener, listener))
    }

    /// It was quiet for long: streams get a comment, and a call becomes one.
    pub(super) fn quiet(&self, now: u64) {
        let period = self.endpoint.config.keep_alive_ms;
        if self.quiet_session(now) {
            return;
        }
        let stuck = self.act(|state| {
            let waits = !state.out.is_empty();
            match &mut state.phase {
                Phase::Calling(_) => self.commit(state),
                Phase::Listening(listening) => {
                    if waits || (listening.news && !listening.is_asking()) {
                        listening.unread += 1;
                        if listening.unread >= PATIENCE {
                            return true;
                        }
                    }
                }
                Phase::Asked | Phase::Reading(_) | Phase::Serving | Phase::Following(_) | Phase::Over => {
                    return false
                }
            }
            if !waits {
                state.out.keep_alive();
            }
            state.timers.after(Timer::Quiet, now, period);
            false
        });
        if stuck {
            self.too_slow();
        }
    }

    /// Ends the stream without a result.
    pub(in super::super) fn end_stream(&self) {
        let phase = self.act(|state| {
            let is_stream = match &state.phase {
                Phase::Listening(_) => true,
                Phase::Following(following) => following.is_opened_for_it(),
                Phase::Asked | Phase::Reading(_) | Phase::Serving | Phase::Calling(_) | Phase::Over => false,
            };
            if !is_stream {
                return Phase::Over;
            }
            state.out.cut();
            state.finish()
        });
        match phase {
            Phase::Listening(listening) => self.leave(&listening.listener),
            Phase::Following(following) => self.unfollow(&following),
            Phase::Asked | Phase::Reading(_) | Phase::Serving | Phase::Calling(_) | Phase::Over => {}
        }
    }

    /// The server ends the subscription: what is due is told, then its result.
    pub(in super::super) fn end_gracefully(&self) {
        let listener = self.act(|state| {
            let Phase::Listening(listening) = &mut state.phase else { return None };
            let listener = Arc::clone(&listening.listener);
            if listening.may_tell() {
                listener.take().iter().for_each(|message| state.out.event(message));
            }
            self.conclude(state, &listener);
            Some(listener)
        });
        if let Some(listener) = listener {
            self.leave(&listener);
        }
    }

    fn conclude(&self, state: &mut State, listener: &Listener) {
        let result = listener.result(&self.endpoint.server.info);
        self.say(state, Outgoing::result(listener.id(), result.len(), |out| out.extend_from_slice(&result)));
    }

    pub(super) fn leave(&self, listener: &Listener) {
        self.endpoint.server.hub.remove(listener.exchange.number);
        self.endpoint.forget(listener.exchange.number);
        self.endpoint.streams.fetch_sub(1, Ordering::SeqCst);
    }
}

impl State {
    /// Whether a subscription has something to tell or to ask.
    pub(super) fn has_news(&self) -> bool {
        match &self.phase {
            Phase::Listening(listening) => listening.news && (!listening.guarded || !listening.is_asking()),
            Phase::Asked
            | Phase::Reading(_)
            | Phase::Serving
            | Phase::Calling(_)
            | Phase::Following(_)
            | Phase::Over => false,
        }
    }

    /// Whether the authorizer is to be asked before the news is told; then it counts as asked.
    pub(super) fn wants_permission(&mut self, now: impl FnOnce() -> u64) -> bool {
        match &mut self.phase {
            Phase::Listening(listening)
                if listening.news && !listening.may_tell() && !listening.is_asking() =>
            {
                listening.question = Question::Open(now());
                true
            }
            Phase::Listening(_)
            | Phase::Asked
            | Phase::Reading(_)
            | Phase::Serving
            | Phase::Calling(_)
            | Phase::Following(_)
            | Phase::Over => false,
        }
    }

    /// Turns news into events. True if there are some now.
    pub(super) fn hear(&mut self, keep_alive: u64, now: impl FnOnce() -> u64) -> bool {
        let Self { phase: Phase::Listening(listening), out, timers, .. } = self else { return false };
        if !listening.may_tell() {
            return false;
        }
        listening.news = false;
        if listening.question == Question::Granted {
            listening.question = Question::None;
        }
        for message in listening.listener.take() {
            out.event(&message);
        }
        timers.after(Timer::Quiet, now(), keep_alive);
        !out.is_empty()
    }

    /// The driver took a part.
    pub(super) fn took(&mut self) {
        match &mut self.phase {
            Phase::Listening(listening) => listening.unread = 0,
            Phase::Following(following) => following.unread = 0,
            Phase::Asked | Phase::Reading(_) | Phase::Serving | Phase::Calling(_) | Phase::Over => {}
        }
    }
}
