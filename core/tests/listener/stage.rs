//! A served host whose slow calls are answered by the test, and a client that is a bare socket.

use mcpcore::http::{Access, HttpConfig, HttpListener, ListenerConfig, Origins};
use mcpcore::{Call, Caller, CancelReason, Config, Dispatch, Host, Server};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::time::Duration;

/// A test that waits so long has failed.
pub(crate) const LONG: Duration = Duration::from_secs(20);

const CATALOG: &str = r#"{"tools": [
    {"name": "echo", "inputSchema": {"type": "object"}},
    {"name": "wait", "inputSchema": {"type": "object"}},
    {"name": "big", "inputSchema": {"type": "object"}},
    {"name": "stop", "inputSchema": {"type": "object"}},
    {"name": "whoami", "inputSchema": {"type": "object"}}
]}"#;

/// The bytes that `big` answers: more than sockets hold.
pub(crate) const BIG: usize = 12 << 20;

struct Fixture {
    calls: Mutex<Sender<Call>>,
    cancelled: Mutex<Sender<CancelReason>>,
    listener: OnceLock<Weak<HttpListener>>,
}

impl Host for Fixture {
    fn call(&self, call: Call) {
        match call.name() {
            "wait" => self.calls.lock().unwrap().send(call).unwrap(),
            "big" => call.complete_text(&"x".repeat(BIG)).unwrap(),
            "stop" => {
                let listener = self.listener.get().unwrap().upgrade().unwrap();
                let error = listener.stop(LONG).unwrap_err();
                call.complete_text(&format!("{:?}", error.kind())).unwrap();
            }
            name => {
                let caller = call.caller().principal().to_owned();
                let text = if name == "whoami" { caller } else { call.arguments().to_owned() };
                call.complete_text(&text).unwrap();
            }
        }
    }

    fn cancelled(&self, _: u64, reason: CancelReason) {
        let _ = self.cancelled.lock().unwrap().send(reason);
    }
}

/// A server and its listener.
pub(crate) struct Stage {
    pub(crate) server: Server,
    pub(crate) listener: Arc<HttpListener>,
    calls: Receiver<Call>,
    cancelled: Receiver<CancelReason>,
}

pub(crate) fn access() -> HttpConfig {
    let mut http = HttpConfig::default();
    http.origins = Some(Origins::Only(vec!["loopback".to_owned()]));
    http.access = Some(Access::Anyone(Caller::new("anyone")));
    http
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(|_, _| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut HttpConfig, &mut ListenerConfig)) -> Self {
        let (calls, called) = channel();
        let (cancelled, cancellations) = channel();
        let host = Arc::new(Fixture {
            calls: Mutex::new(calls),
            cancelled: Mutex::new(cancelled),
            listener: OnceLock::new(),
        });
        let mut config = Config::new("test", "1");
        config.catalog = Some(CATALOG.to_owned());
        config.dispatch = Dispatch::Inline;
        config.tools_list_changed = true;
        let server = Server::new(config, Arc::clone(&host) as Arc<dyn Host>).unwrap();
        let (mut http, mut listen) = (access(), ListenerConfig::new("127.0.0.1:0"));
        change(&mut http, &mut listen);
        let listener = Arc::new(HttpListener::bind(&server, http, &listen).unwrap());
        host.listener.set(Arc::downgrade(&listener)).unwrap();
        Self { server, listener, calls: called, cancelled: cancellations }
    }

    pub(crate) fn connect(&self) -> Client {
        Client::tcp(self.listener.port().unwrap())
    }

    /// The next call of `wait`.
    pub(crate) fn call(&self) -> Call {
        self.calls.recv_timeout(LONG).expect("a call")
    }

    pub(crate) fn try_call(&self) -> Option<Call> {
        self.calls.try_recv().ok()
    }

    /// Why the next call ended that was cancelled.
    pub(crate) fn cancelled(&self) -> CancelReason {
        self.cancelled.recv_timeout(LONG).expect("a cancellation")
    }

    pub(crate) fn was_called(&self) -> bool {
        self.calls.try_recv().is_ok()
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":1}"#;

pub(crate) fn call_body(tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments},{META}}}}}"#
    )
}

pub(crate) fn listen_body() -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true}},{META}}}}}"#
    )
}

/// The lines of a head, without what says how long the body is.
pub(crate) fn head(method: &str, name: &str) -> String {
    let name = if name.is_empty() { String::new() } else { format!("Mcp-Name: {name}\r\n") };
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: {method}\r\n{name}"
    )
}

/// A whole request that calls a tool.
pub(crate) fn call(tool: &str, arguments: &str) -> String {
    let body = call_body(tool, arguments);
    format!("{}Content-Length: {}\r\n\r\n{body}", head("tools/call", tool), body.len())
}

/// A whole request that opens a subscription.
pub(crate) fn listen() -> String {
    let body = listen_body();
    format!("{}Content-Length: {}\r\n\r\n{body}", head("subscriptions/listen", ""), body.len())
}

enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// A client that is a socket and what was read from it and not looked at.
pub(crate) struct Client {
    socket: Socket,
    buffer: Vec<u8>,
}

/// An answer, its body joined.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub(crate) fn closes(&self) -> bool {
        self.header("connection") == Some("close")
    }
}

impl Client {
    pub(crate) fn tcp(port: u16) -> Self {
        let socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(LONG)).unwrap();
        socket.set_write_timeout(Some(LONG)).unwrap();
        Self { socket: Socket::Tcp(socket), buffer: Vec::new() }
    }

    pub(crate) fn unix(path: &std::path::Path) -> Self {
        let socket = UnixStream::connect(path).unwrap();
        socket.set_read_timeout(Some(LONG)).unwrap();
        Self { socket: Socket::Unix(socket), buffer: Vec::new() }
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).unwrap();
    }

    pub(crate) fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        match &mut self.socket {
            Socket::Tcp(socket) => socket.write_all(bytes.as_ref()),
            Socket::Unix(socket) => socket.write_all(bytes.as_ref()),
        }
    }

    /// Reads once more; false at the end.
    fn fill(&mut self) -> bool {
        let mut chunk = [0; 16384];
        let read = match &mut self.socket {
            Socket::Tcp(socket) => socket.read(&mut chunk),
            Socket::Unix(socket) => socket.read(&mut chunk),
        };
        match read {
            Ok(count) => {
                self.buffer.extend_from_slice(&chunk[..count]);
                count > 0
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => false,
            Err(error) => panic!("{error}; so far {:?}", String::from_utf8_lossy(&self.buffer)),
        }
    }

    fn until(&mut self, mark: &str) -> String {
        loop {
            let found = self.buffer.windows(mark.len()).position(|window| window == mark.as_bytes());
            if let Some(at) = found {
                let rest = self.buffer.split_off(at + mark.len());
                return String::from_utf8(std::mem::replace(&mut self.buffer, rest)).unwrap();
            }
            assert!(self.fill(), "it ended before {mark:?}: {:?}", String::from_utf8_lossy(&self.buffer));
        }
    }

    fn exactly(&mut self, count: usize) -> String {
        while self.buffer.len() < count {
            assert!(self.fill(), "it ended in a body");
        }
        let rest = self.buffer.split_off(count);
        String::from_utf8(std::mem::replace(&mut self.buffer, rest)).unwrap()
    }

    /// The next bytes, which need not be text.
    pub(crate) fn bytes(&mut self, count: usize) -> Vec<u8> {
        while self.buffer.len() < count {
            assert!(self.fill(), "it ended");
        }
        let rest = self.buffer.split_off(count);
        std::mem::replace(&mut self.buffer, rest)
    }

    /// The next head, with its status line and its empty line.
    pub(crate) fn head(&mut self) -> Answer {
        let head = self.until("\r\n\r\n");
        let status = head.get(9..12).unwrap().parse().unwrap();
        Answer { status, head, body: String::new() }
    }

    /// The next chunk of a body; `None` behind the last.
    pub(crate) fn chunk(&mut self) -> Option<String> {
        let length = usize::from_str_radix(self.until("\r\n").trim(), 16).unwrap();
        let chunk = self.exactly(length);
        assert_eq!(self.exactly(2), "\r\n");
        (length > 0).then_some(chunk)
    }

    /// The next answer as a whole.
    pub(crate) fn answer(&mut self) -> Answer {
        let mut answer = self.head();
        if answer.header("transfer-encoding") == Some("chunked") {
            while let Some(chunk) = self.chunk() {
                answer.body.push_str(&chunk);
            }
        } else if let Some(length) = answer.header("content-length") {
            answer.body = self.exactly(length.parse().unwrap());
        } else {
            assert!(matches!(answer.status, 100 | 204 | 304), "no length: {}", answer.head);
        }
        answer
    }

    pub(crate) fn ask(&mut self, request: impl AsRef<[u8]>) -> Answer {
        self.send(request);
        self.answer()
    }

    /// Waits for the end, and asserts that nothing comes before it.
    pub(crate) fn end(&mut self) {
        while self.fill() {}
        assert!(self.buffer.is_empty(), "{:?}", String::from_utf8_lossy(&self.buffer));
    }

    /// Waits for the end, whatever comes before it.
    pub(crate) fn bytes_to_end(&mut self) -> usize {
        while self.fill() {}
        self.buffer.len()
    }
}
