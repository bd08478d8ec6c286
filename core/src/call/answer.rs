//! Ending a call: with an answer, a refusal, or a question.

use super::Call;
use crate::engine::{parse_host, Answer, Input};
use crate::error::{Error, ErrorKind, Result};
use crate::json::{push_compact, Parsed};
use crate::jsonrpc::{ErrorBody, Outgoing};
use crate::protocol::wire::code;
use crate::protocol::{check_error_code, check_error_data, LogLevel};

impl Call {
    /// Answers with text: a tool's text block, a resource's text, a prompt's one user message, a completion's values,
    /// a line each.
    ///
    /// # Errors
    /// Of every answering function: [`ErrorKind::Gone`] if nothing can be sent any more, [`ErrorKind::InvalidJson`]
    /// for an answer that may not be sent (the client gets -32603, the log the details).
    pub fn complete_text(self, text: &str) -> Result<()> {
        self.answer(text.len(), &Answer::Text(text))
    }

    /// Answers with bytes: a resource's blob, or a tool's image or audio block (`mime_type` says which).
    pub fn complete_blob(self, data: &[u8], mime_type: Option<&str>) -> Result<()> {
        self.answer(data.len() / 3 * 4, &Answer::Blob(data, mime_type))
    }

    /// Answers with a whole result in the protocol's own shape. `resultType`, `ttlMs`, `cacheScope` and the server's
    /// identity are added.
    pub fn complete_json(self, result: &str) -> Result<()> {
        match parse_host(result) {
            Ok(parsed) => {
                if parsed.surrogates() {
                    let name = self.name();
                    let line = format!("the result of {name:?} has half a surrogate pair, sent as U+FFFD");
                    self.prepared().request.server().log(LogLevel::Warning, &line);
                }
                self.answer(result.len(), &Answer::Json(parsed.root()))
            }
            Err(why) => Err(self.broken(&why)),
        }
    }

    /// Tells the model that it failed: a tool result with `isError: true`; for other kinds the error -32603.
    pub fn fail(self, message: &str) -> Result<()> {
        self.answer(message.len(), &Answer::Fail(message))
    }

    /// The host's own code failed, for a reason that is not for the client: `details` go to the log under an id, and the
    /// client gets that id, in a tool result with `isError: true` or, for other kinds, in the error -32603.
    pub fn fault(self, details: &str) -> Result<()> {
        let line = format!("{} {:?}: {details}", self.kind().as_str(), self.name());
        let id = self.prepared().request.server().log_masked(&line);
        let what = self.kind().as_str();
        self.fail(&format!("The {what} failed for a reason that only the server's log tells (log id {id})."))
    }

    /// Refuses with a JSON-RPC error; `data` is any JSON. Codes that the protocol reserves for itself become -32603.
    pub fn reject(self, code: i32, message: &str, data: Option<&str>) -> Result<()> {
        let data = match data.map(parse_host).transpose() {
            Ok(data) => data,
            Err(why) => return Err(self.broken(&format!("data: {why}"))),
        };
        let allowed = check_error_code(code, self.revision());
        if let Err(fault) = check_error_data(allowed.code, data.as_ref().map(Parsed::root)) {
            return Err(self.broken(&format!("data of error {code}: {fault}")));
        }
        let data = data.map(|data| {
            let mut out = Vec::new();
            push_compact(&mut out, data.root());
            String::from_utf8(out).unwrap_or_default()
        });
        if let Some(why) = allowed.rewritten {
            let line = format!("error code {code} was sent as {}: {why}", allowed.code);
            self.prepared().request.server().log(LogLevel::Warning, &line);
        }
        let error = ErrorBody { data, ..ErrorBody::new(allowed.code, message.to_owned()) };
        let outgoing = self.state.refuse(&error);
        self.finish("reject", outgoing)
    }

    /// Asks the user (or the client's model, or its roots) first: `requests` is an object of key to
    /// `{"method":…,"params":…}`, `state` comes back in the next round. The call is over; the next round is a new call,
    /// which begins from the top: what ran before the question runs again. A client of 2026-07-28 sends it with the
    /// answers; in a session the client is asked while its request waits, at most [`crate::Config::input_timeout_ms`].
    ///
    /// # Errors
    /// As of every answering function; also [`ErrorKind::InvalidArgument`] for what the client did not declare (it gets
    /// -32021: ask [`Call::client_supports`] first) and for completions, which cannot ask.
    pub fn require_input(self, requests: &str, state: Option<&str>) -> Result<()> {
        let parsed = match parse_host(requests) {
            Ok(parsed) => parsed,
            Err(why) => return Err(self.broken(&format!("requests: {why}"))),
        };
        match crate::engine::require_input(&self.state, parsed.root(), state) {
            Ok(Input::Ask(inquiry)) => {
                let questions = inquiry.begin(parsed.root());
                let asked = self.state.ask(&inquiry, questions);
                if asked.is_err() {
                    inquiry.forget();
                }
                self.report(if asked.is_ok() { "input" } else { "late" });
                asked
            }
            Ok(Input::Reply(outgoing)) if outgoing.code.is_some() => {
                let why = "the client did not declare what was asked for; it got -32021";
                self.finish("input", outgoing)?;
                Err(Error::new(ErrorKind::InvalidArgument, why))
            }
            Ok(Input::Reply(outgoing)) => self.finish("input", outgoing),
            Err(why) => Err(self.broken(&why)),
        }
    }

    fn answer(self, size: usize, answer: &Answer<'_>) -> Result<()> {
        let limit = self.prepared().request.server().config.max_result_bytes;
        if size > limit {
            return Err(self.broken(&format!("the result has {size} bytes, over max_result_bytes {limit}")));
        }
        match answer.render(self.prepared()) {
            Ok(outgoing) => {
                let outcome = if matches!(answer, Answer::Fail(_)) { "fail" } else { "complete" };
                self.finish(outcome, outgoing)
            }
            Err(why) => Err(self.broken(&why)),
        }
    }

    pub(super) fn finish(&self, outcome: &'static str, outgoing: Outgoing) -> Result<()> {
        let delivered = self.state.deliver(outgoing);
        self.report(if delivered.is_ok() { outcome } else { "late" });
        delivered
    }

    /// The host's answer may not be sent: the client gets -32603 with an id that the log repeats.
    fn broken(self, why: &str) -> Error {
        let server = self.prepared().request.server();
        let id = server.log_masked(&format!("{} {:?}: {why}", self.kind().as_str(), self.name()));
        let error =
            ErrorBody::new(code::INTERNAL_ERROR, format!("The server gave an invalid answer (log id {id})."));
        let outgoing = self.state.refuse(&error);
        match self.finish("invalid", outgoing) {
            Ok(()) => Error::new(ErrorKind::InvalidJson, why.to_owned()),
            Err(gone) => gone,
        }
    }

    fn report(&self, outcome: &str) {
        self.prepared().request.server().report_call(self.kind(), self.name(), self.number(), outcome);
    }
}
