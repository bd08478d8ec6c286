//! What a store of sessions has to say, without a thread of a driver that waits for it.

use super::super::answer::Refused;
use super::super::sessions::{Absent, Conversation};
use super::legacy::{Lost, SESSION_ID};
use super::shared::{Phase, Shared, State};
use crate::config::Dispatch;
use crate::dispatch::Job;
use crate::engine::Outlet;
use std::sync::Arc;

/// What goes on when the store has answered. Dropped without that, its client is answered all the same.
pub(super) struct Then {
    shared: Arc<Shared>,
    work: Work,
}

type Rest = Box<dyn FnOnce(&Arc<Shared>) + Send>;

enum Work {
    /// The store has not answered.
    Awaited,
    Due(Rest),
    Done,
}

impl Then {
    pub(super) fn run(mut self) {
        if let Work::Due(work) = std::mem::replace(&mut self.work, Work::Done) {
            work(&self.shared);
        }
    }
}

impl Drop for Then {
    fn drop(&mut self) {
        if !matches!(self.work, Work::Done) {
            self.shared.refuse_message(Refused::Failed);
        }
    }
}

impl State {
    /// What is to go on now, on the thread of the driver.
    pub(super) fn take_resumed(&mut self) -> Option<Then> {
        self.resumed.take()
    }
}

impl Shared {
    /// Runs `ask`, which may block, where the store's functions run, and then `then` with what it gave.
    fn ask_store<T: Send + 'static>(
        self: &Arc<Self>,
        ask: impl FnOnce(&Arc<Self>) -> T + Send + 'static,
        then: impl FnOnce(&Arc<Self>, T) + Send + 'static,
    ) {
        let endpoint = &self.endpoint;
        if endpoint.config.session_store.is_none() {
            let answer = ask(self);
            return then(self, answer);
        }
        let me = Arc::clone(self);
        match endpoint.server.config.dispatch {
            Dispatch::Pool | Dispatch::Pump => {
                let work = Work::Due(Box::new(move |me: &Arc<Self>| {
                    let answer = ask(me);
                    then(me, answer);
                }));
                let guard = Then { shared: me, work };
                endpoint.server.dispatch(Job::Run("session store", Box::new(move || guard.run())));
            }
            Dispatch::Inline => {
                let guard = Then { shared: Arc::clone(self), work: Work::Awaited };
                endpoint.sessions.run_apart(Box::new(move || {
                    let mut guard = guard;
                    let answer = ask(&me);
                    guard.work = Work::Due(Box::new(move |me: &Arc<Self>| then(me, answer)));
                    // The rest runs the host's code, which belongs to the thread of the driver.
                    let gone = me.resume(guard);
                    // Dropped under no lock: it answers, where there is somebody to answer.
                    drop(gone);
                }));
            }
        }
    }

    /// Has the driver go on. Gives back what nobody waits for any more.
    fn resume(&self, then: Then) -> Option<Then> {
        {
            let mut state = self.lock();
            if !matches!(state.phase, Phase::Serving) {
                return Some(then);
            }
            state.resumed = Some(then);
        }
        self.nudge();
        None
    }

    /// Does `then` when the session that the request names is in memory, if it is anywhere.
    pub(super) fn with_session(self: &Arc<Self>, then: impl FnOnce(&Arc<Self>) + Send + 'static) {
        if self.endpoint.config.session_store.is_none() {
            return then(self);
        }
        let id = self.head.headers.get(&SESSION_ID).and_then(|id| id.to_str().ok());
        let id = id.filter(|id| self.endpoint.sessions.is_elsewhere(&self.endpoint, id)).map(str::to_owned);
        let Some(id) = id else { return then(self) };
        let load = move |me: &Arc<Self>| me.endpoint.sessions.load(&me.endpoint, &id, me.caller());
        self.ask_store(load, |me, loaded| match loaded {
            // Where there is none, whoever looks for it says so.
            Ok(()) | Err(Absent::Unknown) => then(me),
            Err(absent @ (Absent::Failed | Absent::Full)) => me.lose(&Lost::absent(absent), None),
        });
    }

    /// Saves a session that is new, and then does `then` with whether it could be.
    pub(super) fn save_first(
        self: &Arc<Self>,
        conversation: &Arc<Conversation>,
        then: impl FnOnce(&Arc<Self>, bool) + Send + 'static,
    ) {
        let conversation = Arc::clone(conversation);
        self.ask_store(move |me| conversation.save(&me.endpoint).is_ok(), then);
    }

    /// Forgets what was saved of a session, and then does `then`.
    pub(super) fn unsave(
        self: &Arc<Self>,
        conversation: &Arc<Conversation>,
        then: impl FnOnce(&Arc<Self>) + Send + 'static,
    ) {
        let conversation = Arc::clone(conversation);
        self.ask_store(move |me| conversation.unsave(&me.endpoint), |me, ()| then(me));
    }

    /// Saves a session if it changed. Nobody waits for it.
    pub(super) fn save(self: &Arc<Self>, conversation: &Arc<Conversation>) {
        if !conversation.wants_to_be_saved(&self.endpoint) {
            return;
        }
        let (me, conversation) = (Arc::clone(self), Arc::clone(conversation));
        let job = Box::new(move || {
            // The session goes on here; the log says what went wrong, and it is tried again.
            let _ = conversation.save(&me.endpoint);
        });
        match self.endpoint.server.config.dispatch {
            Dispatch::Pool | Dispatch::Pump => self.endpoint.server.dispatch(Job::Run("session store", job)),
            Dispatch::Inline => self.endpoint.sessions.run_apart(job),
        }
    }
}
