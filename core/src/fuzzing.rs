//! What the fuzz targets in `core/fuzz` call: each function reads hostile bytes and asserts what must hold for any.

#[cfg(feature = "http")]
mod door;
mod session;
#[cfg(test)]
mod tests;

#[cfg(feature = "http")]
pub use door::{events, exchange, headers, requests};
pub use session::session;

use crate::call::{Call, CallKind};
use crate::caller::Caller;
use crate::catalog::cursor::{self, List};
use crate::catalog::uri_template::{check_uri, UriTemplate};
use crate::config::{Config, Dispatch};
use crate::environment::System;
use crate::host::Host;
use crate::json::{push_compact, Document};
use crate::jsonrpc;
use crate::protocol::wire::method;
use crate::server::Server;
use crate::state::{digest_arguments, Binding, Sealer};
use std::sync::{Arc, OnceLock};

/// A message is read or refused; what is written is one line of JSON and says the same.
pub fn message(data: &[u8]) {
    if let Ok(document) = Document::parse(data.to_vec()) {
        let mut compact = Vec::new();
        push_compact(&mut compact, document.root());
        assert!(!compact.contains(&b'\n'));
        let again = Document::parse(compact).expect("what was read is written as JSON");
        assert_eq!(again.duplicate(), document.duplicate());
        assert_eq!(digest_arguments(again.root()), digest_arguments(document.root()));
        assert_eq!(again.root().to_value(), document.root().to_value());
    }
    if let Ok(document) = Document::parse_host(data.to_vec()) {
        let mut compact = Vec::new();
        push_compact(&mut compact, document.root());
        Document::parse(compact).expect("what a host may write is written as strict JSON");
    }
    if let Err(refusal) = jsonrpc::read(data.to_vec()) {
        assert!(!refusal.text.contains(&b'\n'));
        let refusal = Document::parse(refusal.text).expect("a refusal is JSON");
        assert!(refusal.root().get("error").is_some());
    }
}

/// A cursor is refused, or is the very text that its key makes.
pub fn cursor(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for list in List::ALL {
        if let Ok(key) = cursor::decode(text, list) {
            assert_eq!(cursor::encode(list, &key), text);
        }
        assert_eq!(cursor::decode(&cursor::encode(list, text), list).as_deref(), Ok(text));
    }
}

/// The first line is a template, the rest a URI. What matches has values that cannot mislead.
pub fn template(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let (template, uri) = text.split_once('\n').unwrap_or((text, text));
    let well_formed = check_uri(uri).is_ok();
    let Ok(template) = UriTemplate::parse(template, false) else {
        return;
    };
    let names: Vec<&str> = template.variables().collect();
    let values = template.matches(uri);
    if names.is_empty() && well_formed && template.as_str() == uri && uri.is_ascii() {
        assert!(values.is_some(), "a template without variables matches its own text");
    }
    let mut rest = names.as_slice();
    for (name, value) in values.unwrap_or_default() {
        let at = rest.iter().position(|&other| *other == *name).expect("values come in the template's order");
        rest = &rest[at + 1..];
        assert!(!value.contains('\0') && value.split('/').all(|segment| segment != ".."));
    }
}

/// Nobody can make a state that opens, from nothing or out of a good one.
pub fn state(data: &[u8]) {
    let sealer = Sealer::new(&[[7; 32]], Arc::new(System)).expect("a key was given");
    let binding = Binding { principal: "p", method: "tools/call", target: "t", arguments: [1; 32] };
    if let Ok(text) = std::str::from_utf8(data) {
        assert!(sealer.open(&binding, text).is_err());
    }
    let good = sealer.seal(&binding, u64::MAX, data).expect("the system has randomness");
    assert_eq!(sealer.open(&binding, &good).as_deref(), Ok(data));
    if let [at, at2, byte, ..] = *data {
        let mut bad = good.clone().into_bytes();
        let at = usize::from(u16::from_be_bytes([at, at2])) % bad.len();
        bad[at] = byte;
        let bad = String::from_utf8_lossy(&bad).into_owned();
        assert_eq!(sealer.open(&binding, &bad).is_ok(), bad == good);
    }
}

const CATALOG: &str = r##"{
  "tools": [
    {"name": "echo", "inputSchema": {"type": "object", "required": ["text"], "additionalProperties": false, "properties":
      {"text": {"type": "string", "maxLength": 9}, "n": {"type": "integer", "minimum": -5, "multipleOf": 3}}}},
    {"name": "deep", "inputSchema": {"type": "object", "$defs": {"t": {"anyOf": [{"type": "null"}, {"type": "array",
      "items": {"$ref": "#/$defs/t"}, "uniqueItems": true}]}}, "properties": {"t": {"$ref": "#/$defs/t"}}}},
    {"name": "ask", "inputSchema": {"type": "object", "patternProperties": {"^(a+)+$": {"pattern": "^(?=x)x+$"}}}}
  ],
  "resources": [{"uri": "mem://a", "name": "a"}],
  "resourceTemplates": [{"uriTemplate": "x://{a}{/b}{?c,d}", "name": "x"}],
  "prompts": [{"name": "greet", "arguments": [{"name": "name", "required": true}]}]
}"##;

struct Answering;

impl Host for Answering {
    fn call(&self, call: Call) {
        if call.kind() == CallKind::Tool && call.name() == "ask" && call.answers() == "{}" {
            let form = r#"{"k":{"method":"elicitation/create","params":{"message":"?","requestedSchema":
                {"type":"object","properties":{"n":{"type":"integer","maximum":5}}}}}}"#;
            // What the client did not declare is refused; that is an answer too.
            let _ = call.require_input(form, Some("s"));
            return;
        }
        let text = format!("{} {}", call.arguments(), call.answers());
        call.complete_text(&text).expect("nobody else answers");
    }
}

/// Any bytes as a message, as the params of every method, and as arguments, get one response or none: a line of JSON
/// with either a result or an error.
pub fn handle(data: &[u8]) {
    static SERVER: OnceLock<(Server, Arc<Caller>)> = OnceLock::new();
    let (server, caller) = SERVER.get_or_init(|| {
        let mut config = Config::new("fuzzed", "1");
        config.catalog = Some(CATALOG.to_owned());
        config.dispatch = Dispatch::Inline;
        config.completions = true;
        config.tools_list_changed = true;
        config.repair_arguments = true;
        let server = Server::new(config, Arc::new(Answering)).expect("the catalog is in order");
        (server, Arc::new(Caller::new("fuzzer")))
    });
    let serve = |message: &[u8]| {
        let response = server.handle(caller, message, None).expect("what is wrong is a response");
        let Some(response) = response else { return };
        assert!(!response.contains(&b'\n'));
        let response = Document::parse(response).expect("a response is strict JSON");
        assert!(response.duplicate().is_none());
        let root = response.root();
        assert!(root.get("result").is_some() != root.get("error").is_some());
    };
    serve(data);
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
    for (method, before) in [
        (method::TOOLS_CALL, r#""name":"echo","arguments":"#),
        (method::TOOLS_CALL, r#""name":"deep","arguments":"#),
        (method::TOOLS_CALL, r#""name":"ask","inputResponses":"#),
        (method::TOOLS_CALL, r#""name":"ask","requestState":"#),
        (method::TOOLS_CALL, r#""name":"ask","arguments":"#),
        (method::TOOLS_LIST, r#""cursor":"#),
        (method::RESOURCES_READ, r#""uri":"#),
        (method::PROMPTS_GET, r#""name":"greet","arguments":"#),
        (method::COMPLETE, r#""ref":{"type":"ref/prompt","name":"greet"},"argument":"#),
        (method::LISTEN, r#""notifications":"#),
    ] {
        serve(
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{before}{text},{meta}}}}}"#)
                .as_bytes(),
        );
    }
}
