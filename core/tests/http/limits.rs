//! Limits, one past each, and times, a moment past each.

use super::client::{Client, Request, LONG};
use super::host::Stage;
use mcpcore::{CancelReason, Dispatch};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Pads the message of a call to `bytes`.
fn padded(bytes: usize) -> Request {
    let empty = Request::call("echo", r#"{"a":""}"#);
    let text = "x".repeat(bytes - empty.body.len());
    let request = Request::call("echo", &format!(r#"{{"a":"{text}"}}"#));
    assert_eq!(request.body.len(), bytes);
    request
}

fn too_large(answer: &Client) {
    assert_eq!(answer.status(), 413);
    assert!(answer.closes() && answer.body().contains("max_body_bytes"));
}

/// HTTP-22, B-100: the cap itself is served; one byte more is refused, unread if it was declared.
#[test]
fn http_22_a_body_has_a_cap() {
    let stage = Stage::with(|_, http| http.max_body_bytes = 1_000);
    for declared in [true, false] {
        let send = |bytes: usize| {
            let request = padded(bytes);
            if declared {
                request.with("Content-Length", bytes.to_string())
            } else {
                request
            }
        };
        assert_eq!(send(1_000).send(&stage.endpoint).code(), 0);
        let over = send(1_001).begin(&stage.endpoint);
        if declared {
            too_large(&over);
            assert!(over.wanted.is_none(), "refused unread");
            continue;
        }
        let mut over = over;
        assert_eq!(over.wanted, Some(1_000));
        let body = padded(1_001).body;
        over.exchange.body(&body[..1_000]);
        assert!(over.pull().head.is_none(), "the cap itself is not too much");
        over.exchange.body(&body[1_000..]);
        too_large(over.pull());
        let whole = send(1_001).send(&stage.endpoint);
        too_large(&whole);
    }
    let default = Stage::new();
    assert_eq!(padded(1 << 20).send(&default.endpoint).code(), 0);
    too_large(&padded((1 << 20) + 1).send(&default.endpoint));
    let zero = Request::call("echo", "{}").with("Content-Length", "0").body("").send(&default.endpoint);
    assert_eq!((zero.status(), zero.code()), (400, -32700));
}

/// B-105: a body has so long as a whole, however it drips.
#[test]
fn http_22_a_body_has_a_time() {
    let stage = Stage::with(|_, http| http.body_timeout_ms = 1_000);
    let request = Request::call("echo", "{}");
    let mut client = request.begin(&stage.endpoint);
    for byte in request.body.iter().take(9) {
        client.exchange.body(&[*byte]);
        stage.clock.wind(111);
        client.exchange.tick();
        assert!(client.pull().head.is_none());
    }
    assert_eq!(client.exchange.next_deadline(), Some(Duration::from_millis(1)));
    stage.clock.wind(1);
    client.exchange.tick();
    assert!(client.was_woken());
    client.pull();
    assert_eq!(client.status(), 408);
    assert!(client.closes() && client.ended && client.body().contains("body_timeout_ms"));
    client.exchange.body(&request.body);
    client.exchange.end_body();
    assert_eq!(stage.host.handed.load(Ordering::SeqCst), 0);

    let mut quick = request.begin(&stage.endpoint);
    quick.exchange.body(&request.body);
    quick.exchange.end_body();
    stage.clock.wind(5_000);
    quick.exchange.tick();
    assert_eq!(quick.pull().code(), 0);

    let patient = Stage::with(|_, http| http.body_timeout_ms = 0);
    assert_eq!(request.begin(&patient.endpoint).exchange.next_deadline(), None);
}

const FREE: usize = 64 << 10;

/// Decision 43: counted is what came; the slowest goes first, and small requests are served all the same.
#[test]
fn http_22_all_bodies_share_one_budget() {
    let stage = Stage::with(|_, http| http.byte_budget = 10_000);
    let open = || padded(FREE + 20_000).begin(&stage.endpoint);
    let body = padded(FREE + 20_000).body;
    let (mut slow, mut quick) = (open(), open());
    slow.exchange.body(&body[..FREE]);
    quick.exchange.body(&body[..FREE]);
    slow.exchange.body(&body[FREE..FREE + 6_000]);
    quick.exchange.body(&body[FREE..FREE + 4_000]);
    assert!(slow.pull().head.is_none() && quick.pull().head.is_none());
    // The budget is spent to its last byte: what would draw on it is refused unread.
    for request in [
        padded(FREE + 1).with("Content-Length", (FREE + 1).to_string()),
        padded(FREE + 1),
        Request::call("echo", "{}"),
    ] {
        let refused = request.begin(&stage.endpoint);
        assert_eq!(refused.status(), 503);
        assert!(refused.header("retry-after").is_some() && refused.closes() && refused.wanted.is_none());
        assert!(refused.body().contains("byte_budget"));
    }
    let small = Request::call("echo", "{}");
    let small = small.clone().with("Content-Length", small.body.len().to_string());
    assert_eq!(small.send(&stage.endpoint).code(), 0);
    // One more byte: the one that has been reading for longest makes room.
    quick.exchange.body(&body[FREE + 4_000..FREE + 4_001]);
    assert!(slow.was_woken());
    assert_eq!(slow.pull().status(), 503);
    assert!(slow.closes() && slow.header("retry-after").is_some());
    assert!(quick.pull().head.is_none());
    // Alone, it may take all of it, and not a byte more.
    quick.exchange.body(&body[FREE + 4_001..FREE + 10_000]);
    assert!(quick.pull().head.is_none());
    quick.exchange.body(&body[FREE + 10_000..FREE + 10_001]);
    assert_eq!(quick.pull().status(), 503);
    // Everything was given back.
    let fits = padded(FREE + 10_000).send(&stage.endpoint);
    assert_eq!(fits.code(), 0);
    assert_eq!(padded(FREE + 10_001).send(&stage.endpoint).status(), 503);
}

/// A body counts until the host lets go of its call.
#[test]
fn http_22_calls_in_flight_draw_on_the_budget() {
    let stage = Stage::with(|_, http| http.byte_budget = 10_000);
    let text = "x".repeat(FREE + 9_500);
    let big = Request::call("wait", &format!(r#"{{"a":"{text}"}}"#));
    let client = big.send(&stage.endpoint);
    assert_eq!(padded(FREE + 1_000).send(&stage.endpoint).status(), 503);
    let call = stage.call();
    drop(client);
    assert_eq!(padded(FREE + 1_000).send(&stage.endpoint).status(), 503, "the host still has it");
    drop(call);
    assert_eq!(padded(FREE + 1_000).send(&stage.endpoint).code(), 0);
}

/// One past `max_calls`; a cancelled call keeps its place until the host lets go of it.
#[test]
fn http_22_calls_in_flight_are_bounded() {
    for dispatch in [Dispatch::Inline, Dispatch::Pool] {
        let stage = Stage::with(|config, http| {
            config.dispatch = dispatch;
            http.max_calls = 2;
        });
        let (mut one, two) = (
            Request::call("wait", "{}").send(&stage.endpoint),
            Request::call("wait", "{}").send(&stage.endpoint),
        );
        let calls = [stage.call(), stage.call()];
        let refused = Request::call("echo", "{}").answer(&stage.endpoint);
        assert_eq!((refused.status(), refused.code()), (503, -32603));
        assert!(refused.header("retry-after").is_some() && !refused.closes());
        assert_eq!(Request::new("server/discover", "").send(&stage.endpoint).code(), 0, "no call, no limit");
        drop(two);
        assert_eq!(Request::call("echo", "{}").answer(&stage.endpoint).status(), 503);
        for call in calls {
            let _ = call.complete_text("x");
        }
        assert_eq!(Request::call("echo", "{}").answer(&stage.endpoint).code(), 0);
        one.wait(|one| one.ended);
        assert_eq!(one.code(), 0);
    }
}

/// CANCEL-03, CANCEL-10, decision 8: a call has its time.
#[test]
fn cancel_03_calls_have_their_time() {
    let stage = Stage::with(|config, http| {
        config.call_timeout_ms = 2_000;
        http.keep_alive_ms = 0;
    });
    for (tool, time) in [("brief", 500), ("wait", 2_000)] {
        let mut client = Request::call(tool, "{}").send(&stage.endpoint);
        let call = stage.call();
        assert_eq!(client.exchange.next_deadline(), Some(Duration::from_millis(time)));
        stage.clock.wind(time - 1);
        client.exchange.tick();
        assert!(client.pull().head.is_none());
        stage.clock.wind(1);
        client.exchange.tick();
        assert!(client.was_woken());
        client.pull();
        assert_eq!((client.status(), client.code()), (200, -32603));
        assert_eq!(call.cancelled(), Some(CancelReason::Timeout));
        assert!(call.complete_text("late").is_err());
        assert_eq!(client.exchange.next_deadline(), None);
    }
    assert_eq!(stage.cancelled(), [CancelReason::Timeout; 2]);
}

/// CANCEL-10, decision 39: with every thread taken, a call is told so in time; one that left is never handed over.
#[test]
fn cancel_03_calls_wait_so_long_for_a_thread() {
    let stage = Stage::with(|config, http| {
        config.dispatch = Dispatch::Pool;
        config.pool_threads = 1;
        config.pool_wait_ms = 300;
        http.keep_alive_ms = 0;
    });
    let gate = stage.host.gate.lock().unwrap();
    let mut held = Request::call("hold", "{}").send(&stage.endpoint);
    let handed = || stage.host.handed.load(Ordering::SeqCst);
    while handed() == 0 {
        std::thread::yield_now();
    }
    let mut waiting = Request::call("echo", "{}").send(&stage.endpoint);
    let left = Request::call("echo", "{}").send(&stage.endpoint);
    drop(left);
    stage.clock.wind(299);
    waiting.exchange.tick();
    assert!(waiting.pull().head.is_none());
    stage.clock.wind(1);
    waiting.exchange.tick();
    held.exchange.tick();
    waiting.pull();
    assert_eq!((waiting.status(), waiting.code()), (503, -32603));
    assert!(waiting.header("retry-after").is_some());
    assert!(held.pull().head.is_none(), "it has had its thread");
    drop(gate);
    held.wait(|held| held.ended);
    assert_eq!(held.code(), 0);
    assert_eq!(Request::call("echo", "{}").answer(&stage.endpoint).code(), 0);
    assert_eq!(handed(), 2, "neither of the two that went was handed over");
    assert!(stage.cancelled().is_empty(), "the host is not told of calls that it never had");
}

/// A flood of log lines that nobody reads takes no more than its queue, and the answer still comes.
#[test]
fn sub_17_notifications_of_a_call_are_bounded() {
    let stage = Stage::with(|_, http| http.stream_queue_bytes = 2_000);
    let request = Request::call("wait", "{}")
        .replace(r#""_meta":{"#, r#""_meta":{"io.modelcontextprotocol/logLevel":"debug","#);
    let mut client = request.send(&stage.endpoint);
    let call = stage.call();
    for _ in 0..1_000 {
        call.log(mcpcore::LogLevel::Info, None, "\"a line\"").unwrap();
    }
    call.complete_text("done").unwrap();
    client.pull();
    let methods = client.methods();
    assert!((5..30).contains(&methods.len()), "{}", methods.len());
    assert_eq!(methods.last().map(String::as_str), Some("result"));
}

/// A stop answers what is in flight if it is quick, and cuts it off if it is not.
#[test]
fn a_stop_waits_for_calls_and_then_cuts_them_off() {
    for (stream, answers) in [(false, true), (false, false), (true, false)] {
        let stage = Stage::new();
        let request = Request::call("wait", "{}").replace(r#""_meta":{"#, r#""_meta":{"progressToken":1,"#);
        let mut client = request.send(&stage.endpoint);
        let reading = request.begin(&stage.endpoint);
        let call = stage.call();
        if stream {
            call.progress(1.0, None, None).unwrap();
        }
        let server = stage.server.clone();
        let stopping = std::thread::spawn(move || server.stop(if answers { LONG } else { Duration::ZERO }));
        while !stage.server.is_stopped() {
            std::thread::yield_now();
        }
        assert_eq!(Request::call("echo", "{}").begin(&stage.endpoint).status(), 503);
        reading.exchange.body(&request.body);
        reading.exchange.end_body();
        let mut reading = reading;
        assert_eq!(reading.pull().status(), 503, "it came too late");
        if answers {
            call.complete_text("in time").unwrap();
            stopping.join().unwrap().unwrap();
            assert!(client.pull().body().contains("in time"));
            continue;
        }
        assert!(stopping.join().unwrap().is_err());
        assert_eq!(call.cancelled(), Some(CancelReason::Stopped));
        client.pull();
        assert!(client.ended);
        if stream {
            assert_eq!(client.methods(), ["notifications/progress", "error"]);
        } else {
            assert_eq!((client.status(), client.code()), (503, -32603));
        }
    }
}

/// HTTP-18, CANCEL-06: answers and hang-ups meet on different threads; whoever is first wins, and nothing is left.
#[test]
fn http_18_answers_and_hang_ups_race() {
    const CALLS: usize = 1_500;
    for dispatch in [Dispatch::Inline, Dispatch::Pool] {
        let stage = Stage::with(|config, http| {
            config.dispatch = dispatch;
            http.max_calls = 4;
        });
        let meta = r#""_meta":{"progressToken":1,"#;
        let request = Request::call("wait", "{}").replace(r#""_meta":{"#, meta);
        let (hand, handed) = std::sync::mpsc::channel::<mcpcore::Call>();
        let answering = std::thread::spawn(move || {
            for (n, call) in handed.into_iter().enumerate() {
                if n % 3 == 0 {
                    let _ = call.progress(1.0, None, None);
                }
                let _ = call.complete_text("x");
            }
        });
        for n in 0..CALLS {
            let mut client = request.send(&stage.endpoint);
            if client.ended {
                // A cancelled call kept its place for a moment.
                assert_eq!(client.status(), 503);
                continue;
            }
            hand.send(stage.call()).unwrap();
            match n % 4 {
                0 => drop(client),
                1 => {
                    std::thread::yield_now();
                    client.pull();
                    drop(client);
                }
                _ => {
                    client.wait(|client| client.ended);
                    assert_eq!(client.status(), 200);
                }
            }
        }
        drop(hand);
        answering.join().unwrap();
        assert_eq!(stage.stat("callsOwed"), 0);
        let four: Vec<Client> = (0..4).map(|_| request.send(&stage.endpoint)).collect();
        let calls: Vec<_> = four.iter().map(|_| stage.call()).collect();
        assert_eq!(request.answer(&stage.endpoint).status(), 503, "all four places are free, and no more");
        drop((four, calls));
    }
}
