//! What a call and its door share, and who ends it first.

use crate::engine::{Exchange, Governor, Inquiry, Outlet, Prepared, Rounds};
use crate::error::{Error, ErrorKind, Result};
use crate::host::CancelReason;
use crate::jsonrpc::{ErrorBody, IdKey, Outgoing};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Nobody has ended the call yet.
pub(super) const OPEN: u8 = 0;
/// The host has answered.
const ANSWERED: u8 = 1;
/// Phases from here on are `ENDED` plus a [`CancelReason`].
const ENDED: u8 = 16;

/// What a call is about.
#[expect(
    clippy::large_enum_variant,
    reason = "most are the large one, and a box more would cost each of them"
)]
enum Subject {
    First(Prepared),
    /// A later round of the same request, in a session.
    Later {
        before: Arc<State>,
        rounds: Rounds,
    },
}

/// What a call and its door share.
pub(crate) struct State {
    subject: Subject,
    pub(super) exchange: Exchange,
    pub(super) phase: AtomicU8,
    pub(super) started: AtomicBool,
    /// Whether the outlet waits for the call to come back.
    pub(super) counted: AtomicBool,
    /// Made when progress is reported, as few calls do.
    pub(super) governor: OnceLock<Box<Mutex<Governor>>>,
    /// `arguments` of a completion, rendered when somebody asks.
    pub(super) completion: OnceLock<String>,
    /// `_meta` in a session, with what the session knows.
    pub(super) meta: OnceLock<String>,
}

impl State {
    pub(crate) fn new(prepared: Prepared, exchange: Exchange) -> Self {
        Self::about(Subject::First(prepared), exchange)
    }

    /// The next round of `before`; `number` is its own.
    pub(crate) fn later(before: &Arc<State>, rounds: Rounds, number: u64) -> Self {
        // All rounds look at the first one, so that however many there are, one step leads there.
        let first = match &before.subject {
            Subject::First(_) => before,
            Subject::Later { before, .. } => before,
        };
        let exchange = Exchange { key: before.exchange.key.clone(), number };
        Self::about(Subject::Later { before: Arc::clone(first), rounds }, exchange)
    }

    fn about(subject: Subject, exchange: Exchange) -> Self {
        Self {
            subject,
            exchange,
            phase: AtomicU8::new(OPEN),
            started: AtomicBool::new(false),
            counted: AtomicBool::new(false),
            governor: OnceLock::new(),
            completion: OnceLock::new(),
            meta: OnceLock::new(),
        }
    }

    pub(crate) fn prepared(&self) -> &Prepared {
        match &self.subject {
            Subject::First(prepared) => prepared,
            Subject::Later { before, .. } => before.prepared(),
        }
    }

    /// The rounds before this one.
    pub(crate) fn rounds(&self) -> &Rounds {
        match &self.subject {
            Subject::First(prepared) => &prepared.rounds,
            Subject::Later { rounds, .. } => rounds,
        }
    }

    pub(crate) fn number(&self) -> u64 {
        self.exchange.number
    }

    pub(crate) fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    pub(crate) fn outlet(&self) -> &dyn Outlet {
        &*self.prepared().request.outlet
    }

    pub(crate) fn key(&self) -> &IdKey {
        &self.exchange.key
    }

    /// Whether the host has been handed the call.
    pub(crate) fn started(&self) -> bool {
        self.started.load(Ordering::Acquire)
    }

    /// Whether the outlet waited for the call to come back, which it no longer does. Only who answers asks.
    pub(crate) fn come_back(&self) -> bool {
        let counted = self.counted.load(Ordering::Acquire);
        self.counted.store(false, Ordering::Release);
        counted
    }

    /// How long the host may take, in ms; 0: for ever.
    pub(crate) fn timeout_ms(&self) -> u64 {
        let prepared = self.prepared();
        let settings = prepared.item.settings(&prepared.snapshot.catalog);
        settings.timeout_ms.unwrap_or(prepared.request.server().config.call_timeout_ms)
    }

    /// Ends the call without its answer. True if it was open; then the host is to be told, if it has the call.
    pub(crate) fn end(&self, reason: CancelReason) -> bool {
        self.claim(ENDED + reason as u8)
    }

    pub(crate) fn refuse(&self, error: &ErrorBody) -> Outgoing {
        self.prepared().request.message.error(error)
    }

    pub(super) fn claim(&self, phase: u8) -> bool {
        self.phase.compare_exchange(OPEN, phase, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    pub(super) fn ended(&self) -> Option<CancelReason> {
        match self.phase.load(Ordering::Acquire).checked_sub(ENDED)? {
            1 => Some(CancelReason::Client),
            2 => Some(CancelReason::Timeout),
            3 => Some(CancelReason::Closed),
            _ => Some(CancelReason::Stopped),
        }
    }

    /// Sends the response, after the last progress if that was held back.
    pub(super) fn deliver(&self, outgoing: Outgoing) -> Result<()> {
        self.finish(|| self.outlet().reply(&self.exchange, outgoing))
    }

    /// Asks the client; this round is over, and the exchange waits.
    pub(super) fn ask(&self, inquiry: &Arc<Inquiry>, questions: Vec<Vec<u8>>) -> Result<()> {
        self.finish(|| {
            if questions.is_empty() {
                // Only a state was kept: nobody needs to be waited for.
                inquiry.resume()
            } else {
                self.outlet().ask(&self.exchange, inquiry, questions)
            }
        })
    }

    fn finish(&self, end: impl FnOnce() -> bool) -> Result<()> {
        if !self.claim(ANSWERED) {
            return Err(self.gone());
        }
        if let Some(governor) = self.governor.get() {
            let held = governor.lock().unwrap_or_else(PoisonError::into_inner).finish();
            if let Some(progress) = held {
                self.outlet().notify(&self.exchange, progress);
            }
        }
        if end() {
            Ok(())
        } else {
            Err(self.gone())
        }
    }

    pub(super) fn gone(&self) -> Error {
        match (self.ended(), self.phase.load(Ordering::Acquire)) {
            (Some(reason), _) => Error::new(ErrorKind::Gone, format!("nothing was sent: {reason}")),
            (None, ANSWERED) => Error::new(ErrorKind::Gone, "nothing was sent: the exchange is over"),
            (None, _) => Error::new(ErrorKind::Answered, "the call was answered before"),
        }
    }
}
