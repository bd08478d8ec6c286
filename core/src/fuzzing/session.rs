//! Sessions, fed with hostile bytes.

use super::{Answering, CATALOG};
use crate::caller::Caller;
use crate::config::{Config, Dispatch};
use crate::engine::connection::{Connection, Output};
use crate::json::{Document, Node};
use crate::protocol::wire::method;
use crate::protocol::Revision;
use crate::server::Server;
use std::sync::{Arc, Mutex, OnceLock};

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Output for Kept {
    fn write(&self, messages: &[u8]) {
        self.0.lock().expect("nobody panics here").extend_from_slice(messages);
    }
}

/// Any bytes as lines, as the params of what a session knows, as what a client declares, answers, and puts in a batch:
/// each line that comes back is one message or one batch of them, and the session goes on.
pub fn session(data: &[u8]) {
    static SERVER: OnceLock<Server> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let mut config = Config::new("fuzzed", "1");
        config.catalog = Some(CATALOG.to_owned());
        config.dispatch = Dispatch::Inline;
        config.completions = true;
        config.logging = true;
        config.resources_subscribe = true;
        config.tools_list_changed = true;
        Server::new(config, Arc::new(Answering)).expect("the catalog is in order")
    });
    let which = usize::from(data.first().copied().unwrap_or_default());
    let revisions: Vec<Revision> = Revision::all().collect();
    let revision = revisions[which % revisions.len()];
    let kept = Kept::default();
    let connection = Connection::new(server, Arc::new(Caller::local()), Box::new(kept.clone()))
        .expect("the server is not stopped");
    let send = |line: &[u8]| {
        connection.receive(line).expect("the connection is open");
        connection.receive(b"\n").expect("the connection is open");
        let said = std::mem::take(&mut *kept.0.lock().expect("nobody panics here"));
        said.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).for_each(check);
        !said.is_empty()
    };
    let open = |capabilities: &str| {
        let version = revision.as_str();
        let params = format!(r#"{{"protocolVersion":"{version}","capabilities":{capabilities}}}"#);
        send(format!(r#"{{"jsonrpc":"2.0","id":"i","method":"initialize","params":{params}}}"#).as_bytes());
    };
    open(r#"{"elicitation":{},"sampling":{},"roots":{}}"#);
    send(data);
    if let Ok(text) = std::str::from_utf8(data) {
        for (method, before) in [
            (method::INITIALIZE, r#""protocolVersion":"#),
            (method::SET_LEVEL, r#""level":"#),
            (method::SUBSCRIBE, r#""uri":"#),
            (method::UNSUBSCRIBE, r#""uri":"#),
            (method::TOOLS_CALL, r#""name":"echo","_meta":"#),
            (method::TOOLS_CALL, r#""name":"echo","arguments":"#),
        ] {
            let params = format!("{before}{text}");
            send(
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}}}}}"#).as_bytes(),
            );
        }
        open(r#"{"elicitation":{}}"#);
        send(br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}"#);
        send(format!(r#"{{"jsonrpc":"2.0","id":1,"result":{text}}}"#).as_bytes());
        send(format!(r#"{{"jsonrpc":"2.0","id":2,"error":{text}}}"#).as_bytes());
        send(format!(r#"[{{"jsonrpc":"2.0","id":3,"method":"ping"}},{text}]"#).as_bytes());
        open(text);
    }
    assert!(send(br#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#), "the session goes on");
    connection.end_input();
    assert_eq!(connection.owed(), 0, "nothing waits for a client that left");
}

fn check(line: &[u8]) {
    let document = Document::parse(line.to_vec()).expect("what is said is strict JSON");
    assert!(document.duplicate().is_none());
    let root = document.root();
    let message = |node: Node<'_>| {
        let kinds = ["method", "result", "error"].map(|name| node.get(name).is_some());
        assert_eq!(kinds.into_iter().filter(|kind| *kind).count(), 1);
    };
    if root.is_array() {
        assert!(!root.is_empty());
        root.elements().for_each(message);
    } else {
        message(root);
    }
}
