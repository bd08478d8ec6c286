//! Sessions of the older revisions: LEG-01 to LEG-34 over HTTP.

use super::client::{Client, Request};
use super::host::Stage;
use mcpcore::http::Endpoint;
use mcpcore::{CancelReason, Environment};
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

/// Randomness that is never the same, and the test's clock.
struct Ids {
    clock: Arc<dyn Environment>,
    last: AtomicU64,
}

impl Environment for Ids {
    fn monotonic_ms(&self) -> u64 {
        self.clock.monotonic_ms()
    }

    fn unix_ms(&self) -> u64 {
        self.clock.unix_ms()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), String> {
        let next = self.last.fetch_add(1, Ordering::SeqCst) + 1;
        bytes.fill(0);
        for (place, byte) in bytes.iter_mut().zip(next.to_le_bytes()) {
            *place = byte;
        }
        Ok(())
    }
}

pub(crate) fn stage(change: impl FnOnce(&mut mcpcore::Config, &mut mcpcore::http::HttpConfig)) -> Stage {
    Stage::with(|config, http| {
        config.environment =
            Arc::new(Ids { clock: Arc::clone(&config.environment), last: AtomicU64::new(0) });
        change(config, http);
    })
}

/// A client of an older revision.
pub(crate) struct Legacy<'e> {
    pub(crate) endpoint: &'e Endpoint,
    pub(crate) id: String,
    pub(crate) revision: &'static str,
}

pub(crate) fn post(body: &str) -> Request {
    Request::bare("POST", "/mcp")
        .with("Content-Type", "application/json")
        .with("Accept", "application/json, text/event-stream")
        .body(body)
}

pub(crate) fn initialize(revision: &str) -> Request {
    let capabilities = r#"{"roots":{},"sampling":{},"elicitation":{}}"#;
    let params = format!(
        r#"{{"protocolVersion":"{revision}","capabilities":{capabilities},"clientInfo":{{"name":"c","version":"1"}}}}"#
    );
    post(&format!(r#"{{"jsonrpc":"2.0","id":"i","method":"initialize","params":{params}}}"#))
}

pub(crate) fn request(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

pub(crate) fn tool(id: u32, name: &str) -> String {
    request(id, "tools/call", &format!(r#"{{"name":"{name}","_meta":{{"progressToken":{id}}}}}"#))
}

impl<'e> Legacy<'e> {
    pub(crate) fn open(endpoint: &'e Endpoint, revision: &'static str) -> Self {
        let opened = initialize(revision).answer(endpoint);
        assert_eq!(opened.status(), 200, "{opened:?}");
        let id = opened.header("mcp-session-id").expect("a session");
        let client = Self { endpoint, id, revision };
        let ready = client.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).answer(endpoint);
        assert_eq!((ready.status(), ready.body().as_str()), (202, ""));
        client
    }

    pub(crate) fn with(&self, request: Request) -> Request {
        let request = request.with("Mcp-Session-Id", &self.id);
        match self.revision {
            "2025-11-25" | "2025-06-18" => request.with("MCP-Protocol-Version", self.revision),
            _ => request,
        }
    }

    pub(crate) fn post(&self, body: &str) -> Request {
        self.with(post(body))
    }

    pub(crate) fn send(&self, body: &str) -> Client {
        self.post(body).send(self.endpoint)
    }

    pub(crate) fn listen(&self) -> Client {
        self.get("").send(self.endpoint)
    }

    /// A GET; `last` is the event that was seen last, if any.
    pub(crate) fn get(&self, last: &str) -> Request {
        let request = self.with(Request::bare("GET", "/mcp")).with("Accept", "text/event-stream");
        if last.is_empty() {
            request
        } else {
            request.with("Last-Event-ID", last)
        }
    }

    pub(crate) fn delete(&self) -> Client {
        self.with(Request::bare("DELETE", "/mcp")).answer(self.endpoint)
    }
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) retry: String,
    pub(crate) data: Option<String>,
}

/// What came on a stream so far.
pub(crate) fn events(client: &Client) -> Vec<Event> {
    assert_eq!(client.header("content-type").as_deref(), Some("text/event-stream"), "{client:?}");
    let text = client.body();
    assert!(text.is_empty() || text.ends_with("\n\n"));
    let blocks = text.split_terminator("\n\n").filter(|block| !block.starts_with(':'));
    let read = |block: &str| {
        let mut event = Event { kind: String::new(), id: String::new(), retry: String::new(), data: None };
        for line in block.split('\n') {
            match line.split_once(": ").expect(line) {
                ("event", value) => value.clone_into(&mut event.kind),
                ("id", value) => value.clone_into(&mut event.id),
                ("retry", value) => value.clone_into(&mut event.retry),
                ("data", value) => event.data = Some(value.to_owned()),
                other => panic!("{other:?}"),
            }
        }
        event
    };
    blocks.map(read).collect()
}

/// The messages among them.
pub(crate) fn messages(client: &Client) -> Vec<Value> {
    let data = events(client).into_iter().filter_map(|event| event.data).filter(|data| !data.is_empty());
    data.map(|data| serde_json::from_str(&data).unwrap()).collect()
}

pub(crate) fn methods(client: &Client) -> Vec<String> {
    let name = |message: &Value| {
        let kind = if message.get("result").is_some() { "result" } else { "error" };
        message["method"].as_str().unwrap_or(kind).to_owned()
    };
    messages(client).iter().map(name).collect()
}

pub(crate) fn text(client: &Client) -> String {
    let value: Value = serde_json::from_str(&client.body()).unwrap();
    value["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

/// LEG-01, LEG-02, LEG-06, LEG-17, LEG-73: every revision opens a session, and its requests need nothing else.
#[test]
fn leg_17_initialize_opens_a_session() {
    let stage = stage(|_, _| {});
    let mut ids = Vec::new();
    for revision in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let opened = initialize(revision).answer(&stage.endpoint);
        let value: Value = serde_json::from_str(&opened.body()).unwrap();
        assert_eq!(value["result"]["protocolVersion"], revision);
        assert_eq!(value["id"], "i");
        let id = opened.header("mcp-session-id").unwrap();
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_graphic()), "128 bits: {id}");
        assert!(!ids.contains(&id));
        ids.push(id);
        let client = Legacy::open(&stage.endpoint, revision);
        let listed = client.send(&request(1, "tools/list", "{}"));
        assert_eq!((listed.status(), listed.code()), (200, 0), "{listed:?}");
        assert!(listed.header("mcp-session-id").is_none());
        assert!(!listed.body().contains("resultType"));
        assert_eq!(text(&client.send(&tool(2, "echo"))), "echo {}");
        let unknown = client.send(&request(3, "no/such", "{}"));
        assert_eq!((unknown.status(), unknown.code()), (200, -32601), "LEG-32");
    }
}

/// LEG-18, LEG-19, LEG-20, R052, P-56, P-57: which answer a request gets that names no session, or none that is there.
#[test]
fn leg_18_requests_without_their_session_are_told_so() {
    let stage = stage(|_, _| {});
    let list = request(1, "tools/list", "{}");
    let answer = |request: Request| {
        let answer = request.answer(&stage.endpoint);
        (answer.status(), answer.code())
    };
    assert_eq!(answer(post(&list)), (400, -32602));
    assert_eq!(answer(post(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)), (200, 0), "R032");
    for (id, status) in
        [("nope", 404), (&*"0".repeat(32), 404), ("a b", 400), ("", 400), (&*"x".repeat(1025), 400)]
    {
        let named = |request: Request| answer(request.with("Mcp-Session-Id", id)).0;
        assert_eq!(named(post(&list)), status, "{id}");
        assert_eq!(named(post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)), status, "{id}");
        assert_eq!(named(post(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)), status, "{id}");
        assert_eq!(named(post(&format!("[{list}]"))), status, "{id}");
        assert_eq!(named(Request::bare("GET", "/mcp").with("Accept", "text/event-stream")), status, "{id}");
        assert_eq!(named(Request::bare("DELETE", "/mcp")), status, "{id}");
    }
    for method in ["GET", "DELETE"] {
        let bare = Request::bare(method, "/mcp").with("Accept", "text/event-stream");
        assert_eq!(answer(bare), (400, -32600), "{method}");
    }
    let client = Legacy::open(&stage.endpoint, "2025-11-25");
    assert_eq!(answer(client.with(initialize("2025-11-25"))), (400, -32600), "P-56");
    let twice = client.post(&list).also("Mcp-Session-Id", &client.id);
    assert_eq!(answer(twice).0, 400);
    let ended = client.delete();
    assert_eq!((ended.status(), ended.body().as_str()), (204, ""));
    assert_eq!(client.delete().status(), 404);
    let late = client.send(&list);
    assert_eq!((late.status(), late.code()), (404, -32600));
    assert!(late.body().contains("\"id\":1"));
}

/// LEG-21, LEG-61, P-57: the header says the session's revision, where the revision has it.
#[test]
fn leg_21_the_version_header_is_the_sessions() {
    let stage = stage(|_, _| {});
    for (revision, header, status) in [
        ("2025-11-25", None, 200),
        ("2025-11-25", Some("2025-11-25"), 200),
        ("2025-11-25", Some("2025-06-18"), 400),
        ("2025-06-18", Some("2025-11-25"), 400),
        ("2025-06-18", Some("2026-07-28"), 400),
        ("2025-06-18", Some("v999"), 400),
        ("2025-03-26", Some("2025-03-26"), 200),
        ("2025-03-26", Some("2025-11-25"), 200),
        ("2025-03-26", Some("v999"), 400),
        ("2024-11-05", None, 200),
    ] {
        let client = Legacy::open(&stage.endpoint, revision);
        let request = client.post(&request(1, "tools/list", "{}")).without("MCP-Protocol-Version");
        let request =
            header.iter().fold(request, |request, header| request.with("MCP-Protocol-Version", header));
        let answer = request.answer(&stage.endpoint);
        assert_eq!(answer.status(), status, "{revision} {header:?} {answer:?}");
        if header != Some("2026-07-28") {
            let get =
                header.iter().fold(client.get("").without("MCP-Protocol-Version"), |request, header| {
                    request.with("MCP-Protocol-Version", header)
                });
            assert_eq!(get.send(&stage.endpoint).status(), status, "{revision} {header:?}");
        }
    }
    // On initialize it says nothing, unless it names a revision without sessions.
    for (header, status) in [("2025-11-25", 200), ("2025-03-26", 200), ("v999", 400), ("2026-07-28", 400)] {
        let opened = initialize("2025-06-18").with("MCP-Protocol-Version", header).answer(&stage.endpoint);
        assert_eq!(opened.status(), status, "{header}");
    }
}

/// LEG-34: a session is its owner's.
#[test]
fn leg_34_somebody_elses_session_is_not_there() {
    let stage = stage(|_, http| {
        http.access = Some(super::host::ask(|question| {
            let name = question.header("x-user").unwrap_or_default().into_owned();
            question.allow(mcpcore::Caller::new(name).with_all_scopes());
        }));
    });
    let opened = initialize("2025-11-25").with("x-user", "ann").answer(&stage.endpoint);
    let client = Legacy {
        endpoint: &stage.endpoint,
        id: opened.header("mcp-session-id").unwrap(),
        revision: "2025-11-25",
    };
    let list = client.post(&request(1, "tools/list", "{}"));
    for (user, there) in [("ann", true), ("bob", false), ("", false)] {
        let ask = |request: Request| request.with("x-user", user).send(&stage.endpoint).status();
        assert_eq!(ask(list.clone()), if there { 200 } else { 404 }, "{user}");
        assert_eq!(ask(client.get("")), if there { 200 } else { 404 }, "{user}");
        if !there {
            assert_eq!(ask(client.with(Request::bare("DELETE", "/mcp"))), 404);
            assert_eq!(ask(client.post(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#)), 404);
        }
    }
    assert_eq!(
        text(&client.post(&tool(1, "whoami")).with("x-user", "ann").send(&stage.endpoint)),
        "ann true"
    );
}

/// LEG-14, LEG-22, LEG-24, LEG-29, LEG-50, LEG-51: what is said during a call makes its answer a stream.
#[test]
fn leg_14_a_calls_notifications_stand_on_its_own_stream() {
    let stage = stage(|_, _| {});
    for (revision, primes) in
        [("2025-11-25", true), ("2025-06-18", false), ("2025-03-26", false), ("2024-11-05", false)]
    {
        let client = Legacy::open(&stage.endpoint, revision);
        let mut listening = client.listen();
        let stream = client.send(&tool(1, "talk"));
        assert_eq!(
            methods(&stream),
            ["notifications/message", "notifications/progress", "result"],
            "{revision}"
        );
        assert!(stream.ended);
        let events = events(&stream);
        assert_eq!(events[0].data.as_deref() == Some(""), primes, "{revision}");
        assert_eq!(events[0].retry, if primes { "1000" } else { "" });
        let other = client.send(&tool(2, "talk"));
        let mut ids: Vec<String> = events.into_iter().map(|event| event.id).collect();
        ids.extend(super::legacy::events(&other).into_iter().map(|event| event.id));
        assert!(ids.iter().all(|id| !id.is_empty()));
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count, "no two events have one id");
        assert!(messages(listening.pull()).is_empty());
        let plain = client.post(&tool(3, "talk")).with("Accept", "application/json").answer(&stage.endpoint);
        assert_eq!(text(&plain), "talked", "who takes no stream goes without");
    }
}

/// LEG-10, LEG-11, LEG-16, LEG-26, LEG-27: changes are told on the stream of a GET, once.
#[test]
fn leg_11_changes_are_told_on_the_standalone_stream() {
    let stage = stage(|_, _| {});
    let client = Legacy::open(&stage.endpoint, "2025-11-25");
    client.send(&request(1, "resources/subscribe", r#"{"uri":"mem://a"}"#));
    stage.server.resource_updated("mem://a");
    let mut first = client.listen();
    assert_eq!(first.status(), 200);
    assert_eq!(first.header("x-accel-buffering").as_deref(), Some("no"));
    assert_eq!(methods(&first), ["notifications/resources/updated"]);
    stage.server.catalog_changed("").unwrap();
    assert!(first.was_woken());
    first.pull();
    assert_eq!(methods(&first)[1..].len(), 3);
    // The second replaces the first: its client has come back before the loss of the first was noticed.
    let mut second = client.listen();
    first.pull();
    assert!(first.ended && !second.ended);
    stage.server.resource_updated("mem://a");
    stage.server.resource_updated("mem://b");
    assert_eq!(methods(second.pull()), ["notifications/resources/updated"]);
    assert_eq!(methods(&first).len(), 4);
    client.send(&request(1, "resources/unsubscribe", r#"{"uri":"mem://a"}"#));
    stage.server.resource_updated("mem://a");
    assert_eq!(methods(second.pull()).len(), 1);
    // A POST never brings what belongs to no request.
    stage.server.catalog_changed("").unwrap();
    assert_eq!(
        methods(&client.send(&tool(5, "talk"))),
        ["notifications/message", "notifications/progress", "result"]
    );
    assert_eq!(client.get("").with("Accept", "application/json").answer(&stage.endpoint).status(), 406);
    assert_eq!(client.delete().status(), 204);
    second.pull();
    assert!(second.ended);
}

/// LEG-13, LEG-15: questions stand on the POST's stream, and are answered by other POSTs.
#[test]
fn leg_13_the_client_is_asked_on_the_stream_of_its_call() {
    let stage = stage(|_, _| {});
    let client = Legacy::open(&stage.endpoint, "2025-11-25");
    let mut call = client.send(&tool(1, "sample"));
    let asked = messages(&call);
    assert_eq!(asked[0]["method"], "sampling/createMessage");
    assert!(!call.ended);
    let answer = |id: &Value| {
        let result = r#"{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}"#;
        client.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#))
    };
    let taken = answer(&asked[0]["id"]);
    assert_eq!((taken.status(), taken.body().as_str()), (202, ""));
    // The tool of the fixture asks in every round.
    let again = messages(call.pull());
    assert_eq!(again[1]["method"], "sampling/createMessage");
    assert_ne!(again[1]["id"], again[0]["id"]);
    let nobody = answer(&asked[0]["id"]);
    assert_eq!((nobody.status(), nobody.code()), (400, -32600));
    let refused = client.send(&format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-1,"message":"no"}}}}"#,
        again[1]["id"]
    ));
    assert_eq!(refused.status(), 202);
    call.pull();
    assert!(call.ended);
    assert_eq!(messages(&call)[2]["result"]["isError"], true);
    // Who takes no stream cannot be asked.
    let plain = client.post(&tool(3, "sample")).with("Accept", "application/json").answer(&stage.endpoint);
    assert!(plain.body().contains("The client has left."), "{plain:?}");
    assert_eq!(stage.stat("callsOwed"), 0);
}

/// LEG-28, LEG-25, decision 6: whoever is cut off finds the rest.
#[test]
fn leg_28_a_cut_stream_is_no_cancellation() {
    let stage = stage(|_, _| {});
    let client = Legacy::open(&stage.endpoint, "2025-11-25");
    let cut = client.send(&tool(1, "wait"));
    let call = stage.call();
    call.progress(1.0, None, None).unwrap();
    let mut cut = cut;
    let last = events(cut.pull()).pop().unwrap().id;
    drop(cut);
    assert_eq!(call.cancelled(), None);
    call.progress(2.0, None, None).unwrap();
    let mut other = client.send(&tool(2, "wait"));
    let second = stage.call();
    second.progress(7.0, None, None).unwrap();
    stage.server.catalog_changed("").unwrap();
    let mut resumed = client.get(&last).send(&stage.endpoint);
    assert_eq!(methods(&resumed), ["notifications/progress"]);
    assert_eq!(messages(&resumed)[0]["params"]["progress"], 2.0);
    call.complete_text("done").unwrap();
    assert!(resumed.was_woken());
    resumed.pull();
    assert!(resumed.ended);
    assert_eq!(messages(&resumed)[1]["id"], 1);
    // All of it can be had once more.
    assert_eq!(methods(&client.get(&last).send(&stage.endpoint)), ["notifications/progress", "result"]);
    second.complete_text("2").unwrap();
    assert_eq!(methods(other.pull()), ["notifications/progress", "result"]);
    assert!(stage.cancelled().is_empty());
    for unknown in ["x", "0", "ffffffff-1-1", "1-2-3-4", &format!("{last}0")] {
        assert_eq!(client.get(unknown).send(&stage.endpoint).status(), 400, "{unknown}");
    }
}

/// LEG-30: cancelling is said.
#[test]
fn leg_30_a_call_is_cancelled_by_its_session_only() {
    let stage = stage(|_, _| {});
    let (ann, bob) =
        (Legacy::open(&stage.endpoint, "2025-11-25"), Legacy::open(&stage.endpoint, "2025-11-25"));
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let mut waiting = ann.send(&tool(1, "wait"));
    let call = stage.call();
    assert_eq!(bob.send(cancel).status(), 202);
    assert_eq!(call.cancelled(), None);
    assert_eq!(ann.send(cancel).status(), 202);
    assert_eq!(call.cancelled(), Some(CancelReason::Client));
    assert!(waiting.pull().ended);
    assert_eq!((waiting.status(), waiting.body().as_str()), (202, ""));
    assert!(call.complete_text("late").is_err());
    let mut streaming = ann.send(&tool(1, "wait"));
    let call = stage.call();
    call.progress(1.0, None, None).unwrap();
    ann.send(cancel);
    assert_eq!(methods(streaming.pull()), ["notifications/progress"]);
    assert!(streaming.ended);
    assert_eq!(stage.stat("callsOwed"), 0);
}
