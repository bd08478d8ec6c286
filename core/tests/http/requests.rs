//! The HTTP area: one request, one answer.

use super::client::{Client, Request, META};
use super::host::{names, Stage};
use mcpcore::http::{Endpoint, HttpConfig, Origins};
use mcpcore::{CancelReason, Dispatch};
use std::time::Duration;

const PAGE: &str = "https://app.example";

fn send(stage: &Stage, request: &Request) -> Client {
    request.send(&stage.endpoint)
}

/// HTTP-01, HTTP-06: one path, one method, one message.
#[test]
fn http_01_one_path_takes_posts() {
    let stage = Stage::new();
    let answer = send(&stage, &Request::new("server/discover", ""));
    assert_eq!((answer.status(), answer.code()), (200, 0));
    let with_query = send(&stage, &Request::new("server/discover", "").target("/mcp?x=1"));
    assert_eq!(with_query.status(), 200);
    for target in ["/", "/mcp/", "/MCP", "/mcp2", "/other", "*"] {
        let answer = send(&stage, &Request::new("server/discover", "").target(target));
        assert_eq!(answer.status(), 404, "{target}");
        assert_eq!(answer.code(), -1, "a wrong path has no JSON-RPC body");
        assert!(answer.closes() && answer.wanted.is_none());
    }
    let anywhere = Stage::with(|_, http| http.path = String::new());
    for target in ["/", "/a/b"] {
        assert_eq!(send(&anywhere, &Request::new("server/discover", "").target(target)).status(), 200);
    }
}

/// HTTP-02, HTTP-03.
#[test]
fn http_02_every_request_has_an_allowed_origin_or_none() {
    let stage = Stage::new();
    for method in ["POST", "GET", "DELETE", "OPTIONS", "HEAD", "PUT"] {
        for origin in ["http://evil.example.com", "null", "https://app.example.evil.com", "", "app.example"] {
            let request = Request::new("server/discover", "").method(method).with("Origin", origin);
            let answer = send(&stage, &request);
            assert_eq!(answer.status(), 403, "{method} {origin:?}");
            assert!(answer.closes() && answer.header("access-control-allow-origin").is_none());
        }
    }
    for origin in [PAGE, "http://localhost:4000", "http://127.0.0.1", "https://[::1]:7"] {
        let answer = send(&stage, &Request::new("server/discover", "").with("Origin", origin));
        assert_eq!(answer.status(), 200, "{origin}");
        assert_eq!(answer.header("access-control-allow-origin").as_deref(), Some(origin));
    }
    let twice = Request::new("server/discover", "").also("Origin", PAGE).also("Origin", PAGE);
    assert_eq!(send(&stage, &twice).status(), 403);
    let any = Stage::with(|_, http| http.origins = Some(Origins::Any));
    assert_eq!(send(&any, &Request::new("server/discover", "").with("Origin", "null")).status(), 200);
}

/// HTTP-02, R046: pages read refusals as well, and are asked before they send.
#[test]
fn http_02_pages_of_allowed_origins_read_every_answer() {
    let stage = Stage::with(|_, http| http.max_body_bytes = 300);
    let page = |request: Request| send(&stage, &request.with("Origin", PAGE));
    let ok = || Request::new("server/discover", "");
    for (request, status) in [
        (ok(), 200),
        (ok().target("/x"), 404),
        (ok().method("GET"), 405),
        (ok().with("Content-Length", "301"), 413),
        (ok().with("Content-Type", "text/plain"), 415),
        (ok().with("Accept", "text/html"), 406),
        (ok().body("{"), 400),
        (ok().with("Mcp-Method", "x"), 400),
        (Request::new("no/such", ""), 404),
        (Request::call("talk", "{}").replace(META, &logging()), 200),
    ] {
        let answer = page(request);
        assert_eq!(answer.status(), status, "{answer:?}");
        assert_eq!(answer.header("access-control-allow-origin").as_deref(), Some(PAGE), "{answer:?}");
        assert!(answer.header("vary").unwrap().contains("Origin"));
    }
    let elsewhere = Stage::with(|_, http| http.hosts = vec!["mcp.example".to_owned()]);
    let answer = ok().with("Host", "other.example").with("Origin", PAGE).send(&elsewhere.endpoint);
    assert_eq!(answer.status(), 403);
    assert_eq!(answer.header("access-control-allow-origin").as_deref(), Some(PAGE));
    let ask = Request::bare("OPTIONS", "/mcp").with("Access-Control-Request-Method", "POST");
    let answer = page(ask.with("Access-Control-Request-Headers", "mcp-method, mcp-param-x"));
    assert_eq!((answer.status(), answer.body().as_str()), (204, ""));
    assert!(!answer.closes());
    assert!(answer.header("access-control-allow-headers").unwrap().contains("mcp-param-x"));
    assert_eq!(answer.header("access-control-allow-methods").as_deref(), Some("GET, POST, DELETE"));
    assert_eq!(page(Request::bare("OPTIONS", "/mcp")).status(), 405);
}

/// A `_meta` that asks for log lines and progress.
fn logging() -> String {
    META.replacen('{', r#"{"io.modelcontextprotocol/logLevel":"debug","progressToken":"t","#, 1)
}

#[test]
fn http_03_the_host_header_names_this_server() {
    let stage =
        Stage::with(|_, http| http.hosts = vec!["mcp.example".to_owned(), "other.example:8".to_owned()]);
    let ask = |host: &str| send(&stage, &Request::new("server/discover", "").with("Host", host)).status();
    for (host, status) in [
        ("mcp.example", 200),
        ("MCP.example:99", 200),
        ("other.example:8", 200),
        ("other.example:9", 403),
        ("evil.example.com", 403),
        ("mcp.example.evil.com", 403),
        ("localhost", 403),
    ] {
        assert_eq!(ask(host), status, "{host}");
    }
    let answer = send(&stage, &Request::new("server/discover", ""));
    assert!(answer.status() == 403 && answer.closes(), "no host at all");
    // Mounted and unconfigured, the names are the host program's to check.
    let mounted = Stage::new();
    assert_eq!(send(&mounted, &Request::new("server/discover", "").with("Host", "x.example")).status(), 200);
}

#[test]
fn http_06_a_body_is_one_request_or_notification() {
    let stage = Stage::new();
    let valid = String::from_utf8(Request::new("server/discover", "").body).unwrap();
    for body in [
        "[]".to_owned(),
        format!("[{valid}]"),
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}"#.to_owned(),
        "null".to_owned(),
        "5".to_owned(),
        valid.replace("2.0", "1.0"),
        valid.replace("\"id\":1", "\"id\":null"),
        valid.replace("\"id\":1", "\"id\":1.5"),
    ] {
        let answer = send(&stage, &Request::new("server/discover", "").body(body.clone()));
        assert_eq!((answer.status(), answer.code()), (400, -32600), "{body}");
        assert!(!answer.closes(), "the body was read");
    }
    for body in ["", "{", "{\"a\":1,}", "\u{feff}{}", "{} x"] {
        let answer = send(&stage, &Request::new("server/discover", "").body(body));
        assert_eq!((answer.status(), answer.code()), (400, -32700), "{body:?}");
    }
    let answer = send(&stage, &Request::new("server/discover", "").body(b"{\"a\":\"\xff\"}".to_vec()));
    assert_eq!((answer.status(), answer.code()), (400, -32700));
}

/// HTTP-07, HTTP-08, HDR-30: accepted, never answered, whatever its headers say.
#[test]
fn http_07_notifications_get_202() {
    let stage = Stage::new();
    for body in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"no/such"}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":[]}"#,
    ] {
        let plain = Request::new("x", "").body(body);
        for request in [
            plain.clone(),
            plain.clone().without("Mcp-Method").without("MCP-Protocol-Version"),
            plain.clone().with("MCP-Protocol-Version", "v999"),
            plain.also("Mcp-Method", "y"),
        ] {
            let answer = send(&stage, &request);
            assert_eq!((answer.status(), answer.body().as_str()), (202, ""));
            assert_eq!(answer.header("content-length").as_deref(), Some("0"));
        }
    }
    stage.no_call();
}

/// HTTP-09, HTTP-11, HTTP-12, HTTP-13, HTTP-14, HTTP-21, HTTP-23: JSON until something is said before the result.
#[test]
fn http_09_json_unless_something_is_said_first() {
    let stage = Stage::new();
    let plain = send(&stage, &Request::call("echo", "{}"));
    assert_eq!(plain.header("content-type").as_deref(), Some("application/json"));
    assert_eq!(plain.header("content-length").unwrap(), plain.body().len().to_string());
    assert_eq!(plain.data.len(), 1);
    let silent = send(&stage, &Request::call("talk", "{}"));
    assert_eq!(silent.header("content-type").as_deref(), Some("application/json"), "nothing was asked for");

    let stream = send(&stage, &Request::call("talk", "{}").replace(META, &logging()));
    assert_eq!(stream.status(), 200);
    assert_eq!(stream.header("x-accel-buffering").as_deref(), Some("no"));
    assert_eq!(stream.header("cache-control").as_deref(), Some("no-cache"));
    assert!(stream.header("content-length").is_none());
    assert_eq!(stream.methods(), ["notifications/message", "notifications/progress", "result"]);
    assert!(stream.ended, "the stream ends behind the result");
    assert!(!String::from_utf8(stream.data.concat()).unwrap().lines().any(|line| line.starts_with("id:")));
}

/// HTTP-10, PROG-07: what is said stands on the stream of its own request.
#[test]
fn http_10_parallel_calls_do_not_mix() {
    let stage = Stage::new();
    let ask = |token: &str| {
        let meta = META.replacen('{', &format!("{{\"progressToken\":\"{token}\","), 1);
        send(&stage, &Request::call("wait", "{}").replace(META, &meta))
    };
    let (mut one, mut two) = (ask("one"), ask("two"));
    let (first, second) = (stage.call(), stage.call());
    second.progress(1.0, None, None).unwrap();
    first.progress(2.0, None, None).unwrap();
    second.complete_text("2").unwrap();
    first.complete_text("1").unwrap();
    for (client, token, text) in [(&mut one, "one", "1"), (&mut two, "two", "2")] {
        assert!(client.was_woken());
        client.pull();
        let messages = client.messages();
        assert_eq!(messages.len(), 2);
        assert_eq!(messages[0]["params"]["progressToken"], token);
        assert_eq!(messages[1]["result"]["content"][0]["text"], text);
    }
}

/// HTTP-15, HTTP-17: no sessions, no resumption.
#[test]
fn http_17_session_headers_mean_nothing() {
    let stage = Stage::new();
    let request = Request::call("echo", "{}").with("Last-Event-ID", "5").with("Mcp-Session-Id", "abc");
    let answer = send(&stage, &request);
    assert_eq!(answer.code(), 0);
    assert!(!names(&answer.head.as_ref().unwrap().1).contains(&"mcp-session-id"));
}

/// HTTP-16, HTTP-24.
#[test]
fn http_16_other_methods_get_405() {
    let modern = Stage::with(|config, _| config.legacy = false);
    let both = Stage::new();
    let methods = ["GET", "DELETE", "HEAD", "PUT", "PATCH", "OPTIONS", "TRACE", "BREW"];
    let alone = methods.iter().map(|method| (&modern, "POST", Request::bare(method, "/mcp")));
    let named = |method| Request::bare(method, "/mcp").with("MCP-Protocol-Version", "2026-07-28");
    let beside = methods.iter().map(|method| (&both, "GET, POST, DELETE", named(method)));
    for (stage, served, request) in alone.chain(beside) {
        let (method, answer) = (&request.method, send(stage, &request));
        assert_eq!(answer.status(), 405, "{method}");
        assert_eq!(answer.header("allow").as_deref(), Some(served));
        assert!(answer.closes());
        assert_eq!(answer.data.is_empty(), method == "HEAD", "a HEAD has no body");
    }
}

/// HTTP-18, CANCEL-02, CANCEL-03: also while nothing was said yet.
#[test]
fn http_18_hanging_up_cancels() {
    let stage = Stage::new();
    let client = send(&stage, &Request::call("wait", "{}"));
    let call = stage.call();
    assert_eq!(call.cancelled(), None);
    drop(client);
    assert_eq!(call.cancelled(), Some(CancelReason::Closed));
    assert_eq!(stage.cancelled(), [CancelReason::Closed]);
    assert!(call.complete_text("late").is_err());
    assert_eq!(stage.stat("callsOwed"), 0);

    let meta = logging();
    let streaming = send(&stage, &Request::call("wait", "{}").replace(META, &meta));
    let call = stage.call();
    call.progress(1.0, None, None).unwrap();
    drop(streaming);
    assert!(call.progress(2.0, None, None).is_err());
    assert_eq!(stage.cancelled().len(), 2);

    // CANCEL-06: an answer that was given is not taken back by the client's leaving.
    let answered = send(&stage, &Request::call("wait", "{}"));
    stage.call().complete_text("done").unwrap();
    drop(answered);
    assert_eq!(stage.cancelled().len(), 2);
}

/// A client may leave at any point; nothing is left behind.
#[test]
fn http_18_leaving_early_leaves_nothing() {
    for dispatch in [Dispatch::Inline, Dispatch::Pool] {
        let stage = Stage::with(|config, http| {
            config.dispatch = dispatch;
            http.max_calls = 1;
            http.max_streams = 1;
            http.byte_budget = 1;
        });
        let big = Request::call("echo", &format!("{{\"a\":\"{}\"}}", "x".repeat(100_000)));
        for _ in 0..3 {
            drop(big.begin(&stage.endpoint));
            let reading = big.begin(&stage.endpoint);
            reading.exchange.body(&big.body[..70_000]);
            drop(reading);
            let listening = Request::listen(r#"{"toolsListChanged":true}"#).send(&stage.endpoint);
            assert_eq!(listening.status(), 200);
            drop(listening);
            let waiting = Request::call("wait", "{}").send(&stage.endpoint);
            let call = stage.call();
            drop(waiting);
            drop(call);
        }
        assert_eq!(stage.stat("subscriptions"), 0);
        assert_eq!(Request::call("echo", "{}").answer(&stage.endpoint).code(), 0);
    }
}

/// HTTP-19, and the statuses of errors that the host makes.
#[test]
fn http_19_errors_have_their_statuses() {
    let stage = Stage::new();
    let ask = |request: Request| {
        let answer = send(&stage, &request);
        if answer.status() != 202 {
            assert_eq!(answer.header("content-type").as_deref(), Some("application/json"));
            assert!(answer.body().starts_with("{\"jsonrpc\":\"2.0\",\"id\":1,"), "{answer:?}");
        }
        (answer.status(), answer.code())
    };
    let discover = || Request::new("server/discover", "");
    let meta = |from: &str, to: &str| ask(discover().replace(from, to));
    assert_eq!(meta(META, ""), (400, -32602));
    assert_eq!(meta(META, "\"_meta\":5"), (400, -32602));
    assert_eq!(meta(r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#, ""), (400, -32602));
    assert_eq!(meta(r#","io.modelcontextprotocol/clientCapabilities":{}"#, ""), (400, -32602));
    assert_eq!(meta("{}}", "{},\"progressToken\":{}}"), (400, -32602));
    assert_eq!(meta("{}}", "{},\"io.modelcontextprotocol/logLevel\":\"loud\"}"), (400, -32602));
    assert_eq!(
        ask(discover().replace("2026-07-28", "v999").with("MCP-Protocol-Version", "v999")),
        (400, -32022)
    );
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "unknown/method"] {
        assert_eq!(ask(Request::new(method, "")), (404, -32601), "{method}");
    }
    assert_eq!(ask(Request::call("sample", "{}")), (400, -32021));
    assert_eq!(ask(Request::call("nope", "{}")), (200, -32602));
    assert_eq!(ask(Request::call("crash", "{}")), (200, -32603));
    assert_eq!(ask(Request::call("drop", "{}")), (200, -32603));
    assert_eq!(
        ask(Request::new("resources/read", "\"uri\":\"mem://x\"").with("Mcp-Name", "mem://x")),
        (200, -32602)
    );
    assert_eq!(ask(Request::new("tools/list", "\"cursor\":5")), (200, -32602));
    for (code, status, sent) in [
        (-32600, 400, -32600),
        (-32601, 404, -32601),
        (-32602, 200, -32602),
        (-32603, 200, -32603),
        (-32020, 400, -32020),
        (-32021, 400, -32021),
        (-32022, 400, -32022),
        (-31999, 200, -31999),
        (7, 200, 7),
    ] {
        assert_eq!(ask(Request::call("reject", &format!("{{\"code\":{code}}}"))), (status, sent), "{code}");
    }
}

/// AMB-12, AMB-39: what a legacy client is told.
#[test]
fn http_20_nothing_is_served_without_a_version() {
    let stage = Stage::with(|config, _| config.legacy = false);
    let legacy = |method: &str| {
        let request = Request::new(method, "\"protocolVersion\":\"2025-11-25\"");
        let request = request.replace(&format!(",{META}"), "");
        send(&stage, &request.without("MCP-Protocol-Version").without("Mcp-Method"))
    };
    let opening = legacy("initialize");
    assert_eq!((opening.status(), opening.code()), (400, -32022));
    assert!(opening.body().contains(r#""requested":"2025-11-25""#));
    for method in ["tools/list", "ping"] {
        let answer = legacy(method);
        assert_eq!((answer.status(), answer.code()), (400, -32602), "{method}");
    }
    let unheaded = Request::new("tools/list", "").without("MCP-Protocol-Version");
    let answer = send(&stage, &unheaded);
    assert_eq!((answer.status(), answer.code()), (400, -32020));
}

#[test]
fn http_22_media_types_are_read_by_their_grammar() {
    let stage = Stage::new();
    let ok = || Request::call("echo", "{}");
    for (kind, status) in [
        ("application/json", 200),
        ("Application/JSON ; charset=\"UTF-8\"", 200),
        ("application/json;", 200),
        ("application/jsonp", 415),
        ("text/json", 415),
        ("application/json; charset=latin1", 415),
        ("application/json, text/plain", 415),
        ("", 415),
    ] {
        assert_eq!(send(&stage, &ok().with("Content-Type", kind)).status(), status, "{kind}");
    }
    assert_eq!(send(&stage, &ok().without("Content-Type")).status(), 415);
    assert_eq!(send(&stage, &ok().also("Content-Type", "application/json")).status(), 415);
    for (accept, status) in [
        ("*/*", 200),
        ("application/*;q=0.1", 200),
        ("text/event-stream", 406),
        ("application/json;q=0, */*", 406),
        ("text/html", 406),
        ("", 406),
    ] {
        let answer = send(&stage, &ok().with("Accept", accept));
        assert_eq!(answer.status(), status, "{accept}");
        assert_eq!(answer.closes(), status == 406);
    }
    assert_eq!(send(&stage, &ok().without("Accept")).status(), 200);
    let listen = || Request::listen(r#"{"toolsListChanged":true}"#);
    assert_eq!(send(&stage, &listen().with("Accept", "application/json")).status(), 406);
    assert_eq!(send(&stage, &listen().with("Accept", "*/*")).status(), 200);
}

/// Decision 18: a client that takes only JSON goes without notifications.
#[test]
fn http_22_without_streams_notifications_are_dropped() {
    let stage = Stage::with(|_, http| http.keep_alive_ms = 100);
    let request = Request::call("talk", "{}").replace(META, &logging()).with("Accept", "application/json");
    let answer = send(&stage, &request);
    assert_eq!((answer.status(), answer.data.len(), answer.code()), (200, 1, 0));
    let mut waiting = send(&stage, &Request::call("wait", "{}").with("Accept", "application/json"));
    assert_eq!(waiting.exchange.next_deadline(), None, "no silence turns it into a stream");
    stage.clock.wind(1_000);
    waiting.exchange.tick();
    assert!(waiting.pull().head.is_none());
    stage.call().complete_text("x").unwrap();
    assert_eq!(waiting.pull().code(), 0);
}

/// HTTP-23, AMB-18: once a stream has begun, an error is its last event.
#[test]
fn http_23_an_error_behind_a_notification_is_the_last_event() {
    let stage = Stage::new();
    let mut client = send(&stage, &Request::call("wait", "{}").replace(META, &logging()));
    let call = stage.call();
    call.progress(0.5, None, None).unwrap();
    let asks = r#"{"q":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}}"#;
    assert!(call.require_input(asks, None).is_err());
    client.pull();
    assert_eq!(client.status(), 200);
    let messages = client.messages();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1]["error"]["code"], -32021);
    assert!(client.ended);
}

/// Section 1.1, HTTP-14: after a long silence a call becomes a stream, and gets comments.
#[test]
fn http_14_long_silences_are_filled() {
    let stage = Stage::with(|_, http| http.keep_alive_ms = 1_000);
    let mut client = send(&stage, &Request::call("wait", "{}"));
    assert_eq!(client.exchange.next_deadline(), Some(Duration::from_secs(1)));
    stage.clock.wind(999);
    client.exchange.tick();
    assert!(client.pull().head.is_none());
    for comments in 1..4 {
        stage.clock.wind(1_000);
        client.exchange.tick();
        assert!(client.was_woken());
        client.pull();
        assert_eq!(client.events().len(), comments);
        assert_eq!(client.messages().len(), 0);
        assert_eq!(client.exchange.next_deadline(), Some(Duration::from_secs(1)));
    }
    // What is not taken does not pile up.
    for _ in 0..3 {
        stage.clock.wind(1_000);
        client.exchange.tick();
    }
    assert_eq!(client.pull().events().len(), 4);
    stage.call().complete_text("x").unwrap();
    assert_eq!(client.pull().methods(), ["result"]);
    assert!(client.ended);
    assert_eq!(client.exchange.next_deadline(), None);
}

/// Decision 54: of two lengths one lies.
#[test]
fn http_25_ambiguous_framing_is_refused() {
    let stage = Stage::new();
    let ok = || Request::call("echo", "{}");
    let length = ok().body.len().to_string();
    for request in [
        ok().with("Content-Length", &length).with("Transfer-Encoding", "chunked"),
        ok().also("Content-Length", &length).also("Content-Length", &length),
        ok().with("Content-Length", "-5"),
        ok().with("Content-Length", "5x"),
        ok().with("Content-Length", ""),
    ] {
        let answer = send(&stage, &request);
        assert_eq!(answer.status(), 400);
        assert!(answer.closes() && answer.wanted.is_none());
    }
    assert_eq!(send(&stage, &ok().with("Transfer-Encoding", "chunked")).status(), 200);
    assert_eq!(send(&stage, &ok().with("Content-Length", "99999999999999999999999999")).status(), 413);
}

/// Bodies come in pieces of any size.
#[test]
fn http_25_a_body_may_come_in_any_pieces() {
    let stage = Stage::new();
    for size in [1, 2, 7, 100, 100_000] {
        let request = Request::call("echo", &format!("{{\"a\":\"{}\"}}", "\u{e9}".repeat(50_000)));
        let mut client = request.begin(&stage.endpoint);
        for piece in request.body.chunks(size.max(request.body.len() / 5_000)) {
            client.exchange.body(piece);
        }
        client.exchange.end_body();
        assert_eq!(client.pull().code(), 0);
        // Later bytes are ignored.
        client.exchange.body(b"x");
        client.exchange.end_body();
    }
}

/// Every fault at once; AUTH-12: a token is not passed on to calls.
#[test]
fn faults_of_the_configuration_are_told_at_once() {
    let stage = Stage::new();
    let refused = |http: HttpConfig| Endpoint::new(&stage.server, http).unwrap_err().message().to_owned();
    let told = refused(HttpConfig::default());
    assert!(told.contains("origins:") && told.contains("access:"), "{told}");
    let mut http = HttpConfig::default();
    http.path = "mcp?x".to_owned();
    http.origins = Some(Origins::Only(vec!["https://a.example/path".to_owned()]));
    http.hosts = vec!["https://a".to_owned()];
    (http.max_body_bytes, http.byte_budget, http.max_calls) = (0, 0, 0);
    http.stream_queue_bytes = 0;
    http.resource_metadata = Some("{}".to_owned());
    http.call_headers = vec!["Authorization".to_owned(), "b\u{e4}d".to_owned()];
    let told = refused(http);
    for name in [
        "path:",
        "origins:",
        "access:",
        "hosts:",
        "max_body_bytes:",
        "byte_budget:",
        "max_calls:",
        "stream_queue_bytes:",
        "resource_metadata:",
        "call_headers: authorization",
        "call_headers: \"b",
    ] {
        assert!(told.lines().any(|line| line.starts_with(name)), "{name} in {told}");
    }
    stage.server.stop(Duration::ZERO).unwrap();
    assert!(Endpoint::new(&stage.server, HttpConfig::default()).is_err());
}

#[test]
fn calls_see_the_headers_that_are_named() {
    let stage = Stage::with(|_, http| http.call_headers = vec!["X-Tenant".to_owned()]);
    let request =
        Request::call("header", "{}").also("X-Tenant", "a").also("x-tenant", "b").also("X-Other", "c");
    assert!(send(&stage, &request).body().contains(r#"Some(\"a, b\") None"#));
    assert!(send(&stage, &Request::call("header", "{}")).body().contains("None None"));
}
