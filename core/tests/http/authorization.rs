//! The AUTH area: who may come in, what they may use, and what they are told.

use super::client::{Client, Request};
use super::host::{ask, asked, Stage, START};
use mcpcore::http::{PeerAddress, Refusal};
use mcpcore::{Caller, Dispatch, MissingScope};
use std::sync::Arc;
use std::time::Duration;

const METADATA: &str = r#"{"resource":"https://mcp.example.com/public/mcp","authorization_servers":["https://as.example.com"],"scopes_supported":["files:read"]}"#;
const URL: &str = "https://mcp.example.com/.well-known/oauth-protected-resource/public/mcp";

fn discover() -> Request {
    Request::new("server/discover", "")
}

/// A stage where a bearer token names its principal, and its scopes behind colons.
fn bearer(missing: MissingScope) -> Stage {
    Stage::with(|config, http| {
        config.missing_scope = missing;
        http.resource_metadata = Some(METADATA.to_owned());
        "/public/mcp".clone_into(&mut http.path);
        http.access = Some(ask(|question| {
            let token = question.header("authorization").map(std::borrow::Cow::into_owned);
            let Some(token) = token else {
                let mut refusal = Refusal::unauthorized();
                refusal.scope = Some("files:read".to_owned());
                refusal.reason = Some("no token came".to_owned());
                return question.refuse(&refusal);
            };
            if let Some(rest) = token.strip_prefix("Bearer good") {
                let scopes = rest.split(':').filter(|scope| !scope.is_empty());
                question.allow(scopes.fold(Caller::new("alice"), Caller::with_scope));
            } else {
                let mut refusal = Refusal::unauthorized();
                refusal.error = Some("invalid_token".to_owned());
                refusal.description = Some("the token \"x\" is old".to_owned());
                refusal.reason = Some("signature".to_owned());
                question.refuse(&refusal);
            }
        }));
    })
}

fn send(stage: &Stage, request: Request, token: Option<&str>) -> Client {
    let request = request.target("/public/mcp");
    let request = match token {
        Some(token) => request.with("Authorization", format!("Bearer {token}")),
        None => request,
    };
    request.send(&stage.endpoint)
}

fn challenge(answer: &Client) -> String {
    answer.header("www-authenticate").unwrap()
}

/// AUTH-03, AUTH-04, AUTH-05, AUTH-15, AUTH-21, HTTP-05, HDR-31: told what to bring, and no more.
#[test]
fn auth_04_who_brings_no_good_token_is_challenged() {
    let stage = bearer(MissingScope::Hide);
    let none = send(&stage, discover(), None);
    assert_eq!((none.status(), none.body().as_str()), (401, ""));
    assert_eq!(
        challenge(&none),
        format!("Bearer realm=\"mcp\", scope=\"files:read\", resource_metadata=\"{URL}\"")
    );
    let bad = send(&stage, discover(), Some("bad"));
    assert_eq!(bad.status(), 401);
    assert_eq!(
        challenge(&bad),
        format!(
            "Bearer realm=\"mcp\", error=\"invalid_token\", error_description=\"the token \\\"x\\\" is old\", \
             resource_metadata=\"{URL}\""
        )
    );
    for answer in [none, bad] {
        assert!(answer.closes() && answer.wanted.is_none(), "refused before a byte of the body was read");
        assert!(!format!("{answer:?}").contains("signature"));
    }
    assert!(stage.logged("no token came") && stage.logged("signature"));
    assert!(
        stage.host.log.lock().unwrap().iter().all(|line| !line.contains("Bearer")),
        "tokens are not logged"
    );
    assert_eq!(send(&stage, discover(), Some("good")).code(), 0);
}

/// AUTH-10, AUTH-13: each request by itself, before anything else of it counts; a query is no header.
#[test]
fn auth_10_every_request_is_asked_for_first() {
    let stage = bearer(MissingScope::Hide);
    assert_eq!(send(&stage, discover(), Some("good")).code(), 0);
    let broken = discover().body("{").with("Content-Type", "text/plain").with("Content-Length", "99999999");
    assert_eq!(send(&stage, broken, Some("bad")).status(), 401);
    let query = discover().target("/public/mcp?access_token=good").send(&stage.endpoint);
    assert_eq!(query.status(), 401);
}

/// AUTH-20, HTTP-02: the origin counts before the token.
#[test]
fn auth_20_origins_come_before_tokens() {
    let stage = bearer(MissingScope::Hide);
    let evil = discover().with("Origin", "https://evil.example");
    assert_eq!(send(&stage, evil, Some("bad")).status(), 403);
    assert_eq!(send(&stage, discover().method("GET"), Some("bad")).status(), 405);
}

/// AUTH-02, AUTH-03: the document is there for everyone, pages included, exactly as configured.
#[test]
fn auth_02_the_metadata_is_served_without_a_token() {
    let stage = bearer(MissingScope::Hide);
    for path in ["/.well-known/oauth-protected-resource/public/mcp", "/.well-known/oauth-protected-resource"]
    {
        let answer = Request::bare("GET", path).with("Origin", "https://app.example").send(&stage.endpoint);
        assert_eq!((answer.status(), answer.body().as_str()), (200, METADATA), "{path}");
        assert_eq!(answer.header("content-type").as_deref(), Some("application/json"));
        assert_eq!(answer.header("access-control-allow-origin").as_deref(), Some("https://app.example"));
        assert!(!answer.closes());
        let head = Request::bare("HEAD", path).send(&stage.endpoint);
        assert_eq!((head.status(), head.body().as_str()), (200, ""));
        assert_eq!(head.header("content-length").unwrap(), METADATA.len().to_string());
        assert_eq!(Request::bare("POST", path).send(&stage.endpoint).status(), 405);
        let preflight = Request::bare("OPTIONS", path)
            .with("Origin", "https://app.example")
            .with("Access-Control-Request-Method", "GET")
            .send(&stage.endpoint);
        assert_eq!(preflight.status(), 204);
        let evil = Request::bare("GET", path).with("Origin", "https://evil.example").send(&stage.endpoint);
        assert_eq!(evil.status(), 403);
    }
    for path in ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/"] {
        assert_eq!(Request::bare("GET", path).send(&stage.endpoint).status(), 404, "{path}");
    }
    let without = Stage::new();
    let path = "/.well-known/oauth-protected-resource/mcp";
    assert_eq!(Request::bare("GET", path).send(&without.endpoint).status(), 404);
}

/// AUTH-06, AUTH-07, AUTH-09, HDR-31: all missing scopes at once, in header and body.
#[test]
fn auth_06_missing_scopes_are_challenged() {
    let stage = bearer(MissingScope::Challenge);
    let call = || Request::call("guarded", r#"{"n":5}"#).with("Mcp-Param-N", "5");
    let answer = send(&stage, call(), Some("good"));
    assert_eq!((answer.status(), answer.code()), (403, -32602));
    assert_eq!(
        challenge(&answer),
        format!(
            "Bearer realm=\"mcp\", error=\"insufficient_scope\", \
             error_description=\"The caller lacks scopes of this item.\", scope=\"a b\", \
             resource_metadata=\"{URL}\""
        )
    );
    let body: serde_json::Value = serde_json::from_str(&answer.body()).unwrap();
    assert_eq!(body["error"]["data"]["missingScopes"], serde_json::json!(["a", "b"]));
    assert!(!answer.closes());
    assert!(challenge(&send(&stage, call(), Some("good:a"))).contains("scope=\"b\""));
    assert_eq!(send(&stage, call(), Some("good:a:b")).code(), 0);
    // Hidden items are not challenged: they are not there.
    let hiding = bearer(MissingScope::Hide);
    let answer = send(&hiding, call(), Some("good"));
    assert_eq!((answer.status(), answer.code()), (200, -32602));
    assert!(answer.header("www-authenticate").is_none());
}

/// AUTH-01, HTTP-05: an answer may come later, from any thread, in any dispatch mode.
#[test]
fn auth_01_answers_may_come_late() {
    for dispatch in [Dispatch::Inline, Dispatch::Pool, Dispatch::Pump] {
        let (access, questions) = asked();
        let stage = Stage::with(|config, http| {
            config.dispatch = dispatch;
            http.access = Some(access);
        });
        let pump = || {
            if dispatch == Dispatch::Pump {
                stage.server.pump(Duration::from_secs(1)).unwrap();
            }
        };
        let request = Request::call("whoami", "{}").also("X-Key", "a").also("x-key", "b");
        let mut client = request.begin(&stage.endpoint);
        if dispatch == Dispatch::Pump {
            assert!(questions.try_recv().is_err(), "callbacks run inside the pump");
        }
        pump();
        let question = questions.recv_timeout(Duration::from_secs(20)).unwrap();
        assert_eq!((question.method(), question.path()), ("POST", "/mcp"));
        assert_eq!(question.header("X-KEY").as_deref(), Some("a, b"));
        assert_eq!((question.header("x-other"), question.peer()), (None, PeerAddress::Unknown));
        assert!(!format!("{question:?}").contains("X-Key"));
        assert!(client.pull().wanted.is_none() && client.head.is_none());
        std::thread::spawn(move || question.allow(Caller::new("late").with_scope("a"))).join().unwrap();
        client.wait(|client| client.wanted.is_some());
        client.exchange.body(&request.body);
        client.exchange.end_body();
        pump();
        client.wait(|client| client.ended);
        assert!(client.body().contains("late true"), "{client:?}");
        // Whoever left meanwhile is answered into the void.
        let left = request.begin(&stage.endpoint);
        pump();
        let question = questions.recv_timeout(Duration::from_secs(20)).unwrap();
        drop(left);
        question.allow(Caller::new("nobody"));
    }
}

/// AUTH-09: a callback that fails or answers nonsense: 500, nothing told, logged.
#[test]
fn auth_09_broken_authorizers_keep_everybody_out() {
    for dispatch in [Dispatch::Inline, Dispatch::Pool] {
        let stage = Stage::with(|config, http| {
            config.dispatch = dispatch;
            http.access = Some(ask(|question| match question.header("x-do").as_deref() {
                Some("drop") => {}
                Some("panic") => panic!("secret"),
                Some(status) => {
                    let mut refusal = Refusal::forbidden();
                    refusal.status = status.parse().unwrap();
                    refusal.scope = Some("secret".to_owned());
                    question.refuse(&refusal);
                }
                None => question.allow(Caller::new("x")),
            }));
        });
        for (command, log) in [
            ("drop", "without an answer"),
            ("panic", "panicked"),
            ("200", "refused with 200"),
            ("500", "refused with 500"),
            ("0", "refused with 0"),
        ] {
            let mut answer = discover().with("X-Do", command).begin(&stage.endpoint);
            answer.wait(|answer| answer.ended);
            assert_eq!((answer.status(), answer.body().as_str()), (500, ""), "{command}");
            assert!(answer.closes() && !format!("{answer:?}").contains("secret"));
            assert!(stage.logged(log), "{log}");
        }
        let mut forbidden = discover().with("X-Do", "403").begin(&stage.endpoint);
        forbidden.wait(|answer| answer.ended);
        assert_eq!(forbidden.status(), 403);
        assert!(challenge(&forbidden).contains("scope=\"secret\""));
        assert_eq!(discover().answer(&stage.endpoint).code(), 0);
    }
}

/// AUTH-06: texts of a refusal cannot make headers of their own.
#[test]
fn auth_06_texts_are_escaped() {
    let stage = Stage::with(|_, http| {
        http.realm = Some("a\"b\r\nX-Evil: 1".to_owned());
        http.access = Some(ask(|question| {
            let mut refusal = Refusal::forbidden();
            refusal.description = Some("\u{1f600}\n\"".to_owned());
            question.refuse(&refusal);
        }));
    });
    let answer = discover().send(&stage.endpoint);
    assert_eq!(answer.status(), 403);
    assert!(
        challenge(&answer).starts_with("Bearer realm=\"a\\\"b  X-Evil: 1\", error_description=\"? \\\"\"")
    );
}

/// AUTH-10, B-97 to B-99: the exact bytes, before they are decoded; the connection stays.
#[test]
fn auth_10_bodies_are_looked_at_before_they_are_read() {
    for dispatch in [Dispatch::Inline, Dispatch::Pool] {
        let stage = Stage::with(|config, http| {
            config.dispatch = dispatch;
            http.access = Some(ask(|question| question.allow(Caller::new("bob"))));
            http.authorize_body = Some(Arc::new(|caller, body| {
                assert!(!body.starts_with(b"panic"), "as asked");
                caller.principal() == "bob" && !body.starts_with(b"not ")
            }));
        });
        let ask = |body: &[u8]| {
            let answer = discover().body(body).answer(&stage.endpoint);
            assert!(!answer.closes());
            (answer.status(), answer.body())
        };
        assert_eq!(ask(b"not \xff"), (403, String::new()));
        assert_eq!(ask(b"panic"), (500, String::new()));
        assert!(stage.logged("authorize_body callback panicked"));
        assert_eq!(ask(b"\xff").0, 400);
        assert_eq!(discover().answer(&stage.endpoint).code(), 0);
    }
}

/// AUTH-04, R098: an authorizer that never answers holds a request for half a minute, no longer; one that does in time has
/// nothing to fear of its time.
#[test]
fn auth_04_an_authorizer_that_never_answers_is_not_waited_for() {
    let (access, questions) = asked();
    let stage = Stage::with(|_, http| http.access = Some(access));
    let request = Request::call("whoami", "{}");
    let mut client = request.begin(&stage.endpoint);
    assert_eq!(client.pull().status(), 0);
    let question = questions.recv().unwrap();
    assert_eq!(client.exchange.next_deadline(), Some(Duration::from_secs(30)));
    stage.clock.wind(29_999);
    client.exchange.tick();
    assert_eq!(client.pull().status(), 0);
    stage.clock.wind(1);
    client.exchange.tick();
    assert!(client.pull().ended && client.closes());
    assert_eq!((client.status(), client.header("retry-after").as_deref()), (503, Some("1")));
    assert!(stage.logged("the authorizer did not answer within 30000 ms"));
    // Too late is as good as never.
    question.allow(Caller::new("x"));
    let mut client = request.begin(&stage.endpoint);
    client.pull();
    questions.recv().unwrap().allow(Caller::new("x"));
    assert_eq!(client.exchange.next_deadline(), Some(Duration::from_secs(15)), "of the body");
}

/// AUTH-04: a credential that has ended opens nothing.
#[test]
fn auth_04_an_expired_caller_is_kept_out() {
    let stage = Stage::with(|_, http| {
        http.access = Some(ask(|question| {
            let end: u64 = question.header("x-end").unwrap().parse().unwrap();
            question.allow(Caller::new("x").with_expiry(START + end));
        }));
    });
    assert_eq!(discover().with("X-End", "1").send(&stage.endpoint).status(), 200);
    stage.clock.wind(1);
    let answer = discover().with("X-End", "1").send(&stage.endpoint);
    assert_eq!(answer.status(), 401);
    assert!(challenge(&answer).contains("error=\"invalid_token\""));
}

/// AUTH-19: the peer of a Unix socket is a principal where the host wants it.
#[test]
fn auth_19_the_peer_of_a_unix_socket_has_a_name() {
    let named = |on: bool, peer: PeerAddress| {
        let stage = Stage::with(|_, http| http.unix_principal = on);
        let mut request = Request::call("whoami", "{}");
        request.peer = peer;
        request.send(&stage.endpoint).body()
    };
    assert!(named(true, PeerAddress::Unix { uid: Some(1000) }).contains("uid:1000 true"));
    assert!(named(true, PeerAddress::Unix { uid: None }).contains("anyone true"));
    assert!(named(true, PeerAddress::Ip("127.0.0.1:5".parse().unwrap())).contains("anyone true"));
    assert!(named(false, PeerAddress::Unix { uid: Some(1000) }).contains("anyone true"));
}

/// Decision 36 and 40: the catalog of a caller is asked for where callbacks run, not where bytes are read.
#[test]
fn auth_18_catalogs_of_callers_are_built_where_callbacks_run() {
    let stage = Stage::with(|config, http| {
        config.dispatch = Dispatch::Pump;
        http.access = Some(ask(|question| question.allow(Caller::new("x").with_catalog_key("key"))));
    });
    let request = Request::new("tools/list", "");
    let mut client = request.begin(&stage.endpoint);
    stage.server.pump(Duration::from_secs(1)).unwrap();
    client.pull();
    client.exchange.body(&request.body);
    client.exchange.end_body();
    assert!(client.pull().head.is_none(), "the host has not been asked yet");
    assert!(stage.server.pump(Duration::from_secs(1)).unwrap() > 0);
    assert_eq!(client.pull().code(), 0);
    // From then on it is there.
    let mut client = request.begin(&stage.endpoint);
    stage.server.pump(Duration::from_secs(1)).unwrap();
    client.pull();
    client.exchange.body(&request.body);
    client.exchange.end_body();
    assert_eq!(client.pull().code(), 0);
}
