//! One host, both eras, every door: whatever the client speaks and however it comes, the host is asked the same and its
//! answer says the same.
#![cfg(feature = "http")]

mod fixture;

use fixture::Everything;
use http::Request;
use mcpcore::http::{Access, Endpoint, Exchange, HttpConfig, Origins, Part, PeerAddress};
use mcpcore::json::{quote, Document, Node};
use mcpcore::{Caller, Connection, Dispatch, Output, Server};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

const CAPABILITIES: &str = r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{}}"#;

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl Output for Heard {
    fn write(&self, messages: &[u8]) {
        let text = std::str::from_utf8(messages).unwrap();
        self.0.lock().unwrap().extend(text.lines().map(str::to_owned));
    }
}

/// How messages get to the server; callbacks run meanwhile.
enum Door {
    Lines(Connection, Heard),
    Http(Web),
}

/// Each message is a POST.
struct Web {
    endpoint: Endpoint,
    session: Option<String>,
    /// Answers that are not complete.
    open: Vec<Exchange>,
}

impl Web {
    fn new(server: &Server) -> Self {
        let mut config = HttpConfig::default();
        config.origins = Some(Origins::Any);
        config.access = Some(Access::Anyone(Caller::local()));
        Self { endpoint: Endpoint::new(server, config).unwrap(), session: None, open: Vec::new() }
    }

    fn send(&mut self, message: &str) -> Vec<String> {
        let exchange = self.endpoint.begin(self.head(message), PeerAddress::Unknown);
        let mut said = Vec::new();
        for mut exchange in std::iter::once(exchange).chain(std::mem::take(&mut self.open)) {
            if !self.pull(&mut exchange, message, &mut said) {
                self.open.push(exchange);
            }
        }
        said
    }

    /// The headers that belong to a message of either era.
    fn head(&self, message: &str) -> http::request::Parts {
        let document = Document::parse(message.as_bytes().to_vec()).unwrap();
        let text =
            |pointer: &str| document.root().pointer(pointer)?.as_str().map(std::borrow::Cow::into_owned);
        let mut request = Request::post("/mcp")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream");
        if document.root().pointer("/params/_meta").is_some() {
            request = request
                .header("MCP-Protocol-Version", "2026-07-28")
                .header("Mcp-Method", text("/method").unwrap());
            if let Some(name) = text("/params/name").or_else(|| text("/params/uri")) {
                request = request.header("Mcp-Name", name);
            }
        } else if let Some(id) = &self.session {
            request = request.header("MCP-Protocol-Version", "2025-11-25").header("Mcp-Session-Id", id);
        }
        request.body(()).unwrap().into_parts().0
    }

    /// Takes what is there; true: the answer is complete.
    fn pull(&mut self, exchange: &mut Exchange, message: &str, said: &mut Vec<String>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        loop {
            match exchange.poll(&mut context) {
                Poll::Pending => return false,
                Poll::Ready(Part::WantBody { .. }) => {
                    exchange.body(message.as_bytes());
                    exchange.end_body();
                }
                Poll::Ready(Part::Head { parts }) => {
                    let id = parts.headers.get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
                    self.session = self.session.take().or(id);
                }
                Poll::Ready(Part::Data { bytes, last }) => {
                    let text = String::from_utf8(bytes).unwrap();
                    let messages = text.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
                    said.extend(messages.filter(|line| line.starts_with('{')).map(str::to_owned));
                    if last {
                        return true;
                    }
                }
                Poll::Ready(Part::End) => return true,
                Poll::Ready(part) => panic!("{part:?}"),
            }
        }
    }
}

/// What the client answers to a question of this method.
type Answer = fn(&str) -> String;

/// A client that answers what it is asked, in either era.
struct Client {
    door: Door,
    last: u64,
}

impl Client {
    fn of_lines(server: &Server) -> Self {
        let heard = Heard::default();
        let caller = Arc::new(Caller::local());
        let connection = Connection::new(server, caller, Box::new(heard.clone())).unwrap();
        Self { door: Door::Lines(connection, heard), last: 0 }
    }

    fn of_http(server: &Server) -> Self {
        Self { door: Door::Http(Web::new(server)), last: 0 }
    }

    /// What was said to a message.
    fn send(&mut self, message: &str) -> Vec<Document> {
        let heard = match &mut self.door {
            Door::Lines(connection, heard) => {
                connection.receive(format!("{message}\n").as_bytes()).unwrap();
                std::mem::take(&mut *heard.0.lock().unwrap())
            }
            Door::Http(web) => web.send(message),
        };
        heard.into_iter().map(|line| Document::parse(line.into_bytes()).unwrap()).collect()
    }

    fn request(&mut self, method: &str, params: &str) -> Vec<Document> {
        self.last += 1;
        let id = self.last;
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))
    }

    fn open(&mut self, revision: &str) {
        let params = format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{CAPABILITIES},"clientInfo":{{"name":"c","version":"1"}}}}"#
        );
        self.request("initialize", &params);
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    /// A call in the session: questions are answered one by one.
    fn call_in_session(&mut self, method: &str, params: &str, answer: Answer) -> String {
        let mut heard = self.request(method, &format!("{{{params}}}"));
        loop {
            let mut questions = heard.iter().filter_map(|message| {
                let (id, method) = (message.root().get("id")?, message.root().get("method")?.as_str()?);
                Some((id.raw().to_owned(), answer(&method)))
            });
            let Some((id, result)) = questions.next() else { break };
            let rest: Vec<_> = questions.collect();
            heard = self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#));
            for (id, result) in rest {
                heard.extend(self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)));
            }
        }
        bare(response(&heard))
    }

    /// The same in the modern era: the call is brought once more with the answers.
    fn call_modern(&mut self, method: &str, params: &str, answer: Answer) -> String {
        let key = "io.modelcontextprotocol/";
        let meta = format!(
            r#""_meta":{{"{key}protocolVersion":"2026-07-28","{key}clientCapabilities":{CAPABILITIES}}}"#
        );
        let mut more = String::new();
        loop {
            let heard = self.request(method, &format!("{{{params},{meta}{more}}}"));
            let response = response(&heard);
            let Some(asked) = response.pointer("/result/inputRequests") else {
                return bare(response);
            };
            let answers: Vec<String> = asked
                .members()
                .map(|(key, question)| {
                    let method = question.get("method").and_then(Node::as_str).unwrap();
                    format!("{}:{}", quote(&key), answer(&method))
                })
                .collect();
            more = format!(r#","inputResponses":{{{}}}"#, answers.join(","));
            if let Some(state) = response.pointer("/result/requestState") {
                more = format!(r#"{more},"requestState":{}"#, state.raw());
            }
        }
    }
}

fn response(heard: &[Document]) -> Node<'_> {
    let is_response = |message: &&Document| message.root().get("method").is_none();
    heard.iter().rfind(is_response).expect("a response").root()
}

/// A response without what the revisions say differs.
fn bare(response: Node<'_>) -> String {
    let Some(result) = response.get("result") else {
        let error = response.get("error").expect("a result or an error");
        let code =
            error.get("code").and_then(Node::as_i64).map(|code| if code == -32002 { -32602 } else { code });
        return format!("{code:?} {:?} {:?}", error.get("message"), error.get("data"));
    };
    let modern = ["resultType", "ttlMs", "cacheScope"];
    let members = result.members().filter(|(name, _)| !modern.contains(&&**name));
    let members: Vec<String> = members
        .filter_map(|(name, value)| match &*name {
            "_meta" => {
                let kept: Vec<String> = value
                    .members()
                    .filter(|(key, _)| !key.starts_with("io.modelcontextprotocol/"))
                    .map(|(key, value)| format!("{key}:{}", value.raw()))
                    .collect();
                (!kept.is_empty()).then(|| format!("_meta:{}", kept.join(",")))
            }
            // Before 2026-07-28 it is an object; the text beside it says the same.
            "structuredContent" if !value.is_object() => None,
            _ => Some(format!("{name}:{}", value.raw())),
        })
        .collect();
    // The engine's own members stand where they stand.
    let mut members = members;
    members.sort_unstable();
    members.join("\n")
}

fn accept(method: &str) -> String {
    match method {
        "elicitation/create" => {
            r#"{"action":"accept","content":{"name":"Ann","colour":"red","style":"a haiku","ok":true}}"#
        }
        "sampling/createMessage" => {
            r#"{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}"#
        }
        _ => r#"{"roots":[{"uri":"file:///home/a"}]}"#,
    }
    .to_owned()
}

fn decline(method: &str) -> String {
    match method {
        "elicitation/create" => r#"{"action":"decline"}"#.to_owned(),
        other => accept(other),
    }
}

fn page_accept(method: &str) -> String {
    match method {
        "elicitation/create" => r#"{"action":"accept"}"#.to_owned(),
        other => accept(other),
    }
}

/// Acceptance of both eras, LEG-13, LEG-36: what a host answers is the same text in each, over each door.
#[test]
fn the_same_host_answers_the_same_in_both_eras() {
    let flags = ["--catalog".to_owned(), "fx".to_owned()];
    let (server, host) = Everything::start(&flags, None, Dispatch::Inline).unwrap();
    let mut modern = [Client::of_lines(&server), Client::of_http(&server)];
    let mut sessions = [Client::of_lines(&server), Client::of_http(&server)];
    for session in &mut sessions {
        session.open("2025-11-25");
    }
    let tool = |name: &str, arguments: &str| format!(r#""name":"{name}","arguments":{arguments}"#);
    let mut cases: Vec<(&str, String, Answer)> = Vec::new();
    for name in ["ask", "ask_twice", "ask_model", "ask_model_tools", "ask_roots", "ask_all"] {
        cases.push(("tools/call", tool(name, "{}"), accept));
        cases.push(("tools/call", tool(name, "{}"), decline));
    }
    cases.push(("tools/call", tool("ask_url", "{}"), page_accept));
    cases.push(("resources/read", r#""uri":"mem://ask""#.to_owned(), accept));
    cases.push(("prompts/get", r#""name":"ask_style","arguments":{"topic":"t"}"#.to_owned(), accept));
    for mode in ["text", "annotated", "image", "audio", "link", "embedded", "zero", "list", "meta", "error"] {
        cases.push(("tools/call", tool("say", &format!(r#"{{"mode":"{mode}"}}"#)), accept));
    }
    for mode in ["ok", "both", "err"] {
        cases.push(("tools/call", tool("out", &format!(r#"{{"mode":"{mode}"}}"#)), accept));
    }
    for (name, arguments) in
        [("add", r#"{"a":"x"}"#), ("add", r#"{"a":1,"b":2}"#), ("boom", "{}"), ("nope", "{}"), ("none", "{}")]
    {
        cases.push(("tools/call", tool(name, arguments), accept));
    }
    for uri in ["mem://a", "mem://bin", "mem://full", "mem://cached", "mem://none", "x://item/7"] {
        cases.push(("resources/read", format!(r#""uri":"{uri}""#), accept));
    }
    cases.push(("prompts/get", r#""name":"rich""#.to_owned(), accept));
    let reference = r#""ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":""}"#;
    cases.push(("completion/complete", reference.to_owned(), accept));
    for (method, params, answer) in &cases {
        let mut said = modern.each_mut().map(|client| client.call_modern(method, params, *answer)).to_vec();
        said.extend(sessions.each_mut().map(|client| client.call_in_session(method, params, *answer)));
        assert!(said.iter().all(|one| *one == said[0]), "{method} {params}: {said:#?}");
    }
    assert_eq!(host.log_text(), "");
}
