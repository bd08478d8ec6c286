//! A session's stream on its way to whoever reads it.

use super::super::sessions::{Conversation, Counted, Pulled, STANDALONE};
use super::shared::{Phase, Shared, State};
use super::stream::{Question, PATIENCE};
use super::timers::Timer;
use crate::caller::Caller;
use crate::protocol::LogLevel;
use http::{HeaderMap, StatusCode};
use std::sync::Arc;

/// What an exchange reads.
pub(super) struct Following {
    pub(super) conversation: Arc<Conversation>,
    pub(super) channel: u64,
    /// Its place among the open streams, if it is one that was opened to listen.
    pub(super) place: Option<Counted>,
    /// Who listens, as the authorizer said last.
    pub(super) caller: Arc<Caller>,
    /// Whether the authorizer is asked before each delivery.
    pub(super) guarded: bool,
    pub(super) question: Question,
    /// Silences in which something waited and was not taken.
    pub(super) unread: u8,
}

impl Following {
    /// A POST that waits for its answers.
    pub(super) fn post(conversation: &Arc<Conversation>, channel: u64, caller: &Arc<Caller>) -> Self {
        Self {
            conversation: Arc::clone(conversation),
            channel,
            place: None,
            caller: Arc::clone(caller),
            guarded: false,
            question: Question::None,
            unread: 0,
        }
    }

    pub(super) fn expires_at(&self) -> Option<u64> {
        if self.is_opened_for_it() {
            self.caller.expires_at()
        } else {
            None
        }
    }

    /// Whether it was opened to listen, so that it ends when its caller may not any more.
    pub(super) fn is_opened_for_it(&self) -> bool {
        self.place.is_some()
    }

    /// The authorizer says who listens. False if that is somebody else.
    pub(super) fn renew(&mut self, caller: Arc<Caller>) -> bool {
        if !self.conversation.belongs_to(&caller) {
            return false;
        }
        self.caller = caller;
        self.question = if self.guarded { Question::Granted } else { Question::None };
        true
    }
}

/// What is to be read next.
pub(super) struct Step {
    conversation: Arc<Conversation>,
    channel: u64,
    /// Whether the authorizer must be asked first.
    asks: bool,
}

impl State {
    /// What the exchange reads, if it may.
    pub(super) fn follow(&self) -> Option<Step> {
        let Phase::Following(following) = &self.phase else { return None };
        let asks = match following.question {
            Question::Open(_) if following.guarded => return None,
            Question::None => following.guarded,
            Question::Open(_) | Question::Granted => false,
        };
        Some(Step { conversation: Arc::clone(&following.conversation), channel: following.channel, asks })
    }

    /// The session whose time passes with this exchange's.
    pub(super) fn conversation(&self) -> Option<Arc<Conversation>> {
        match &self.phase {
            Phase::Following(following) => Some(Arc::clone(&following.conversation)),
            Phase::Asked
            | Phase::Reading(_)
            | Phase::Serving
            | Phase::Calling(_)
            | Phase::Listening(_)
            | Phase::Over => None,
        }
    }

    pub(super) fn is_following(&self, conversation: &Arc<Conversation>, channel: u64) -> bool {
        matches!(&self.phase, Phase::Following(following)
            if following.channel == channel && Arc::ptr_eq(&following.conversation, conversation))
    }
}

impl Shared {
    /// Reads one event. True if the driver has something to do then. The caller holds no lock.
    pub(super) fn follow(self: &Arc<Self>, step: &Step) -> bool {
        let Step { conversation, channel, asks } = step;
        if *asks {
            if !conversation.is_waiting(*channel) {
                return false;
            }
            if let Phase::Following(following) = &mut self.lock().phase {
                following.question = Question::Open(self.endpoint.now());
            }
            self.ask();
            return true;
        }
        let pulled = conversation.pull(*channel, self);
        let mut state = self.lock();
        if !state.is_following(conversation, *channel) {
            return true;
        }
        let keep_alive = self.endpoint.config.keep_alive_ms;
        let ended = match pulled {
            Pulled::Nothing => {
                if let Phase::Following(following) = &mut state.phase {
                    following.question = match following.question {
                        Question::Granted => Question::None,
                        other => other,
                    };
                }
                return false;
            }
            Pulled::Event(event, last) => {
                self.commit(&mut state);
                state.out.push(event);
                state.timers.after(Timer::Quiet, self.endpoint.now(), keep_alive);
                last
            }
            Pulled::End => {
                self.commit(&mut state);
                true
            }
        };
        if ended {
            state.out.close();
            // Dropped behind the lock: a place among the streams is given back with it.
            let phase = state.finish();
            drop(state);
            drop(phase);
            conversation.touch(self.endpoint.now());
        }
        true
    }

    /// It reads no more: the session goes on without it.
    pub(super) fn unfollow(&self, following: &Following) {
        let Following { conversation, channel, .. } = following;
        conversation.detach(&self.endpoint.server, *channel, self, self.endpoint.now());
        if conversation.is_over() {
            self.endpoint.sessions.forget(conversation);
        }
    }

    /// There is something to read.
    pub(in super::super) fn nudge(&self) {
        let waker = self.lock().take_waker();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Somebody else reads the stream now.
    pub(in super::super) fn send_away(&self) {
        let phase = self.act(|state| {
            if !matches!(state.phase, Phase::Following(_)) {
                return Phase::Over;
            }
            state.out.cut();
            state.finish()
        });
        drop(phase);
    }

    /// A POST that has nothing to answer any more.
    pub(in super::super) fn accept(&self) {
        self.follow_whole(|state| self.whole(state, StatusCode::ACCEPTED, HeaderMap::new(), Vec::new()));
    }

    pub(super) fn follow_whole(&self, answer: impl FnOnce(&mut State)) {
        self.act(|state| {
            if matches!(state.phase, Phase::Following(_)) {
                answer(state);
            }
        });
        self.release();
    }

    /// It was quiet for long: a stream gets a comment, and a POST becomes one. False if it reads no session.
    pub(super) fn quiet_session(&self, now: u64) -> bool {
        let period = self.endpoint.config.keep_alive_ms;
        let followed = {
            let state = self.lock();
            let Phase::Following(following) = &state.phase else { return false };
            (Arc::clone(&following.conversation), following.channel, state.out.is_empty())
        };
        let (conversation, channel, is_empty) = followed;
        let began = conversation.begin_stream(channel);
        let waits = !began && (!is_empty || conversation.is_waiting(channel));
        let stuck = self.act(|state| {
            let Phase::Following(following) = &mut state.phase else { return Phase::Over };
            if waits && !matches!(following.question, Question::Open(_)) {
                following.unread += 1;
                if following.unread >= PATIENCE {
                    state.out.cut();
                    return state.finish();
                }
            }
            state.timers.after(Timer::Quiet, now, period);
            if !waits {
                // Streams without an event of their own begin here.
                self.commit(state);
                state.out.keep_alive();
            }
            Phase::Over
        });
        if let Phase::Following(following) = stuck {
            let line = "a stream of a session was closed: its client does not read";
            self.endpoint.server.log(LogLevel::Notice, line);
            self.unfollow(&following);
        }
        true
    }

    /// Begins to read a channel that was opened for it.
    pub(super) fn listen_to(self: &Arc<Self>, following: Following) {
        let (conversation, channel) = (Arc::clone(&following.conversation), following.channel);
        let begun = self.act(|state| {
            if !matches!(state.phase, Phase::Serving) {
                return false;
            }
            state.phase = Phase::Following(following);
            self.commit(state);
            let (config, now) = (&self.endpoint.config, self.endpoint.now());
            state.timers.after(Timer::Quiet, now, config.keep_alive_ms);
            state.timers.after(Timer::Life, now, config.max_stream_ms);
            state.timers.after(Timer::Again, now, config.reauthorize_ms);
            self.renew_timers(state);
            true
        });
        if !begun {
            conversation.detach(&self.endpoint.server, channel, self, self.endpoint.now());
        } else if self.endpoint.is_stopping() && channel == STANDALONE {
            self.end_stream();
        }
    }
}
