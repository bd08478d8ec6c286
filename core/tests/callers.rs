//! What depends on who asks: scopes, sealed states, subscriptions that are taken away.

use mcpcore::{Call, Caller, Config, Connection, Dispatch, Host, MissingScope, Output, Server};
use std::sync::{Arc, Mutex};

const CATALOG: &str = r#"{
  "tools": [
    {"name": "open", "inputSchema": {"type": "object"}},
    {"name": "guarded", "inputSchema": {"type": "object"}, "mcpcore": {"scopes": ["b", "a"]}},
    {"name": "ask", "inputSchema": {"type": "object"}}
  ],
  "resources": [{"uri": "mem://secret", "name": "secret", "mcpcore": {"scopes": ["files:*"]}}],
  "resourceTemplates": [{"uriTemplate": "vault://{id}", "name": "vault", "mcpcore": {"scopes": ["vault"]}}],
  "prompts": [{"name": "inner", "mcpcore": {"scopes": ["a"]}}]
}"#;

struct Answering;

impl Host for Answering {
    fn call(&self, call: Call) {
        let asks = call.name() == "ask" && call.answers() == "{}";
        let outcome = if asks {
            let form = r#"{"who":{"method":"elicitation/create","params":{"message":"Who?","requestedSchema":
                {"type":"object","properties":{"name":{"type":"string"}}}}}}"#;
            call.require_input(form, Some("kept"))
        } else {
            let text = format!("{} {}", call.state().unwrap_or("-"), call.caller().principal());
            call.complete_text(&text)
        };
        outcome.unwrap();
    }
}

fn server(missing_scope: MissingScope) -> Server {
    let mut config = Config::new("test", "1");
    config.catalog = Some(CATALOG.to_owned());
    config.dispatch = Dispatch::Inline;
    config.missing_scope = missing_scope;
    config.resources_subscribe = true;
    config.tools_list_changed = true;
    Server::new(config, Arc::new(Answering)).unwrap()
}

fn ask(server: &Server, caller: &Arc<Caller>, method: &str, params: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
    let message =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{{params}{comma}{meta}}}}}"#);
    let response = server.handle(caller, message.as_bytes(), None).unwrap().unwrap();
    String::from_utf8(response).unwrap()
}

fn caller(principal: &str, scopes: &[&str]) -> Arc<Caller> {
    let caller = Caller::new(principal);
    Arc::new(scopes.iter().fold(caller, |caller, scope| caller.with_scope(*scope)))
}

#[test]
// RES-09, AUTH-08: a scope of the catalog that ends in `*` is had by whoever has a narrower one
fn res_09_what_a_caller_may_not_use_does_not_exist_for_them() {
    let server = server(MissingScope::Hide);
    let (nobody, somebody) = (caller("n", &[]), caller("s", &["a", "b", "files:read", "vault"]));
    for (method, params, told) in [
        ("tools/call", r#""name":"guarded""#, "Unknown tool: guarded"),
        ("resources/read", r#""uri":"mem://secret""#, "Resource not found"),
        ("resources/read", r#""uri":"vault://7""#, "Resource not found"),
        ("prompts/get", r#""name":"inner""#, "Unknown prompt: inner"),
    ] {
        let refused = ask(&server, &nobody, method, params);
        assert!(refused.contains("-32602") && refused.contains(told), "{refused}");
        let given = ask(&server, &somebody, method, params);
        assert!(given.contains("\"result\""), "{given}");
    }
    // One scope of two is not enough, and says no more than none.
    assert_eq!(
        ask(&server, &caller("n", &["a"]), "tools/call", r#""name":"guarded""#),
        ask(&server, &nobody, "tools/call", r#""name":"guarded""#)
    );
}

#[test]
// R062, TOOLS-03, CACHE-06
fn r062_lists_show_each_caller_their_own_and_are_private() {
    let server = server(MissingScope::Hide);
    let (nobody, somebody) = (caller("n", &[]), caller("s", &["a", "b"]));
    for _ in 0..100 {
        let few = ask(&server, &nobody, "tools/list", "");
        assert!(!few.contains("guarded") && few.contains("\"cacheScope\":\"private\""), "{few}");
        assert!(ask(&server, &somebody, "tools/list", "").contains("guarded"));
    }
}

#[test]
fn challenged_callers_are_told_all_that_is_missing() {
    let server = server(MissingScope::Challenge);
    let nobody = caller("n", &[]);
    assert!(ask(&server, &nobody, "tools/list", "").contains("guarded"));
    let refused = ask(&server, &nobody, "tools/call", r#""name":"guarded""#);
    assert!(
        refused.contains(r#""code":-32602"#) && refused.contains(r#"{"missingScopes":["a","b"]}"#),
        "{refused}"
    );
}

#[test]
// ELIC-08, AUTH-18
fn elic_08_a_state_is_good_for_the_caller_it_was_made_for() {
    let server = server(MissingScope::Hide);
    let (one, two) = (caller("one", &[]), caller("two", &[]));
    let first = ask(&server, &one, "tools/call", r#""name":"ask""#);
    let (_, state) = first.split_once(r#""requestState":""#).unwrap();
    let (state, _) = state.split_once('"').unwrap();
    let retry = format!(
        r#""name":"ask","requestState":"{state}","inputResponses":{{"who":{{"action":"accept","content":{{"name":"x"}}}}}}"#
    );
    assert!(ask(&server, &one, "tools/call", &retry).contains("kept one"));
    let refused = ask(&server, &two, "tools/call", &retry);
    assert!(refused.contains("-32602") && refused.contains("requestState"), "{refused}");
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Output for Kept {
    fn write(&self, messages: &[u8]) {
        self.0.lock().unwrap().extend_from_slice(messages);
    }
}

impl Kept {
    fn take(&self) -> String {
        String::from_utf8(std::mem::take(&mut self.0.lock().unwrap())).unwrap()
    }
}

#[test]
// CANCEL-08
fn cancel_08_a_subscription_that_is_taken_away_is_cancelled() {
    let server = server(MissingScope::Hide);
    let output = Kept::default();
    let listener = Arc::new(Caller::new("token-7").with_owner_key("owner"));
    let connection = Connection::new(&server, listener, Box::new(output.clone())).unwrap();
    let listen = r#"{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["mem://secret","mem://later"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    connection.receive(format!("{listen}\n").as_bytes()).unwrap();
    let acknowledged = output.take();
    // What is there and needs a scope is left out; what is not there yet may be waited for.
    assert!(acknowledged.contains(r#""resourceSubscriptions":["mem://later"]"#), "{acknowledged}");

    server.revoke("somebody else");
    server.resource_updated("mem://later");
    assert!(output.take().contains("notifications/resources/updated"));

    server.revoke("owner");
    let told = output.take();
    assert_eq!(
        told,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"l\"}}\n"
    );
    server.resource_updated("mem://later");
    server.catalog_changed("").unwrap();
    assert_eq!(output.take(), "");
}
