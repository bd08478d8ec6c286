//! Whatever becomes of an exchange, it is freed: it and its call refer to each other while the call is open.

use super::{Exchange, Part, PeerAddress};
use crate::call::Call;
use crate::caller::Caller;
use crate::config::{Config, Dispatch};
use crate::host::Host;
use crate::http::{Access, Endpoint, HttpConfig, Origins};
use crate::server::Server;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

#[derive(Default)]
struct Keeping(Mutex<Vec<Call>>);

impl Host for Keeping {
    fn call(&self, call: Call) {
        self.0.lock().unwrap().push(call);
    }
}

/// Sends a whole request with these headers besides the usual ones.
fn send(endpoint: &Endpoint, method: &str, headers: &[(&str, &str)], body: &str) -> Exchange {
    let head = http::Request::builder()
        .method(method)
        .uri("/mcp")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    let head = headers.iter().fold(head, |head, (name, value)| head.header(*name, *value));
    let exchange = endpoint.begin(head.body(()).unwrap().into_parts().0, PeerAddress::Unknown);
    if !body.is_empty() {
        let mut cx = Context::from_waker(Waker::noop());
        assert!(matches!(exchange.poll(&mut cx), Poll::Ready(Part::WantBody { .. })));
        exchange.body(body.as_bytes());
        exchange.end_body();
    }
    exchange
}

fn begin(endpoint: &Endpoint, method: &str, params: &str) -> Exchange {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params},{meta}}}}}"#);
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", method), ("mcp-name", "t")];
    send(endpoint, "POST", &headers, &body)
}

fn stage(configure: impl FnOnce(&mut Config, &mut HttpConfig)) -> (Arc<Keeping>, Server, Endpoint) {
    let host = Arc::new(Keeping::default());
    let mut config = Config::new("test", "1");
    config.catalog = Some(r#"{"tools":[{"name":"t"}]}"#.to_owned());
    config.dispatch = Dispatch::Inline;
    let mut http = HttpConfig {
        origins: Some(Origins::Any),
        access: Some(Access::Anyone(Caller::local())),
        ..HttpConfig::default()
    };
    configure(&mut config, &mut http);
    let server = Server::new(config, Arc::clone(&host) as Arc<dyn Host>).unwrap();
    let endpoint = Endpoint::new(&server, http).unwrap();
    (host, server, endpoint)
}

#[test]
fn http_18_every_exchange_is_freed() {
    let (host, server, endpoint) = stage(|config, _| config.tools_list_changed = true);
    let kept = || host.0.lock().unwrap().pop().unwrap();
    let call = || begin(&endpoint, "tools/call", "\"name\":\"t\"");

    let answered = call();
    let weak = Arc::downgrade(&answered.shared);
    kept().complete_text("x").unwrap();
    drop(answered);
    assert!(weak.upgrade().is_none());

    let left = call();
    let weak = Arc::downgrade(&left.shared);
    drop(left);
    assert!(weak.upgrade().is_some(), "the host still has the call");
    drop(kept());
    assert!(weak.upgrade().is_none());

    let listening = begin(&endpoint, "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#);
    let weak = Arc::downgrade(&listening.shared);
    drop(listening);
    assert!(weak.upgrade().is_none());

    let stopped = call();
    let weak = Arc::downgrade(&stopped.shared);
    assert!(server.stop(std::time::Duration::ZERO).is_err());
    drop((stopped, kept()));
    assert!(weak.upgrade().is_none());
}

/// R053: and so is whatever belongs to a session, with its client and without.
#[test]
fn r053_every_exchange_of_a_session_is_freed() {
    let (host, server, endpoint) = stage(|_, http| http.sse_path = Some("/sse".to_owned()));
    let initialize =
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
    let call =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"progressToken":1}}}"#;
    let kept = || host.0.lock().unwrap().pop().unwrap();
    let open = || {
        let opened = send(&endpoint, "POST", &[], initialize);
        let (head, _) = opened.take_whole().unwrap();
        head.headers.get("mcp-session-id").unwrap().to_str().unwrap().to_owned()
    };
    let id = open();
    let conversations = || endpoint.inner().sessions.all();
    let conversation = Arc::downgrade(&conversations()[0]);

    for (progress, leaves) in [(false, false), (false, true), (true, false), (true, true)] {
        let exchange = send(&endpoint, "POST", &[("mcp-session-id", &id)], call);
        let weak = Arc::downgrade(&exchange.shared);
        let call = kept();
        if progress {
            call.progress(1.0, None, None).unwrap();
        }
        let exchange = (!leaves).then_some(exchange);
        assert!(weak.upgrade().is_some(), "the host still has the call");
        call.complete_text("x").unwrap();
        drop(exchange);
        assert!(weak.upgrade().is_none(), "{progress} {leaves}");
    }
    let listening = send(&endpoint, "GET", &[("mcp-session-id", &id)], "");
    let weak = Arc::downgrade(&listening.shared);
    let replacing = send(&endpoint, "GET", &[("mcp-session-id", &id)], "");
    drop(listening);
    assert!(weak.upgrade().is_none());
    let weak = Arc::downgrade(&replacing.shared);
    drop(replacing);
    assert!(weak.upgrade().is_none());
    assert_eq!(endpoint.inner().streams.load(std::sync::atomic::Ordering::SeqCst), 0);

    let left = send(&endpoint, "POST", &[("mcp-session-id", &id)], call);
    let weak = Arc::downgrade(&left.shared);
    drop((left, send(&endpoint, "DELETE", &[("mcp-session-id", &id)], "")));
    assert!(conversation.upgrade().is_some(), "the host still has the call");
    drop(kept());
    assert!(weak.upgrade().is_none() && conversation.upgrade().is_none());
    assert!(conversations().is_empty());

    let id = open();
    let stopped = send(&endpoint, "POST", &[("mcp-session-id", &id)], call);
    let weak = Arc::downgrade(&stopped.shared);
    let conversation = Arc::downgrade(&conversations()[0]);
    assert!(server.stop(std::time::Duration::ZERO).is_err());
    drop((stopped, kept()));
    assert!(weak.upgrade().is_none() && conversation.upgrade().is_none());
}
