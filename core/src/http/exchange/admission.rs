//! Row 4: the authorizer is asked, and what becomes of its answer; and the same again for open subscriptions.

use super::super::answer::{self, Refused};
use super::super::authorize::{Authorization, Refusal};
use super::super::config::Access;
use super::shared::{Phase, Shared, State};
use super::stream::Question;
use super::timers::Timer;
use crate::caller::Caller;
use crate::dispatch::Job;
use crate::protocol::LogLevel;
use http::header::{HeaderMap, WWW_AUTHENTICATE};
use http::StatusCode;
use std::sync::Arc;

/// How long the authorizer may take, in ms: one that never answers would hold connections for ever.
const PATIENCE_MS: u64 = 30_000;

impl Shared {
    /// Asks the authorizer, where callbacks run. The caller holds no lock.
    pub(super) fn ask(self: &Arc<Self>) {
        let Access::Ask(authorizer) = &self.endpoint.door else { return };
        let authorizer = Arc::clone(authorizer);
        let question = Authorization::new(Arc::clone(self));
        let run = Box::new(move || authorizer.authorize(question));
        self.endpoint.server.dispatch(Job::Run("authorize", run));
    }

    /// The authorizer was asked: if it has not answered at once, its time begins.
    pub(super) fn wait_for_permission(&self) {
        let mut state = self.lock();
        if !matches!(state.phase, Phase::Asked) {
            return;
        }
        state.timers.after(Timer::Door, self.endpoint.now(), PATIENCE_MS);
        // The driver may have asked for deadlines before there were any.
        let waker = state.take_waker();
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The authorizer took too long.
    pub(super) fn undecided(&self) {
        let was_asked = self.act(|state| {
            let was_asked = matches!(state.phase, Phase::Asked);
            if was_asked {
                self.refuse(state, Refused::Undecided);
            }
            was_asked
        });
        if was_asked {
            let line =
                format!("a request was refused: the authorizer did not answer within {PATIENCE_MS} ms");
            self.endpoint.server.log(LogLevel::Error, &line);
        }
    }

    pub(in super::super) fn allowed(self: &Arc<Self>, caller: Arc<Caller>) {
        let expired = self.is_expired(&caller);
        if !expired && self.is_visit() {
            return self.visit(caller);
        }
        self.admitted(caller, expired);
    }

    /// The authorizer has let the caller in, or has done so again.
    pub(super) fn admitted(self: &Arc<Self>, caller: Arc<Caller>, expired: bool) {
        let ended = self.act(|state| match &mut state.phase {
            Phase::Asked if expired => {
                let refusal = Refusal { error: Some("invalid_token".to_owned()), ..Refusal::unauthorized() };
                self.challenge(state, StatusCode::UNAUTHORIZED, &refusal);
                false
            }
            Phase::Asked => {
                self.enter(state, caller);
                false
            }
            Phase::Listening(listening) => {
                if expired || !listening.renew(caller) {
                    return true;
                }
                self.renew_timers(state);
                false
            }
            Phase::Following(following) => {
                if expired || !following.renew(caller) {
                    return true;
                }
                self.renew_timers(state);
                false
            }
            Phase::Reading(_) | Phase::Serving | Phase::Calling(_) | Phase::Over => false,
        });
        if ended {
            self.end_stream();
        }
    }

    fn is_expired(&self, caller: &Caller) -> bool {
        caller.expires_at().is_some_and(|end| end <= self.endpoint.server.config.environment.unix_ms())
    }

    pub(in super::super) fn refused(&self, refusal: &Refusal) {
        let status = match refusal.status {
            401 => StatusCode::UNAUTHORIZED,
            403 => StatusCode::FORBIDDEN,
            other => {
                let line = format!("the authorizer refused with {other}: only 401 and 403 are refusals");
                self.endpoint.server.log(LogLevel::Error, &line);
                return self.broken();
            }
        };
        self.keep_out(|state| self.challenge(state, status, refusal));
    }

    /// The question was dropped.
    pub(in super::super) fn unanswered(&self) {
        self.endpoint.server.log(LogLevel::Error, "the authorizer dropped a question without an answer");
        self.broken();
    }

    fn broken(&self) {
        self.keep_out(|state| self.refuse(state, Refused::Failed));
    }

    fn keep_out(&self, answer: impl FnOnce(&mut State)) {
        let listening = self.act(|state| match &state.phase {
            Phase::Asked => {
                answer(state);
                false
            }
            Phase::Listening(_) | Phase::Following(_) => true,
            Phase::Reading(_) | Phase::Serving | Phase::Calling(_) | Phase::Over => false,
        });
        if listening {
            self.end_stream();
        }
    }

    fn challenge(&self, state: &mut State, status: StatusCode, refusal: &Refusal) {
        let mut headers = HeaderMap::new();
        headers.insert(WWW_AUTHENTICATE, answer::challenge(&self.endpoint, refusal));
        self.whole(state, status, headers, Vec::new());
    }

    /// It is time to ask again about a subscription. One whose last question has been open for a whole period ends.
    pub(super) fn ask_again(self: &Arc<Self>, now: u64) {
        let period = self.endpoint.config.reauthorize_ms;
        let asks = self.act(|state| {
            let question = match &mut state.phase {
                Phase::Listening(listening) => &mut listening.question,
                Phase::Following(following) => &mut following.question,
                Phase::Asked | Phase::Reading(_) | Phase::Serving | Phase::Calling(_) | Phase::Over => {
                    return None
                }
            };
            state.timers.after(Timer::Again, now, period);
            match *question {
                Question::Open(since) if now.saturating_sub(since) >= period => Some(false),
                Question::Open(_) => None,
                Question::None | Question::Granted => {
                    *question = Question::Open(now);
                    Some(true)
                }
            }
        });
        match asks {
            Some(true) => self.ask(),
            Some(false) => {
                let line = "a subscription was closed: the authorizer did not answer within reauthorize_ms";
                self.endpoint.server.log(LogLevel::Warning, line);
                self.end_stream();
            }
            None => {}
        }
    }
}
