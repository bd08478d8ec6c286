//! HTTP/2 with prior knowledge, on the same port.

use crate::stage::{call, call_body, listen_body, Stage, LONG};
use h2::client::SendRequest;
use http::{Request, Response};
use mcpcore::{Call, CancelReason};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(LONG, work).await.expect("it hangs") })
}

async fn connect(stage: &Stage) -> SendRequest<bytes::Bytes> {
    let socket = TcpStream::connect(("127.0.0.1", stage.listener.port().unwrap())).await.unwrap();
    let (client, connection) = h2::client::handshake(socket).await.unwrap();
    tokio::spawn(connection);
    client
}

fn request(method: &str, name: &str) -> Request<()> {
    let request = Request::post("http://localhost/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method);
    let request = if name.is_empty() { request } else { request.header("mcp-name", name) };
    request.body(()).unwrap()
}

async fn send(
    client: &SendRequest<bytes::Bytes>,
    request: Request<()>,
    body: String,
) -> Response<h2::RecvStream> {
    let mut client = client.clone().ready().await.unwrap();
    let (response, mut stream) = client.send_request(request, false).unwrap();
    // In two pieces.
    let (start, rest) = body.split_at(body.len() / 2);
    stream.send_data(start.to_owned().into(), false).unwrap();
    stream.send_data(rest.to_owned().into(), true).unwrap();
    response.await.unwrap()
}

async fn text(response: Response<h2::RecvStream>) -> String {
    let mut body = response.into_body();
    let mut bytes = Vec::new();
    while let Some(chunk) = body.data().await {
        let chunk = chunk.unwrap();
        body.flow_control().release_capacity(chunk.len()).unwrap();
        bytes.extend_from_slice(&chunk);
    }
    String::from_utf8(bytes).unwrap()
}

#[test]
fn http_25_http2_is_served_on_the_same_port() {
    let stage = Stage::new();
    run(async {
        let client = connect(&stage).await;
        for _ in 0..3 {
            let body = call_body("echo", r#"{"a":1}"#);
            let response = send(&client, request("tools/call", "echo"), body).await;
            assert_eq!(response.status(), 200);
            let length: usize = response.headers()["content-length"].to_str().unwrap().parse().unwrap();
            let body = text(response).await;
            assert!(body.len() == length && body.contains(r#"{\"a\":1}"#), "{body}");
        }
    });
    assert_eq!(stage.connect().ask(call("echo", "{}")).status, 200);
}

#[test]
fn http_10_streams_of_one_connection_do_not_mix() {
    let stage = Stage::new();
    run(async {
        let client = connect(&stage).await;
        let slow = send(&client, request("tools/call", "wait"), call_body("wait", "{}"));
        let (slow, ()) = {
            let quick = async {
                let waiting = called(&stage).await;
                let response = send(&client, request("tools/call", "echo"), call_body("echo", "{}")).await;
                assert!(text(response).await.contains("{}"));
                waiting.progress(1.0, None, None).unwrap();
                waiting.complete_text("slow").unwrap();
            };
            both(slow, quick).await
        };
        assert_eq!(slow.headers()["content-type"], "text/event-stream");
        let body = text(slow).await;
        assert!(body.contains("\"progress\":1") && body.contains("slow"), "{body}");
    });
}

/// The next call of `wait`, without holding up the client's own work.
async fn called(stage: &Stage) -> Call {
    loop {
        match stage.try_call() {
            Some(call) => return call,
            None => tokio::time::sleep(Duration::from_millis(1)).await,
        }
    }
}

/// Runs both on this task. `one` is polled first, so that it has been sent when `other` begins.
async fn both<A, B>(one: impl Future<Output = A>, other: impl Future<Output = B>) -> (A, B) {
    let (mut one, mut other) = (Box::pin(one), Box::pin(other));
    let (mut first, mut second) = (None, None);
    std::future::poll_fn(move |cx| {
        use std::task::Poll::{Pending, Ready};
        if first.is_none() {
            if let Ready(value) = one.as_mut().poll(cx) {
                first = Some(value);
            }
        }
        if second.is_none() {
            if let Ready(value) = other.as_mut().poll(cx) {
                second = Some(value);
            }
        }
        match (first.take(), second.take()) {
            (Some(a), Some(b)) => Ready((a, b)),
            (a, b) => {
                (first, second) = (a, b);
                Pending
            }
        }
    })
    .await
}

#[test]
fn http_18_a_reset_stream_cancels_its_call_alone() {
    let stage = Stage::new();
    run(async {
        let client = connect(&stage).await;
        let mut ready = client.clone().ready().await.unwrap();
        let (response, mut stream) = ready.send_request(request("tools/call", "wait"), false).unwrap();
        stream.send_data(call_body("wait", "{}").into(), true).unwrap();
        let other = send(&client, request("tools/call", "echo"), call_body("echo", "{}")).await;
        assert!(text(other).await.contains("{}"));
        let waiting = stage.call();
        stream.send_reset(h2::Reason::CANCEL);
        drop(response);
        let other = send(&client, request("tools/call", "echo"), call_body("echo", "{}")).await;
        assert!(text(other).await.contains("{}"));
        assert_eq!(stage.cancelled(), CancelReason::Closed);
        drop(waiting);
    });
}

#[test]
fn http_18_the_end_of_the_connection_cancels_every_call() {
    let stage = Stage::new();
    run(async {
        let client = connect(&stage).await;
        let mut open = Vec::new();
        for _ in 0..3 {
            let mut ready = client.clone().ready().await.unwrap();
            let (response, mut stream) = ready.send_request(request("tools/call", "wait"), false).unwrap();
            stream.send_data(call_body("wait", "{}").into(), true).unwrap();
            open.push((response, stream));
        }
        let response = send(&client, request("subscriptions/listen", ""), listen_body()).await;
        assert_eq!(response.status(), 200);
    });
    // The runtime is gone, and the socket with it.
    let waiting: Vec<_> = (0..3).map(|_| stage.call()).collect();
    for _ in 0..3 {
        assert_eq!(stage.cancelled(), CancelReason::Closed);
    }
    drop(waiting);
}

#[test]
fn b_105_a_slow_body_over_http2_is_answered_408() {
    let stage = Stage::with(|http, _| http.body_timeout_ms = 200);
    run(async {
        let client = connect(&stage).await;
        let mut ready = client.clone().ready().await.unwrap();
        let (response, mut stream) = ready.send_request(request("tools/call", "wait"), false).unwrap();
        stream.send_data("{".into(), false).unwrap();
        assert_eq!(response.await.unwrap().status(), 408);
        // The connection serves on.
        let other = send(&client, request("tools/call", "echo"), call_body("echo", "{}")).await;
        assert_eq!(other.status(), 200);
    });
}

#[test]
fn limits_an_idle_connection_of_http2_is_closed() {
    let stage = Stage::with(|_, listen| listen.idle_ms = 200);
    run(async {
        let socket = TcpStream::connect(("127.0.0.1", stage.listener.port().unwrap())).await.unwrap();
        let (client, connection) = h2::client::handshake(socket).await.unwrap();
        let connection = tokio::spawn(connection);
        let response = send(&client, request("tools/call", "echo"), call_body("echo", "{}")).await;
        assert_eq!(response.status(), 200);
        let _ = connection.await.unwrap();
    });
}

#[test]
fn http_25_stopping_answers_what_is_in_flight_over_http2() {
    let stage = Stage::new();
    std::thread::scope(|scope| {
        let answered = run(async {
            let client = connect(&stage).await;
            let response = send(&client, request("tools/call", "wait"), call_body("wait", "{}"));
            let (response, stopping) = both(response, async {
                let waiting = called(&stage).await;
                let listener = Arc::clone(&stage.listener);
                let stopping = scope.spawn(move || listener.stop(LONG));
                waiting.complete_text("in time").unwrap();
                stopping
            })
            .await;
            (text(response).await, stopping)
        });
        let (body, stopping) = answered;
        assert!(body.contains("in time"), "{body}");
        stopping.join().unwrap().unwrap();
    });
}
