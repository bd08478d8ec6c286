//! One session as HTTP knows it: its streams, its requests, and whose it is.

use super::super::config::HttpConfig;
use super::super::exchange::Shared;
use super::channel::{Channel, End, EventId, Pulled, Say, STANDALONE};
use super::ledger::{Effect, Ledger, Slot, Terms, Work, NEVER};
use crate::caller::Caller;
use crate::engine::{Session, Stream};
use crate::host::CancelReason;
use crate::jsonrpc::ErrorBody;
use crate::server::Inner as ServerInner;
use arc_swap::ArcSwapOption;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// How long a session is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Until it is ended or its client has been away for too long.
    Kept,
    /// For one POST: its client cannot come back.
    Passing,
    /// As long as its one stream (HTTP+SSE of 2024-11-05).
    Streamed,
}

pub(crate) struct Conversation {
    /// Empty if nobody can name it.
    id: String,
    kind: Kind,
    owner_key: String,
    principal: String,
    session: ArcSwapOption<Session>,
    ledger: Mutex<Ledger>,
    /// Counts the sessions of the endpoint.
    pub(super) life: u64,
    /// When its client was heard of last, on the environment's clock.
    last_used: AtomicU64,
    /// When it was saved last.
    pub(super) last_saved: AtomicU64,
    me: Weak<Conversation>,
}

/// Nothing is kept of what followed the event that a client saw last.
#[derive(Debug)]
pub(crate) struct Forgotten;

impl Conversation {
    pub(super) fn new(
        id: String,
        kind: Kind,
        caller: &Caller,
        config: &HttpConfig,
        life: u64,
        now: u64,
    ) -> Arc<Self> {
        let terms = Terms {
            replay: if kind == Kind::Kept { config.session_replay_bytes } else { 0 },
            primes: false,
            retry: config.retry_ms,
            // Enough to tell the lives of one session apart.
            life: u32::try_from(life & u64::from(u32::MAX)).unwrap_or_default(),
        };
        Arc::new_cyclic(|me| Self {
            id,
            kind,
            owner_key: caller.owner_key().to_owned(),
            principal: caller.principal().to_owned(),
            session: ArcSwapOption::empty(),
            ledger: Mutex::new(Ledger::new(terms)),
            life,
            last_used: AtomicU64::new(now),
            last_saved: AtomicU64::new(now),
            me: Weak::clone(me),
        })
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn owner(&self) -> (&str, &str) {
        (&self.owner_key, &self.principal)
    }

    /// What `initialize` agreed on last, if it was asked.
    pub(crate) fn session(&self) -> Option<Arc<Session>> {
        self.session.load_full()
    }

    pub(crate) fn stream(&self) -> Weak<dyn Stream> {
        Weak::clone(&self.me) as Weak<dyn Stream>
    }

    /// `initialize` was answered.
    pub(crate) fn adopt(&self, session: Arc<Session>) {
        self.lock().terms.primes = session.revision().has_polling();
        self.session.store(Some(session));
    }

    /// Whether this caller opened it.
    pub(crate) fn belongs_to(&self, caller: &Caller) -> bool {
        self.owner_key == caller.owner_key() && self.principal == caller.principal()
    }

    pub(crate) fn touch(&self, now: u64) {
        self.last_used.fetch_max(now, Ordering::Relaxed);
    }

    /// Since when its client has been away; none while it reads a stream or waits for an answer.
    pub(super) fn away_since(&self) -> Option<u64> {
        let ledger = self.lock();
        let is_there = ledger.channels.values().any(Channel::has_reader);
        (!is_there).then(|| self.last_used.load(Ordering::Relaxed))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.lock().ended
    }

    /// Opens the stream for what belongs to no request, instead of whoever read it, or goes on behind `last`.
    ///
    /// # Errors
    /// What followed `last` is not kept any more.
    pub(crate) fn attach(&self, reader: &Arc<Shared>, last: Option<EventId>) -> Result<u64, Forgotten> {
        let replaced = {
            let mut ledger = self.lock();
            let terms = ledger.terms;
            if ledger.ended {
                return Err(Forgotten);
            }
            let number = last.map_or(STANDALONE, |last| last.channel);
            let known = last.filter(|last| last.life == terms.life);
            let channel = ledger.channels.get_mut(&number).ok_or(Forgotten)?;
            match (number, known) {
                (STANDALONE, Some(last)) => channel.rewind_as_far_as_it_goes(last.event),
                // Of another process, or the first time: what changed since is told.
                (STANDALONE, None) => {}
                (_, Some(last)) if channel.streaming && channel.rewind(last.event) => {}
                (_, Some(_) | None) => return Err(Forgotten),
            }
            let replaced = channel.attach(reader);
            if last.is_none() && terms.primes && terms.replay > 0 {
                ledger.append(number, &Say::Prime(terms.retry));
            }
            (replaced, number)
        };
        let (replaced, number) = replaced;
        // A client that was cut off comes back before this side has noticed: the last one to come is the one.
        if let Some(replaced) = replaced.filter(|replaced| !Arc::ptr_eq(replaced, reader)) {
            replaced.send_away();
        }
        Ok(number)
    }

    pub(crate) fn open_stream(&self, reader: &Arc<Shared>, first: Vec<u8>) {
        let mut ledger = self.lock();
        if let Some(channel) = ledger.channels.get_mut(&STANDALONE) {
            channel.attach(reader);
        }
        ledger.append_raw(STANDALONE, first);
    }

    /// One event for the reader of a channel.
    pub(crate) fn pull(&self, channel: u64, reader: &Shared) -> Pulled {
        let session = self.session.load();
        let news = || session.as_ref().map(|session| session.take()).unwrap_or_default();
        self.lock().pull(channel, reader, news)
    }

    /// Whether the channel streams, and whether something waits there to be read.
    pub(crate) fn is_waiting(&self, channel: u64) -> bool {
        let news =
            channel == STANDALONE && self.session.load().as_ref().is_some_and(|session| session.has_news());
        let ledger = self.lock();
        ledger
            .channels
            .get(&channel)
            .is_some_and(|channel| channel.streaming && (news || !channel.is_read_out()))
    }

    /// The channel has been quiet for long: its client is told that it lives. False if it streams already.
    pub(crate) fn begin_stream(&self, channel: u64) -> bool {
        let effect = {
            let mut ledger = self.lock();
            let streams = ledger.channels.get(&channel).is_some_and(|channel| channel.streaming);
            if streams || !ledger.commit(channel) {
                return false;
            }
            ledger.nudge(channel)
        };
        effect.run();
        true
    }

    /// The reader is gone. What it read goes on, unless the session was there for it.
    pub(crate) fn detach(&self, server: &ServerInner, channel: u64, reader: &Shared, now: u64) {
        {
            let mut ledger = self.lock();
            match ledger.channels.get_mut(&channel) {
                Some(channel) if channel.is_read_by(reader) => channel.detach(),
                Some(_) | None => return,
            }
            ledger.trim();
        }
        self.touch(now);
        match self.kind {
            Kind::Kept => {}
            Kind::Passing | Kind::Streamed => self.end(server, CancelReason::Closed, None),
        }
    }

    /// Ends everything: calls are cancelled, what waits for an answer is told `why`.
    pub(crate) fn end(&self, server: &ServerInner, reason: CancelReason, why: Option<&ErrorBody>) {
        let mut effects = Vec::new();
        let slots = {
            let mut ledger = self.lock();
            if std::mem::replace(&mut ledger.ended, true) {
                return;
            }
            let slots = std::mem::take(&mut ledger.slots);
            for slot in slots.values() {
                let refusal = why.map(|why| slot.call().refuse(why));
                effects.push(ledger.respond(slot.channel, refusal));
            }
            for channel in ledger.channels.values_mut() {
                channel.end = End::Closed;
                effects.extend(channel.reader().map(Effect::Nudge));
            }
            slots
        };
        for slot in slots.into_values() {
            slot.abandon(server, reason);
        }
        if let Some(session) = self.session() {
            server.hub.remove_session(&session);
        }
        effects.into_iter().for_each(Effect::run);
    }

    /// Nothing new is begun: the stream for what belongs to no request ends when its client has read what there is.
    pub(crate) fn end_gracefully(&self) {
        let effect = {
            let mut ledger = self.lock();
            ledger.ending = true;
            let owes = self.kind == Kind::Streamed && !ledger.slots.is_empty();
            match ledger.channels.get_mut(&STANDALONE) {
                Some(channel) if !owes => channel.end = End::Closed,
                Some(_) | None => {}
            }
            ledger.nudge(STANDALONE)
        };
        effect.run();
    }

    /// Those who read its streams.
    pub(crate) fn readers(&self) -> Vec<Arc<Shared>> {
        self.lock().channels.values().filter_map(Channel::reader).collect()
    }

    /// When something is due next.
    pub(crate) fn next_due(&self) -> u64 {
        self.lock().slots.values().map(Slot::due).min().unwrap_or(NEVER)
    }
}

impl Stream for Conversation {
    fn wake(&self, session: &Session) {
        let current = self.session.load();
        if current.as_ref().is_some_and(|current| std::ptr::eq(Arc::as_ptr(current), session)) {
            let effect = self.lock().nudge(STANDALONE);
            effect.run();
        }
    }
}

impl Slot {
    pub(super) fn call(&self) -> &Arc<crate::call::State> {
        match &self.work {
            Work::Call(call) => call,
            Work::Inquiry(inquiry) => inquiry.call(),
        }
    }

    pub(super) fn due(&self) -> u64 {
        let queue = if self.call().started() { NEVER } else { self.queue_due };
        self.due.min(queue)
    }

    /// Nobody waits for it any more.
    pub(super) fn abandon(self, server: &ServerInner, reason: CancelReason) {
        match &self.work {
            Work::Call(call) => {
                if call.end(reason) && call.started() {
                    server.tell_cancelled(call.number(), reason);
                }
            }
            Work::Inquiry(inquiry) => drop(inquiry.forget()),
        }
    }
}
