//! One request that the host answers exactly once.

use crate::caller::Caller;
use crate::error::Result;
use crate::host::CancelReason;
use crate::json::Node;
use crate::protocol::{LogLevel, Revision};
use std::sync::Arc;

/// What a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum CallKind {
    /// Run a tool.
    Tool = 1,
    /// Read a resource.
    Resource = 2,
    /// Render a prompt.
    Prompt = 3,
    /// Complete an argument.
    Completion = 4,
}

/// One request that the host answers exactly once: inside the callback or later, from any thread. Dropped unanswered,
/// the client gets -32603.
pub struct Call {
    state: Arc<State>,
}

struct State {}

#[expect(unused_variables, reason = "skeleton")]
impl Call {
    /// What is asked for.
    pub fn kind(&self) -> CallKind {
        todo!()
    }
    /// A number that no other call of this server has.
    pub fn number(&self) -> u64 {
        todo!()
    }
    /// The tool's or prompt's name, the resource's uri, or for a completion the prompt's name or the template.
    pub fn name(&self) -> &str {
        todo!()
    }
    /// The arguments as the client sent them, a JSON object; `{}` when there were none. For a completion:
    /// `{"argument":{"name":…,"value":…},"context":…}` of the request's params.
    pub fn arguments(&self) -> &str {
        todo!()
    }
    /// The arguments as a node to read from.
    pub fn argument_node(&self) -> Node<'_> {
        todo!()
    }
    /// A variable of the matched uri template, decoded. `None` if the template has none of that name or the uri
    /// leaves it out.
    pub fn variable(&self, name: &str) -> Option<&str> {
        todo!()
    }
    /// All variables of the matched uri template.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        std::iter::empty()
    }
    /// The uri template that matched, if one did.
    pub fn template(&self) -> Option<&str> {
        todo!()
    }
    /// The request's `_meta`, a JSON object.
    pub fn meta(&self) -> &str {
        todo!()
    }
    /// All answers to input requests so far, a JSON object of key to answer; `{}` in the first round.
    pub fn answers(&self) -> &str {
        todo!()
    }
    /// What the host kept with [`Call::require_input`] in the round before.
    pub fn state(&self) -> Option<&str> {
        todo!()
    }
    /// Which round this is; 0 is the first.
    pub fn round(&self) -> u32 {
        todo!()
    }
    /// Who asks.
    pub fn caller(&self) -> &Arc<Caller> {
        todo!()
    }
    /// Whether the client declared a capability: `sampling`, `elicitation.url`, `sampling.tools`, `roots`,
    /// `extensions.<id>` …
    pub fn client_supports(&self, capability: &str) -> bool {
        todo!()
    }
    /// The revision that the request is served under.
    pub fn revision(&self) -> Revision {
        todo!()
    }
    /// Whether the call has ended without its answer, and why.
    pub fn cancelled(&self) -> Option<CancelReason> {
        todo!()
    }
    /// Reports progress. Dropped silently unless the client gave a token and `progress` grew.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) -> Result<()> {
        todo!()
    }
    /// Sends a log line to the client. Dropped silently below the level that the request asked for.
    pub fn log(&self, level: LogLevel, logger: Option<&str>, data: &str) -> Result<()> {
        todo!()
    }
    /// Answers with text: a tool's text block, a resource's text, a prompt's one user message, a completion's values,
    /// a line each.
    pub fn complete_text(self, text: &str) -> Result<()> {
        todo!()
    }
    /// Answers with bytes: a resource's blob, or a tool's image or audio block (`mime_type` says which).
    pub fn complete_blob(self, data: &[u8], mime_type: Option<&str>) -> Result<()> {
        todo!()
    }
    /// Answers with a whole result in the protocol's own shape.
    pub fn complete_json(self, result: &str) -> Result<()> {
        todo!()
    }
    /// Tells the model that it failed: a tool result with `isError: true`; for other kinds the error -32603.
    pub fn fail(self, message: &str) -> Result<()> {
        todo!()
    }
    /// Refuses with a JSON-RPC error.
    pub fn reject(self, code: i32, message: &str, data: Option<&str>) -> Result<()> {
        todo!()
    }
    /// Asks the user (or the client's model, or its roots) first: `requests` is an object of key to
    /// `{"method":…,"params":…}`, `state` comes back in the next round.
    pub fn require_input(self, requests: &str, state: Option<&str>) -> Result<()> {
        todo!()
    }
}
