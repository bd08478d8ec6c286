//! The message, the catalog and the host that everything is measured with.

use mcpcore::json::Node;
use mcpcore::{Call, CatalogBuilder, Config, Dispatch, Error, Host, Server};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt::Write;
use std::sync::Arc;

/// What a client of the revision 2026-07-28 says about itself in every request.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench-client","version":"1.0.0","title":"Bench"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}},"sampling":{}}}"#;

/// The text that the tool `echo` says again.
pub(crate) const TEXT: &str = "hello";

/// A `tools/call` of the usual kind and size: 353 bytes with an id of seven digits.
pub(crate) fn call(id: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{TEXT}"}},{META}}}}}"#
    )
}

/// The same call in a session, which has no `_meta`.
pub(crate) fn call_in_session(id: u64) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{TEXT}"}}}}}}"#
    )
}

/// How a session of a revision is opened.
pub(crate) fn initialize(id: u64, revision: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"bench-client","version":"1.0.0"}}}}}}"#
    )
}

/// A `tools/list` for the first page.
pub(crate) fn list(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{{META}}}}}"#)
}

/// A `server/discover`, with which a client opens.
pub(crate) fn discover(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"server/discover","params":{{{META}}}}}"#)
}

/// A catalog document with `echo` as the last of so many tools.
pub(crate) fn catalog(tools: usize) -> String {
    let mut document = String::from(r#"{"tools":["#);
    for number in 0..tools {
        let name = if number + 1 == tools { "echo".to_owned() } else { format!("tool_{number:05}") };
        let comma = if number == 0 { "" } else { "," };
        let _ = write!(
            document,
            r#"{comma}{{"name":"{name}","description":"Does one thing.","inputSchema":{{"type":"object","properties":{{"text":{{"type":"string"}}}},"required":["text"]}}}}"#
        );
    }
    document.push_str("]}");
    document
}

/// Answers every call at once with the same text: a host that costs nothing.
pub(crate) struct Constant;

impl Host for Constant {
    fn catalog(&self, _key: &str, _catalog: &mut CatalogBuilder) -> Result<(), Error> {
        Ok(())
    }

    fn call(&self, call: Call) {
        // Nobody is told of a failure here; whoever sent the call checks the answer.
        let _ = call.complete_text(TEXT);
    }
}

/// Answers every call with its own `text`.
pub(crate) struct Echo;

impl Host for Echo {
    fn catalog(&self, _key: &str, _catalog: &mut CatalogBuilder) -> Result<(), Error> {
        Ok(())
    }

    fn call(&self, call: Call) {
        let text = call.argument_node().get("text").and_then(Node::as_str).unwrap_or_default().into_owned();
        let _ = call.complete_text(&text);
    }
}

/// A server with so many tools whose calls are answered on the thread that brings them.
pub(crate) fn server(tools: usize, host: impl Host) -> Result<Server, String> {
    let mut config = Config::new("bench", "1.0.0");
    config.dispatch = Dispatch::Inline;
    config.catalog = Some(catalog(tools));
    Server::new(config, Arc::new(host)).map_err(|error| error.to_string())
}

/// The bare parse that everything is compared with: it borrows, and leaves what it can unread.
#[derive(Deserialize)]
pub(crate) struct Envelope<'a> {
    pub(crate) jsonrpc: &'a str,
    #[serde(borrow)]
    pub(crate) id: &'a RawValue,
    pub(crate) method: &'a str,
    #[serde(borrow)]
    pub(crate) params: &'a RawValue,
}

/// The parameters of a `tools/call`, one level deeper.
#[derive(Deserialize)]
pub(crate) struct Params<'a> {
    pub(crate) name: &'a str,
    #[serde(borrow)]
    pub(crate) arguments: &'a RawValue,
    #[serde(borrow, rename = "_meta")]
    pub(crate) meta: &'a RawValue,
}
