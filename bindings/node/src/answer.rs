//! What JavaScript does with a call.
//!
//! Answers are gathered and given all at once by `flush`, at the end of a turn: whoever waits for them on another thread
//! is woken once, not for each. Why one was not sent is in the log.

use crate::engine::Engine;
use crate::error::{invalid, Result};
use mcpcore_engine::json::quote;
use mcpcore_engine::{Call, LogLevel};
use napi::bindgen_prelude::Buffer;
use napi_derive::napi;
use std::time::Duration;

/// How a call ends.
pub(crate) enum Finish {
    Text(String),
    Blob(Buffer, Option<String>),
    Json(String),
    /// Structured content, which stands in a text block too.
    Structured(String),
    Fail(String),
    Reject(i32, String, Option<String>),
    Input(String, Option<String>),
    Fault(String),
}

impl Finish {
    fn apply(self, call: Call) -> mcpcore_engine::Result<()> {
        match self {
            Self::Text(text) => call.complete_text(&text),
            Self::Blob(data, mime_type) => call.complete_blob(&data, mime_type.as_deref()),
            Self::Json(json) => call.complete_json(&json),
            Self::Structured(json) => {
                let text = quote(&json);
                let head = r#"{"content":[{"type":"text","text":"#;
                call.complete_json(&[head, &text, r#"}],"structuredContent":"#, &json, "}"].concat())
            }
            Self::Fail(message) => call.fail(&message),
            Self::Reject(code, message, data) => call.reject(code, &message, data.as_deref()),
            Self::Input(requests, state) => call.require_input(&requests, state.as_deref()),
            Self::Fault(details) => call.fault(&details),
        }
    }
}

impl Engine {
    /// Takes a call off the shelf, to be answered by `flush`.
    fn finish(&self, place: u32, finish: Finish) {
        let call = self.shelf.borrow_mut().take(place);
        if let Some(call) = call {
            self.answers.borrow_mut().push((call, finish));
        }
    }

    pub(crate) fn give_answers(&self) {
        let answers = std::mem::take(&mut *self.answers.borrow_mut());
        for (call, finish) in answers {
            // What cannot be sent is over, or has been answered as a fault that the log tells.
            let _ = finish.apply(call);
        }
    }
}

#[napi]
impl Engine {
    /// Gives every answer that was gathered.
    #[napi]
    pub fn flush(&self) {
        self.give_answers();
    }

    /// Answers with text.
    #[napi]
    pub fn complete_text(&self, place: u32, text: String) {
        self.finish(place, Finish::Text(text));
    }

    /// Answers with bytes.
    #[napi]
    pub fn complete_blob(&self, place: u32, data: Buffer, mime_type: Option<String>) {
        self.finish(place, Finish::Blob(data, mime_type));
    }

    /// Answers with a whole result in the protocol's shape.
    #[napi]
    pub fn complete_json(&self, place: u32, json: String) {
        self.finish(place, Finish::Json(json));
    }

    /// Answers with structured content, which stands in a text block too.
    #[napi]
    pub fn complete_structured(&self, place: u32, json: String) {
        self.finish(place, Finish::Structured(json));
    }

    /// Tells the model that it failed.
    #[napi]
    pub fn fail(&self, place: u32, message: String) {
        self.finish(place, Finish::Fail(message));
    }

    /// Refuses with a JSON-RPC error.
    #[napi]
    pub fn reject(&self, place: u32, code: i32, message: String, data: Option<String>) {
        self.finish(place, Finish::Reject(code, message, data));
    }

    /// Asks the client first.
    #[napi]
    pub fn require_input(&self, place: u32, requests: String, state: Option<String>) {
        self.finish(place, Finish::Input(requests, state));
    }

    /// The handler failed for a reason that only the log tells.
    #[napi]
    pub fn fault(&self, place: u32, details: String) {
        self.finish(place, Finish::Fault(details));
    }

    /// Lets go of a call unanswered, at once.
    #[napi]
    pub fn forget(&self, place: u32) {
        let call = self.shelf.borrow_mut().take(place);
        drop(call);
    }

    /// Ends the stream on which a call is to be answered; 0: the client comes back when the endpoint says.
    #[napi]
    pub fn close_stream(&self, place: u32, retry_ms: f64) -> Result<()> {
        let retry = Duration::try_from_secs_f64(retry_ms / 1000.0)
            .ok()
            .and_then(|time| u64::try_from(time.as_millis()).ok())
            .ok_or_else(|| invalid("retryMs: must be a time of 0 or more"))?;
        if let Some(call) = self.shelf.borrow().get(place) {
            call.close_stream(retry);
        }
        Ok(())
    }

    /// Reports progress; false once the call has ended.
    #[napi]
    pub fn progress(
        &self,
        place: u32,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Result<bool> {
        if !progress.is_finite() || total.is_some_and(|total| !total.is_finite()) {
            return Err(invalid("progress and total must be finite numbers"));
        }
        let calls = self.shelf.borrow();
        Ok(calls.get(place).is_some_and(|call| call.progress(progress, total, message.as_deref()).is_ok()))
    }

    /// Sends a log line to the client; false once the call has ended, or where logging is not offered.
    #[napi]
    pub fn log(&self, place: u32, level: String, logger: Option<String>, data: String) -> Result<bool> {
        let Some(level) = LogLevel::read(&level) else {
            let words = LogLevel::ALL.map(LogLevel::as_str).join(", ");
            return Err(invalid(format!("level: must be one of {words}, not {level:?}")));
        };
        let calls = self.shelf.borrow();
        Ok(calls.get(place).is_some_and(|call| call.log(level, logger.as_deref(), &data).is_ok()))
    }
}
