//! The ladder of refusals: of two faults in one request, the one that stands higher is answered.

use super::client::{Client, Request};
use super::host::{ask, Stage};
use mcpcore::http::Refusal;
use mcpcore::{Caller, MissingScope};
use std::fmt::Write as _;
use std::sync::Arc;

/// A call of a tool with everything, in parts that a fault can break one by one.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fault of its own")]
struct Draft {
    host: &'static str,
    origin: Option<&'static str>,
    target: &'static str,
    method: &'static str,
    token: &'static str,
    content_type: &'static str,
    accept: &'static str,
    length: Option<&'static str>,
    /// Whether the body never ends.
    late: bool,
    /// What the host says about the body.
    body_allowed: bool,
    spent: bool,
    /// Behind the message.
    tail: &'static str,
    jsonrpc: &'static str,
    meta: Meta,
    version: &'static str,
    version_header: &'static str,
    rpc_method: &'static str,
    method_header: &'static str,
    name: &'static str,
    name_header: &'static str,
    arguments_object: bool,
    state: &'static str,
    scopes: bool,
    n: &'static str,
    n_header: &'static str,
    mode: &'static str,
}

#[derive(Clone, Copy, PartialEq)]
enum Meta {
    Whole,
    Absent,
    /// Behind the version something is wrong.
    BadLevel,
}

const FINE: Draft = Draft {
    host: "mcp.example",
    origin: None,
    target: "/mcp",
    method: "POST",
    token: "good",
    content_type: "application/json",
    accept: "*/*",
    length: None,
    late: false,
    body_allowed: true,
    spent: false,
    tail: "",
    jsonrpc: "2.0",
    meta: Meta::Whole,
    version: "2026-07-28",
    version_header: "2026-07-28",
    rpc_method: "tools/call",
    method_header: "tools/call",
    name: "all",
    name_header: "all",
    arguments_object: true,
    state: "",
    scopes: true,
    n: "5",
    n_header: "5",
    mode: "ok",
};

/// One row of the ladder: how a request breaks it, and what it is answered.
struct Fault {
    row: &'static str,
    breaks: fn(&mut Draft),
    /// Status, JSON-RPC code (-1: none), and a part of the body or of a header.
    answer: (u16, i64, &'static str),
}

/// In their order. Rows 8 and 9 are no refusals; row 15 has no method yet.
const LADDER: &[Fault] = &[
    Fault { row: "1 host", breaks: |d| d.host = "evil.example", answer: (403, -1, "Host") },
    Fault {
        row: "1 origin",
        breaks: |d| d.origin = Some("https://evil.example"),
        answer: (403, -1, "Origin"),
    },
    Fault { row: "2 path", breaks: |d| d.target = "/other", answer: (404, -1, "path") },
    Fault { row: "3 method", breaks: |d| d.method = "PUT", answer: (405, -1, "POST") },
    Fault { row: "4 token", breaks: |d| d.token = "bad", answer: (401, -1, "") },
    Fault { row: "5 size", breaks: |d| d.length = Some("99999999"), answer: (413, -1, "max_body_bytes") },
    Fault {
        row: "5 content type",
        breaks: |d| d.content_type = "text/plain",
        answer: (415, -1, "Content-Type"),
    },
    Fault { row: "5 accept", breaks: |d| d.accept = "text/html", answer: (406, -1, "Accept") },
    Fault { row: "5 budget", breaks: |d| d.spent = true, answer: (503, -1, "byte_budget") },
    Fault { row: "5 time", breaks: |d| d.late = true, answer: (408, -1, "body_timeout_ms") },
    Fault { row: "5 body", breaks: |d| d.body_allowed = false, answer: (403, -1, "") },
    Fault { row: "6 syntax", breaks: |d| d.tail = "x", answer: (400, -32700, "JSON") },
    Fault { row: "7 envelope", breaks: |d| d.jsonrpc = "1.0", answer: (400, -32600, "jsonrpc") },
    Fault { row: "10 meta", breaks: |d| d.meta = Meta::Absent, answer: (400, -32602, "_meta") },
    Fault {
        row: "11 version header",
        breaks: |d| d.version_header = "v2",
        answer: (400, -32020, "MCP-Protocol-Version"),
    },
    Fault {
        row: "12 version",
        breaks: |d| {
            // Repeated as it stands, unless row 11 is broken too.
            if d.version_header == d.version {
                d.version_header = "v1";
            }
            d.version = "v1";
        },
        answer: (400, -32022, "supported"),
    },
    Fault { row: "12 rest of meta", breaks: |d| d.meta = Meta::BadLevel, answer: (400, -32602, "logLevel") },
    Fault {
        row: "13 method header",
        breaks: |d| d.method_header = "tools/list",
        answer: (400, -32020, "Mcp-Method"),
    },
    Fault { row: "13 name header", breaks: |d| d.name_header = "x", answer: (400, -32020, "Mcp-Name") },
    Fault {
        row: "14 method",
        breaks: |d| {
            if d.method_header == d.rpc_method {
                d.method_header = "no/such";
            }
            d.rpc_method = "no/such";
        },
        answer: (404, -32601, "no/such"),
    },
    Fault { row: "16 name", breaks: |d| d.name = "", answer: (200, -32602, "params.name") },
    Fault {
        row: "17 target",
        breaks: |d| {
            if d.name_header == d.name {
                d.name_header = "nope";
            }
            d.name = "nope";
        },
        answer: (200, -32602, "Unknown tool"),
    },
    Fault { row: "17 scope", breaks: |d| d.scopes = false, answer: (403, -32602, "missingScopes") },
    // Of the shape only what names the target can stand before the target: the rest is read with it.
    Fault {
        row: "16 arguments",
        breaks: |d| d.arguments_object = false,
        answer: (200, -32602, "params.arguments"),
    },
    Fault { row: "17 state", breaks: |d| d.state = "forged", answer: (200, -32602, "requestState") },
    Fault { row: "18 param header", breaks: |d| d.n_header = "6", answer: (400, -32020, "Mcp-Param-N") },
    Fault {
        row: "19 arguments",
        breaks: |d| {
            if d.n_header == d.n {
                d.n_header = "50";
            }
            d.n = "50";
        },
        answer: (200, 0, "Invalid arguments"),
    },
    Fault { row: "20 capability", breaks: |d| d.mode = "sample", answer: (400, -32021, "sampling") },
    Fault { row: "21 crash", breaks: |d| d.mode = "crash", answer: (200, -32603, "answer") },
];

/// Pairs that cannot meet: both break the same member, or one takes away where the other stands.
const APART: &[(&str, &str)] = &[
    ("10 meta", "11 version header"),
    ("10 meta", "12 version"),
    ("10 meta", "12 rest of meta"),
    ("13 name header", "14 method"),
    ("13 name header", "16 name"),
    ("14 method", "16 name"),
    ("14 method", "17 target"),
    ("14 method", "17 scope"),
    ("14 method", "16 arguments"),
    ("14 method", "17 state"),
    ("14 method", "18 param header"),
    ("14 method", "19 arguments"),
    ("14 method", "20 capability"),
    ("14 method", "21 crash"),
    ("16 name", "17 target"),
    ("16 arguments", "18 param header"),
    ("16 arguments", "19 arguments"),
    ("16 arguments", "20 capability"),
    ("16 arguments", "21 crash"),
    ("20 capability", "21 crash"),
];

impl Draft {
    fn request(&self) -> Request {
        let mut params = String::new();
        let key = "io.modelcontextprotocol";
        let level =
            if self.meta == Meta::BadLevel { format!(",\"{key}/logLevel\":\"loud\"") } else { String::new() };
        if self.meta != Meta::Absent {
            let version = self.version;
            write!(
                params,
                "\"_meta\":{{\"{key}/protocolVersion\":\"{version}\",\"{key}/clientCapabilities\":{{}}{level}}},"
            )
            .unwrap();
        }
        if !self.name.is_empty() {
            write!(params, "\"name\":\"{}\",", self.name).unwrap();
        }
        if !self.state.is_empty() {
            write!(params, "\"requestState\":\"{}\",", self.state).unwrap();
        }
        if self.arguments_object {
            write!(params, "\"arguments\":{{\"n\":{},\"mode\":\"{}\"}}", self.n, self.mode).unwrap();
        } else {
            params.push_str("\"arguments\":5");
        }
        let (version, method) = (self.jsonrpc, self.rpc_method);
        let message =
            format!("{{\"jsonrpc\":\"{version}\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params}}}}}");
        let mut request = Request::bare(self.method, self.target)
            .with("Host", self.host)
            .with("X-Token", self.token)
            .with("X-Scopes", if self.scopes { "a" } else { "" })
            .with("Content-Type", self.content_type)
            .with("Accept", self.accept)
            .with("MCP-Protocol-Version", self.version_header)
            .with("Mcp-Method", self.method_header)
            .with("Mcp-Name", self.name_header)
            .with("Mcp-Param-N", self.n_header)
            .body(message + self.tail);
        if let Some(origin) = self.origin {
            request = request.with("Origin", origin);
        }
        if let Some(length) = self.length {
            request = request.with("Content-Length", length);
        }
        request
    }

    fn send(&self, stages: &Stages) -> Client {
        let stage = if self.body_allowed { &stages.fine } else { &stages.against };
        let hoard = self.spent.then(|| {
            let mut filler = FINE.request().begin(&stage.endpoint);
            filler.exchange.body(&vec![b' '; (64 << 10) + 1]);
            assert!(filler.pull().head.is_none());
            filler
        });
        let request = self.request();
        let mut client = request.begin(&stage.endpoint);
        if client.wanted.is_some() {
            if self.late {
                client.exchange.body(&request.body[..request.body.len() / 2]);
                stage.clock.wind(15_000);
                client.exchange.tick();
            } else {
                client.exchange.body(&request.body);
                client.exchange.end_body();
            }
            client.pull();
        }
        drop(hoard);
        client
    }
}

/// One where the host likes every body, and one where it likes none.
struct Stages {
    fine: Stage,
    against: Stage,
}

impl Stages {
    fn new() -> Self {
        let stage = |liked: bool| {
            Stage::with(|config, http| {
                config.missing_scope = MissingScope::Challenge;
                http.hosts = vec!["mcp.example".to_owned()];
                http.byte_budget = 1;
                http.authorize_body = Some(Arc::new(move |_, _| liked));
                http.access = Some(ask(|question| {
                    if question.header("x-token").as_deref() == Some("bad") {
                        return question.refuse(&Refusal::unauthorized());
                    }
                    let scopes = question.header("x-scopes").unwrap_or_default().into_owned();
                    question.allow(Caller::new("x").with_scope(scopes));
                }));
            })
        };
        Self { fine: stage(true), against: stage(false) }
    }
}

fn check(client: &Client, fault: &Fault, what: &str) {
    let (status, code, part) = fault.answer;
    assert_eq!((client.status(), client.code()), (status, code), "{what}: {client:?}");
    assert!(format!("{client:?}").contains(part), "{what}: {client:?}");
    assert!(client.ended, "{what}");
    // Refusals before the whole body was read close the connection, later ones keep it.
    let row: u32 = fault.row.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(client.closes(), row <= 5 && fault.row != "5 body", "{what}");
    if row > 7 {
        assert!(client.body().contains("\"id\":1"), "{what}");
    }
}

/// HTTP-19.
#[test]
fn http_19_each_fault_has_its_answer() {
    let stages = Stages::new();
    assert_eq!(FINE.send(&stages).code(), 0);
    for fault in LADDER {
        let mut draft = FINE.clone();
        (fault.breaks)(&mut draft);
        check(&draft.send(&stages), fault, fault.row);
    }
}

/// HTTP-19: for every pair of faults that can meet, the answer is that of the earlier row.
#[test]
fn http_19_of_two_faults_the_earlier_row_is_answered() {
    let stages = Stages::new();
    let mut apart = APART.to_vec();
    let mut met = 0;
    for (n, earlier) in LADDER.iter().enumerate() {
        for later in &LADDER[n + 1..] {
            let pair = (earlier.row, later.row);
            if let Some(at) = apart.iter().position(|known| *known == pair) {
                apart.remove(at);
                continue;
            }
            let mut draft = FINE.clone();
            (earlier.breaks)(&mut draft);
            (later.breaks)(&mut draft);
            check(&draft.send(&stages), earlier, &format!("{} before {}", earlier.row, later.row));
            met += 1;
        }
    }
    assert!(apart.is_empty(), "{apart:?}");
    assert_eq!(met, LADDER.len() * (LADDER.len() - 1) / 2 - APART.len());
}
