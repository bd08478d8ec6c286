//! The ways in: one message at a time, and standard input and output.

use crate::caller::{self, CallerInit};
use crate::engine::Engine;
use crate::error::{invalid, thrown, told, word, Result};
use crate::inbox::{Event, Inbox};
use mcpcore_engine::{CancelReason, Error};
use napi::bindgen_prelude::{Buffer, Either};
use napi_derive::napi;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

#[napi]
impl Engine {
    /// One message in; its response comes out of `take`. The time-out of the call in ms if it waits for one, -1 if it
    /// waits without, none if it was answered.
    #[napi]
    pub fn begin(
        &self,
        ticket: u32,
        message: Either<String, Buffer>,
        caller: Option<CallerInit>,
    ) -> Result<Option<f64>> {
        let caller = caller::read(caller)?;
        let message = match message {
            Either::A(text) => text.into_bytes(),
            Either::B(bytes) => bytes.to_vec(),
        };
        let inbox = Arc::clone(&self.bridge.inbox);
        let answer = move |text| inbox.push(Event::Response { ticket, text });
        let pending = self.server.begin(&caller, message, answer).map_err(|error| thrown(&error))?;
        Ok(pending.map(|pending| {
            let timeout = pending.timeout();
            self.pending.borrow_mut().insert(ticket, pending);
            timeout.map_or(-1.0, |timeout| timeout.as_secs_f64() * 1000.0)
        }))
    }

    /// A message was answered: it is no longer kept.
    #[napi]
    pub fn settled(&self, ticket: u32) {
        drop(self.pending.borrow_mut().remove(&ticket));
    }

    /// The time of a message is over.
    #[napi]
    pub fn time_out(&self, ticket: u32) {
        let pending = self.pending.borrow_mut().remove(&ticket);
        if let Some(pending) = pending {
            pending.time_out();
        }
    }

    /// Nobody waits for the response to a message any more.
    #[napi]
    pub fn cancel(&self, ticket: u32, stopped: bool) {
        let pending = self.pending.borrow_mut().remove(&ticket);
        if let Some(pending) = pending {
            pending.cancel(if stopped { CancelReason::Stopped } else { CancelReason::Client });
        }
    }

    /// Serves standard input and output on a thread of its own until they end.
    #[napi]
    pub fn serve_stdio(&self, ticket: u32) -> Result<()> {
        let server = self.server.clone();
        self.aside(ticket, "mcpcore-stdio", move || mcpcore_engine::serve_stdio(&server))
    }

    /// Stops the server: calls in flight have `timeout_ms` to end.
    #[napi]
    pub fn stop(&self, ticket: u32, timeout_ms: f64) -> Result<()> {
        let timeout = Duration::try_from_secs_f64(timeout_ms / 1000.0)
            .map_err(|_| invalid("timeoutMs: must be a time of 0 or more"))?;
        let server = self.server.clone();
        self.aside(ticket, "mcpcore-stop", move || server.stop(timeout))
    }
}

impl Engine {
    /// Runs `work` on a thread of its own; its end comes out of `take`.
    pub(crate) fn aside(
        &self,
        ticket: u32,
        name: &str,
        work: impl FnOnce() -> std::result::Result<(), Error> + Send + 'static,
    ) -> Result<()> {
        let inbox: Arc<Inbox> = Arc::clone(&self.bridge.inbox);
        let run = move || {
            let error = work().err().map(|error| (word(error.kind()), told(&error)));
            inbox.push(Event::Ended { ticket, error });
        };
        match thread::Builder::new().name(name.to_owned()).spawn(run) {
            Ok(_) => Ok(()),
            Err(error) => Err(invalid(format!("no thread could be started: {error}"))),
        }
    }
}
