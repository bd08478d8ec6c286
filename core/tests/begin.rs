//! The door that does not wait: `Server::begin`.

use mcpcore::{Call, CallKind, Caller, CancelReason, Config, Dispatch, ErrorKind, Host, LogLevel, Server};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const CATALOG: &str = r#"{"tools":[{"name":"now"},{"name":"later","mcpcore":{"timeoutMs":70}},{"name":"broken"}],
  "prompts":[{"name":"broken"}]}"#;

/// Keeps the calls of `later`, the numbers of cancelled calls, and the log.
#[derive(Default)]
struct Keeping {
    calls: Mutex<Vec<Call>>,
    cancelled: Mutex<Vec<CancelReason>>,
    log: Mutex<Vec<String>>,
}

struct Shared(Arc<Keeping>);

impl Host for Shared {
    fn call(&self, call: Call) {
        match (call.kind(), call.name()) {
            (CallKind::Tool, "later") => self.0.calls.lock().unwrap().push(call),
            (_, "broken") => call.fault("the secret reason").unwrap(),
            _ => call.complete_text("here").unwrap(),
        }
    }

    fn cancelled(&self, _: u64, reason: CancelReason) {
        self.0.cancelled.lock().unwrap().push(reason);
    }

    fn log(&self, level: LogLevel, text: &str) {
        if level >= LogLevel::Error {
            self.0.log.lock().unwrap().push(text.to_owned());
        }
    }
}

fn server() -> (Server, Arc<Keeping>) {
    let host = Arc::new(Keeping::default());
    let mut config = Config::new("test", "1");
    config.catalog = Some(CATALOG.to_owned());
    config.dispatch = Dispatch::Inline;
    (Server::new(config, Arc::new(Shared(Arc::clone(&host)))).unwrap(), host)
}

/// What was answered so far: `None` inside for a notification.
type Answers = Arc<Mutex<Vec<Option<String>>>>;

fn begin(server: &Server, method: &str, params: &str) -> (Option<mcpcore::Pending>, Answers) {
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    );
    let answers = Answers::default();
    let sink = Arc::clone(&answers);
    let answer = move |answer: Option<Vec<u8>>| {
        sink.lock().unwrap().push(answer.map(|text| String::from_utf8(text).unwrap()));
    };
    let pending = server.begin(&Arc::new(Caller::local()), message.into_bytes(), answer).unwrap();
    (pending, answers)
}

fn only(answers: &Answers) -> String {
    let answers = answers.lock().unwrap();
    assert_eq!(answers.len(), 1);
    answers[0].clone().unwrap()
}

#[test]
fn what_is_answered_at_once_is_answered_before_it_returns() {
    let (server, _) = server();
    let (pending, answers) = begin(&server, "server/discover", r#""x":1"#);
    assert!(pending.is_none());
    assert!(only(&answers).contains("supportedVersions"));
    let (_, answers) = begin(&server, "tools/call", r#""name":"now""#);
    assert!(only(&answers).contains("here"));
    let answers = Answers::default();
    let sink = Arc::clone(&answers);
    let note = br#"{"jsonrpc":"2.0","method":"notifications/x"}"#.to_vec();
    let taken = server.begin(&Arc::new(Caller::local()), note, move |answer| {
        sink.lock().unwrap().push(answer.map(|_| String::new()));
    });
    assert!(taken.unwrap().is_none());
    assert_eq!(*answers.lock().unwrap(), [None]);
}

#[test]
fn a_later_answer_comes_once_and_a_cancelled_one_never() {
    let (server, host) = server();
    let (pending, answers) = begin(&server, "tools/call", r#""name":"later""#);
    let pending = pending.unwrap();
    assert_eq!(pending.timeout(), Some(Duration::from_millis(70)));
    assert!(answers.lock().unwrap().is_empty());
    let call = host.calls.lock().unwrap().pop().unwrap();
    std::thread::spawn(move || call.complete_text("at last")).join().unwrap().unwrap();
    assert!(only(&answers).contains("at last"));
    pending.time_out();
    pending.cancel(CancelReason::Client);
    assert_eq!(answers.lock().unwrap().len(), 1);
    assert!(host.cancelled.lock().unwrap().is_empty());

    let (pending, answers) = begin(&server, "tools/call", r#""name":"later""#);
    pending.unwrap().cancel(CancelReason::Client);
    let call = host.calls.lock().unwrap().pop().unwrap();
    assert_eq!(call.complete_text("too late").unwrap_err().kind(), ErrorKind::Gone);
    assert!(answers.lock().unwrap().is_empty());

    let (pending, answers) = begin(&server, "tools/call", r#""name":"later""#);
    pending.unwrap().time_out();
    assert!(only(&answers).contains("-32603"));
    assert_eq!(*host.cancelled.lock().unwrap(), [CancelReason::Client, CancelReason::Timeout]);
    host.calls.lock().unwrap().clear();
    assert_eq!(answers.lock().unwrap().len(), 1);
}

#[test]
fn a_fault_is_told_to_the_log_alone() {
    let (server, host) = server();
    for (method, shown) in [("tools/call", "\"isError\":true"), ("prompts/get", "-32603")] {
        let (_, answers) = begin(&server, method, r#""name":"broken""#);
        let answer = only(&answers);
        assert!(answer.contains(shown) && !answer.contains("secret"), "{answer}");
        let line = host.log.lock().unwrap().pop().unwrap();
        assert!(line.contains("the secret reason"), "{line}");
        let id = line.trim_start_matches('[').split(']').next().unwrap().to_owned();
        assert!(id.len() == 16 && answer.contains(&id), "{line} {answer}");
    }
}

#[test]
fn after_stop_nothing_is_begun() {
    let (server, _) = server();
    server.stop(Duration::ZERO).unwrap();
    let begun = server.begin(&Arc::new(Caller::local()), b"{}".to_vec(), |_| {});
    assert_eq!(begun.unwrap_err().kind(), ErrorKind::Closed);
}
