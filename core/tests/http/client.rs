//! A client that speaks to an endpoint without a socket: requests in, parts out.

use http::{HeaderMap, Method, StatusCode};
use mcpcore::http::{Endpoint, Exchange, Part, PeerAddress};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

pub(crate) const LONG: Duration = Duration::from_secs(20);
pub(crate) const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A request, by default one that is in order.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
    pub(crate) peer: PeerAddress,
}

impl Request {
    /// A message of `method` with these params (without braces) and the headers that repeat it.
    pub(crate) fn new(method: &str, params: &str) -> Self {
        let comma = if params.is_empty() { "" } else { "," };
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{comma}{META}}}}}"#);
        let request = Self {
            method: "POST".to_owned(),
            target: "/mcp".to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            peer: PeerAddress::Unknown,
        };
        let request = request
            .with("Content-Type", "application/json")
            .with("Accept", "application/json, text/event-stream")
            .with("MCP-Protocol-Version", "2026-07-28")
            .with("Mcp-Method", method);
        request.body(body)
    }

    pub(crate) fn call(tool: &str, arguments: &str) -> Self {
        let params = format!(r#""name":"{tool}","arguments":{arguments}"#);
        Self::new("tools/call", &params).with("Mcp-Name", tool)
    }

    pub(crate) fn listen(notifications: &str) -> Self {
        Self::new("subscriptions/listen", &format!("\"notifications\":{notifications}"))
    }

    pub(crate) fn bare(method: &str, target: &str) -> Self {
        let request = Self::new("tools/list", "");
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            ..request
        }
    }

    /// Another header, besides those of the same name.
    pub(crate) fn also(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    /// The header, instead of those of the same name.
    pub(crate) fn with(self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.without(name).also(name, value)
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    pub(crate) fn method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.method);
        self
    }

    pub(crate) fn target(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn replace(self, from: &str, to: &str) -> Self {
        let text = String::from_utf8(self.body.clone()).unwrap();
        assert!(text.contains(from), "{from} is not in {text}");
        self.body(text.replacen(from, to, 1))
    }

    fn parts(&self) -> http::request::Parts {
        let mut builder = http::Request::builder()
            .method(Method::from_bytes(self.method.as_bytes()).unwrap())
            .uri(&self.target);
        for (name, value) in &self.headers {
            builder = builder.header(name, http::HeaderValue::from_bytes(value).unwrap());
        }
        builder.body(()).unwrap().into_parts().0
    }

    /// Begins the request; nothing of the body is sent.
    pub(crate) fn begin(&self, endpoint: &Endpoint) -> Client {
        let mut client = Client {
            exchange: endpoint.begin(self.parts(), self.peer),
            flag: Arc::new(Flag { set: AtomicBool::new(false), thread: thread::current() }),
            wanted: None,
            head: None,
            data: Vec::new(),
            ended: false,
        };
        client.pull();
        client
    }

    /// Sends it whole, and takes what is there at once.
    pub(crate) fn send(&self, endpoint: &Endpoint) -> Client {
        let mut client = self.begin(endpoint);
        if client.wanted.is_some() {
            client.exchange.body(&self.body);
            client.exchange.end_body();
            client.pull();
        }
        client
    }

    /// Sends it whole, and waits until the answer is complete.
    pub(crate) fn answer(&self, endpoint: &Endpoint) -> Client {
        let mut client = self.begin(endpoint);
        client.wait(|client| client.wanted.is_some() || client.ended);
        if !client.ended {
            client.exchange.body(&self.body);
            client.exchange.end_body();
        }
        client.wait(|client| client.ended);
        client
    }
}

struct Flag {
    set: AtomicBool,
    thread: Thread,
}

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.set.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// What came back so far.
pub(crate) struct Client {
    pub(crate) exchange: Exchange,
    flag: Arc<Flag>,
    pub(crate) wanted: Option<usize>,
    pub(crate) head: Option<(StatusCode, HeaderMap)>,
    pub(crate) data: Vec<Vec<u8>>,
    pub(crate) ended: bool,
}

impl Client {
    /// Takes every part that is there.
    pub(crate) fn pull(&mut self) -> &mut Self {
        self.flag.set.store(false, Ordering::SeqCst);
        let waker = Waker::from(Arc::clone(&self.flag));
        let mut context = Context::from_waker(&waker);
        while !self.ended {
            match self.exchange.poll(&mut context) {
                Poll::Pending => break,
                Poll::Ready(Part::WantBody { most }) => {
                    assert!(self.wanted.replace(most).is_none() && self.head.is_none());
                }
                Poll::Ready(Part::Head { parts }) => {
                    assert!(self.head.replace((parts.status, parts.headers)).is_none());
                }
                Poll::Ready(Part::Data { bytes, last }) => {
                    assert!(self.head.is_some() && !bytes.is_empty());
                    self.data.push(bytes);
                    self.ended = last;
                }
                Poll::Ready(Part::End) => {
                    assert!(self.head.is_some());
                    self.ended = true;
                }
                Poll::Ready(part) => panic!("{part:?}"),
            }
        }
        if self.ended {
            let again = self.exchange.poll(&mut context);
            assert!(matches!(again, Poll::Ready(Part::End)), "{again:?}");
        }
        self
    }

    /// Takes parts until `enough`, woken by the exchange.
    pub(crate) fn wait(&mut self, enough: impl Fn(&Self) -> bool) -> &mut Self {
        let until = Instant::now() + LONG;
        loop {
            self.pull();
            if enough(self) {
                return self;
            }
            while !self.flag.set.swap(false, Ordering::SeqCst) {
                assert!(Instant::now() < until, "nothing came: {self:?}");
                thread::park_timeout(Duration::from_millis(100));
            }
        }
    }

    /// Whether it was woken since the last pull.
    pub(crate) fn was_woken(&self) -> bool {
        self.flag.set.swap(false, Ordering::SeqCst)
    }

    pub(crate) fn status(&self) -> u16 {
        self.head.as_ref().map_or(0, |(status, _)| status.as_u16())
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        let (_, headers) = self.head.as_ref()?;
        let mut values = headers.get_all(name).iter();
        let first = values.next()?;
        assert!(values.next().is_none(), "{name} stands twice");
        Some(first.to_str().unwrap().to_owned())
    }

    pub(crate) fn closes(&self) -> bool {
        self.header("connection").as_deref() == Some("close")
    }

    pub(crate) fn body(&self) -> String {
        String::from_utf8(self.data.concat()).unwrap()
    }

    /// The error code of a JSON answer; 0 for a result, -1 if it is no JSON-RPC answer.
    pub(crate) fn code(&self) -> i64 {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&self.data.concat()) else { return -1 };
        match (&value["error"]["code"], &value["result"]) {
            (code, _) if code.is_i64() => code.as_i64().unwrap(),
            (_, result) if result.is_object() => 0,
            _ => -1,
        }
    }

    /// The messages of a stream; comments are `None`. Each part is one event.
    pub(crate) fn events(&self) -> Vec<Option<serde_json::Value>> {
        assert_eq!(self.header("content-type").as_deref(), Some("text/event-stream"));
        let event = |bytes: &Vec<u8>| {
            let text = std::str::from_utf8(bytes).unwrap();
            let lines: Vec<&str> =
                text.strip_suffix("\n\n").expect("an event ends with an empty line").split('\n').collect();
            if lines.iter().all(|line| line.starts_with(':')) {
                return None;
            }
            let ["event: message", line] = *lines else { panic!("{text:?}") };
            Some(serde_json::from_str(line.strip_prefix("data: ").expect(line)).unwrap())
        };
        self.data.iter().map(event).collect()
    }

    pub(crate) fn messages(&self) -> Vec<serde_json::Value> {
        self.events().into_iter().flatten().collect()
    }

    pub(crate) fn methods(&self) -> Vec<String> {
        let method = |message: serde_json::Value| {
            let kind = if message["result"].is_object() { "result" } else { "error" };
            message["method"].as_str().unwrap_or(kind).to_owned()
        };
        self.messages().into_iter().map(method).collect()
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let data = String::from_utf8_lossy(&self.data.concat()).into_owned();
        f.debug_struct("Client")
            .field("wanted", &self.wanted)
            .field("head", &self.head)
            .field("data", &data)
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}
