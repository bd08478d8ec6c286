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

fn begin(endpoint: &Endpoint, method: &str, params: &str) -> Exchange {
    let head = http::Request::post("/mcp")
        .header("content-type", "application/json")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method)
        .header("mcp-name", "t");
    let exchange = endpoint.begin(head.body(()).unwrap().into_parts().0, PeerAddress::Unknown);
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params},{meta}}}}}"#);
    let mut cx = Context::from_waker(Waker::noop());
    assert!(matches!(exchange.poll(&mut cx), Poll::Ready(Part::WantBody { .. })));
    exchange.body(body.as_bytes());
    exchange.end_body();
    exchange
}

#[test]
fn http_18_every_exchange_is_freed() {
    let host = Arc::new(Keeping::default());
    let mut config = Config::new("test", "1");
    config.catalog = Some(r#"{"tools":[{"name":"t"}]}"#.to_owned());
    config.dispatch = Dispatch::Inline;
    config.tools_list_changed = true;
    let server = Server::new(config, Arc::clone(&host) as Arc<dyn Host>).unwrap();
    let http = HttpConfig {
        origins: Some(Origins::Any),
        access: Some(Access::Anyone(Caller::local())),
        ..HttpConfig::default()
    };
    let endpoint = Endpoint::new(&server, http).unwrap();
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
