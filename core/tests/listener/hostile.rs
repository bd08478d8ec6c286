//! Requests that two readers could take for different ones, and clients that do not behave (decision 54, HTTP-25).

use crate::stage::{call, call_body, head, Stage, LONG};
use mcpcore::CancelReason;
use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// A call that must not be served behind what is refused.
fn smuggled() -> String {
    call("wait", "{}")
}

#[test]
fn decision_54_what_could_hide_a_request_is_refused_and_ends_the_connection() {
    let stage = Stage::new();
    let body = call_body("echo", "{}");
    let length = format!("Content-Length: {}", body.len());
    let start = head("tools/call", "echo");
    let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let chunks = "Transfer-Encoding: chunked";
    for (name, request, status) in [
        ("length and chunks", format!("{start}{length}\r\n{chunks}\r\n\r\n{chunked}"), 400),
        ("two equal lengths", format!("{start}{length}\r\n{length}\r\n\r\n{body}"), 400),
        ("two lengths", format!("{start}Content-Length: 0\r\n{length}\r\n\r\n{body}"), 400),
        ("a list of lengths", format!("{start}{length}, {}\r\n\r\n{body}", body.len()), 400),
        ("a signed length", format!("{start}Content-Length: +{}\r\n\r\n{body}", body.len()), 400),
        ("two encodings", format!("{start}{chunks}\r\n{chunks}\r\n\r\n{chunked}"), 400),
        ("an unknown encoding", format!("{start}Transfer-Encoding: xchunked\r\n\r\n{chunked}"), 501),
        ("a list of encodings", format!("{start}Transfer-Encoding: identity, chunked\r\n\r\n{chunked}"), 501),
        ("a space before the colon", format!("{start}Transfer-Encoding : chunked\r\n\r\n{chunked}"), 400),
        ("a folded line", format!("{start}X: y\r\n {length}\r\n\r\n{body}"), 400),
        ("a folded encoding", format!("{start}Transfer-Encoding:\r\n chunked\r\n\r\n{chunked}"), 400),
        ("a bare line feed", format!("{start}X: y\n{length}\r\n\r\n{body}"), 400),
        ("a bare carriage return", format!("{start}X: y\r{length}\r\n\r\n{body}"), 400),
        ("a line feed at the end", format!("{start}{length}\r\n\n{body}"), 400),
        ("a NUL", format!("{start}X: \0\r\n{length}\r\n\r\n{body}"), 400),
        ("two hosts", format!("{start}Host: localhost\r\n{length}\r\n\r\n{body}"), 400),
        ("no host", format!("{start}{length}\r\n\r\n{body}").replace("Host: localhost\r\n", ""), 400),
        ("chunks for HTTP/1.0", format!("{start}{chunks}\r\n\r\n{chunked}").replace("1.1", "1.0"), 501),
        ("HTTP/1.2", format!("{start}{length}\r\n\r\n{body}").replace("1.1", "1.2"), 505),
        ("a chunk too short", format!("{start}{chunks}\r\n\r\n2\r\n{chunked}"), 400),
        (
            "a bare line feed in chunks",
            format!("{start}{chunks}\r\n\r\n{}", chunked.replace("\r\n", "\n")),
            400,
        ),
    ] {
        let mut client = stage.connect();
        assert_eq!(client.ask(call("echo", "{}")).status, 200);
        client.send(request + &smuggled());
        let answer = client.answer();
        assert!(answer.status == status && answer.closes(), "{name}: {answer:?}");
        client.end();
    }
    assert!(!stage.was_called());
}

#[test]
fn http_25_targets_of_other_forms_are_told_apart() {
    let stage = Stage::new();
    for (target, status) in [
        ("http://localhost/mcp", 200),
        ("http://evil.example/mcp", 403),
        ("//evil.example/mcp", 404),
        ("*", 404),
        ("/mcp/../mcp", 404),
        ("/%6dcp", 404),
        ("/mcp?x", 200),
    ] {
        let request = call("echo", "{}").replace("POST /mcp ", &format!("POST {target} "));
        assert_eq!(stage.connect().ask(request).status, status, "{target}");
    }
    let start = head("tools/call", "echo");
    let request = start.replace("POST /mcp", "OPTIONS *") + "Content-Length: 0\r\n\r\n";
    assert_eq!(stage.connect().ask(request).status, 404);
    let request = start.replace("POST /mcp", "CONNECT localhost:80") + "\r\n";
    assert_eq!(stage.connect().ask(request).status, 404);
}

#[test]
fn http_25_an_offer_to_upgrade_is_passed_over() {
    let stage = Stage::new();
    let mut client = stage.connect();
    for lines in [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
    ] {
        let request =
            call("echo", "{}").replace("Host: localhost\r\n", &format!("Host: localhost\r\n{lines}"));
        let answer = client.ask(request);
        assert!(answer.status == 200 && !answer.closes(), "{answer:?}");
    }
}

#[test]
fn http_25_trailers_change_nothing() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let body = call_body("echo", "{}");
    let start = head("tools/call", "echo");
    let trailers =
        "Content-Length: 9\r\nTransfer-Encoding: chunked\r\nHost: evil.example\r\nMcp-Name: wait\r\n";
    let request =
        format!("{start}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n{trailers}\r\n", body.len());
    for _ in 0..2 {
        assert_eq!(client.ask(&request).status, 200);
    }
    // Too much of them is broken framing.
    let long = format!("X: {}\r\n", "y".repeat(17 << 10));
    let answer = client.ask(request.replace("Mcp-Name: wait\r\n", &long));
    assert!(answer.status == 400 && answer.closes(), "{answer:?}");
    client.end();
    assert!(!stage.was_called());
}

#[test]
fn http_25_head_is_answered_without_a_body() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let request = "HEAD /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.send(request);
    let answer = client.head();
    assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, POST, DELETE")), "{answer:?}");
    client.end();
}

#[test]
fn http_25_empty_lines_between_requests_are_passed_over() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let one = call("echo", "{}");
    client.send(format!("\r\n\r\n{one}\r\n{one}\r\n"));
    for _ in 0..2 {
        assert_eq!(client.answer().status, 200);
    }
    // In pieces.
    for piece in ["\r", "\n", "\r", "\n"] {
        client.send(piece);
    }
    assert_eq!(client.ask(&one).status, 200);
    assert_eq!(client.ask(format!("\n{one}")).status, 400);
    client.end();
}

#[test]
fn limits_empty_lines_do_not_win_time() {
    let stage = Stage::with(|_, listen| listen.idle_ms = 300);
    let mut client = stage.connect();
    assert_eq!(client.ask(call("echo", "{}")).status, 200);
    // Far longer than the connection may be idle, unless it is closed.
    let sent = (0..200).take_while(|_| {
        std::thread::sleep(Duration::from_millis(20));
        client.try_send("\r\n").is_ok()
    });
    assert!(sent.count() < 200);
}

#[test]
fn http_18_a_client_that_only_stops_sending_is_answered_at_once_or_not_at_all() {
    let stage = Stage::new();
    // All that it sent is answered if nothing has to be waited for.
    let mut socket = TcpStream::connect(("127.0.0.1", stage.listener.port().unwrap())).unwrap();
    socket.set_read_timeout(Some(LONG)).unwrap();
    socket.write_all([call("echo", "{}"), call("echo", "{}")].concat().as_bytes()).unwrap();
    socket.shutdown(Shutdown::Write).unwrap();
    let mut text = String::new();
    std::io::Read::read_to_string(&mut socket, &mut text).unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2, "{text}");
    // A call that waits cannot tell it from one that is gone.
    let mut socket = TcpStream::connect(("127.0.0.1", stage.listener.port().unwrap())).unwrap();
    socket.write_all(call("wait", "{}").as_bytes()).unwrap();
    let waiting = stage.call();
    socket.shutdown(Shutdown::Write).unwrap();
    assert_eq!(stage.cancelled(), CancelReason::Closed);
    drop(waiting);
}

#[test]
fn http_25_the_preface_of_http2_may_come_in_pieces() {
    let stage = Stage::new();
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    for size in [1, 3, 23] {
        let mut client = stage.connect();
        for piece in preface.as_bytes().chunks(size) {
            client.send(piece);
        }
        client.send(settings);
        // The other side's settings.
        assert_eq!(client.bytes(4)[3], 4, "{size}");
    }
    // What only begins like it is HTTP/1.1 of a version that is not spoken.
    for text in ["PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", "PRI * HTTP/2.0\r\nHost: a\r\n\r\n"] {
        let mut client = stage.connect();
        let (start, rest) = text.split_at(10);
        client.send(start);
        let answer = client.ask(rest);
        assert!(answer.status == 505 && answer.closes(), "{answer:?}");
    }
}
