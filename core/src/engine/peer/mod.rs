//! What the engine remembers for one stdio-like peer: ids in flight, calls that wait, subscriptions, what is to be
//! written. [`super::connection::Connection`] is its handle; calls and listeners refer to it as their [`Outlet`].

mod calls;
mod ledger;
mod sessions;
mod subscriptions;

use super::connection::Output;
use super::hub::Listener;
use super::outlet::{Exchange, Outlet};
use super::route::{cancelled_id, route, Step};
use super::session::{Inquiry, Session};
use crate::call::State as CallState;
use crate::caller::Caller;
use crate::host::CancelReason;
use crate::jsonrpc::{read, ErrorBody, IdKey, Inbound, Message, Outgoing};
use crate::protocol::wire::code;
use crate::protocol::LogLevel;
use crate::server::{Door, Inner};
use crate::stdio::lines::Line;
use arc_swap::ArcSwapOption;
use ledger::{Ledger, Slot};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// While so many bytes wait to be written, no further call is started and no change is told.
const HIGH_WATER: usize = 1 << 20;
/// Messages of calls that wait their turn may take so many bytes before reading stops.
const MOST_WAITING: usize = 64 << 20;
/// Output that nobody reads may take so many bytes before reading stops.
const MOST_UNREAD: usize = 16 << 20;
/// Output gathered while one chunk is received is handed over at the latest when it has grown to this.
const BATCH: usize = 64 << 10;

pub(crate) struct Peer {
    server: Arc<Inner>,
    caller: Arc<Caller>,
    output: Box<dyn Output>,
    /// Handed to calls and listeners.
    me: Weak<Peer>,
    ledger: Mutex<Ledger>,
    /// The session that `initialize` opened last.
    session: ArcSwapOption<Session>,
    settled: Condvar,
    /// Exchanges that were open when one was last added: none, and no id can stand twice.
    open: AtomicUsize,
}

thread_local! {
    /// The connection that this thread is receiving for (its address), so that what is said meanwhile goes out in one
    /// batch.
    static RECEIVING: Cell<usize> = const { Cell::new(0) };
}

/// The next exchange number of the server.
pub(crate) fn number(server: &Inner) -> u64 {
    server.numbers.fetch_add(1, Ordering::Relaxed) + 1
}

impl Peer {
    pub(super) fn new(server: &Arc<Inner>, caller: Arc<Caller>, output: Box<dyn Output>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self {
            server: Arc::clone(server),
            caller,
            output,
            me: Weak::clone(me),
            ledger: Mutex::default(),
            session: ArcSwapOption::empty(),
            settled: Condvar::new(),
            open: AtomicUsize::new(0),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gathers what is said while `work` runs on this thread, and hands it over in one batch.
    pub(super) fn while_receiving(&self, work: impl FnOnce()) {
        let outer = RECEIVING.replace(std::ptr::from_ref(self) as usize);
        work();
        RECEIVING.set(outer);
        self.flush();
    }

    /// Tells the door of a deadline that it cannot know of.
    fn hurry(&self, due: Option<u64>) {
        if due.is_some() && !self.is_receiving() {
            self.output.hurry();
        }
    }

    fn is_receiving(&self) -> bool {
        RECEIVING.get() == std::ptr::from_ref(self) as usize
    }

    pub(super) fn wants_input(&self) -> bool {
        let unread = self.output.backlog();
        let state = self.lock();
        state.waiting_bytes < MOST_WAITING && state.out.len() + unread < MOST_UNREAD
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Serves one line.
    pub(super) fn line(&self, line: Line) {
        match line {
            Line::TooLong => {
                let limit = self.server.config.max_message_bytes;
                self.server.log(LogLevel::Warning, &format!("a message over {limit} bytes was dropped"));
                let why = format!("The message is longer than {limit} bytes.");
                let refusal = Outgoing::error(None, &ErrorBody::new(code::INVALID_REQUEST, why));
                self.respond(None, &self.identified(refusal));
            }
            Line::Whole(bytes) => {
                let length = bytes.len();
                match read(bytes) {
                    Ok(Inbound::Request(message)) => self.request(message, None),
                    Ok(Inbound::Notification(message)) => self.notification(&message),
                    Ok(Inbound::Response(response)) => self.response(response),
                    Ok(Inbound::Batch(batch)) => self.batch(&batch),
                    Err(refusal) => self.refused(length, refusal),
                }
            }
        }
    }

    fn refused(&self, length: usize, refusal: Outgoing) {
        let sent = refusal.code.unwrap_or_default();
        // Never the text itself: it may hold anything.
        self.server.log(LogLevel::Notice, &format!("a line of {length} bytes is no message ({sent})"));
        if sent != code::PARSE_ERROR || self.server.config.answer_parse_errors {
            self.respond(None, &self.identified(refusal));
        }
    }

    /// Says a response, or gathers it in its batch.
    fn respond(&self, batch: Option<u64>, outgoing: &Outgoing) {
        let mut state = self.lock();
        if !state.closed {
            state.respond(batch, &outgoing.text);
        }
        let full = state.out.len() >= BATCH;
        drop(state);
        self.flush_if(full);
    }

    fn notification(&self, message: &Message) {
        let Some(key) = cancelled_id(message) else {
            if let Some(session) = self.session.load().as_ref() {
                session.notified(message);
            }
            return;
        };
        let reason = message.params().and_then(|params| params.get("reason")?.as_str());
        let removed = {
            let mut state = self.lock();
            let removed = state.remove(&key, None);
            state.skip(removed.as_ref().and_then(Slot::batch));
            removed
        };
        match removed {
            Some(Slot::Call { state, .. }) => {
                self.server
                    .log(LogLevel::Debug, &format!("call {} was cancelled: {reason:?}", state.number()));
                self.end_call(&state, CancelReason::Client);
            }
            Some(Slot::Inquiry { inquiry, .. }) => {
                let cancellations = inquiry.forget();
                let mut state = self.lock();
                for cancellation in cancellations {
                    state.say(&cancellation);
                }
                drop(state);
                self.settled.notify_all();
            }
            Some(Slot::Listener(listener)) => self.server.hub.remove(listener.exchange.number),
            None => {}
        }
        self.flush_if(false);
    }

    fn is_open(&self, key: &IdKey) -> bool {
        let state = self.lock();
        self.open.store(state.exchanges.len(), Ordering::Relaxed);
        state.exchanges.contains_key(key)
    }

    fn request(&self, message: Message, batch: Option<u64>) {
        let Some(key) = message.id_key().cloned() else { return };
        if self.open.load(Ordering::Relaxed) > 0 && self.is_open(&key) {
            let why = "A request with this id is still being served.";
            return self.respond(batch, &message.error(&ErrorBody::new(code::INVALID_REQUEST, why)));
        }
        if self.server.is_stopping() {
            let why = "The server is shutting down.";
            return self.respond(batch, &message.error(&ErrorBody::new(code::INTERNAL_ERROR, why)));
        }
        let Some(me) = self.me.upgrade() else { return };
        let me = me as Arc<dyn Outlet>;
        if batch.is_some() {
            // Only the revision that has batches is spoken in one.
            return self.legacy(me, message, key, batch);
        }
        match route(me, message) {
            Step::Reply(outgoing) => self.respond(None, &outgoing),
            Step::Call(prepared) => self.call(prepared, key, None),
            Step::Listen(prepared) => self.listen(*prepared, key),
            Step::Legacy(me, message) => self.legacy(me, message, key, None),
        }
    }

    /// Calls that were not answered yet.
    pub(crate) fn owed(&self) -> usize {
        self.lock().owed
    }

    pub(crate) fn close(&self, reason: CancelReason) {
        let (exchanges, waiting) = {
            let mut state = self.lock();
            state.closed = true;
            state.owed = 0;
            state.inquiries = 0;
            state.deadlines.clear();
            state.queued.clear();
            state.waiting_bytes = 0;
            (std::mem::take(&mut state.exchanges), std::mem::take(&mut state.waiting))
        };
        for (_, slot) in exchanges {
            match slot {
                Slot::Call { state, .. } => self.end_call(&state, reason),
                Slot::Inquiry { inquiry, .. } => drop(inquiry.forget()),
                Slot::Listener(listener) => self.server.hub.remove(listener.exchange.number),
            }
        }
        drop(waiting);
        self.settled.notify_all();
        self.flush();
    }

    fn flush_if(&self, full: bool) {
        if full || !self.is_receiving() {
            self.flush();
        }
    }

    /// Hands what was said to the output, in order, one thread at a time, under no lock.
    pub(super) fn flush(&self) {
        let mut batch = Vec::new();
        let mut state = self.lock();
        if state.draining {
            return;
        }
        state.draining = true;
        loop {
            if state.out.is_empty() {
                // The warm buffer is kept, unless something huge went through it.
                if batch.capacity() <= 4 * BATCH {
                    state.out = batch;
                }
                state.draining = false;
                if state.drainers > 0 {
                    self.settled.notify_all();
                }
                return;
            }
            batch.clear();
            std::mem::swap(&mut batch, &mut state.out);
            drop(state);
            self.output.write(&batch);
            batch.clear();
            state = self.lock();
        }
    }
}

impl Door for Peer {
    fn end_gracefully(&self) {
        Self::end_gracefully(self);
    }

    fn drain(&self, timeout: Duration) -> bool {
        Self::drain(self, timeout)
    }

    fn owed(&self) -> usize {
        Self::owed(self)
    }

    fn close(&self, reason: CancelReason) {
        Self::close(self, reason);
    }
}

impl Outlet for Peer {
    fn server(&self) -> &Arc<Inner> {
        &self.server
    }

    fn caller(&self) -> &Arc<Caller> {
        &self.caller
    }

    fn notify(&self, exchange: &Exchange, message: Vec<u8>) -> bool {
        let mut state = self.lock();
        if state.exchanges.get(&exchange.key).is_none_or(|slot| slot.number() != exchange.number) {
            return false;
        }
        state.say(&message);
        drop(state);
        // Progress is worth nothing late: it does not wait for the end of the batch.
        self.flush();
        true
    }

    fn reply(&self, exchange: &Exchange, message: Outgoing) -> bool {
        let mut state = self.lock();
        let Some(slot) = state.remove(&exchange.key, Some(exchange.number)) else {
            return false;
        };
        // What is answered has come back. Where others wait, they are started when the host has let go of it.
        if !state.held && slot.come_back() {
            state.running = state.running.saturating_sub(1);
        }
        if state.exchanges.is_empty() {
            self.open.store(0, Ordering::Relaxed);
        }
        state.respond(slot.batch(), &message.text);
        let full = state.out.len() >= BATCH;
        drop(state);
        message.recycle();
        self.flush_if(full);
        true
    }

    fn ask(&self, exchange: &Exchange, inquiry: &Arc<Inquiry>, questions: Vec<Vec<u8>>) -> bool {
        self.inquire(exchange, inquiry, &questions)
    }

    fn again(&self, exchange: &Exchange, call: &Arc<CallState>) -> bool {
        self.next_round(exchange, call)
    }

    fn released(&self) {
        let mut state = self.lock();
        state.running = state.running.saturating_sub(1);
        let waited = std::mem::take(&mut state.held);
        drop(state);
        if waited {
            self.start();
        }
    }

    fn evict(&self, listener: &Arc<Listener>) {
        self.evict_listener(listener.exchange.number);
    }

    fn wake(&self, listener: &Arc<Listener>) {
        let mut state = self.lock();
        let open = state.exchanges.get(&listener.exchange.key);
        if open.is_none_or(|slot| slot.number() != listener.exchange.number) {
            return;
        }
        // With a slow reader it stays noted, and `resume` comes back to it.
        if state.out.len() + self.output.backlog() >= HIGH_WATER {
            return;
        }
        for message in listener.take() {
            state.say(&message);
        }
        drop(state);
        self.flush_if(false);
    }
}
