//! Sessions of the older revisions over connections: what they cost, and how they end.

use mcpcore::{Call, Caller, Config, Connection, Dispatch, Environment, ErrorKind, Host, Output, Server};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const QUESTION: &str = r#"{"q":{"method":"roots/list"}}"#;

/// Asks in the first rounds, as many as its state says are left.
struct Asking {
    rounds: u32,
    question: &'static str,
    delivered: AtomicUsize,
}

impl Host for Asking {
    fn call(&self, call: Call) {
        self.delivered.fetch_add(1, Ordering::SeqCst);
        if call.round() < self.rounds {
            let kept = call.round().to_string();
            let _ = call.require_input(self.question, Some(&kept));
        } else {
            let text = format!("{} {}", call.state().unwrap_or("none"), call.answers());
            let _ = call.complete_text(&text);
        }
    }
}

/// A clock that stands until it is set.
struct Clock(AtomicU64);

impl Environment for Clock {
    fn monotonic_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn unix_ms(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), String> {
        bytes.fill(7);
        Ok(())
    }
}

#[derive(Clone, Default)]
struct Kept {
    text: Arc<Mutex<String>>,
    backlog: Arc<AtomicUsize>,
    hurried: Arc<AtomicUsize>,
}

impl Output for Kept {
    fn write(&self, messages: &[u8]) {
        self.text.lock().unwrap().push_str(std::str::from_utf8(messages).unwrap());
    }

    fn backlog(&self) -> usize {
        self.backlog.load(Ordering::SeqCst)
    }

    fn hurry(&self) {
        self.hurried.fetch_add(1, Ordering::SeqCst);
    }
}

impl Kept {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.text.lock().unwrap()).lines().map(str::to_owned).collect()
    }
}

struct Setting {
    host: Arc<Asking>,
    server: Server,
    connection: Connection,
    output: Kept,
    caller: Arc<Caller>,
    clock: Arc<Clock>,
}

fn setting(rounds: u32, question: &'static str, change: impl FnOnce(&mut Config)) -> Setting {
    let host = Arc::new(Asking { rounds, question, delivered: AtomicUsize::new(0) });
    let clock = Arc::new(Clock(AtomicU64::new(1000)));
    let mut config = Config::new("test", "1");
    config.catalog = Some(r#"{"tools":[{"name":"t"}],"resources":[{"uri":"m://a","name":"a"}]}"#.to_owned());
    config.dispatch = Dispatch::Inline;
    config.environment = Arc::clone(&clock) as Arc<dyn Environment>;
    config.tools_list_changed = true;
    config.resources_subscribe = true;
    change(&mut config);
    let server = Server::new(config, Arc::clone(&host) as Arc<dyn Host>).unwrap();
    let (output, caller) = (Kept::default(), Arc::new(Caller::local()));
    let connection = Connection::new(&server, Arc::clone(&caller), Box::new(output.clone())).unwrap();
    Setting { host, server, connection, output, caller, clock }
}

impl Setting {
    fn send(&self, line: &str) -> Vec<String> {
        self.connection.receive(format!("{line}\n").as_bytes()).unwrap();
        self.output.take()
    }

    fn open(&self, revision: &str) -> Vec<String> {
        let params = format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{{"roots":{{}}}},"clientInfo":{{"name":"c","version":"1"}}}}"#
        );
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":"i","method":"initialize","params":{params}}}"#));
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
    }

    fn call(&self, id: usize) -> Vec<String> {
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t"}}}}"#))
    }
}

fn answer(id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#)
}

fn cancel(id: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

/// LEG-13: rounds follow each other on the same request, each with a number of its own and what the host kept.
#[test]
fn leg_13_rounds_go_on_until_the_host_answers() {
    let setting = setting(3, QUESTION, |_| {});
    setting.open("2025-11-25");
    let mut heard = setting.call(1);
    for round in 1..=3 {
        assert_eq!(heard, [format!(r#"{{"jsonrpc":"2.0","id":{round},"method":"roots/list"}}"#)]);
        heard = setting.send(&answer(round));
    }
    assert_eq!(
        heard,
        [
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"2 {\"q\":{\"roots\":[]}}"}]}}"#
        ]
    );
    assert_eq!(setting.host.delivered.load(Ordering::SeqCst), 4);
}

/// A host that keeps asking nothing is called again and again, but not ever deeper.
#[test]
fn rounds_without_questions_do_not_grow_the_stack() {
    let setting = setting(20_000, "{}", |_| {});
    setting.open("2025-11-25");
    let heard = setting.call(1);
    assert!(heard[0].contains("19999 {}"), "{heard:?}");
    assert_eq!(setting.connection.owed(), 0);
}

/// LEG-30: nothing is kept for calls that were cancelled, answered or out of time.
#[test]
fn leg_30_what_waited_for_an_answer_leaves_nothing_behind() {
    let setting = setting(1, QUESTION, |_| {});
    setting.open("2025-11-25");
    for id in 0..50 {
        assert_eq!(setting.call(id).len(), 1);
    }
    assert_eq!(setting.connection.owed(), 50);
    for id in 0..20 {
        let told = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}}"#,
            id + 1
        );
        assert_eq!(setting.send(&cancel(id)), [told]);
    }
    for id in 20..40 {
        assert_eq!(setting.send(&answer(id + 1)).len(), 1);
    }
    assert_eq!(setting.connection.next_deadline(), Some(Duration::from_secs(600)));
    setting.clock.0.fetch_add(600_000, Ordering::SeqCst);
    setting.connection.tick();
    let late = setting.output.take();
    assert_eq!(late.len(), 20, "{late:?}");
    assert_eq!(late.iter().filter(|line| line.contains("did not answer in time")).count(), 10);
    assert_eq!((setting.connection.owed(), setting.connection.next_deadline()), (0, None));
    // Late answers find nobody.
    for id in 0..50 {
        assert_eq!(setting.send(&answer(id + 1)), Vec::<String>::new());
    }
    // What waits when the connection goes, goes with it: questions, calls and session refer to each other.
    setting.call(50);
    let Setting { connection, caller, .. } = setting;
    assert!(Arc::strong_count(&caller) > 1);
    drop(connection);
    assert_eq!(Arc::strong_count(&caller), 1);
}

#[test]
fn only_so_many_calls_wait_for_the_client() {
    let setting = setting(1, QUESTION, |config| config.max_calls = 3);
    setting.open("2025-11-25");
    for id in 0..3 {
        assert!(setting.call(id)[0].contains("roots/list"));
    }
    assert!(setting.call(3)[0].contains("Too many calls wait for the client."));
    assert!(setting.send(&answer(1))[0].contains(r#""id":0,"result""#));
    assert!(setting.call(4)[0].contains("roots/list"));
}

/// LEG-11: of many changes a slow reader costs one notice a kind, and hears of it when it can.
#[test]
fn leg_11_a_slow_reader_is_told_once_and_later() {
    let setting = setting(0, QUESTION, |_| {});
    setting.open("2025-11-25");
    setting.send(r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"m://a"}}"#);
    setting.output.backlog.store(64 << 20, Ordering::SeqCst);
    for _ in 0..1000 {
        setting.server.resource_updated("m://a");
        setting.server.resource_updated("m://b");
        setting.server.catalog_changed("").unwrap();
    }
    assert_eq!(setting.output.take(), Vec::<String>::new());
    setting.output.backlog.store(0, Ordering::SeqCst);
    setting.connection.resume();
    assert_eq!(
        setting.output.take(),
        [
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"m://a"}}"#
        ]
    );
}

#[test]
fn a_caller_who_lost_the_right_hears_no_more_of_resources() {
    let setting = setting(0, QUESTION, |_| {});
    setting.open("2025-11-25");
    setting.send(r#"{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"m://a"}}"#);
    setting.server.revoke("somebody else");
    setting.server.resource_updated("m://a");
    assert_eq!(setting.output.take().len(), 1);
    setting.server.revoke("local");
    setting.server.resource_updated("m://a");
    assert_eq!(setting.output.take(), Vec::<String>::new());
}

#[test]
fn a_session_holds_only_so_many_subscriptions() {
    let setting = setting(0, QUESTION, |config| config.max_subscription_uris = 2);
    setting.open("2025-11-25");
    let subscribe = |uri: &str| {
        setting.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{{"uri":"{uri}"}}}}"#
        ))
    };
    for (uri, taken) in [("a:1", true), ("a:2", true), ("a:3", false), ("a:1", true)] {
        assert_eq!(subscribe(uri)[0].contains(r#""result":{}"#), taken, "{uri}");
    }
}

/// A server that stops does not wait for ever for a client that thinks.
#[test]
fn stopping_ends_what_waits_for_the_client() {
    let setting = setting(1, QUESTION, |_| {});
    setting.open("2025-11-25");
    setting.call(1);
    let start = Instant::now();
    let stopped = setting.server.stop(Duration::from_millis(50));
    assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Timeout);
    assert!(start.elapsed() < Duration::from_secs(10));
    assert!(setting.connection.is_closed());
}

/// The door that only looks at its deadlines when something comes in is told of one that another thread made.
#[test]
fn a_question_of_another_thread_hurries_the_door() {
    let setting = setting(1, QUESTION, |config| config.dispatch = Dispatch::Pool);
    setting.open("2025-11-25");
    setting.call(1);
    let end = Instant::now() + Duration::from_secs(10);
    while setting.output.hurried.load(Ordering::SeqCst) == 0 && Instant::now() < end {
        std::thread::yield_now();
    }
    assert_eq!(setting.output.hurried.load(Ordering::SeqCst), 1);
    assert!(setting.connection.next_deadline().is_some());
}

/// Decided for the form without a connection: it serves requests that stand alone, and says so to others.
#[test]
fn without_a_connection_there_is_no_session() {
    for (legacy, says) in
        [(true, r#""code":-32601,"message":"Sessions need a connection.""#), (false, r#""code":-32022"#)]
    {
        let setting = setting(0, QUESTION, |config| config.legacy = legacy);
        let handle = |message: &str| {
            let response = setting.server.handle(&setting.caller, message.as_bytes(), None).unwrap().unwrap();
            String::from_utf8(response).unwrap()
        };
        let opened = handle(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#,
        );
        assert!(opened.contains(says), "{opened}");
        assert_eq!(
            handle(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#
        );
        let listed = handle(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        assert!(listed.contains("-32602") && listed.contains("protocolVersion"), "{listed}");
        assert!(handle("[]").contains("-32600"));
    }
}

/// LEG-60: whatever threads answer, a batch is answered once, whole, by itself.
#[test]
fn leg_60_batches_are_joined_whatever_threads_answer() {
    let setting = setting(1, QUESTION, |config| config.dispatch = Dispatch::Pool);
    setting.open("2025-03-26");
    let request =
        |id: usize| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t"}}}}"#);
    let mut heard = Vec::new();
    for first in [0, 100, 200] {
        let all: Vec<String> = (first..first + 100).map(request).collect();
        heard.extend(setting.send(&format!("[{}]", all.join(","))));
    }
    let end = Instant::now() + Duration::from_secs(120);
    let (mut answered, mut next) = (0, 0);
    while heard.len() < 303 && Instant::now() < end {
        heard.extend(setting.output.take());
        while let Some(line) = heard.get(next).cloned() {
            next += 1;
            if line.contains("roots/list") {
                let id = line.split_once("\"id\":").unwrap().1.split_once(',').unwrap().0.parse().unwrap();
                heard.extend(setting.send(&answer(id)));
                answered += 1;
            }
        }
    }
    assert_eq!(answered, 300);
    let arrays: Vec<&String> = heard.iter().filter(|line| line.starts_with('[')).collect();
    assert_eq!((heard.len(), arrays.len()), (303, 3), "{heard:?}");
    for array in arrays {
        assert_eq!(array.matches("\"result\"").count(), 100);
    }
    assert_eq!(setting.connection.owed(), 0);
}
