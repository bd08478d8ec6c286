//! What JavaScript does with a call. Each answer takes it off the shelf and says whether it was sent; why it was not is
//! in the log.

use crate::engine::Engine;
use crate::error::{invalid, Result};
use mcpcore_engine::json::quote;
use mcpcore_engine::{Call, LogLevel};
use napi::bindgen_prelude::Buffer;
use napi_derive::napi;

impl Engine {
    fn finish(&self, place: u32, answer: impl FnOnce(Call) -> mcpcore_engine::Result<()>) -> bool {
        // The shelf is free again before the engine goes on.
        let call = self.shelf.borrow_mut().take(place);
        call.is_some_and(|call| answer(call).is_ok())
    }
}

#[napi]
impl Engine {
    /// Answers with text.
    #[napi]
    pub fn complete_text(&self, place: u32, text: String) -> bool {
        self.finish(place, |call| call.complete_text(&text))
    }

    /// Answers with bytes.
    #[napi]
    pub fn complete_blob(&self, place: u32, data: Buffer, mime_type: Option<String>) -> bool {
        self.finish(place, |call| call.complete_blob(&data, mime_type.as_deref()))
    }

    /// Answers with a whole result in the protocol's shape.
    #[napi]
    pub fn complete_json(&self, place: u32, json: String) -> bool {
        self.finish(place, |call| call.complete_json(&json))
    }

    /// Answers with structured content, which stands in a text block too.
    #[napi]
    pub fn complete_structured(&self, place: u32, json: String) -> bool {
        let text = quote(&json);
        let head = r#"{"content":[{"type":"text","text":"#;
        let result = [head, &text, r#"}],"structuredContent":"#, &json, "}"].concat();
        self.finish(place, |call| call.complete_json(&result))
    }

    /// Tells the model that it failed.
    #[napi]
    pub fn fail(&self, place: u32, message: String) -> bool {
        self.finish(place, |call| call.fail(&message))
    }

    /// Refuses with a JSON-RPC error.
    #[napi]
    pub fn reject(&self, place: u32, code: i32, message: String, data: Option<String>) -> bool {
        self.finish(place, |call| call.reject(code, &message, data.as_deref()))
    }

    /// Asks the client first.
    #[napi]
    pub fn require_input(&self, place: u32, requests: String, state: Option<String>) -> bool {
        self.finish(place, |call| call.require_input(&requests, state.as_deref()))
    }

    /// The handler failed for a reason that only the log tells.
    #[napi]
    pub fn fault(&self, place: u32, details: String) -> bool {
        self.finish(place, |call| call.fault(&details))
    }

    /// Lets go of a call unanswered.
    #[napi]
    pub fn forget(&self, place: u32) {
        drop(self.shelf.borrow_mut().take(place));
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
