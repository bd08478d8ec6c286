//! The connection-less door for hosts that must not wait: one modern message in, its response later.

use super::handle::{receive, Received};
use super::outlet::{Exchange, Outlet};
use super::peer::number;
use crate::call::{Call, State};
use crate::caller::Caller;
use crate::dispatch::Job;
use crate::error::Result;
use crate::host::CancelReason;
use crate::jsonrpc::{ErrorBody, Outgoing};
use crate::protocol::wire::code;
use crate::server::Inner;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

type Answer = Box<dyn FnOnce(Option<Vec<u8>>) + Send>;

/// Where the one response goes. Notifications have nowhere to go and are dropped.
struct Envelope {
    server: Arc<Inner>,
    caller: Arc<Caller>,
    answer: Mutex<Option<Answer>>,
}

impl Envelope {
    fn take(&self) -> Option<Answer> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Outlet for Envelope {
    fn server(&self) -> &Arc<Inner> {
        &self.server
    }

    fn caller(&self) -> &Arc<Caller> {
        &self.caller
    }

    fn notify(&self, _: &Exchange, _: Vec<u8>) -> bool {
        true
    }

    fn reply(&self, _: &Exchange, message: Outgoing) -> bool {
        let Some(answer) = self.take() else { return false };
        answer(Some(message.text));
        true
    }
}

/// A message that [`crate::Server::begin`] took and the host has not answered yet. Dropping it changes nothing.
pub struct Pending {
    state: Arc<State>,
    envelope: Arc<Envelope>,
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("number", &self.state.number()).finish_non_exhaustive()
    }
}

impl Pending {
    /// How long the call may take by the configuration or by its item: call [`Pending::time_out`] then.
    pub fn timeout(&self) -> Option<Duration> {
        Some(self.state.timeout_ms()).filter(|timeout| *timeout > 0).map(Duration::from_millis)
    }

    /// Its time is over: the call is cancelled and the client told so. Without effect once it was answered.
    pub fn time_out(&self) {
        if let Some(answer) = self.end(CancelReason::Timeout) {
            let error = ErrorBody::new(code::INTERNAL_ERROR, "The call took too long.");
            answer(Some(self.state.refuse(&error).text));
        }
    }

    /// Nobody waits for the response any more: the call is cancelled, nothing is answered.
    pub fn cancel(&self, reason: CancelReason) {
        drop(self.end(reason));
    }

    fn end(&self, reason: CancelReason) -> Option<Answer> {
        if !self.state.end(reason) {
            return None;
        }
        if self.state.started() {
            self.envelope.server.tell_cancelled(self.state.number(), reason);
        }
        self.envelope.take()
    }
}

/// Serves one message. See [`crate::Server::begin`].
pub(crate) fn begin(
    server: &Arc<Inner>,
    caller: &Arc<Caller>,
    message: Vec<u8>,
    answer: Answer,
) -> Result<Option<Pending>> {
    let envelope = Arc::new(Envelope {
        server: Arc::clone(server),
        caller: Arc::clone(caller),
        answer: Mutex::new(Some(answer)),
    });
    let (prepared, key) = match receive(Arc::clone(&envelope) as Arc<dyn Outlet>, message)? {
        Received::Answered(response) => {
            if let Some(answer) = envelope.take() {
                answer(response);
            }
            return Ok(None);
        }
        Received::Call(prepared, key) => (prepared, key),
    };
    let exchange = Exchange { key, number: number(server) };
    let state = Arc::new(State::new(prepared, exchange));
    server.dispatch(Job::Call(Call::new(Arc::clone(&state))));
    Ok(Some(Pending { state, envelope }))
}
