//! What a call and its door share, and who ends it first.

use crate::engine::{Exchange, Governor, Outlet, Prepared};
use crate::error::{Error, ErrorKind, Result};
use crate::host::CancelReason;
use crate::jsonrpc::{ErrorBody, IdKey, Outgoing};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Nobody has ended the call yet.
pub(super) const OPEN: u8 = 0;
/// The host has answered.
const ANSWERED: u8 = 1;
/// Phases from here on are `ENDED` plus a [`CancelReason`].
const ENDED: u8 = 16;

/// What a call and its door share.
pub(crate) struct State {
    pub(super) prepared: Prepared,
    pub(super) exchange: Exchange,
    pub(super) phase: AtomicU8,
    pub(super) started: AtomicBool,
    /// Whether the outlet waits for the call to come back.
    pub(super) counted: AtomicBool,
    /// Made when progress is reported, as few calls do.
    pub(super) governor: OnceLock<Box<Mutex<Governor>>>,
    /// `arguments` of a completion, rendered when somebody asks.
    pub(super) completion: OnceLock<String>,
}

impl State {
    pub(crate) fn new(prepared: Prepared, exchange: Exchange) -> Self {
        Self {
            prepared,
            exchange,
            phase: AtomicU8::new(OPEN),
            started: AtomicBool::new(false),
            counted: AtomicBool::new(false),
            governor: OnceLock::new(),
            completion: OnceLock::new(),
        }
    }

    pub(super) fn outlet(&self) -> &dyn Outlet {
        &*self.prepared.request.outlet
    }

    pub(crate) fn number(&self) -> u64 {
        self.exchange.number
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
        let settings = self.prepared.item.settings(&self.prepared.snapshot.catalog);
        settings.timeout_ms.unwrap_or(self.prepared.request.server().config.call_timeout_ms)
    }

    /// Ends the call without its answer. True if it was open; then the host is to be told, if it has the call.
    pub(crate) fn end(&self, reason: CancelReason) -> bool {
        self.claim(ENDED + reason as u8)
    }

    pub(crate) fn refuse(&self, error: &ErrorBody) -> Outgoing {
        self.prepared.request.message.error(error)
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
        if !self.claim(ANSWERED) {
            return Err(self.gone());
        }
        if let Some(governor) = self.governor.get() {
            let held = governor.lock().unwrap_or_else(PoisonError::into_inner).finish();
            if let Some(progress) = held {
                self.outlet().notify(&self.exchange, progress);
            }
        }
        if self.outlet().reply(&self.exchange, outgoing) {
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
