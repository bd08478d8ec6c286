//! Sessions of the older revisions over real sockets.

use crate::stage::{Answer, Client, Stage, LONG};
use mcpcore::http::{HttpConfig, ListenerConfig};
use mcpcore::CancelReason;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

fn request(method: &str, more: &str, body: &str) -> String {
    format!(
        "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{more}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn tool(name: &str) -> String {
    let params = format!(r#"{{"name":"{name}","_meta":{{"progressToken":1}}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#)
}

/// The header lines of a session that is open.
fn open(client: &mut Client) -> String {
    let opened = client.ask(request("POST", "", INITIALIZE));
    let id = opened.header("mcp-session-id").expect("a session").to_owned();
    let named = format!("Mcp-Session-Id: {id}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    assert_eq!(client.ask(request("POST", &named, READY)).status, 202);
    named
}

fn listen(stage: &Stage, more: &str) -> (Client, Answer) {
    let mut client = stage.connect();
    client.send(request("GET", more, ""));
    let head = client.head();
    assert_eq!(head.status, 200, "{head:?}");
    (client, head)
}

fn brief(idle: u64) -> impl FnOnce(&mut HttpConfig, &mut ListenerConfig) {
    move |http, _| http.session_idle_ms = idle
}

/// LEG-11, LEG-20, LEG-25, LEG-28.
#[test]
fn leg_28_a_session_goes_on_over_other_connections() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let named = open(&mut client);
    let (mut listening, head) = listen(&stage, &named);
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    assert!(listening.chunk().unwrap().starts_with("id: "));
    stage.server.catalog_changed("").unwrap();
    assert!(listening.chunk().unwrap().contains("notifications/tools/list_changed"));

    let mut calling = stage.connect();
    calling.send(request("POST", &named, &tool("wait")));
    let call = stage.call();
    call.progress(1.0, None, None).unwrap();
    assert_eq!(calling.head().status, 200);
    let first = calling.chunk().unwrap();
    let id = first.lines().next().unwrap().strip_prefix("id: ").unwrap().to_owned();
    drop(calling);
    let (mut resumed, _) = listen(&stage, &format!("{named}Last-Event-ID: {id}\r\n"));
    assert!(resumed.chunk().unwrap().contains("notifications/progress"));
    call.complete_text("done").unwrap();
    assert!(resumed.chunk().unwrap().contains("\"text\":\"done\""));
    assert!(resumed.chunk().is_none());
    // The connection serves on behind a stream that ended.
    assert_eq!(resumed.ask(request("POST", &named, &tool("echo"))).status, 200);

    assert_eq!(client.ask(request("DELETE", &named, "")).status, 204);
    assert!(listening.chunk().is_none());
    assert_eq!(client.ask(request("POST", &named, &tool("echo"))).status, 404);
}

/// LEG-42, R053: the listener looks at the clock of sessions by itself.
#[test]
fn leg_42_a_listener_ends_sessions_of_absent_clients() {
    for threads in [1, 2] {
        let stage = Stage::with(|http, listen| {
            brief(100)(http, listen);
            listen.threads = threads;
        });
        let mut client = stage.connect();
        let named = open(&mut client);
        client.send(request("POST", &named, &tool("wait")));
        let call = stage.call();
        assert_eq!(call.cancelled(), None);
        drop(client);
        assert_eq!(stage.cancelled(), CancelReason::Closed);
        assert!(call.complete_text("late").is_err());
    }
}

/// R057: open streams do not hold up the end.
#[test]
fn r057_a_listener_stops_with_streams_of_sessions_open() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let named = open(&mut client);
    let (mut listening, _) = listen(&stage, &named);
    stage.listener.stop(LONG).unwrap();
    assert!(listening.chunk().is_some_and(|event| event.starts_with("id: ")));
    assert!(listening.chunk().is_none());
}

/// LEG-23: a stream that a call ends early frees its connection.
#[test]
fn leg_23_a_call_that_ends_its_stream_holds_no_connection() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let named = open(&mut client);
    client.send(request("POST", &named, &tool("wait")));
    let call = stage.call();
    call.close_stream(500);
    let polled = client.answer();
    assert!(polled.body.starts_with("id: ") && polled.body.contains("retry: 500\n"), "{polled:?}");
    let id = polled.body.lines().next().unwrap().strip_prefix("id: ").unwrap().to_owned();
    call.complete_text("later").unwrap();
    let rest = client.ask(request("GET", &format!("{named}Last-Event-ID: {id}\r\n"), ""));
    assert!(rest.body.contains("\"text\":\"later\""), "{rest:?}");
}

/// A body where none belongs is not taken for the next request.
#[test]
fn a_stream_with_a_body_is_the_last_of_its_connection() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let named = open(&mut client);
    let smuggled = request("POST", &named, &tool("wait"));
    let mut listening = stage.connect();
    listening.send(request("GET", &named, &smuggled));
    let head = listening.head();
    assert!(head.status == 200 && head.closes(), "{head:?}");
    assert!(listening.chunk().unwrap().starts_with("id: "));
    let ended = client.ask(request("DELETE", &named, &smuggled));
    assert!(ended.status == 204 && ended.closes(), "{ended:?}");
    client.end();
    assert!(listening.chunk().is_none());
    listening.end();
    assert!(!stage.was_called());
}
