//! What waits for the JavaScript thread: many threads put in, one wake-up takes all out.

use crate::store::{Keeping, Wish};
use mcpcore_engine::http::Authorization;
use mcpcore_engine::{Call, CallKind, CancelReason, LogLevel};
use napi::bindgen_prelude::{Buffer, Either4, Null};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::Status;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Calls into the thread that made it; keeps no process alive.
pub(crate) type Wake = ThreadsafeFunction<(), (), (), Status, false, true, 0>;

/// One value of a row for JavaScript.
pub(crate) type Field = Either4<f64, String, Buffer, Null>;

/// How much is taken out at once, so that timers and I/O have their turn.
const MOST: usize = 512;

/// With so much waiting, further log lines and events are dropped.
const MOST_TALK: usize = 8192;

/// Something for the JavaScript thread.
pub(crate) enum Event {
    /// A call to answer.
    Call(Call),
    /// A call ended without its answer.
    Cancelled { number: u64, reason: CancelReason },
    /// A line of the log.
    Log { level: LogLevel, text: String },
    /// What happened, as JSON.
    Happened(String),
    /// The response to a message that was begun; `None`: it needs none.
    Response { ticket: u32, text: Option<Vec<u8>> },
    /// Messages of a connection, a line each.
    Output { connection: u32, text: Vec<u8> },
    /// Who may use an endpoint is asked.
    Authorize { asker: u32, question: Authorization },
    /// A store of sessions is asked.
    Keep(Keeping),
    /// An exchange has a part to take.
    Part { exchange: u32 },
    /// Something that was started has ended; with the code and the text of an error or without.
    Ended { ticket: u32, error: Option<(&'static str, String)> },
}

/// The queue of one server.
pub(crate) struct Inbox {
    events: Mutex<VecDeque<Event>>,
    wake: Wake,
}

impl Inbox {
    pub(crate) fn new(wake: Wake) -> Self {
        Self { events: Mutex::default(), wake }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts one in. The first one wakes.
    pub(crate) fn push(&self, event: Event) {
        let first = {
            let mut events = self.lock();
            // Calls are bounded by their doors; talk is not, and the thread may be busy for long.
            if events.len() >= MOST_TALK && matches!(event, Event::Log { .. } | Event::Happened(_)) {
                return;
            }
            events.push_back(event);
            events.len() == 1
        };
        if first {
            self.ring();
        }
    }

    /// Takes the oldest out, for the JavaScript thread.
    pub(crate) fn take(&self) -> VecDeque<Event> {
        let mut events = self.lock();
        if events.len() <= MOST {
            return std::mem::take(&mut *events);
        }
        let rest = events.split_off(MOST);
        let taken = std::mem::replace(&mut *events, rest);
        drop(events);
        self.ring();
        taken
    }

    fn ring(&self) {
        // Any other status than ok says that the thread is going away: nobody is left to wake.
        self.wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
    }
}

/// The words for reasons, as `call.signal.reason.code` has them.
fn reason_word(reason: CancelReason) -> &'static str {
    match reason {
        CancelReason::Client => "CANCELLED",
        CancelReason::Timeout => "TIMEOUT",
        CancelReason::Stopped => "STOPPED",
        // A connection that closed, and whatever is to come.
        _ => "CLOSED",
    }
}

/// Keeps what JavaScript is to answer, and says where.
pub(crate) trait Shelves {
    fn call(&self, call: Call) -> u32;
    fn question(&self, question: Authorization) -> u32;
    fn keeping(&self, keeping: Keeping) -> u32;
}

/// A row: its kind first. `lib/runtime.js` has the same kinds.
pub(crate) fn row(event: Event, row: &mut Vec<Field>, shelves: &impl Shelves) {
    match event {
        Event::Call(call) => {
            let kind = match call.kind() {
                CallKind::Resource => 1,
                CallKind::Prompt => 2,
                CallKind::Completion => 3,
                // Tools; the engine has no other kinds.
                _ => 0,
            };
            let (number, name) = (call.number(), call.name().to_owned());
            let arguments = call.arguments().to_owned();
            let place = shelves.call(call);
            row.extend([whole(0), whole(place), large(number), whole(kind), text(name), text(arguments)]);
        }
        Event::Cancelled { number, reason } => {
            row.extend([whole(1), large(number), word(reason_word(reason))]);
        }
        Event::Log { level, text: line } => row.extend([whole(2), word(level.as_str()), text(line)]),
        Event::Happened(json) => row.extend([whole(3), text(json)]),
        Event::Response { ticket, text } => row.extend([whole(4), whole(ticket), bytes(text)]),
        Event::Output { connection, text } => row.extend([whole(5), whole(connection), bytes(Some(text))]),
        Event::Authorize { asker, question } => {
            let (method, path) = (question.method().to_owned(), question.path().to_owned());
            let peer = question.peer().to_string();
            let place = shelves.question(question);
            row.extend([whole(7), whole(asker), whole(place), text(method), text(path), text(peer)]);
        }
        Event::Keep(mut keeping) => {
            let (keeper, id) = (keeping.keeper, std::mem::take(&mut keeping.id));
            let wish = match std::mem::replace(&mut keeping.wish, Wish::Load) {
                Wish::Load => [whole(0), null(), null()],
                Wish::Save { session, ttl_ms } => [whole(1), text(session), large(ttl_ms)],
                Wish::Delete => [whole(2), null(), null()],
            };
            row.extend([whole(9), whole(keeper), whole(shelves.keeping(keeping)), text(id)]);
            row.extend(wish);
        }
        Event::Part { exchange } => row.extend([whole(8), whole(exchange)]),
        Event::Ended { ticket, error: None } => row.extend([whole(6), whole(ticket), null(), null()]),
        Event::Ended { ticket, error: Some((code, message)) } => {
            row.extend([whole(6), whole(ticket), word(code), text(message)]);
        }
    }
}

pub(crate) fn whole(number: u32) -> Field {
    Either4::A(f64::from(number))
}

#[expect(clippy::cast_precision_loss, reason = "2^53 calls are more than a process lives to see")]
fn large(number: u64) -> Field {
    Either4::A(number as f64)
}

pub(crate) fn text(text: String) -> Field {
    Either4::B(text)
}

fn word(word: &str) -> Field {
    Either4::B(word.to_owned())
}

fn null() -> Field {
    Either4::D(Null)
}

/// What the engine wrote is UTF-8.
pub(crate) fn bytes(bytes: Option<Vec<u8>>) -> Field {
    bytes.map_or_else(null, |bytes| {
        Either4::B(
            String::from_utf8(bytes)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
        )
    })
}
