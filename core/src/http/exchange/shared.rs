//! What an exchange, its call and its authorization share.

use super::super::answer::{self, Refused};
use super::super::authorize::joined;
use super::super::cors;
use super::super::endpoint::Inner;
use super::super::media::Accepts;
use super::super::status;
use super::follow::Following;
use super::out::Out;
use super::store::Then;
use super::stream::Listening;
use super::timers::{Timer, Timers};
use super::{Part, PeerAddress};
use crate::call::State as CallState;
use crate::caller::Caller;
use crate::engine::{Exchange, Listener, Outlet};
use crate::host::CancelReason;
use crate::jsonrpc::{About, Outgoing};
use crate::server::Inner as ServerInner;
use http::header::{HeaderMap, HeaderValue, CONNECTION, CONTENT_LENGTH, WWW_AUTHENTICATE};
use http::{request, response, Method, StatusCode, Version};
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

pub(in super::super) struct Shared {
    pub(in super::super) endpoint: Arc<Inner>,
    pub(in super::super) head: request::Parts,
    pub(in super::super) peer: PeerAddress,
    /// Whether whole answers say their length.
    measured: bool,
    state: Mutex<State>,
    /// Bytes drawn from the budget.
    pub(super) drawn: AtomicUsize,
    /// Whether a place among the calls in flight is taken.
    pub(super) seated: AtomicBool,
    /// Whether the endpoint keeps it among its open exchanges.
    pub(super) kept: AtomicBool,
    /// Who asks, from when they were let in.
    pub(super) caller: OnceLock<Arc<Caller>>,
}

pub(super) struct State {
    pub(super) phase: Phase,
    pub(super) accepts: Accepts,
    /// Whether bytes of the request may still stand on the connection.
    pub(super) unread: bool,
    /// Whether a page asks that may read the answer.
    pub(super) page: bool,
    pub(super) out: Out,
    pub(super) timers: Timers,
    /// What goes on now that the store of sessions has answered.
    pub(super) resumed: Option<Then>,
    waker: Option<Waker>,
}

pub(super) enum Phase {
    /// The authorizer was asked, or is about to be.
    Asked,
    Reading(Reading),
    /// The message is being read and routed.
    Serving,
    Calling(Arc<CallState>),
    Listening(Listening),
    /// It reads a stream of a session, or waits for what a session answers.
    Following(Following),
    /// Everything was said, or there is nobody to say it to.
    Over,
}

/// A body on its way.
pub(super) struct Reading {
    pub(super) body: Vec<u8>,
    /// The declared length; 0 if none was.
    pub(super) length: usize,
    /// Its turn among those that draw on the budget.
    pub(super) turn: Option<u64>,
}

impl Shared {
    pub(super) fn new(
        endpoint: &Arc<Inner>,
        head: request::Parts,
        peer: PeerAddress,
        measured: bool,
    ) -> Self {
        let state = State {
            phase: Phase::Asked,
            accepts: Accepts { json: false, event_stream: false },
            unread: true,
            page: false,
            out: Out::default(),
            timers: Timers::default(),
            resumed: None,
            waker: None,
        };
        Self {
            endpoint: Arc::clone(endpoint),
            head,
            peer,
            measured,
            state: Mutex::new(state),
            drawn: AtomicUsize::new(0),
            seated: AtomicBool::new(false),
            kept: AtomicBool::new(false),
            caller: OnceLock::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and wakes the driver if it has something to take then, under no lock. `work` calls no host.
    pub(super) fn act<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        let mut state = self.lock();
        let outcome = work(&mut state);
        let waker = if state.is_ready() { state.waker.take() } else { None };
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
        outcome
    }

    pub(super) fn poll(self: &Arc<Self>, cx: &mut Context<'_>) -> Poll<Part> {
        loop {
            let mut state = self.lock();
            if let Some(part) = state.out.next() {
                state.took();
                return Poll::Ready(part);
            }
            if state.wants_permission(|| self.endpoint.now()) {
                drop(state);
                self.ask();
                continue;
            }
            if state.hear(self.endpoint.config.keep_alive_ms, || self.endpoint.now()) {
                continue;
            }
            match &mut state.waker {
                Some(waker) => waker.clone_from(cx.waker()),
                None => state.waker = Some(cx.waker().clone()),
            }
            if let Some(then) = state.take_resumed() {
                drop(state);
                then.run();
                continue;
            }
            let Some(step) = state.follow() else { return Poll::Pending };
            drop(state);
            if !self.follow(&step) {
                return Poll::Pending;
            }
        }
    }

    pub(super) fn take_whole(&self) -> Option<(response::Parts, Vec<u8>)> {
        self.lock().out.take_whole()
    }

    pub(super) fn next_deadline(&self) -> Option<Duration> {
        let (own, conversation) = {
            let state = self.lock();
            (state.timers.next(), state.conversation())
        };
        let due = match conversation {
            None => own?,
            Some(conversation) => {
                let due = own.unwrap_or(u64::MAX).min(conversation.next_due());
                Some(due).filter(|due| *due != u64::MAX)?
            }
        };
        Some(Duration::from_millis(due.saturating_sub(self.endpoint.now())))
    }

    pub(super) fn tick(self: &Arc<Self>) {
        let now = self.endpoint.now();
        let conversation = self.lock().conversation();
        if let Some(conversation) = conversation {
            conversation.tick(&self.endpoint, now);
        }
        loop {
            let due = self.lock().timers.take_due(now);
            match due {
                None => return,
                Some(Timer::Door) => self.undecided(),
                Some(Timer::Body) => self.late(),
                Some(Timer::Call) => self.time_out(),
                Some(Timer::Queue) => self.unstarted(),
                Some(Timer::Quiet) => self.quiet(now),
                Some(Timer::Life) => self.end_stream(),
                Some(Timer::Expiry) => self.expire(now),
                Some(Timer::Again) => self.ask_again(now),
            }
        }
    }

    /// The client is gone.
    pub(super) fn hang_up(&self) {
        let (phase, waker) = {
            let mut state = self.lock();
            let waker = (state.waker.take(), state.take_resumed());
            state.out.cut();
            (state.finish(), waker)
        };
        drop(waker);
        self.left(phase, CancelReason::Closed);
    }

    /// The server closes everything.
    pub(in super::super) fn close(&self, reason: CancelReason) {
        let phase = self.act(|state| {
            // A session says itself what becomes of those who wait for it.
            if !matches!(state.phase, Phase::Calling(_) | Phase::Listening(_)) {
                return Phase::Over;
            }
            let phase = state.finish();
            match &phase {
                Phase::Calling(call) => {
                    self.say(state, call.refuse(&answer::busy("The server was stopped.")));
                }
                Phase::Asked
                | Phase::Reading(_)
                | Phase::Serving
                | Phase::Listening(_)
                | Phase::Following(_)
                | Phase::Over => {
                    state.out.cut();
                }
            }
            phase
        });
        self.left(phase, reason);
    }

    /// Cleans up behind a phase that did not end by itself.
    fn left(&self, phase: Phase, reason: CancelReason) {
        match phase {
            Phase::Calling(call) => self.abandon(&call, reason),
            Phase::Listening(listening) => self.leave(&listening.listener),
            Phase::Following(following) => self.unfollow(&following),
            Phase::Reading(reading) => {
                self.leave_readers(&reading);
                self.release();
            }
            Phase::Asked | Phase::Serving => self.release(),
            Phase::Over => {}
        }
    }

    /// Gives back what the exchange held of the endpoint.
    pub(in super::super) fn release(&self) {
        if self.drawn.load(Ordering::Relaxed) > 0 {
            self.endpoint.budget.give_back(self.drawn.swap(0, Ordering::Relaxed));
        }
        if self.seated.load(Ordering::Relaxed) && self.seated.swap(false, Ordering::Relaxed) {
            self.endpoint.calls.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Answers without a JSON-RPC message.
    pub(super) fn refuse(&self, state: &mut State, refused: Refused) {
        let (status, headers, text) = refused.response();
        self.whole(state, status, headers, text);
    }

    /// Answers with a whole body and ends.
    pub(super) fn whole(
        &self,
        state: &mut State,
        status: StatusCode,
        mut headers: HeaderMap,
        mut body: Vec<u8>,
    ) {
        let is_told = self.measured || self.head.method == Method::HEAD;
        if is_told && status != StatusCode::NO_CONTENT && !headers.contains_key(CONTENT_LENGTH) {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        }
        self.close_behind(state, &mut headers);
        if self.head.method == Method::HEAD {
            body = Vec::new();
        }
        self.readable(state, &mut headers);
        state.out.whole(answer::head(status, headers), body);
        state.finish();
    }

    /// What was not read of the request must not be taken for the next one.
    fn close_behind(&self, state: &State, headers: &mut HeaderMap) {
        if state.unread && self.head.version < Version::HTTP_2 {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
    }

    /// Lets a page of an allowed origin read the answer.
    fn readable(&self, state: &State, headers: &mut HeaderMap) {
        if state.page {
            cors::apply(&self.head.headers, headers);
        }
    }

    /// From now on, the answer is a stream of events.
    pub(super) fn commit(&self, state: &mut State) {
        if !state.out.streaming {
            let mut headers = answer::event_headers();
            self.close_behind(state, &mut headers);
            self.readable(state, &mut headers);
            state.out.stream(answer::head(StatusCode::OK, headers));
        }
    }

    /// Sends the response and ends.
    pub(super) fn say(&self, state: &mut State, outgoing: Outgoing) {
        if state.out.streaming {
            state.out.event(&outgoing.text);
            state.out.close();
            state.finish();
            return;
        }
        let mut headers = answer::json_headers();
        match &outgoing.about {
            About::Busy => answer::retry_soon(&mut headers),
            About::Scopes(missing) => {
                headers.insert(WWW_AUTHENTICATE, answer::scope_challenge(&self.endpoint, missing));
            }
            About::Code | About::Meta => {}
        }
        self.whole(state, status::of(&outgoing), headers, outgoing.text);
    }
}

impl State {
    pub(super) fn take_waker(&mut self) -> Option<Waker> {
        self.waker.take()
    }

    fn is_ready(&self) -> bool {
        self.out.is_ready() || self.has_news()
    }

    /// Ends what was going on. Returns it.
    pub(super) fn finish(&mut self) -> Phase {
        self.timers.clear();
        std::mem::replace(&mut self.phase, Phase::Over)
    }
}

impl Outlet for Shared {
    fn server(&self) -> &Arc<ServerInner> {
        &self.endpoint.server
    }

    fn caller(&self) -> &Arc<Caller> {
        self.caller.get().unwrap_or(&self.endpoint.anyone)
    }

    fn notify(&self, exchange: &Exchange, message: Vec<u8>) -> bool {
        self.tell(exchange, &message)
    }

    fn reply(&self, exchange: &Exchange, message: Outgoing) -> bool {
        self.answered(exchange, message)
    }

    fn released(&self) {
        self.release();
    }

    fn wake(&self, listener: &Arc<Listener>) {
        self.news(listener);
    }

    fn evict(&self, listener: &Arc<Listener>) {
        if self.is_listening(listener) {
            self.end_stream();
        }
    }

    fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        let seen = self.endpoint.call_headers.iter().any(|seen| seen.as_str().eq_ignore_ascii_case(name));
        if seen {
            joined(&self.head.headers, name)
        } else {
            None
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.release();
    }
}
