//! Every limit of the listener, and one past it.

use crate::stage::{call, call_body, head, Stage, BIG};

#[test]
fn b_105_a_slow_body_is_answered_408() {
    let stage = Stage::with(|http, _| http.body_timeout_ms = 200);
    let mut client = stage.connect();
    let body = call_body("wait", "{}");
    client.send(format!(
        "{}Content-Length: {}\r\n\r\n{}",
        head("tools/call", "wait"),
        body.len(),
        &body[..20]
    ));
    let answer = client.answer();
    assert!(answer.status == 408 && answer.closes(), "{answer:?}");
    client.end();
    assert!(!stage.was_called());
}

#[test]
fn limits_a_slow_head_is_answered_408() {
    let stage = Stage::with(|_, listen| listen.header_timeout_ms = 200);
    let request = call("echo", "{}");
    // The first request of a connection, and a later one.
    let mut client = stage.connect();
    assert_eq!(client.ask(&request).status, 200);
    for _ in 0..2 {
        let mut slow = stage.connect();
        slow.send(&request[..100]);
        let answer = slow.answer();
        assert!(answer.status == 408 && answer.closes(), "{answer:?}");
        slow.end();
        assert_eq!(client.ask(&request).status, 200);
    }
    client.send(&request[..100]);
    assert_eq!(client.answer().status, 408);
    client.end();
}

#[test]
fn limits_a_connection_without_a_request_is_closed() {
    let stage = Stage::with(|_, listen| listen.header_timeout_ms = 100);
    stage.connect().end();
}

#[test]
fn limits_an_idle_connection_is_closed() {
    let stage = Stage::with(|_, listen| listen.idle_ms = 200);
    let mut client = stage.connect();
    for _ in 0..3 {
        assert_eq!(client.ask(call("echo", "{}")).status, 200);
    }
    client.end();
}

#[test]
fn limits_a_call_that_takes_longer_than_an_idle_connection_may_is_answered() {
    let stage = Stage::with(|_, listen| {
        listen.idle_ms = 100;
        listen.header_timeout_ms = 100;
    });
    let mut client = stage.connect();
    client.send(call("wait", "{}"));
    let waiting = stage.call();
    std::thread::sleep(std::time::Duration::from_millis(400));
    waiting.complete_text("at last").unwrap();
    assert!(client.answer().body.contains("at last"));
    client.end();
}

#[test]
fn limits_a_client_that_does_not_read_is_cut() {
    let stage = Stage::with(|_, listen| {
        listen.idle_ms = 300;
        listen.max_connections = 1;
    });
    let mut stuck = stage.connect();
    stuck.send(call("big", "{}"));
    // There is one place, and it gets free.
    assert_eq!(stage.connect().ask(call("echo", "{}")).status, 200);
    assert!(stuck.bytes_to_end() < BIG);
}

#[test]
fn limits_a_client_that_reads_gets_everything() {
    let stage = Stage::new();
    let answer = stage.connect().ask(call("big", "{}"));
    assert!(answer.status == 200 && answer.body.len() > BIG);
}

#[test]
fn limits_one_connection_more_waits_for_its_place() {
    let stage = Stage::with(|_, listen| listen.max_connections = 3);
    let mut clients: Vec<_> = (0..3).map(|_| stage.connect()).collect();
    for client in &mut clients {
        assert_eq!(client.ask(call("echo", "{}")).status, 200);
    }
    let mut late = stage.connect();
    late.send(call("wait", "{}"));
    // A fence: the others are served while it waits.
    for client in &mut clients {
        assert_eq!(client.ask(call("echo", "{}")).status, 200);
    }
    assert!(!stage.was_called());
    drop(clients.pop());
    stage.call().complete_text("served").unwrap();
    assert!(late.answer().body.contains("served"));
}

#[test]
fn limits_a_head_may_have_64_kib() {
    let stage = Stage::new();
    for (over, status) in [(0, 200), (1, 431)] {
        let body = call_body("echo", "{}");
        let start = format!("{}Content-Length: {}\r\nX-Long: ", head("tools/call", "echo"), body.len());
        let filler = "x".repeat((64 << 10) + over - start.len() - 4);
        let mut client = stage.connect();
        let answer = client.ask(format!("{start}{filler}\r\n\r\n{body}"));
        assert_eq!(answer.status, status, "{over} over: {answer:?}");
        if status != 200 {
            client.end();
        }
    }
}

#[test]
fn limits_a_head_may_have_100_headers() {
    let stage = Stage::new();
    for (over, status) in [(0, 200), (1, 431)] {
        let body = call_body("echo", "{}");
        let start = format!("{}Content-Length: {}\r\n", head("tools/call", "echo"), body.len());
        let others = 100 + over - (start.lines().count() - 1);
        let more: String = (0..others).map(|_| "X-More: y\r\n").collect();
        let answer = stage.connect().ask(format!("{start}{more}\r\n{body}"));
        assert_eq!(answer.status, status, "{over} over: {answer:?}");
    }
}

#[test]
fn limits_the_longest_body_is_served() {
    let stage = Stage::new();
    let body = call_body("echo", "{}");
    for (over, status) in [(0, 200), (1, 413)] {
        let body = format!("{body}{}", " ".repeat((1 << 20) + over - body.len()));
        let request = format!("{}Content-Length: {}\r\n\r\n{body}", head("tools/call", "echo"), body.len());
        assert_eq!(stage.connect().ask(request).status, status, "{over} over");
    }
}
