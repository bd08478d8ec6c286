//! A host whose calls are answered by the test, and a clock that the test winds.

use http::HeaderMap;
use mcpcore::http::{Access, Authorization, Authorizer, Endpoint, HttpConfig, Origins};
use mcpcore::{Call, Caller, CancelReason, Config, Dispatch, Environment, Host, LogLevel, Server};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const CATALOG: &str = r#"{
  "tools": [
    {"name": "echo", "inputSchema": {"type": "object"}},
    {"name": "\u540d", "inputSchema": {"type": "object"}},
    {"name": "wait", "inputSchema": {"type": "object"}},
    {"name": "hold", "inputSchema": {"type": "object"}},
    {"name": "brief", "inputSchema": {"type": "object"}, "mcpcore": {"timeoutMs": 500}},
    {"name": "strict", "inputSchema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}},
    {"name": "talk", "inputSchema": {"type": "object"}},
    {"name": "sample", "inputSchema": {"type": "object"}},
    {"name": "crash", "inputSchema": {"type": "object"}},
    {"name": "drop", "inputSchema": {"type": "object"}},
    {"name": "header", "inputSchema": {"type": "object"}},
    {"name": "whoami", "inputSchema": {"type": "object"}},
    {"name": "reject", "inputSchema": {"type": "object", "properties": {"code": {"type": "integer"}}}},
    {"name": "all", "mcpcore": {"scopes": ["a"]}, "inputSchema": {"type": "object", "properties": {"n": {"type": "integer",
      "maximum": 9, "x-mcp-header": "N"}}}},
    {"name": "guarded", "inputSchema": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer",
      "x-mcp-header": "N"}}}, "mcpcore": {"scopes": ["b", "a"]}},
    {"name": "hdr", "inputSchema": {"type": "object", "additionalProperties": false, "properties": {
      "region": {"type": "string", "x-mcp-header": "Region"}, "count": {"type": "integer", "x-mcp-header": "Count"},
      "flag": {"type": "boolean", "x-mcp-header": "Flag"},
      "deep": {"type": "object", "properties": {"er": {"type": "string", "x-mcp-header": "Deep-Er"}}}}}}
  ],
  "resources": [{"uri": "mem://a", "name": "a"}, {"uri": "mem://secret", "name": "s", "mcpcore": {"scopes": ["s"]}}],
  "prompts": [{"name": "greet"}]
}"#;

/// A clock that goes when the test says so.
#[derive(Default)]
pub(crate) struct Clock {
    now: AtomicU64,
}

pub(crate) const START: u64 = 1_700_000_000_000;

impl Clock {
    pub(crate) fn wind(&self, ms: u64) {
        self.now.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Environment for Clock {
    fn monotonic_ms(&self) -> u64 {
        self.now.load(Ordering::SeqCst)
    }

    fn unix_ms(&self) -> u64 {
        START + self.monotonic_ms()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), String> {
        bytes.fill(7);
        Ok(())
    }
}

/// Answers by the tool's name, and hands the calls of `wait` and `brief` to the test.
pub(crate) struct Fixture {
    calls: Mutex<Sender<Call>>,
    pub(crate) log: Mutex<Vec<String>>,
    pub(crate) cancelled: Mutex<Vec<CancelReason>>,
    /// Every call that the host was handed.
    pub(crate) handed: AtomicU64,
    /// The tool `hold` keeps its thread until it has had this.
    pub(crate) gate: Mutex<()>,
}

impl Host for Fixture {
    fn call(&self, call: Call) {
        self.handed.fetch_add(1, Ordering::SeqCst);
        let mode = call.argument_node().get("mode").and_then(mcpcore::json::Node::as_str);
        let outcome = match mode.as_deref().unwrap_or(call.name()) {
            "wait" | "brief" => {
                let _ = self.calls.lock().unwrap().send(call);
                return;
            }
            "hold" => {
                drop(self.gate.lock().unwrap());
                call.complete_text("held")
            }
            "talk" => {
                call.log(LogLevel::Error, None, "\"line\\none\"").unwrap();
                call.progress(1.0, Some(2.0), None).unwrap();
                call.complete_text("talked")
            }
            "sample" => {
                let asks =
                    r#"{"q":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}"#;
                let _ = call.require_input(asks, None);
                return;
            }
            "crash" => panic!("as asked"),
            "drop" => return,
            "header" => {
                let text = format!("{:?} {:?}", call.header("x-tenant"), call.header("X-Other"));
                call.complete_text(&text)
            }
            "whoami" => {
                let text = format!("{} {}", call.caller().principal(), call.caller().has_scope("a"));
                call.complete_text(&text)
            }
            "reject" => {
                let code = call.argument_node().get("code").and_then(mcpcore::json::Node::as_i64).unwrap();
                let data = match code {
                    -32021 => Some(r#"{"requiredCapabilities":{}}"#),
                    -32022 => Some(r#"{"supported":[],"requested":"x"}"#),
                    _ => None,
                };
                call.reject(code.try_into().unwrap(), "no", data)
            }
            name => {
                let text = format!("{name} {}", call.arguments());
                call.complete_text(&text)
            }
        };
        outcome.unwrap();
    }

    fn cancelled(&self, _: u64, reason: CancelReason) {
        self.cancelled.lock().unwrap().push(reason);
    }

    fn log(&self, _: LogLevel, text: &str) {
        self.log.lock().unwrap().push(text.to_owned());
    }
}

/// A server, its host, its clock and one endpoint.
pub(crate) struct Stage {
    pub(crate) server: Server,
    pub(crate) host: Arc<Fixture>,
    pub(crate) clock: Arc<Clock>,
    pub(crate) endpoint: Endpoint,
    calls: Receiver<Call>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(|_, _| {})
    }

    /// Everyone may do everything, but for what `change` says.
    pub(crate) fn with(change: impl FnOnce(&mut Config, &mut HttpConfig)) -> Self {
        let (sender, calls) = channel();
        let host = Arc::new(Fixture {
            calls: Mutex::new(sender),
            log: Mutex::default(),
            cancelled: Mutex::default(),
            handed: AtomicU64::new(0),
            gate: Mutex::default(),
        });
        let clock = Arc::new(Clock::default());
        let mut config = Config::new("test", "1");
        config.catalog = Some(CATALOG.to_owned());
        config.dispatch = Dispatch::Inline;
        config.logging = true;
        config.environment = Arc::clone(&clock) as Arc<dyn Environment>;
        config.tools_list_changed = true;
        config.prompts_list_changed = true;
        config.resources_list_changed = true;
        config.resources_subscribe = true;
        let mut http = HttpConfig::default();
        http.origins = Some(Origins::Only(vec!["https://app.example".to_owned(), "loopback".to_owned()]));
        http.access = Some(Access::Anyone(Caller::new("anyone").with_all_scopes()));
        change(&mut config, &mut http);
        let server = Server::new(config, Arc::clone(&host) as Arc<dyn Host>).unwrap();
        let endpoint = Endpoint::new(&server, http).unwrap();
        Self { server, host, clock, endpoint, calls }
    }

    /// The next call of `wait` or `brief`.
    pub(crate) fn call(&self) -> Call {
        self.calls.recv_timeout(Duration::from_secs(20)).expect("a call")
    }

    pub(crate) fn no_call(&self) {
        assert!(self.calls.try_recv().is_err());
    }

    /// Whether a line of the log says so, or will; another thread may be about to write it.
    pub(crate) fn logged(&self, part: &str) -> bool {
        (0..2_000).any(|_| {
            let there = self.host.log.lock().unwrap().iter().any(|line| line.contains(part));
            if !there {
                std::thread::sleep(Duration::from_millis(10));
            }
            there
        })
    }

    pub(crate) fn cancelled(&self) -> Vec<CancelReason> {
        self.host.cancelled.lock().unwrap().clone()
    }

    pub(crate) fn stat(&self, name: &str) -> u64 {
        let stats: serde_json::Value = serde_json::from_str(&self.server.stats()).unwrap();
        stats[name].as_u64().unwrap()
    }
}

/// An authorizer out of a closure.
pub(crate) struct Asked<F>(pub(crate) F);

impl<F: Fn(Authorization) + Send + Sync + 'static> Authorizer for Asked<F> {
    fn authorize(&self, question: Authorization) {
        (self.0)(question);
    }
}

pub(crate) fn ask(decide: impl Fn(Authorization) + Send + Sync + 'static) -> Access {
    Access::Ask(Arc::new(Asked(decide)))
}

/// Hands every question to the test.
pub(crate) fn asked() -> (Access, Receiver<Authorization>) {
    let (sender, questions) = channel();
    let sender = Mutex::new(sender);
    let access = ask(move |question| {
        let _ = sender.lock().unwrap().send(question);
    });
    (access, questions)
}

pub(crate) fn names(headers: &HeaderMap) -> Vec<&str> {
    headers.keys().map(http::HeaderName::as_str).collect()
}
