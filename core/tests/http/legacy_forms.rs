//! Other ways to hold sessions: in a store, not at all, in batches, over HTTP+SSE.

use super::client::{Client, Request};
use super::host::ask;
use super::legacy::{events, initialize, messages, methods, post, request, stage, text, tool, Legacy};
use mcpcore::http::{Endpoint, MemoryStore, SessionStore, Sessions};
use mcpcore::{Caller, CancelReason, Dispatch};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

/// LEG-60, LEG-53: batches belong to 2025-03-26.
#[test]
fn leg_60_batches_are_of_one_revision() {
    let stage = stage(|_, _| {});
    let client = Legacy::open(&stage.endpoint, "2025-03-26");
    let ping = |id: u32| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let both = client.send(&format!("[{},{note},{}]", ping(1), tool(2, "echo")));
    assert_eq!((both.status(), both.header("content-type").as_deref()), (200, Some("application/json")));
    let value: Value = serde_json::from_str(&both.body()).unwrap();
    assert_eq!(
        (value.as_array().unwrap().len(), &value[0]["id"], &value[1]["id"]),
        (2, &1.into(), &2.into())
    );
    let notes = client.send(&format!("[{note},{note}]"));
    assert_eq!((notes.status(), notes.body().as_str()), (202, ""));
    // What is said before the last response makes it a stream, on which each response stands by itself.
    let mut mixed = client.send(&format!("[{},{},{}]", ping(1), tool(2, "talk"), tool(3, "wait")));
    assert_eq!(methods(&mixed), ["result", "notifications/message", "notifications/progress", "result"]);
    stage.call().complete_text("late").unwrap();
    assert_eq!(messages(mixed.pull())[4]["id"], 3);
    assert!(mixed.ended);
    let mut cancelled = client.send(&format!("[{},{}]", tool(1, "wait"), ping(2)));
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#);
    let value: Value = serde_json::from_str(&cancelled.pull().body()).unwrap();
    assert_eq!((value.as_array().unwrap().len(), &value[0]["id"]), (1, &2.into()));
    let bad =
        client.send(&format!("[{},1,[],{}]", ping(1), r#"{"jsonrpc":"2.0","id":"i","method":"initialize"}"#));
    let value: Value = serde_json::from_str(&bad.body()).unwrap();
    let codes: Vec<&Value> = value.as_array().unwrap().iter().map(|one| &one["error"]["code"]).collect();
    assert_eq!(codes[1..], [-32600, -32600, -32600]);
    assert_eq!(value[1]["id"], Value::Null);
    for body in ["[]".to_owned(), format!("[{}]", vec![note; 257].join(","))] {
        let refused = client.send(&body);
        assert_eq!((refused.status(), refused.code()), (400, -32600));
    }
    for revision in ["2025-11-25", "2025-06-18", "2024-11-05"] {
        let client = Legacy::open(&stage.endpoint, revision);
        let refused = client.send(&format!("[{}]", ping(1)));
        assert_eq!((refused.status(), refused.code()), (400, -32600), "{revision}");
        assert_eq!(refused.body().contains(r#""id":null"#), revision != "2025-11-25", "LEG-53");
        let unread = client.send("{");
        assert_eq!((unread.status(), unread.code()), (400, -32700), "LEG-32");
        assert_eq!(unread.body().contains(r#""id":null"#), revision != "2025-11-25", "LEG-53");
    }
}

/// LEG-16: without sessions each request is served by itself.
#[test]
fn stateless_hosts_keep_nothing() {
    let stage = stage(|_, http| http.sessions = Sessions::Stateless);
    let opened = initialize("2025-11-25").answer(&stage.endpoint);
    assert!(opened.header("mcp-session-id").is_none());
    let value: Value = serde_json::from_str(&opened.body()).unwrap();
    let can = &value["result"]["capabilities"];
    assert_eq!((&can["tools"], &can["resources"]), (&serde_json::json!({}), &serde_json::json!({})), "{can}");
    let send = |body: &str| post(body).with("MCP-Protocol-Version", "2025-11-25").send(&stage.endpoint);
    assert_eq!(send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).status(), 202);
    assert_eq!(text(&send(&tool(1, "echo"))), "echo {}");
    assert_eq!(send(&request(1, "ping", "{}")).code(), 0);
    let stream = send(&tool(1, "talk"));
    assert_eq!(methods(&stream), ["notifications/message", "notifications/progress", "result"]);
    assert!(events(&stream).iter().all(|event| event.id.is_empty() && event.data.as_deref() != Some("")));
    let asks = send(&tool(1, "sample"));
    assert_eq!((asks.status(), asks.code()), (200, -32021), "nobody knows what its client can do");
    assert_eq!(send(&request(1, "resources/subscribe", r#"{"uri":"mem://a"}"#)).code(), -32601);
    assert_eq!(send(&request(1, "logging/setLevel", r#"{"level":"error"}"#)).code(), 0);
    // Who names no revision speaks 2025-03-26, and whoever names a session is not asked for it.
    assert_eq!(post(&request(1, "tools/list", "{}")).answer(&stage.endpoint).code(), 0);
    let named = post(&request(1, "tools/list", "{}")).with("Mcp-Session-Id", "x").answer(&stage.endpoint);
    assert_eq!(named.code(), 0);
    for method in ["GET", "DELETE"] {
        let refused =
            Request::bare(method, "/mcp").with("Accept", "text/event-stream").answer(&stage.endpoint);
        assert_eq!((refused.status(), refused.header("allow").as_deref()), (405, Some("POST")));
    }
    // Nobody could come back to it, so leaving is the end.
    let left = send(&tool(1, "wait"));
    let call = stage.call();
    drop(left);
    assert_eq!(call.cancelled(), Some(CancelReason::Closed));
    let mut stopped = send(&tool(1, "wait"));
    assert!(stage.server.stop(std::time::Duration::ZERO).is_err());
    assert_eq!(stopped.pull().status(), 503);
}

/// Counts what is asked of it, and fails when told so.
#[derive(Default)]
struct Counting {
    inner: MemoryStore,
    saves: AtomicUsize,
    broken: AtomicUsize,
}

impl Counting {
    fn check(&self) -> Result<(), String> {
        match self.broken.load(Ordering::SeqCst) {
            0 => Ok(()),
            1 => Err("no disk".to_owned()),
            _ => panic!("as asked"),
        }
    }
}

impl SessionStore for Counting {
    fn save(&self, id: &str, session: &str, ttl_ms: u64) -> Result<(), String> {
        self.check()?;
        self.saves.fetch_add(1, Ordering::SeqCst);
        self.inner.save(id, session, ttl_ms)
    }

    fn load(&self, id: &str) -> Result<Option<String>, String> {
        self.check()?;
        self.inner.load(id)
    }

    fn delete(&self, id: &str) -> Result<(), String> {
        self.check()?;
        self.inner.delete(id)
    }
}

fn whole(request: &Request, endpoint: &Endpoint) -> Client {
    request.answer(endpoint)
}

/// X-14: another process goes on with a session.
#[test]
fn x_14_sessions_outlive_their_process() {
    for dispatch in [Dispatch::Inline, Dispatch::Pool] {
        let store = Arc::new(Counting::default());
        let make = || {
            let store = Arc::clone(&store) as Arc<dyn SessionStore>;
            stage(|config, http| {
                config.dispatch = dispatch;
                http.session_store = Some(store);
                http.access = Some(ask(|question| {
                    let name = question.header("x-user").unwrap_or_default().into_owned();
                    question.allow(Caller::new(name).with_all_scopes());
                }));
            })
        };
        let (one, two) = (make(), make());
        let opened = whole(&initialize("2025-06-18"), &one.endpoint);
        let id = opened.header("mcp-session-id").unwrap();
        let client = Legacy { endpoint: &one.endpoint, id: id.clone(), revision: "2025-06-18" };
        for body in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
            request(1, "logging/setLevel", r#"{"level":"alert"}"#),
            request(2, "resources/subscribe", r#"{"uri":"mem://a"}"#),
        ] {
            assert!(whole(&client.post(&body), &one.endpoint).status() < 300);
        }
        let until = std::time::Instant::now() + super::client::LONG;
        let saved = || store.inner.load(&id).unwrap().unwrap();
        while !(saved().contains("mem://a") && saved().contains("alert")) {
            assert!(std::time::Instant::now() < until, "{}", saved());
            std::thread::yield_now();
        }
        let count = store.saves.load(Ordering::SeqCst);
        whole(&client.post(&tool(3, "echo")), &one.endpoint);
        // What changed nothing is not saved.
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert_eq!(store.saves.load(Ordering::SeqCst), count);
        drop(one);

        let client = Legacy { endpoint: &two.endpoint, id, revision: "2025-06-18" };
        let stolen = whole(&client.post(&tool(4, "echo")).with("x-user", "bob"), &two.endpoint);
        assert_eq!(stolen.status(), 404);
        let mismatch = client.post(&tool(4, "echo")).with("MCP-Protocol-Version", "2025-11-25");
        assert_eq!(whole(&mismatch, &two.endpoint).status(), 400, "the revision is known");
        let asked = {
            let mut asked = client.post(&tool(4, "sample")).begin(&two.endpoint);
            asked.wait(|client| client.wanted.is_some());
            asked.exchange.body(tool(4, "sample").as_bytes());
            asked.exchange.end_body();
            asked.wait(|client| !client.data.is_empty());
            asked
        };
        assert_eq!(methods(&asked), ["sampling/createMessage"], "the capabilities are known");
        let quiet = whole(&client.post(&tool(5, "talk")), &two.endpoint);
        assert_eq!(methods(&quiet), ["notifications/progress", "result"], "the log level is known");
        let mut listening = client.get("12345678-0-9").begin(&two.endpoint);
        listening.wait(|client| client.head.is_some());
        assert_eq!(listening.status(), 200, "the standalone stream of another process is gone on with");
        two.server.resource_updated("mem://a");
        listening.wait(|client| !client.data.is_empty());
        assert_eq!(methods(&listening), ["notifications/resources/updated"], "the subscription is known");
        drop((asked, listening));
        let ended = whole(&client.with(Request::bare("DELETE", "/mcp")), &two.endpoint);
        assert_eq!(ended.status(), 204);
        assert!(store.inner.is_empty());
        let three = make();
        assert_eq!(whole(&client.post(&tool(4, "echo")), &three.endpoint).status(), 404);
    }
}

/// A store that fails is no reason to lose a session that is in memory, and the client is told when it must be.
#[test]
fn x_14_stores_may_fail() {
    for how in [1, 2] {
        let store = Arc::new(Counting::default());
        let make = || {
            let store = Arc::clone(&store) as Arc<dyn SessionStore>;
            stage(|_, http| http.session_store = Some(store))
        };
        let (one, two) = (make(), make());
        let opened = whole(&initialize("2025-06-18"), &one.endpoint);
        let client = Legacy {
            endpoint: &one.endpoint,
            id: opened.header("mcp-session-id").unwrap(),
            revision: "2025-06-18",
        };
        store.broken.store(how, Ordering::SeqCst);
        assert_eq!(whole(&client.post(&tool(1, "echo")), &one.endpoint).status(), 200);
        assert!(one.logged("the session store could not save a session"));
        assert_eq!(whole(&client.post(&tool(1, "echo")), &two.endpoint).status(), 503);
        assert_eq!(whole(&client.get(""), &two.endpoint).status(), 503);
        let refused = whole(&initialize("2025-06-18"), &two.endpoint);
        assert_eq!((refused.status(), refused.code()), (503, -32603));
        store.broken.store(0, Ordering::SeqCst);
        assert_eq!(whole(&client.post(&tool(1, "echo")), &two.endpoint).status(), 200);
        // What no session of ours could be never reaches the store.
        for id in ["x", "../../etc/passwd", &"g".repeat(32), &"A".repeat(32)] {
            let named = client.post(&tool(1, "echo")).with("Mcp-Session-Id", id);
            assert_eq!(whole(&named, &two.endpoint).status(), 404, "{id}");
        }
        store.inner.save(&"0".repeat(32), "{\"owner\":\"anyone\"}", 0).unwrap();
        let damaged = client.post(&tool(1, "echo")).with("Mcp-Session-Id", "0".repeat(32));
        assert_eq!(whole(&damaged, &two.endpoint).status(), 404);
    }
}

/// X-14, LEG-42: what a store kept for too long is not taken up again, and what is used is saved again in time.
#[test]
fn x_14_stored_sessions_grow_old_too() {
    let store = Arc::new(MemoryStore::new());
    let make = || {
        let store = Arc::clone(&store) as Arc<dyn SessionStore>;
        stage(|_, http| {
            http.session_store = Some(store);
            http.session_idle_ms = 1000;
        })
    };
    let (one, two) = (make(), make());
    let opened = whole(&initialize("2025-06-18"), &one.endpoint);
    let client = Legacy {
        endpoint: &one.endpoint,
        id: opened.header("mcp-session-id").unwrap(),
        revision: "2025-06-18",
    };
    for _ in 0..6 {
        one.clock.wind(400);
        two.clock.wind(400);
        assert_eq!(whole(&client.post(&tool(1, "echo")), &one.endpoint).status(), 200);
    }
    let until = std::time::Instant::now() + super::client::LONG;
    while whole(&client.post(&tool(1, "echo")), &two.endpoint).status() != 200 {
        assert!(std::time::Instant::now() < until);
    }
    one.clock.wind(2001);
    assert_eq!(whole(&client.post(&tool(1, "echo")), &one.endpoint).status(), 404);
}

/// LEG-70, LEG-33, P-75: the transport of 2024-11-05.
#[test]
fn leg_70_http_with_sse() {
    let stage = stage(|_, http| http.sse_path = Some("/sse".to_owned()));
    let open = || Request::bare("GET", "/sse").with("Accept", "text/event-stream").send(&stage.endpoint);
    let mut stream = open();
    assert_eq!(stream.status(), 200);
    let first = events(&stream);
    assert_eq!((first.len(), &*first[0].kind), (1, "endpoint"));
    let target = first[0].data.clone().unwrap();
    assert!(target.starts_with("/sse?sessionId="));
    let send = |body: &str| {
        let request = post(body).without("Accept").target(&target);
        let answer = request.send(&stage.endpoint);
        assert!(answer.ended);
        (answer.status(), answer.body())
    };
    let accepted = (202, String::new());
    let mut heard = 1;
    let mut next = |stream: &mut Client| {
        let all = events(stream.pull());
        let new: Vec<Value> = all[heard..]
            .iter()
            .map(|event| {
                assert_eq!((&*event.kind, &*event.id), ("message", ""));
                serde_json::from_str(event.data.as_deref().unwrap()).unwrap()
            })
            .collect();
        heard = all.len();
        new
    };
    assert_eq!(send(&request(0, "tools/list", "{}")), accepted);
    assert_eq!(next(&mut stream)[0]["error"]["code"], -32602, "not before initialize");
    assert_eq!(send(&String::from_utf8(initialize("2024-11-05").body).unwrap()), accepted);
    assert_eq!(next(&mut stream)[0]["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), accepted);
    assert_eq!(send(&tool(1, "talk")), accepted);
    let said = next(&mut stream);
    assert_eq!(said.len(), 3);
    assert_eq!(said[2]["id"], 1);
    assert_eq!(send(&tool(2, "sample")), accepted);
    let asked = next(&mut stream);
    assert_eq!(asked[0]["method"], "sampling/createMessage");
    let refused =
        format!(r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-1,"message":"no"}}}}"#, asked[0]["id"]);
    assert_eq!(send(&refused), accepted);
    assert_eq!(next(&mut stream)[0]["id"], 2);
    stage.server.catalog_changed("").unwrap();
    assert_eq!(next(&mut stream).len(), 3);
    assert_eq!(send("{").0, 400);
    assert_eq!(send("[]").0, 400);

    // Its session belongs to the stream, and is no session of the other path.
    let id = target.split_once('=').unwrap().1;
    let elsewhere = post(&tool(1, "echo")).with("Mcp-Session-Id", id).answer(&stage.endpoint);
    assert_eq!(elsewhere.status(), 404);
    send(&tool(3, "wait"));
    let call = stage.call();
    drop(stream);
    assert_eq!(call.cancelled(), Some(CancelReason::Closed));
    assert_eq!(send(&tool(4, "echo")).0, 404);
    for target in ["/sse", "/sse?sessionId=x", "/sse?x=y"] {
        assert!([400, 404].contains(&post(&tool(1, "echo")).target(target).send(&stage.endpoint).status()));
    }
    for method in ["DELETE", "PUT", "HEAD"] {
        let refused = Request::bare(method, "/sse").answer(&stage.endpoint);
        assert_eq!((refused.status(), refused.header("allow").as_deref()), (405, Some("GET, POST")));
    }
    let evil = Request::bare("GET", "/sse")
        .with("Accept", "text/event-stream")
        .with("Origin", "https://evil.example");
    assert_eq!(evil.answer(&stage.endpoint).status(), 403);
    assert_eq!(
        Request::bare("GET", "/sse").with("Accept", "text/html").answer(&stage.endpoint).status(),
        406
    );
    let mut stopped = open();
    stage.endpoint.stop();
    assert!(stopped.pull().ended);
    let off = super::legacy::stage(|_, _| {});
    assert_eq!(
        Request::bare("GET", "/sse").answer(&off.endpoint).status(),
        404,
        "off unless it is asked for"
    );
}

/// A client of HTTP+SSE that does not read costs bounded memory.
#[test]
fn leg_70_who_does_not_read_is_let_go() {
    let stage = stage(|_, http| {
        http.sse_path = Some("/sse".to_owned());
        http.stream_queue_bytes = 4096;
    });
    let mut stream = Request::bare("GET", "/sse").with("Accept", "text/event-stream").send(&stage.endpoint);
    let target = events(&stream)[0].data.clone().unwrap();
    let send = |body: &str| post(body).target(&target).send(&stage.endpoint).status();
    send(&String::from_utf8(initialize("2024-11-05").body).unwrap());
    let taken = (0..1000).take_while(|id| send(&tool(*id, "echo")) == 202).count();
    assert!((10..200).contains(&taken), "{taken}");
    stream.pull();
    assert!(stream.ended);
}
