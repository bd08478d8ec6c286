//! One request that the host answers exactly once.

mod answer;
mod state;
mod view;

pub(crate) use state::State;
use state::OPEN;
pub use view::CallView;

use crate::caller::Caller;
use crate::engine::{parse_host, Arguments, Item, Prepared};
use crate::error::{Error, ErrorKind, Result};
use crate::host::{CancelReason, Host};
use crate::json::{push_compact, push_quoted, Node};
use crate::jsonrpc::ErrorBody;
use crate::protocol::wire::code;
use crate::protocol::wire::method;
use crate::protocol::{LogLevel, Revision};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

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

impl CallKind {
    /// One word for logs and events.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
            Self::Completion => "completion",
        }
    }
}

/// One request that the host answers exactly once: inside the callback or later, from any thread. Dropped unanswered,
/// the client gets -32603.
pub struct Call {
    state: Arc<State>,
    /// Whether it only reads: a view neither answers nor holds up anything.
    view: bool,
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("number", &self.number())
            .field("kind", &self.kind())
            .finish_non_exhaustive()
    }
}

impl Call {
    pub(crate) fn new(state: Arc<State>) -> Self {
        Self { state, view: false }
    }

    /// A reader that outlives the answer.
    pub fn view(&self) -> CallView {
        CallView::new(Self { state: self.shared(), view: true })
    }

    /// Hands the call to the host, unless it has ended while it waited.
    pub(crate) fn deliver_to(self, host: &dyn Host) {
        self.state.started.store(true, Ordering::Release);
        if self.state.phase.load(Ordering::Acquire) == OPEN {
            host.call(self);
        }
    }

    pub(crate) fn shared(&self) -> Arc<State> {
        Arc::clone(&self.state)
    }

    /// From now on the outlet waits for the call to come back.
    pub(crate) fn count(&self) {
        self.state.counted.store(true, Ordering::Release);
    }

    /// The size of the message that this call keeps in memory.
    pub(crate) fn message_bytes(&self) -> usize {
        self.prepared().request.message.len()
    }

    fn prepared(&self) -> &Prepared {
        self.state.prepared()
    }

    /// What is asked for.
    pub fn kind(&self) -> CallKind {
        self.prepared().kind
    }

    /// A number that no other call of this server has.
    pub fn number(&self) -> u64 {
        self.state.exchange.number
    }

    /// The tool's or prompt's name, the resource's uri, or for a completion the prompt's name or the uri template.
    pub fn name(&self) -> &str {
        let prepared = self.prepared();
        let catalog = &prepared.snapshot.catalog;
        match (&prepared.uri, prepared.item) {
            (Some(uri), _) => uri,
            (None, Item::Tool(index)) => &catalog.tool_at(index).name,
            (None, Item::Prompt(index)) => &catalog.prompt_at(index).name,
            (None, Item::Resource(index)) => &catalog.resource_at(index).uri,
            (None, Item::Template(index)) => catalog.template_at(index).pattern.as_str(),
        }
    }

    /// The arguments as the client sent them, a JSON object; `{}` when there were none. For a completion, the request's
    /// `argument` and `context`: `{"argument":{"name":…,"value":…},"context":{…}}`.
    pub fn arguments(&self) -> &str {
        if self.kind() == CallKind::Completion {
            return self.state.completion.get_or_init(|| {
                let mut out = b"{".to_vec();
                for name in ["argument", "context"] {
                    if let Some(value) = self.argument_node().get_present(name) {
                        if out.len() > 1 {
                            out.push(b',');
                        }
                        push_quoted(&mut out, name);
                        out.push(b':');
                        push_compact(&mut out, value);
                    }
                }
                out.push(b'}');
                String::from_utf8(out).unwrap_or_default()
            });
        }
        self.argument_node().raw()
    }

    /// The arguments as a node to read from.
    pub fn argument_node(&self) -> Node<'_> {
        match &self.prepared().arguments {
            Arguments::Absent => crate::engine::nothing().root(),
            Arguments::Sent(index) => self.prepared().request.message.node(*index),
            Arguments::Repaired(document) => document.root(),
        }
    }

    /// A variable of the matched uri template, decoded. `None` if the template has none of that name or the uri
    /// leaves it out.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// All variables of the matched uri template.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.prepared().variables.iter().map(|(name, value)| (&**name, &**value))
    }

    /// The uri template that matched, if one did.
    pub fn template(&self) -> Option<&str> {
        match self.prepared().item {
            Item::Template(index) => {
                Some(self.prepared().snapshot.catalog.template_at(index).pattern.as_str())
            }
            Item::Tool(_) | Item::Resource(_) | Item::Prompt(_) => None,
        }
    }

    /// The request's `_meta`, a JSON object. In a session, the revision and what the client said of itself when it opened
    /// the session stand there too, so that they are found in the same place.
    pub fn meta(&self) -> &str {
        let request = &self.prepared().request;
        let given = request.meta.node.map(|node| request.message.node(node));
        match (&request.session, given) {
            (None, Some(given)) => given.raw(),
            (None, None) => "{}",
            (Some(session), _) => self.state.meta.get_or_init(|| session.meta(given)),
        }
    }

    /// All answers to input requests so far, a JSON object of key to answer; `{}` in the first round.
    pub fn answers(&self) -> &str {
        self.answer_node().raw()
    }

    /// The answers as a node to read from: `call.answer_node().pointer("/who/content/name")`.
    pub fn answer_node(&self) -> Node<'_> {
        match &self.state.rounds().answers {
            Some(answers) => answers.root(),
            None => crate::engine::nothing().root(),
        }
    }

    /// What the host kept with [`Call::require_input`] in the round before.
    pub fn state(&self) -> Option<&str> {
        self.state.rounds().host_state.as_deref()
    }

    /// Which round this is; 0 is the first.
    pub fn round(&self) -> u32 {
        self.state.rounds().number
    }

    /// Who asks.
    pub fn caller(&self) -> &Arc<Caller> {
        self.prepared().request.caller()
    }

    /// A header of the HTTP request that brought the call, whatever the case of `name`; several values are joined with
    /// `, `. Only headers that [`crate::http::HttpConfig::call_headers`] names are seen.
    #[cfg(feature = "http")]
    pub fn header(&self, name: &str) -> Option<std::borrow::Cow<'_, str>> {
        self.state.outlet().header(name)
    }

    /// Whether the client declared a capability: `sampling`, `elicitation.url`, `sampling.tools`, `roots`,
    /// `extensions.<id>` …
    pub fn client_supports(&self, capability: &str) -> bool {
        self.prepared().request.capabilities().supports(capability)
    }

    /// The revision that the request is served under.
    pub fn revision(&self) -> Revision {
        self.prepared().request.revision()
    }

    /// Whether the call has ended without its answer, and why.
    pub fn cancelled(&self) -> Option<CancelReason> {
        self.state.ended()
    }

    /// Reports progress. Dropped silently unless the client gave a token and `progress` grew; a flood is thinned, its
    /// last value is sent before the answer.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for a number that JSON has not, [`ErrorKind::Gone`] once the call has ended.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) -> Result<()> {
        if !progress.is_finite() || total.is_some_and(|total| !total.is_finite()) {
            return Err(Error::new(ErrorKind::InvalidArgument, "progress and total must be finite numbers"));
        }
        self.alive()?;
        let request = &self.prepared().request;
        let Some(token) = request.meta.progress_token else {
            return Ok(());
        };
        let token = request.message.node(token).raw();
        let now = request.server().config.environment.monotonic_ms();
        let render = || {
            let head = head(method::PROGRESS);
            let mut out = format!("{head}{{\"progressToken\":{token},\"progress\":{progress}").into_bytes();
            if let Some(total) = total {
                out.extend_from_slice(format!(",\"total\":{total}").as_bytes());
            }
            if let Some(message) = message.filter(|_| request.revision().has_progress_message()) {
                out.extend_from_slice(b",\"message\":");
                push_quoted(&mut out, message);
            }
            out.extend_from_slice(b"}}");
            out
        };
        let governor = self.state.governor.get_or_init(Box::default);
        let admitted = governor.lock().unwrap_or_else(PoisonError::into_inner).admit(progress, now, render);
        if admitted.is_none_or(|message| self.state.outlet().notify(&self.state.exchange, message)) {
            Ok(())
        } else {
            Err(self.state.gone())
        }
    }

    /// Sends a log line to the client; `data` is any JSON. Dropped silently below the level that the request asked for,
    /// or if it asked for none. In a session the level is the one that the client set last, at first `info`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidJson`], [`ErrorKind::Gone`], and [`ErrorKind::InvalidArgument`] where the configuration does
    /// not offer logging.
    pub fn log(&self, level: LogLevel, logger: Option<&str>, data: &str) -> Result<()> {
        let request = &self.prepared().request;
        if !request.server().config.logging {
            return Err(Error::new(
                ErrorKind::InvalidArgument,
                "logging is not offered: set the option `logging`",
            ));
        }
        let data =
            parse_host(data).map_err(|why| Error::new(ErrorKind::InvalidJson, format!("data: {why}")))?;
        self.alive()?;
        if request.log_level().is_none_or(|asked| level < asked) {
            return Ok(());
        }
        let head = head(method::MESSAGE);
        let mut out = format!("{head}{{\"level\":\"{level}\"").into_bytes();
        if let Some(logger) = logger {
            out.extend_from_slice(b",\"logger\":");
            push_quoted(&mut out, logger);
        }
        out.extend_from_slice(b",\"data\":");
        push_compact(&mut out, data.root());
        out.extend_from_slice(b"}}");
        if self.state.outlet().notify(&self.state.exchange, out) {
            Ok(())
        } else {
            Err(self.state.gone())
        }
    }

    /// Ends the stream on which the call is to be answered, so that no connection is held for a call that takes long: the
    /// client comes back for the rest after `retry_ms` (0: what [`crate::http::HttpConfig::retry_ms`] says). Does nothing
    /// where clients cannot come back: in requests of 2026-07-28, in sessions before 2025-11-25, without HTTP.
    pub fn close_stream(&self, retry_ms: u64) {
        self.state.outlet().close_stream(&self.state.exchange, retry_ms);
    }

    fn alive(&self) -> Result<()> {
        match self.cancelled() {
            Some(_) => Err(self.state.gone()),
            None => Ok(()),
        }
    }
}

/// What a notification begins with, up to its params.
fn head(method: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":")
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.view {
            return;
        }
        if self.state.phase.load(Ordering::Acquire) == OPEN {
            let error = ErrorBody::new(code::INTERNAL_ERROR, "The server did not answer.");
            // Lost races are fine: whoever ended the call has said so.
            let _ = self.finish("dropped", self.state.refuse(&error));
        }
        if self.state.come_back() {
            self.state.outlet().released();
        }
    }
}
