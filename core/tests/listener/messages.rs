//! Requests and answers in every form that HTTP/1.1 has for them.

use crate::stage::{call, call_body, head, listen, Stage};

/// `body` in chunks of `size` bytes.
fn chunked(body: &str, size: usize) -> String {
    let chunks = body
        .as_bytes()
        .chunks(size)
        .map(|chunk| format!("{:x};x=\"y\"\r\n{}\r\n", chunk.len(), std::str::from_utf8(chunk).unwrap()));
    chunks.collect::<String>() + "0\r\nX-Trailer: 1\r\n\r\n"
}

#[test]
fn http_01_a_json_answer_has_its_length() {
    let stage = Stage::new();
    let answer = stage.connect().ask(call("echo", r#"{"a":1}"#));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(answer.header("content-length"), Some(answer.body.len().to_string().as_str()));
    assert!(answer.body.contains(r#"{\"a\":1}"#), "{}", answer.body);
}

#[test]
fn http_25_requests_may_be_pipelined() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let requests: String = (0..50).map(|number| call("echo", &format!("{{\"n\":{number}}}"))).collect();
    client.send(requests);
    for number in 0..50 {
        let answer = client.answer();
        assert!(answer.body.contains(&format!("{{\\\"n\\\":{number}}}")), "{number}: {}", answer.body);
    }
}

#[test]
fn http_25_a_request_may_come_byte_by_byte() {
    let stage = Stage::new();
    let mut client = stage.connect();
    for _ in 0..2 {
        for byte in call("echo", "{}").bytes() {
            client.send([byte]);
        }
        assert_eq!(client.answer().status, 200);
    }
}

#[test]
fn http_25_bodies_may_be_chunked() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let (start, body) = (head("tools/call", "echo"), call_body("echo", r#"{"a":"bcdefghij"}"#));
    for size in [1, 7, 4096] {
        let request = format!("{start}Transfer-Encoding: chunked\r\n\r\n{}", chunked(&body, size));
        let answer = client.ask(&request);
        assert!(answer.status == 200 && answer.body.contains("bcdefghij"), "{size}: {answer:?}");
    }
    // And in pieces.
    let request = format!("{start}Transfer-Encoding: chunked\r\n\r\n{}", chunked(&body, 5));
    for piece in request.as_bytes().chunks(3) {
        client.send(piece);
    }
    assert_eq!(client.answer().status, 200);
}

#[test]
fn b_104_a_broken_chunk_is_answered_400() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let start = head("tools/call", "echo");
    let answer = client.ask(format!("{start}Transfer-Encoding: chunked\r\n\r\nzz\r\n{{}}\r\n0\r\n\r\n"));
    assert!(answer.status == 400 && answer.closes(), "{answer:?}");
    client.end();
}

#[test]
fn http_25_continue_is_said_when_the_body_is_wanted() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let body = call_body("echo", "{}");
    let start = format!("{}Expect: 100-continue\r\nContent-Length: ", head("tools/call", "echo"));
    for _ in 0..2 {
        client.send(format!("{start}{}\r\n\r\n", body.len()));
        assert_eq!(client.answer().status, 100);
        assert_eq!(client.ask(&body).status, 200);
    }
    // One that is refused is not told to go on.
    let answer = client.ask(format!("{start}{}\r\n\r\n", 2 << 20));
    assert!(answer.status == 413 && answer.closes(), "{answer:?}");
    client.end();
}

#[test]
fn http_11_events_leave_one_by_one_and_the_stream_ends() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.send(call("wait", "{}"));
    let waiting = stage.call();
    waiting.progress(1.0, None, None).unwrap();
    let start = client.head();
    assert_eq!((start.status, start.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(start.header("x-accel-buffering"), Some("no"));
    assert!(client.chunk().unwrap().contains("\"progress\":1"));
    waiting.complete_text("done").unwrap();
    assert!(client.chunk().unwrap().contains("done"));
    assert_eq!(client.chunk(), None);
    // The connection serves on.
    assert_eq!(client.ask(call("echo", "{}")).status, 200);
}

#[test]
fn http_25_the_acknowledgement_of_a_subscription_leaves_at_once() {
    let stage = Stage::new();
    let mut client = stage.connect();
    client.send(listen());
    assert_eq!(client.head().status, 200);
    assert!(client.chunk().unwrap().contains("notifications/subscriptions/acknowledged"));
    stage.server.catalog_changed("").unwrap();
    assert!(client.chunk().unwrap().contains("notifications/tools/list_changed"));
}

#[test]
fn http_07_an_empty_answer_keeps_the_connection() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let body = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let start = head("notifications/cancelled", "");
    let answer = client.ask(format!("{start}Content-Length: {}\r\n\r\n{body}", body.len()));
    assert_eq!((answer.status, &*answer.body), (202, ""));
    assert_eq!(client.ask(call("echo", "{}")).status, 200);
}

#[test]
fn http_25_a_client_of_http_1_0_is_served() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let answer = client.ask(call("echo", "{}").replace("HTTP/1.1", "HTTP/1.0"));
    assert_eq!(answer.status, 200);
    client.end();
}

#[test]
fn http_03_other_names_of_this_machine_are_refused_on_loopback() {
    let stage = Stage::new();
    let answer = stage.connect().ask(call("echo", "{}").replace("Host: localhost", "Host: evil.example"));
    assert_eq!(answer.status, 403);
    let answer = stage.connect().ask(call("echo", "{}").replace("Host: localhost", "Host: [::1]:80"));
    assert_eq!(answer.status, 200);
}

#[test]
fn decision_54_two_lengths_are_refused() {
    let stage = Stage::new();
    let body = call_body("wait", "{}");
    let (length, encoding) =
        (format!("Content-Length: {}\r\n", body.len()), "transfer-encoding: chunked\r\n");
    for lines in [format!("{length}{encoding}"), format!("{encoding}{length}")] {
        let request = format!("{}{lines}\r\n{}", head("tools/call", "wait"), chunked(&body, 100));
        for pieces in [1, 7, 100_000] {
            let mut client = stage.connect();
            assert_eq!(client.ask(call("echo", "{}")).status, 200);
            for piece in request.as_bytes().chunks(pieces) {
                // It may be refused before the last piece.
                if client.try_send(piece).is_err() {
                    break;
                }
            }
            let answer = client.answer();
            assert!(answer.status == 400 && answer.closes(), "{answer:?}");
            client.end();
        }
    }
    assert!(!stage.was_called());
}

#[test]
fn decision_54_lengths_of_different_requests_are_told_apart() {
    let stage = Stage::new();
    let mut client = stage.connect();
    let start = head("tools/call", "echo");
    let other = format!("{start}Transfer-Encoding: chunked\r\n\r\n{}", chunked(&call_body("echo", "{}"), 50));
    client.send([call("echo", "{}"), other.clone(), call("echo", "{}"), other].concat());
    for _ in 0..4 {
        assert_eq!(client.answer().status, 200);
    }
}
