//! The HTTP door under fire: heads, headers that repeat the body, events, exchanges as a whole.

use crate::call::Call;
use crate::caller::Caller;
use crate::config::{Config, Dispatch};
use crate::host::Host;
use crate::http::{
    Access, Authorization, Authorizer, Endpoint, HttpConfig, Origins, Part, PeerAddress, Refusal,
};
use crate::json::{push_quoted, Document};
use crate::protocol::wire::method;
use crate::protocol::LogLevel;
use crate::server::Server;
use base64::engine::general_purpose::STANDARD;
use base64::Engine;
use http::header::{HeaderName, HeaderValue, CONTENT_LENGTH, CONTENT_TYPE};
use http::{request, response, HeaderMap, Method, Request, StatusCode, Uri};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Waker};

const CATALOG: &str = r#"{"tools": [
  {"name": "echo", "inputSchema": {"type": "object", "properties": {
    "s": {"type": "string", "x-mcp-header": "S"}, "n": {"type": "integer", "x-mcp-header": "N"}}}},
  {"name": "talk", "inputSchema": {"type": "object"}},
  {"name": "scoped", "mcpcore": {"scopes": ["x"]}}],
  "resources": [{"uri": "mem://a", "name": "a"}]}"#;

const META: &str = r#""_meta":{"progressToken":1,"io.modelcontextprotocol/logLevel":"debug","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

struct Talking;

impl Host for Talking {
    fn call(&self, call: Call) {
        if call.name() == "talk" {
            let data = call.arguments().to_owned();
            call.log(LogLevel::Error, Some("a\nb"), &data).expect("the arguments are JSON");
            call.progress(0.5, None, Some(&data)).expect("nobody has gone");
        }
        let text = call.arguments().to_owned();
        call.complete_text(&text).expect("nobody else answers");
    }

    fn log(&self, _: LogLevel, _: &str) {}
}

/// Lets in who says so.
struct Door;

impl Authorizer for Door {
    fn authorize(&self, question: Authorization) {
        match question.header("authorization").as_deref() {
            None => question.allow(Caller::new("fuzzer")),
            Some("drop") => drop(question),
            Some(text) => {
                let mut refusal = Refusal::unauthorized();
                refusal.description = Some(text.to_owned());
                refusal.error = Some(text.to_owned());
                question.refuse(&refusal);
            }
        }
    }
}

fn endpoint() -> &'static Endpoint {
    static ENDPOINT: OnceLock<Endpoint> = OnceLock::new();
    ENDPOINT.get_or_init(|| {
        let mut config = Config::new("fuzzed", "1");
        config.catalog = Some(CATALOG.to_owned());
        config.dispatch = Dispatch::Inline;
        config.logging = true;
        config.tools_list_changed = true;
        config.missing_scope = crate::config::MissingScope::Challenge;
        let server = Server::new(config, Arc::new(Talking)).expect("the catalog is in order");
        let metadata =
            r#"{"resource":"https://a.example/mcp","authorization_servers":["https://b.example"]}"#;
        let http = HttpConfig {
            origins: Some(Origins::Only(vec!["loopback".to_owned()])),
            access: Some(Access::Ask(Arc::new(Door))),
            max_body_bytes: 4096,
            resource_metadata: Some(metadata.to_owned()),
            ..HttpConfig::default()
        };
        Endpoint::new(&server, http).expect("the configuration is in order")
    })
}

/// A session that is open as long as it is used.
fn session() -> &'static str {
    static SESSION: OnceLock<String> = OnceLock::new();
    SESSION.get_or_init(|| {
        let mut head = head(method::INITIALIZE);
        head.headers.remove("mcp-protocol-version");
        let params = r#"{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"roots":{}}}"#;
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{params}}}"#);
        let opened = send(head, message.as_bytes(), usize::MAX);
        let id = opened.head.headers.get("mcp-session-id").expect("a session");
        id.to_str().expect("an id is ASCII").to_owned()
    })
}

/// What came back of one request.
struct Answer {
    head: response::Parts,
    data: Vec<Vec<u8>>,
    ended: bool,
}

/// Sends a request, its body in pieces of `step`, and checks what holds for every answer.
fn send(head: request::Parts, body: &[u8], step: usize) -> Answer {
    let (is_head, is_post) = (head.method == Method::HEAD, head.method == Method::POST);
    let exchange = endpoint().begin(head, PeerAddress::Unknown);
    let mut cx = Context::from_waker(Waker::noop());
    let mut first = exchange.poll(&mut cx);
    let read = matches!(first, Poll::Ready(Part::WantBody { .. }));
    if read {
        body.chunks(step.max(1)).for_each(|piece| exchange.body(piece));
        exchange.end_body();
        first = exchange.poll(&mut cx);
    }
    let Poll::Ready(Part::Head { parts: head }) = first else { panic!("no head: {first:?}") };
    let (mut data, mut ended) = (Vec::new(), false);
    while !ended {
        match exchange.poll(&mut cx) {
            Poll::Ready(Part::Data { bytes, last }) => {
                assert!(!bytes.is_empty());
                data.push(bytes);
                ended = last;
            }
            Poll::Ready(Part::End) => ended = true,
            Poll::Ready(other) => panic!("{other:?}"),
            Poll::Pending => break,
        }
    }
    // Others have no body to begin with.
    if !read && is_post && head.status.as_u16() >= 400 {
        assert!(head.headers.contains_key("connection"), "{head:?}");
    }
    let answer = Answer { head, data, ended };
    check(&answer, is_head);
    answer
}

fn check(answer: &Answer, is_head: bool) {
    let Answer { head, data, ended } = answer;
    let kind = head.headers.get(CONTENT_TYPE).map(|kind| kind.to_str().expect("a media type is ASCII"));
    if kind == Some("text/event-stream") {
        assert_eq!(head.status, StatusCode::OK);
        return data.iter().for_each(|event| one_event(event));
    }
    assert!(*ended, "only streams stay open");
    let whole = data.concat();
    if let Some(length) = head.headers.get(CONTENT_LENGTH) {
        assert!(is_head || *length == *whole.len().to_string());
    }
    if kind == Some("application/json") && !is_head {
        let document = Document::parse(whole).expect("an answer is strict JSON");
        assert!(document.duplicate().is_none() && !document.text().contains('\n'));
    }
}

/// An event is one line of strict JSON.
fn one_event(event: &[u8]) {
    let text = std::str::from_utf8(event).expect("an event is UTF-8");
    let text = text.strip_suffix("\n\n").expect("an event has its frame");
    let (front, text) = text.rsplit_once('\n').expect("an event has its frame");
    let text = text.strip_prefix("data: ").expect("an event has data");
    if text.is_empty() {
        return assert!(front.starts_with("id: "));
    }
    let id = front.strip_prefix("event: message").expect("an event has its type");
    assert!(id.is_empty() || id.starts_with("\nid: "));
    assert!(!text.contains(['\n', '\r']));
    let document = Document::parse(text.as_bytes().to_vec()).expect("an event holds JSON");
    assert!(document.root().get("jsonrpc").is_some());
}

/// The head of a request that is in order, for a message of `method`.
fn head(method: &str) -> request::Parts {
    let request = Request::post("/mcp").header(CONTENT_TYPE, "application/json");
    let request = request.header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
    request.body(()).expect("the head is in order").into_parts().0
}

fn call(tool: &str, arguments: &str) -> String {
    let method = method::TOOLS_CALL;
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"name":"{tool}","arguments":{arguments},{META}}}}}"#
    )
}

fn passes(answer: &Answer) -> bool {
    match answer.head.status.as_u16() {
        200 => true,
        400 => {
            assert!(String::from_utf8_lossy(&answer.data.concat()).contains("\"code\":-32020"));
            false
        }
        other => panic!("{other}"),
    }
}

/// A header is taken exactly if it says what the argument says: as it is, or in canonical Base64.
pub fn headers(data: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(data) else { return };
    let plain = value.to_str().ok().map(|text| text.trim_matches([' ', '\t']).to_owned());
    let inner = plain.as_deref().and_then(|text| text.strip_prefix("=?base64?")?.strip_suffix("?="));
    let meant = match inner {
        Some(inner) => STANDARD.decode(inner).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
        None => plain.clone(),
    };
    let ask = |value: HeaderValue, name: &'static str, arguments: &str| {
        let mut head = head(method::TOOLS_CALL);
        head.headers.insert("mcp-name", HeaderValue::from_static("echo"));
        head.headers.insert(name, value);
        passes(&send(head, call("echo", arguments).as_bytes(), usize::MAX))
    };
    let quoted = |text: &str| {
        let mut out = br#"{"s":"#.to_vec();
        push_quoted(&mut out, text);
        out.push(b'}');
        String::from_utf8(out).expect("what is quoted is UTF-8")
    };
    if let Some(meant) = &meant {
        assert!(ask(value.clone(), "mcp-param-s", &quoted(meant)));
        assert!(!ask(value.clone(), "mcp-param-s", &quoted(&format!("{meant}x"))));
    } else {
        assert!(!ask(value.clone(), "mcp-param-s", &quoted(&String::from_utf8_lossy(data))));
    }
    // Whatever text there is, its Base64 form repeats it.
    if let Ok(text) = std::str::from_utf8(data) {
        let wrapped = HeaderValue::try_from(format!("=?base64?{}?=", STANDARD.encode(text)));
        assert!(ask(wrapped.expect("Base64 is ASCII"), "mcp-param-s", &quoted(text)));
    }
    // A number repeats itself, and nothing that is no number is taken for one.
    let number = meant.as_deref().filter(|text| {
        let read = Document::parse(text.as_bytes().to_vec());
        read.is_ok_and(|read| read.root().as_number().is_some_and(|token| token == *text))
    });
    match number {
        Some(number) => assert!(ask(value, "mcp-param-n", &format!("{{\"n\":{number}}}"))),
        None => assert!(!ask(value, "mcp-param-n", r#"{"n":5}"#)),
    }
}

/// However a connection's bytes are cut, they are the same requests.
pub fn requests(data: &[u8]) {
    let whole = crate::http::requests(data, usize::MAX >> 1);
    for size in [1, 7] {
        assert_eq!(crate::http::requests(data, size), whole);
    }
}

/// Whatever the host says while it works reaches the client as whole events, the result last.
pub fn events(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut arguments = br#"{"":"#.to_vec();
    push_quoted(&mut arguments, text);
    arguments.push(b'}');
    let mut arguments = String::from_utf8(arguments).expect("what is quoted is UTF-8");
    if Document::parse(data.to_vec()).is_ok_and(|read| read.root().is_object()) {
        text.clone_into(&mut arguments);
    }
    let mut head = head(method::TOOLS_CALL);
    head.headers.insert("mcp-name", HeaderValue::from_static("talk"));
    let answer = send(head, call("talk", &arguments).as_bytes(), 1 + data.len() / 3);
    if answer.head.headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream") {
        assert!(answer.ended && answer.data.len() == 3);
    }
}

/// The first line is method and target, then lines of headers, an empty one, and the body. Any of them gets one answer.
pub fn exchange(data: &[u8]) {
    let mut lines = data.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    let mut words = first.splitn(2, |byte| *byte == b' ');
    let method = words.next().and_then(|word| Method::from_bytes(word).ok()).unwrap_or(Method::POST);
    let target = words.next().and_then(|word| Uri::try_from(word).ok()).unwrap_or(Uri::from_static("/mcp"));
    let mut sent = HeaderMap::new();
    let mut length = first.len() + 1;
    for line in lines {
        length += line.len() + 1;
        if line.is_empty() {
            break;
        }
        let mut halves = line.splitn(2, |byte| *byte == b':');
        let (name, value) = (halves.next().unwrap_or_default(), halves.next().unwrap_or_default());
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value)) {
            sent.append(name, value);
        }
    }
    let body = data.get(length..).unwrap_or_default();
    let mut bare = head("");
    (bare.method, bare.uri, bare.headers) = (method, target, sent.clone());
    send(bare, body, 1 + body.len() / 5);
    // The same in a session, and to read its streams.
    for method in [Method::POST, Method::GET] {
        let mut head = head("");
        head.method = method;
        head.headers.remove("mcp-method");
        head.headers.insert("mcp-protocol-version", HeaderValue::from_static("2025-11-25"));
        head.headers.insert("mcp-session-id", HeaderValue::from_static(session()));
        head.headers.extend(sent.clone());
        send(head, body, 1 + body.len() / 3);
    }
    // The same on top of a head that is in order.
    for method in [method::TOOLS_CALL, method::TOOLS_LIST, method::LISTEN] {
        let mut head = head(method);
        head.headers.extend(sent.clone());
        let text = String::from_utf8_lossy(body);
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{META},{text}}}}}"#);
        send(head, message.as_bytes(), 700);
    }
}
