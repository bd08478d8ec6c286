//! Calls of one connection: their limit, their turn, their cancellation.

use mcpcore::{Call, Caller, Config, Connection, Dispatch, Host, Output, Server};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Hands each call to other threads, and counts how many are out.
struct Handing {
    calls: Mutex<Sender<Call>>,
    out: Arc<AtomicUsize>,
    most: AtomicUsize,
}

impl Host for Handing {
    fn call(&self, call: Call) {
        let out = self.out.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(out, Ordering::SeqCst);
        self.calls.lock().unwrap().send(call).unwrap();
    }
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Output for Kept {
    fn write(&self, messages: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(messages);
    }
}

fn handing(dispatch: Dispatch, max_calls: usize) -> (Arc<Handing>, Receiver<Call>, Server) {
    let (sender, receiver) = channel();
    let host =
        Arc::new(Handing { calls: Mutex::new(sender), out: Arc::default(), most: AtomicUsize::new(0) });
    let mut config = Config::new("test", "1");
    config.catalog = Some(r#"{"tools":[{"name":"t"}]}"#.to_owned());
    config.dispatch = dispatch;
    config.max_calls = max_calls;
    let server = Server::new(config, Arc::clone(&host) as Arc<dyn Host>).unwrap();
    (host, receiver, server)
}

fn call(id: usize) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"t\",{META}}}}}\n")
}

fn cancel(id: usize) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}\n"
    )
}

fn ids(output: &Kept) -> Vec<usize> {
    let text = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
    let id = |line: &str| line.split_once("\"id\":")?.1.split_once(',')?.0.parse().ok();
    text.lines().map(|line| id(line).unwrap_or_else(|| panic!("{line}"))).collect()
}

/// However few calls may run at once, each of many gets its one answer, unless it was cancelled in time; and none is left
/// waiting when room is made by another thread than the one that receives.
#[test]
fn every_call_has_its_turn_and_its_answer() {
    const CALLS: usize = 3_000;
    for (dispatch, most) in
        [(Dispatch::Inline, 1), (Dispatch::Inline, 3), (Dispatch::Pool, 2), (Dispatch::Pool, 64)]
    {
        let (host, receiver, server) = handing(dispatch, most);
        let receiver = Arc::new(Mutex::new(receiver));
        let workers: Vec<_> = (0..4)
            .map(|_| {
                let (receiver, out) = (Arc::clone(&receiver), Arc::clone(&host.out));
                std::thread::spawn(move || loop {
                    let call = receiver.lock().unwrap().recv();
                    // The server and with it the sending side are gone.
                    let Ok(call) = call else { return };
                    // Before the answer: with it the next call may start.
                    out.fetch_sub(1, Ordering::SeqCst);
                    // A cancelled call takes no answer.
                    let _ = call.complete_text("done");
                })
            })
            .collect();
        let output = Kept::default();
        let connection =
            Connection::new(&server, Arc::new(Caller::local()), Box::new(output.clone())).unwrap();
        for id in 0..CALLS {
            connection.receive(call(id).as_bytes()).unwrap();
            if id % 7 == 3 {
                connection.receive(cancel(id - id % 5).as_bytes()).unwrap();
            }
        }
        assert!(connection.drain(Duration::from_secs(60)), "{dispatch:?} {most}: {} owed", connection.owed());
        let answered = ids(&output);
        let distinct: HashSet<usize> = answered.iter().copied().collect();
        assert_eq!(distinct.len(), answered.len(), "no id is answered twice");
        let cancelled: HashSet<usize> = (0..CALLS).filter(|id| id % 7 == 3).map(|id| id - id % 5).collect();
        for id in 0..CALLS {
            assert!(distinct.contains(&id) || cancelled.contains(&id), "{id} was lost");
        }
        assert!(host.most.load(Ordering::SeqCst) <= most, "{most}");
        drop(connection);
        drop(server);
        drop(host);
        for worker in workers {
            worker.join().unwrap();
        }
    }
}

/// CANCEL-03, STDIO-08: what was cancelled before it had its turn is not begun.
#[test]
fn a_cancelled_call_that_waits_is_never_begun() {
    let (_host, receiver, server) = handing(Dispatch::Inline, 1);
    let output = Kept::default();
    let connection = Connection::new(&server, Arc::new(Caller::local()), Box::new(output.clone())).unwrap();
    for id in 0..3 {
        connection.receive(call(id).as_bytes()).unwrap();
    }
    connection.receive(cancel(1).as_bytes()).unwrap();
    assert_eq!(connection.owed(), 2);
    let first = receiver.try_recv().unwrap();
    assert!(receiver.try_recv().is_err(), "only one may run");
    first.complete_text("a").unwrap();
    receiver.try_recv().unwrap().complete_text("c").unwrap();
    assert!(receiver.try_recv().is_err());
    assert_eq!(ids(&output), [0, 2]);
}

/// BASE-27: an id that is being served is refused, and free again afterwards.
#[test]
fn an_id_in_flight_cannot_be_used_again() {
    let (_host, receiver, server) = handing(Dispatch::Inline, 8);
    let output = Kept::default();
    let connection = Connection::new(&server, Arc::new(Caller::local()), Box::new(output.clone())).unwrap();
    connection.receive(call(7).as_bytes()).unwrap();
    connection.receive(call(7).replace(":7,", ":7.0,").as_bytes()).unwrap();
    assert!(String::from_utf8(output.0.lock().unwrap().clone())
        .unwrap()
        .contains("\"id\":7.0,\"error\":{\"code\":-32600"));
    receiver.try_recv().unwrap().complete_text("a").unwrap();
    connection.receive(call(7).as_bytes()).unwrap();
    receiver.try_recv().unwrap().complete_text("b").unwrap();
    assert_eq!(connection.owed(), 0);
}

/// Behind the last handle of a pumped server nobody can run its callbacks: calls that wait are answered, and so are those
/// that come later; nothing is kept.
#[test]
fn a_pumped_server_without_a_handle_owes_nothing() {
    for is_clone in [false, true] {
        let (host, receiver, server) = handing(Dispatch::Pump, 8);
        let output = Kept::default();
        let connection =
            Connection::new(&server, Arc::new(Caller::local()), Box::new(output.clone())).unwrap();
        connection.receive(call(1).as_bytes()).unwrap();
        if is_clone {
            drop(server.clone());
            assert_eq!(connection.owed(), 1, "one handle is left");
        }
        drop(server);
        connection.receive(call(2).as_bytes()).unwrap();
        assert_eq!((connection.owed(), ids(&output)), (0, vec![1, 2]));
        drop(connection);
        assert_eq!(Arc::strong_count(&host), 1, "the server is gone");
        drop(host);
        assert!(receiver.recv().is_err());
    }
}
