//! The connection-less door: one modern message in, its response out, on the calling thread.

use super::outlet::{Exchange, Outlet};
use super::peer::number;
use super::route::{route, Prepared, Step};
use super::session;
use crate::call::{Call, State};
use crate::caller::Caller;
use crate::dispatch::Job;
use crate::error::{Error, ErrorKind, Result};
use crate::host::CancelReason;
use crate::jsonrpc::{read, refuse_batch, ErrorBody, IdKey, Inbound, Outgoing};
use crate::protocol::wire::code;
use crate::server::Inner;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Holds the one response until the waiting thread takes it. Notifications have nowhere to go and are dropped.
struct Slot {
    server: Arc<Inner>,
    caller: Arc<Caller>,
    place: Mutex<Place>,
    arrived: Condvar,
}

#[derive(Default)]
struct Place {
    response: Option<Outgoing>,
    /// Whether somebody waits already: most calls are answered before, and waking nobody costs a system call.
    awaited: bool,
}

impl Outlet for Slot {
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
        let mut place = self.lock();
        place.response = Some(message);
        if place.awaited {
            self.arrived.notify_one();
        }
        true
    }
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(&self, timeout: Option<Duration>) -> Option<Outgoing> {
        let mut place = self.lock();
        if let Some(response) = place.response.take() {
            return Some(response);
        }
        let until = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        place.awaited = true;
        loop {
            place = match until {
                None => self.arrived.wait(place).unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let left = until.checked_duration_since(Instant::now())?;
                    self.arrived.wait_timeout(place, left).unwrap_or_else(PoisonError::into_inner).0
                }
            };
            if let Some(response) = place.response.take() {
                return Some(response);
            }
        }
    }
}

/// What became of a message.
#[expect(
    clippy::large_enum_variant,
    reason = "moved once, into the state of the call: a box would cost more"
)]
pub(super) enum Received {
    /// Its response; `None` for a notification.
    Answered(Option<Vec<u8>>),
    /// The host has to answer it.
    Call(Prepared, IdKey),
}

/// Reads one message, and answers what needs no host.
pub(super) fn receive(outlet: Arc<dyn Outlet>, message: Vec<u8>) -> Result<Received> {
    let server = outlet.server();
    if server.is_stopping() {
        return Err(Error::new(ErrorKind::Closed, "the server was stopped"));
    }
    let answered = |outgoing: Outgoing| Ok(Received::Answered(Some(outgoing.text)));
    let limit = server.config.max_message_bytes;
    if message.len() > limit {
        let why = format!("The message has {} bytes, over the limit of {limit}.", message.len());
        return answered(Outgoing::error(None, &ErrorBody::new(code::INVALID_REQUEST, why)));
    }
    let request = match read(message) {
        Ok(Inbound::Request(request)) => request,
        Ok(Inbound::Notification(_)) => return Ok(Received::Answered(None)),
        Ok(Inbound::Response(_)) => {
            let why = "A response was sent where none is awaited.";
            return answered(Outgoing::error(None, &ErrorBody::new(code::INVALID_REQUEST, why)));
        }
        Ok(Inbound::Batch(_)) => return answered(refuse_batch()),
        Err(refusal) => return answered(refusal),
    };
    let key = request.id_key().cloned();
    match (route(outlet, request), key) {
        (Step::Reply(outgoing), _) => answered(outgoing),
        (Step::Call(prepared), Some(key)) => Ok(Received::Call(prepared, key)),
        (Step::Listen(prepared), _) => {
            let error = ErrorBody::new(code::METHOD_NOT_FOUND, "Subscriptions need a connection.");
            answered(prepared.request.message.error(&error))
        }
        (Step::Legacy(outlet, message), _) => answered(session::refuse(outlet.server(), &message, true)),
        // A request has an id; `read` saw to it.
        (Step::Call(_), None) => Err(Error::new(ErrorKind::Internal, "a request without an id")),
    }
}

/// Serves one message. See [`crate::Server::handle`].
pub(crate) fn handle(
    server: &Arc<Inner>,
    caller: &Arc<Caller>,
    message: &[u8],
    timeout: Option<Duration>,
) -> Result<Option<Vec<u8>>> {
    let slot = Arc::new(Slot {
        server: Arc::clone(server),
        caller: Arc::clone(caller),
        place: Mutex::default(),
        arrived: Condvar::new(),
    });
    let (prepared, key) = match receive(Arc::clone(&slot) as Arc<dyn Outlet>, message.to_vec())? {
        Received::Answered(response) => return Ok(response),
        Received::Call(prepared, key) => (prepared, key),
    };
    let exchange = Exchange { key, number: number(server) };
    let state = Arc::new(State::new(prepared, exchange));
    let timeout = match state.timeout_ms() {
        0 => timeout,
        own => {
            Some(timeout.map_or(Duration::from_millis(own), |given| given.min(Duration::from_millis(own))))
        }
    };
    server.dispatcher.run_here(Job::Call(Call::new(Arc::clone(&state))));
    if let Some(response) = slot.wait(timeout) {
        return Ok(Some(response.text));
    }
    if state.end(CancelReason::Timeout) {
        server.tell_cancelled(state.number(), CancelReason::Timeout);
        return Err(Error::new(ErrorKind::Timeout, "the call was not answered in time"));
    }
    // It was answered while the time ran out: the response is there, or about to be.
    slot.wait(None)
        .map(|response| Some(response.text))
        .ok_or_else(|| Error::new(ErrorKind::Timeout, "the call was not answered in time"))
}
