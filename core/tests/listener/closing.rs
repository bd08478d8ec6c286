//! Ends: of requests, of connections, of the listener.

use crate::stage::{access, call, head, listen, Client, Stage, LONG};
use mcpcore::http::{HttpListener, ListenerConfig};
use mcpcore::{CancelReason, ErrorKind};
use std::io::ErrorKind::ConnectionRefused;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

#[test]
fn b_102_a_refusal_that_read_the_body_keeps_the_connection() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let junk = "x".repeat(16 << 10);
    let request = format!("{}Content-Length: {}\r\n\r\n{junk}", head("tools/call", "echo"), junk.len());
    for _ in 0..3 {
        let answer = client.ask(&request);
        assert!(answer.status == 400 && !answer.closes(), "{answer:?}");
    }
    assert_eq!(client.ask(call("echo", "{}")).status, 200);
}

#[test]
fn b_101_a_refusal_that_did_not_closes_it() {
    let stage = Stage::new();
    for (from, to, status) in [
        ("POST /mcp ", "DELETE /mcp ", 405),
        ("POST /mcp ", "POST /other ", 404),
        ("Host: localhost\r\n", "Host: localhost\r\nOrigin: https://evil.example\r\n", 403),
    ] {
        let mut client = stage.connect();
        // The next request must not be read either.
        client.send([call("echo", "{}").replace(from, to), call("wait", "{}")].concat());
        let answer = client.answer();
        assert!(answer.status == status && answer.closes(), "{answer:?}");
        client.end();
    }
    assert!(!stage.was_called());
}

#[test]
fn b_101_a_client_that_is_still_sending_gets_the_refusal() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let length = 8 << 20;
    client.send(format!("{}Content-Length: {length}\r\n\r\n", head("tools/call", "echo")));
    // Without reading: an answer that a reset overtakes is lost.
    for _ in 0..length >> 16 {
        client.send(" ".repeat(1 << 16));
    }
    let answer = client.answer();
    assert!(answer.status == 413 && answer.closes(), "{answer:?}");
    client.end();
}

#[test]
fn b_100_a_body_without_a_length_is_read_up_to_the_cap() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.send(format!("{}Transfer-Encoding: chunked\r\n\r\n", head("tools/call", "echo")));
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 16, " ".repeat(1 << 16));
    for _ in 0..17 {
        client.send(&chunk);
    }
    let answer = client.answer();
    assert!(answer.status == 413 && answer.closes(), "{answer:?}");
    client.end();
}

#[test]
fn http_18_a_client_that_hangs_up_cancels_a_pending_call() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.send(call("wait", "{}"));
    let waiting = stage.call();
    drop(client);
    assert_eq!(stage.cancelled(), CancelReason::Closed);
    assert!(waiting.complete_text("too late").is_err());
}

#[test]
fn http_18_a_client_that_hangs_up_cancels_a_stream() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.send(call("wait", "{}"));
    let waiting = stage.call();
    waiting.progress(1.0, None, None).unwrap();
    client.head();
    client.chunk().unwrap();
    drop(client);
    assert_eq!(stage.cancelled(), CancelReason::Closed);
    assert!(waiting.complete_text("too late").is_err());
}

#[test]
fn http_18_a_hang_up_behind_more_requests_is_seen() {
    let stage = Stage::new();
    let mut client = stage.connect();
    // In one piece, and in a second one that comes while the call waits.
    client.send([call("wait", "{}"), call("echo", "{}")].concat());
    let waiting = stage.call();
    client.send(call("echo", "{}"));
    drop(client);
    assert_eq!(stage.cancelled(), CancelReason::Closed);
    drop(waiting);
}

#[test]
fn http_25_requests_behind_a_slow_one_are_answered() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.send(call("wait", "{}"));
    let waiting = stage.call();
    // More than is read ahead, while the first is being served.
    let filler = format!("\"{}\"", "y".repeat(3000));
    let behind = call("echo", &format!("{{\"a\":{filler}}}"));
    let mut writer = client;
    for _ in 0..20 {
        writer.send(&behind);
    }
    waiting.complete_text("first").unwrap();
    assert!(writer.answer().body.contains("first"));
    for _ in 0..20 {
        assert!(writer.answer().body.contains("yyy"));
    }
}

#[test]
fn http_18_a_client_that_leaves_in_a_request_costs_nothing() {
    let stage = Stage::with(|_, listen| listen.max_connections = 2);
    let request = call("echo", "{}");
    for cut in (0..request.len()).step_by(37) {
        let mut client = stage.connect();
        client.send(&request[..cut]);
    }
    assert_eq!(stage.connect().ask(request).status, 200);
}

#[test]
fn http_25_stopping_answers_what_is_in_flight() {
    let stage = Stage::with(|_, listen| listen.threads = 2);
    let mut busy: Vec<Client> = (0..8).map(|_| stage.connect()).collect();
    for client in &mut busy {
        client.send(call("wait", "{}"));
    }
    let waiting: Vec<_> = busy.iter().map(|_| stage.call()).collect();
    let mut idle = stage.connect();
    assert_eq!(idle.ask(call("echo", "{}")).status, 200);
    let mut fresh = stage.connect();
    let mut listening = stage.connect();
    listening.send(listen());
    listening.head();
    listening.chunk().unwrap();
    let port = stage.listener.port().unwrap();
    thread::scope(|scope| {
        let stopping = scope.spawn(|| stage.listener.stop(LONG));
        // Closed, and the subscription with its result.
        idle.end();
        fresh.end();
        assert!(listening.chunk().unwrap().contains("\"result\""));
        assert_eq!(listening.chunk(), None);
        for call in waiting {
            call.complete_text("in time").unwrap();
        }
        for client in &mut busy {
            let answer = client.answer();
            assert!(answer.status == 200 && answer.closes() && answer.body.contains("in time"), "{answer:?}");
            client.end();
        }
        stopping.join().unwrap().unwrap();
    });
    let refused = TcpStream::connect(("127.0.0.1", port)).unwrap_err();
    assert_eq!(refused.kind(), ConnectionRefused);
    stage.listener.wait();
    stage.listener.stop(LONG).unwrap();
}

#[test]
fn http_25_stopping_cuts_what_takes_too_long() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.send(call("wait", "{}"));
    let waiting = stage.call();
    let error = stage.listener.stop(Duration::from_millis(50)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.message().starts_with("1 connection"), "{error}");
    client.end();
    stage.cancelled();
    drop(waiting);
}

#[test]
fn http_25_a_half_sent_request_does_not_hold_up_a_stop() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.send(&call("echo", "{}")[..50]);
    let mut other = stage.connect();
    assert_eq!(other.ask(call("echo", "{}")).status, 200);
    stage.listener.stop(Duration::from_millis(50)).unwrap();
    client.end();
}

#[test]
fn http_25_the_end_of_the_server_is_the_end_of_the_listener() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.send(call("wait", "{}"));
    let waiting = stage.call();
    thread::scope(|scope| {
        let stopping = scope.spawn(|| stage.server.stop(LONG));
        scope.spawn(|| stage.listener.wait());
        waiting.complete_text("in time").unwrap();
        assert!(client.answer().body.contains("in time"));
        stopping.join().unwrap().unwrap();
    });
    client.end();
    let error = HttpListener::bind(&stage.server, access(), &ListenerConfig::new("127.0.0.1:0")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
}

#[test]
fn http_25_a_dropped_listener_is_closed() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let port = stage.listener.port().unwrap();
    client.send(call("wait", "{}"));
    let waiting = stage.call();
    let Stage { listener, .. } = stage;
    drop(listener);
    client.end();
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    drop(waiting);
}

#[test]
fn http_25_a_call_may_stop_the_listener_that_serves_it() {
    let stage = Stage::new();
    let mut client = stage.connect();
    // It cannot be waited for there, and is told so.
    let answer = client.ask(call("stop", "{}"));
    assert!(answer.body.contains("Busy"), "{answer:?}");
    client.end();
    stage.listener.wait();
}
