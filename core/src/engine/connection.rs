//! What the engine remembers for one stdio-like peer.

use super::hub::Listener;
use super::outlet::{Exchange, Outlet};
use super::route::{cancelled_id, route, Step};
use super::{listen, Prepared};
use crate::call::{Call, State as CallState};
use crate::caller::Caller;
use crate::config::Dispatch;
use crate::dispatch::Job;
use crate::error::{Error, ErrorKind, Result};
use crate::host::CancelReason;
use crate::jsonrpc::{read, ErrorBody, IdKey, Inbound, Message, Outgoing};
use crate::protocol::wire::code;
use crate::protocol::LogLevel;
use crate::server::{Inner, Server};
use crate::stdio::lines::{Line, Lines};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// While so many bytes wait to be written, no further call is started and no change is told.
const HIGH_WATER: usize = 1 << 20;
/// Messages of calls that wait their turn may take so many bytes before reading stops.
const MOST_WAITING: usize = 64 << 20;
/// Output gathered while one chunk is received is handed over at the latest when it has grown to this.
const BATCH: usize = 64 << 10;

/// Where a connection's messages go.
pub trait Output: Send + Sync + 'static {
    /// Takes whole messages, each ended by a newline and without one inside. Called by one thread at a time, in
    /// order, under no lock. It may keep what it cannot write yet (see [`Output::backlog`]), but must not lose it.
    fn write(&self, messages: &[u8]);

    /// Bytes that were taken and are not written yet. While they are many, no further call is started; say
    /// [`Connection::resume`] when they have become few.
    fn backlog(&self) -> usize {
        0
    }
}

/// What the engine remembers for one stdio-like peer: ids in flight, subscriptions, the revision of a legacy session.
/// Fed with bytes; messages are lines.
///
/// [`Connection::receive`] wants one thread at a time; everything else may be called from any thread. Cloning shares
/// it; dropping the last clone closes it.
#[derive(Clone)]
pub struct Connection {
    owner: Arc<Owner>,
}

/// Closes the connection when the last clone of its handle goes, though calls still refer to what is shared.
struct Owner {
    shared: Arc<Shared>,
    /// `None` while a thread is in `receive`.
    lines: Mutex<Option<Lines>>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.close(CancelReason::Closed);
    }
}

pub(crate) struct Shared {
    server: Arc<Inner>,
    caller: Arc<Caller>,
    output: Box<dyn Output>,
    /// Handed to calls and listeners.
    me: Weak<Shared>,
    state: Mutex<State>,
    settled: Condvar,
}

/// One request that has not had its response.
enum Slot {
    Call {
        state: Arc<CallState>,
        deadline: Option<u64>,
    },
    Listener(Arc<Listener>),
}

impl Slot {
    fn number(&self) -> u64 {
        match self {
            Slot::Call { state, .. } => state.number(),
            Slot::Listener(listener) => listener.exchange.number,
        }
    }
}

#[derive(Default)]
struct State {
    exchanges: HashMap<IdKey, Slot>,
    /// Calls among the exchanges.
    owed: usize,
    /// Calls that the host holds, ended ones included: they still cost something.
    running: usize,
    waiting: VecDeque<Call>,
    /// Bytes of the messages behind `waiting`.
    waiting_bytes: usize,
    /// Calls handed to the pool, oldest first, with the time until which each may wait for a thread.
    queued: VecDeque<(u64, Arc<CallState>)>,
    /// Times at which calls are over, with the number that tells equal times apart.
    deadlines: BTreeMap<(u64, u64), IdKey>,
    out: Vec<u8>,
    draining: bool,
    starting: bool,
    closed: bool,
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

impl Connection {
    /// A connection for `caller` whose messages go to `output`.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after [`Server::stop`].
    pub fn new(server: &Server, caller: Arc<Caller>, output: Box<dyn Output>) -> Result<Self> {
        let inner = &server.inner;
        if inner.is_stopping() {
            return Err(Error::new(ErrorKind::Closed, "the server was stopped"));
        }
        let shared = Arc::new_cyclic(|me| Shared {
            server: Arc::clone(inner),
            caller,
            output,
            me: Weak::clone(me),
            state: Mutex::default(),
            settled: Condvar::new(),
        });
        inner.register(&shared);
        let lines = Mutex::new(Some(Lines::new(inner.config.max_message_bytes)));
        Ok(Self {
            owner: Arc::new(Owner { shared, lines }),
        })
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.owner.shared
    }

    /// Takes the next bytes, split anywhere. Messages that they complete are served; in [`crate::Dispatch::Inline`]
    /// mode their callbacks run before this returns.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] once closed, [`ErrorKind::Busy`] while another thread (or a callback of this one) is in it.
    pub fn receive(&self, bytes: &[u8]) -> Result<()> {
        self.with_lines(|lines| {
            let mut rest = bytes;
            while let Some(line) = lines.next(&mut rest) {
                self.shared().line(line);
            }
        })
    }

    /// No more bytes will come: a last line without its newline is served, subscriptions end.
    pub fn end_input(&self) {
        // A concurrent `receive` is the caller's fault; then there is no last line to serve.
        let _ = self.with_lines(|lines| {
            if let Some(line) = lines.finish() {
                self.shared().line(line);
            }
        });
        self.shared().end_listeners(|_| true);
    }

    fn with_lines(&self, work: impl FnOnce(&mut Lines)) -> Result<()> {
        if self.shared().lock().closed {
            return Err(Error::new(ErrorKind::Closed, "the connection is closed"));
        }
        let taken = self
            .owner
            .lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let mut lines = taken.ok_or_else(|| Error::new(ErrorKind::Busy, "another thread is receiving"))?;
        let outer = RECEIVING.replace(Arc::as_ptr(self.shared()) as usize);
        work(&mut lines);
        RECEIVING.set(outer);
        *self.owner.lines.lock().unwrap_or_else(PoisonError::into_inner) = Some(lines);
        self.shared().flush();
        Ok(())
    }

    /// Calls that were not answered yet (cancelled ones not counted).
    pub fn owed(&self) -> usize {
        self.shared().lock().owed
    }

    /// Waits until nothing is owed, at most `timeout`. True when nothing is.
    pub fn drain(&self, timeout: Duration) -> bool {
        self.shared().drain(timeout)
    }

    /// How long until [`Connection::tick`] has something to do.
    pub fn next_deadline(&self) -> Option<Duration> {
        let due = self.shared().lock().next_due()?;
        let now = self.shared().server.config.environment.monotonic_ms();
        Some(Duration::from_millis(due.saturating_sub(now)))
    }

    /// Ends calls whose time is over.
    pub fn tick(&self) {
        self.shared().tick();
    }

    /// Whether more may be received. False while the calls that wait their turn take more memory than is good: reading
    /// goes on when some have been started. Cancellations are read until then.
    pub fn wants_input(&self) -> bool {
        self.shared().lock().waiting_bytes < MOST_WAITING
    }

    /// The output can take more again: waiting calls and notifications go on.
    pub fn resume(&self) {
        self.shared().resume();
    }

    /// Ends everything at once: calls are cancelled, nothing is sent any more.
    pub fn close(&self) {
        self.shared().close(CancelReason::Closed);
    }

    /// Whether it was closed, by this side or by [`Server::stop`].
    pub fn is_closed(&self) -> bool {
        self.shared().lock().closed
    }
}

impl State {
    fn next_due(&mut self) -> Option<u64> {
        self.forget_started();
        let queued = self.queued.front().map(|(due, _)| *due);
        let running = self.deadlines.keys().next().map(|(due, _)| *due);
        queued.into_iter().chain(running).min()
    }

    fn forget_started(&mut self) {
        while self.queued.front().is_some_and(|(_, call)| call.started()) {
            self.queued.pop_front();
        }
    }

    /// Takes an exchange out; `number` must be its own if given.
    fn remove(&mut self, key: &IdKey, number: Option<u64>) -> Option<Slot> {
        if number.is_some_and(|number| self.exchanges.get(key).is_none_or(|slot| slot.number() != number)) {
            return None;
        }
        let slot = self.exchanges.remove(key)?;
        if let Slot::Call { state, deadline } = &slot {
            self.owed -= 1;
            if let Some(due) = deadline {
                self.deadlines.remove(&(*due, state.number()));
            }
        }
        Some(slot)
    }

    fn say(&mut self, message: &[u8]) {
        self.out.extend_from_slice(message);
        self.out.push(b'\n');
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves one line.
    fn line(&self, line: Line) {
        match line {
            Line::TooLong => {
                let limit = self.server.config.max_message_bytes;
                self.server.log(
                    LogLevel::Warning,
                    &format!("a message over {limit} bytes was dropped"),
                );
                let why = format!("The message is longer than {limit} bytes.");
                self.say(&Outgoing::error(
                    None,
                    &ErrorBody::new(code::INVALID_REQUEST, why),
                ));
            }
            Line::Whole(bytes) => {
                let length = bytes.len();
                match read(bytes) {
                    Ok(Inbound::Request(message)) => self.request(message),
                    Ok(Inbound::Notification(message)) => self.notification(&message),
                    Ok(Inbound::Response(_)) => {
                        self.server
                            .log(LogLevel::Notice, "a response was sent where none is awaited");
                    }
                    Err(refusal) => self.refused(length, &refusal),
                }
            }
        }
    }

    fn refused(&self, length: usize, refusal: &Outgoing) {
        let sent = refusal.code.unwrap_or_default();
        // Never the text itself: it may hold anything.
        self.server.log(
            LogLevel::Notice,
            &format!("a line of {length} bytes is no message ({sent})"),
        );
        if sent != code::PARSE_ERROR || self.server.config.answer_parse_errors {
            self.say(refusal);
        }
    }

    fn say(&self, outgoing: &Outgoing) {
        let mut state = self.lock();
        if !state.closed {
            state.say(&outgoing.text);
        }
        let full = state.out.len() >= BATCH;
        drop(state);
        self.flush_if(full);
    }

    fn notification(&self, message: &Message) {
        let Some(key) = cancelled_id(message) else { return };
        let reason = message.params().and_then(|params| params.get("reason")?.as_str());
        let removed = self.lock().remove(&key, None);
        match removed {
            Some(Slot::Call { state, .. }) => {
                self.server.log(
                    LogLevel::Debug,
                    &format!("call {} was cancelled: {reason:?}", state.number()),
                );
                self.end_call(&state, CancelReason::Client);
            }
            Some(Slot::Listener(listener)) => self.server.hub.remove(listener.exchange.number),
            None => {}
        }
    }

    fn end_call(&self, call: &CallState, reason: CancelReason) {
        if call.end(reason) && call.started() {
            self.server.tell_cancelled(call.number(), reason);
        }
        self.settled.notify_all();
    }

    fn request(&self, message: Message) {
        let Some(key) = message.id_key() else { return };
        if self.lock().exchanges.contains_key(&key) {
            let why = "A request with this id is still being served.";
            return self.say(&message.error(&ErrorBody::new(code::INVALID_REQUEST, why)));
        }
        if self.server.is_stopping() {
            let why = "The server is shutting down.";
            return self.say(&message.error(&ErrorBody::new(code::INTERNAL_ERROR, why)));
        }
        match route(&self.server, &self.caller, message) {
            Step::Reply(outgoing) => self.say(&outgoing),
            Step::Call(prepared) => self.call(*prepared, key),
            Step::Listen(prepared) => self.listen(*prepared, key),
        }
    }

    fn call(&self, prepared: Prepared, key: IdKey) {
        let Some(me) = self.me.upgrade() else { return };
        let exchange = Exchange {
            key: key.clone(),
            number: number(&self.server),
        };
        let call = Arc::new(CallState::new(prepared, exchange, me as Arc<dyn Outlet>));
        let deadline = match call.timeout_ms() {
            0 => None,
            timeout => Some(
                self.server
                    .config
                    .environment
                    .monotonic_ms()
                    .saturating_add(timeout),
            ),
        };
        {
            let mut state = self.lock();
            if state.closed {
                return;
            }
            if let Some(due) = deadline {
                state.deadlines.insert((due, call.number()), key.clone());
            }
            state.exchanges.insert(
                key,
                Slot::Call {
                    state: Arc::clone(&call),
                    deadline,
                },
            );
            state.owed += 1;
            let call = Call::new(call);
            state.waiting_bytes += call.message_bytes();
            state.waiting.push_back(call);
        }
        self.start();
    }

    /// Hands waiting calls to the host while there is room. One thread at a time does it: a call that is answered
    /// inside its callback makes room for the next without growing the stack.
    fn start(&self) {
        loop {
            let call = {
                let mut state = self.lock();
                let room = state.running < self.server.config.max_calls;
                let clear = state.out.len() + self.output.backlog() < HIGH_WATER;
                if state.starting || !room || !clear {
                    return;
                }
                let Some(call) = state.waiting.pop_front() else {
                    return;
                };
                state.waiting_bytes -= call.message_bytes();
                state.running += 1;
                state.starting = true;
                call
            };
            self.hand_over(call);
            self.lock().starting = false;
        }
    }

    fn hand_over(&self, call: Call) {
        // A worker that feeds a connection of its own server waits for the answer: another worker may never be free.
        if RECEIVING.get() == std::ptr::from_ref(self) as usize && self.server.dispatcher.in_worker() {
            return self.server.dispatcher.run_here(Job::Call(call));
        }
        let wait = self.server.config.pool_wait_ms;
        if self.server.config.dispatch == Dispatch::Pool && wait > 0 {
            let due = self.server.config.environment.monotonic_ms().saturating_add(wait);
            let mut state = self.lock();
            state.forget_started();
            state.queued.push_back((due, call.shared()));
        }
        self.server.dispatch(Job::Call(call));
    }

    fn listen(&self, prepared: listen::Prepared, key: IdKey) {
        let listen::Prepared { request, filter } = prepared;
        let dead = filter.is_empty();
        let exchange = Exchange {
            key: key.clone(),
            number: number(&self.server),
        };
        let outlet: Weak<dyn Outlet> = Weak::clone(&self.me) as Weak<dyn Outlet>;
        let listener = Arc::new(Listener::new(
            exchange,
            request.message.id(),
            filter,
            Arc::clone(&self.caller),
            outlet,
        ));
        let mut state = self.lock();
        let open = state
            .exchanges
            .values()
            .filter(|slot| matches!(slot, Slot::Listener(_)))
            .count();
        let most = self.server.config.max_subscriptions;
        if open >= most {
            drop(state);
            let why = format!("Too many subscriptions: at most {most} are open at once.");
            return self.say(&request.message.error(&ErrorBody::new(code::INTERNAL_ERROR, why)));
        }
        if state.closed {
            return;
        }
        // The acknowledgement is the subscription's first message: a change that is told while this lock is held
        // comes behind it, and none that happens from now on is lost.
        state.say(&listener.acknowledgement());
        if dead {
            let result = listener.result(&self.server.info);
            let end = Outgoing::result(listener.id(), result.len(), |out| out.extend_from_slice(&result));
            state.say(&end.text);
        } else {
            state.exchanges.insert(key, Slot::Listener(Arc::clone(&listener)));
            self.server.hub.add(listener);
        }
        drop(state);
        self.flush_if(false);
    }

    /// Ends subscriptions gracefully: each gets its result.
    fn end_listeners(&self, which: impl Fn(&Listener) -> bool) {
        let mut state = self.lock();
        let keys: Vec<IdKey> = state
            .exchanges
            .iter()
            .filter(|(_, slot)| matches!(slot, Slot::Listener(listener) if which(listener)))
            .map(|(key, _)| key.clone())
            .collect();
        let mut ended = Vec::new();
        for key in keys {
            if let Some(Slot::Listener(listener)) = state.remove(&key, None) {
                let result = listener.result(&self.server.info);
                let end = Outgoing::result(listener.id(), result.len(), |out| out.extend_from_slice(&result));
                state.say(&end.text);
                ended.push(listener.exchange.number);
            }
        }
        drop(state);
        ended
            .into_iter()
            .for_each(|number| self.server.hub.remove(number));
        self.flush_if(false);
    }

    /// Ends subscriptions of a caller who lost the right to them: told as a cancellation, not as a result.
    pub(crate) fn evict_listeners(&self, which: impl Fn(&Listener) -> bool) {
        let mut state = self.lock();
        let keys: Vec<IdKey> = state
            .exchanges
            .iter()
            .filter(|(_, slot)| matches!(slot, Slot::Listener(listener) if which(listener)))
            .map(|(key, _)| key.clone())
            .collect();
        let mut ended = Vec::new();
        for key in keys {
            if let Some(Slot::Listener(listener)) = state.remove(&key, None) {
                let head =
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":";
                state.say(format!("{head}{}}}}}", listener.id()).as_bytes());
                ended.push(listener.exchange.number);
            }
        }
        drop(state);
        ended
            .into_iter()
            .for_each(|number| self.server.hub.remove(number));
        self.flush_if(false);
    }

    pub(crate) fn drain(&self, timeout: Duration) -> bool {
        let until = Instant::now().checked_add(timeout);
        let mut state = self.lock();
        while state.owed > 0 && !state.closed {
            let left = match until {
                Some(until) => match until.checked_duration_since(Instant::now()) {
                    Some(left) => left,
                    None => return false,
                },
                None => timeout,
            };
            // Deadlines of calls pass while we wait.
            let step = left.min(Duration::from_millis(100));
            state = self
                .settled
                .wait_timeout(state, step)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            drop(state);
            self.tick();
            state = self.lock();
        }
        state.owed == 0
    }

    fn tick(&self) {
        let now = self.server.config.environment.monotonic_ms();
        loop {
            let mut state = self.lock();
            state.forget_started();
            let late = match state.deadlines.first_key_value() {
                Some(((due, number), key)) if *due <= now => Some((key.clone(), *number)),
                Some(_) | None => None,
            };
            let (slot, error) = match late {
                Some((key, number)) => {
                    state.deadlines.pop_first();
                    (state.remove(&key, Some(number)), "The call took too long.")
                }
                None => match state.queued.front() {
                    Some((due, _)) if *due <= now => match state.queued.pop_front() {
                        Some((_, call)) => {
                            let key = call.key().clone();
                            (
                                state.remove(&key, Some(call.number())),
                                "The server is busy: no thread was free in time.",
                            )
                        }
                        None => return,
                    },
                    Some(_) | None => return,
                },
            };
            if let Some(Slot::Call { state: call, .. }) = slot {
                state.say(&call.refuse(&ErrorBody::new(code::INTERNAL_ERROR, error)).text);
                drop(state);
                self.end_call(&call, CancelReason::Timeout);
                self.flush_if(false);
            }
        }
    }

    fn resume(&self) {
        let listeners: Vec<Arc<Listener>> = self
            .lock()
            .exchanges
            .values()
            .filter_map(|slot| match slot {
                Slot::Listener(listener) => Some(Arc::clone(listener)),
                Slot::Call { .. } => None,
            })
            .collect();
        for listener in listeners {
            self.wake(&listener);
        }
        self.start();
    }

    /// Calls that were not answered yet.
    pub(crate) fn owed(&self) -> usize {
        self.lock().owed
    }

    pub(crate) fn end_gracefully(&self) {
        self.end_listeners(|_| true);
    }

    pub(crate) fn close(&self, reason: CancelReason) {
        let (exchanges, waiting) = {
            let mut state = self.lock();
            state.closed = true;
            state.owed = 0;
            state.deadlines.clear();
            state.queued.clear();
            state.waiting_bytes = 0;
            (
                std::mem::take(&mut state.exchanges),
                std::mem::take(&mut state.waiting),
            )
        };
        for (_, slot) in exchanges {
            match slot {
                Slot::Call { state, .. } => self.end_call(&state, reason),
                Slot::Listener(listener) => self.server.hub.remove(listener.exchange.number),
            }
        }
        drop(waiting);
        self.settled.notify_all();
        self.flush();
    }

    fn flush_if(&self, full: bool) {
        if full || RECEIVING.get() != std::ptr::from_ref(self) as usize {
            self.flush();
        }
    }

    /// Hands what was said to the output, in order, one thread at a time, under no lock.
    fn flush(&self) {
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

impl Outlet for Shared {
    fn notify(&self, exchange: &Exchange, message: Vec<u8>) -> bool {
        let mut state = self.lock();
        if state
            .exchanges
            .get(&exchange.key)
            .is_none_or(|slot| slot.number() != exchange.number)
        {
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
        if state.remove(&exchange.key, Some(exchange.number)).is_none() {
            return false;
        }
        state.say(&message.text);
        let full = state.out.len() >= BATCH;
        let settled = state.owed == 0;
        drop(state);
        self.flush_if(full);
        if settled {
            self.settled.notify_all();
        }
        true
    }

    fn released(&self) {
        let mut state = self.lock();
        state.running = state.running.saturating_sub(1);
        let more = !state.waiting.is_empty();
        drop(state);
        if more {
            self.start();
        }
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
