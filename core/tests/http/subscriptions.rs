//! The SUB area over HTTP: streams of changes, and how they end.

use super::client::{Client, Request};
use super::host::{ask, asked, Stage, START};
use mcpcore::http::Refusal;
use mcpcore::Caller;
use std::sync::Mutex;
use std::time::Duration;

const ALL: &str = r#"{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["mem://a","mem://later","mem://secret"]}"#;
const TAG: &str = "io.modelcontextprotocol/subscriptionId";

fn listen(stage: &Stage, filter: &str) -> Client {
    let client = Request::listen(filter).send(&stage.endpoint);
    assert_eq!(client.status(), 200, "{client:?}");
    client
}

const ACK: &str = "notifications/subscriptions/acknowledged";
const TOOLS: &str = "notifications/tools/list_changed";
const UPDATED: &str = "notifications/resources/updated";

/// SUB-01, SUB-03, SUB-04, SUB-05, SUB-15: the acknowledgement comes first, with what is honoured, under the request's id.
#[test]
fn sub_03_the_acknowledgement_comes_first() {
    let stage = Stage::with(|config, _| config.prompts_list_changed = false);
    for id in ["1", "\"listen-1\"", "1.0"] {
        let request = Request::listen(&ALL.replacen('{', "{\"foo\":true,", 1));
        let client = request.replace("\"id\":1", &format!("\"id\":{id}")).send(&stage.endpoint);
        let first = &client.messages()[0];
        assert_eq!(first["method"], ACK);
        assert!(String::from_utf8(client.data[0].clone()).unwrap().contains(&format!("\"{TAG}\":{id}}}")));
        let honoured = &first["params"]["notifications"];
        assert_eq!(honoured["toolsListChanged"], true);
        assert!(honoured.get("promptsListChanged").is_none() && honoured.get("foo").is_none());
        assert!(!client.ended);
    }
    for bad in ["5", "[]", r#"{"toolsListChanged":"yes"}"#, r#"{"resourceSubscriptions":[1]}"#] {
        let answer = Request::listen(bad).send(&stage.endpoint);
        assert_eq!((answer.status(), answer.code()), (200, -32602), "{bad}");
    }
}

/// SUB-02, SUB-07, SUB-08, SUB-12, SUB-13, SUB-19, SUB-21: only what was asked, and only on streams.
#[test]
fn sub_02_only_what_was_asked_is_told() {
    let stage = Stage::new();
    let (mut tools, mut all) = (listen(&stage, r#"{"toolsListChanged":true}"#), listen(&stage, ALL));
    let talking = Request::call("wait", "{}").send(&stage.endpoint);
    stage.server.resource_updated("mem://a");
    stage.server.resource_updated("mem://other");
    for _ in 0..100 {
        stage.server.resource_updated("mem://later");
    }
    assert!(!tools.was_woken() && all.was_woken());
    assert_eq!(tools.pull().methods(), [ACK]);
    assert_eq!(all.pull().methods(), [ACK, UPDATED, UPDATED], "a burst is one notification");
    let uris: Vec<_> = all.messages()[1..].iter().map(|m| m["params"]["uri"].clone()).collect();
    assert_eq!(uris, ["mem://a", "mem://later"]);
    stage.server.catalog_changed("").unwrap();
    for client in [&mut tools, &mut all] {
        assert!(client.was_woken());
        assert!(client.pull().methods().contains(&TOOLS.to_owned()));
        assert!(client.messages().iter().all(|message| message["params"]["_meta"][TAG] == 1));
    }
    assert!(talking.head.is_none(), "no change is told to whoever did not listen");
}

/// SUB-18: nothing between request and acknowledgement is lost, nothing comes before it.
#[test]
fn sub_18_changes_beside_the_acknowledgement_come_behind_it() {
    let stage = Stage::new();
    std::thread::scope(|scope| {
        let server = &stage.server;
        scope.spawn(move || (0..200).for_each(|_| server.resource_updated("mem://a")));
        for _ in 0..50 {
            let mut client = listen(&stage, ALL);
            stage.server.resource_updated("mem://a");
            let methods = client.pull().methods();
            assert_eq!(methods[0], ACK);
            assert!(methods[1..].iter().all(|method| method == UPDATED) && methods.len() > 1);
        }
    });
}

/// SUB-10, SUB-14: a stream that is closed is forgotten.
#[test]
fn sub_10_closing_the_stream_ends_it() {
    let stage = Stage::new();
    let client = listen(&stage, ALL);
    assert_eq!(stage.stat("subscriptions"), 1);
    drop(client);
    assert_eq!(stage.stat("subscriptions"), 0);
    stage.server.resource_updated("mem://a");
    let mut again = listen(&stage, ALL);
    assert_eq!(again.pull().methods(), [ACK], "nothing is replayed");
}

/// SUB-11.
#[test]
fn sub_11_a_stop_ends_streams_with_their_results() {
    for by_endpoint in [true, false] {
        let stage = Stage::new();
        let mut client = listen(&stage, ALL);
        stage.server.resource_updated("mem://a");
        if by_endpoint {
            stage.endpoint.stop();
        } else {
            stage.server.stop(Duration::ZERO).unwrap();
        }
        assert!(client.was_woken());
        assert_eq!(client.pull().methods(), [ACK, UPDATED, "result"]);
        let result = &client.messages()[2];
        assert_eq!((&result["id"], &result["result"]["resultType"]), (&1.into(), &"complete".into()));
        assert_eq!(result["result"]["_meta"][TAG], 1);
        assert!(client.ended);
        assert_eq!(stage.stat("subscriptions"), 0);
        let refused = Request::listen(ALL).send(&stage.endpoint);
        assert_eq!(refused.status(), 503);
        assert!(refused.header("retry-after").is_some() && refused.closes());
        assert!(stage.endpoint.is_stopped());
    }
}

/// SUB-16, decision 3: nothing honoured ends at once; nothing offered is no method.
#[test]
fn sub_16_nothing_to_hear() {
    let stage = Stage::with(|config, _| config.prompts_list_changed = false);
    let client = listen(&stage, r#"{"promptsListChanged":true}"#);
    assert_eq!(client.methods(), [ACK, "result"]);
    assert!(client.ended);
    let deaf = Stage::with(|config, _| {
        (config.tools_list_changed, config.prompts_list_changed) = (false, false);
        (config.resources_list_changed, config.resources_subscribe) = (false, false);
    });
    let answer = Request::listen(r#"{"toolsListChanged":true}"#).send(&deaf.endpoint);
    assert_eq!((answer.status(), answer.code()), (404, -32601));
}

/// SUB-17: one past each limit.
#[test]
fn sub_17_streams_and_uris_are_bounded() {
    let stage = Stage::with(|config, http| {
        http.max_streams = 2;
        config.max_subscription_uris = 3;
    });
    let two = [listen(&stage, ALL), listen(&stage, ALL)];
    let third = Request::listen(ALL).send(&stage.endpoint);
    assert_eq!((third.status(), third.code()), (503, -32603));
    assert!(third.header("retry-after").is_some());
    drop(two);
    drop(listen(&stage, ALL));
    let four = r#"{"resourceSubscriptions":["a:1","a:2","a:3","a:4"]}"#;
    assert_eq!(Request::listen(four).send(&stage.endpoint).code(), -32602);
}

/// Decision 45: a driver that must not be held for long (WSGI) serves no subscription.
#[test]
fn no_subscription_is_served_where_none_may_be_open() {
    let stage = Stage::with(|_, http| http.max_streams = 0);
    let answer = Request::listen(ALL).send(&stage.endpoint);
    assert_eq!((answer.status(), answer.code()), (404, -32601));
}

/// SUB-17, decision 19: who does not read is closed, without a result.
#[test]
fn sub_17_a_slow_reader_is_closed() {
    let uris: Vec<String> = (0..20).map(|n| format!("\"mem://{n}\"")).collect();
    let filter = format!("{{\"resourceSubscriptions\":[{}]}}", uris.join(","));
    let stage = Stage::with(|_, http| http.stream_queue_bytes = 2_000);
    let (mut slow, mut quick) = (listen(&stage, &filter), listen(&stage, &filter));
    for n in 0..20 {
        stage.server.resource_updated(&format!("mem://{n}"));
        quick.pull();
    }
    assert_eq!(quick.methods().len(), 21);
    assert!(!quick.ended);
    slow.pull();
    assert!(slow.ended);
    assert_eq!(slow.methods(), [ACK], "closed without what waited, and without a result");
    assert!(stage.logged("stream_queue_bytes"));
    assert_eq!(stage.stat("subscriptions"), 1);
}

/// SUB-20, HTTP-14: quiet streams get comments; who takes none of them for long is closed.
#[test]
fn sub_20_quiet_streams_are_kept_alive() {
    let stage = Stage::with(|_, http| http.keep_alive_ms = 100);
    let mut client = listen(&stage, ALL);
    for _ in 0..3 {
        stage.clock.wind(60);
        client.exchange.tick();
        assert!(!client.was_woken(), "not yet");
        stage.clock.wind(40);
        client.exchange.tick();
        assert!(client.was_woken());
        client.pull();
    }
    assert_eq!(client.events().len(), 4);
    stage.clock.wind(99);
    stage.server.resource_updated("mem://a");
    client.pull();
    stage.clock.wind(99);
    client.exchange.tick();
    assert_eq!(client.pull().events().len(), 5, "what was told breaks the silence");
    for _ in 0..3 {
        stage.clock.wind(100);
        client.exchange.tick();
    }
    assert!(client.pull().ended, "nothing was taken meanwhile");
    let quiet = Stage::with(|_, http| http.keep_alive_ms = 0);
    assert_eq!(listen(&quiet, ALL).exchange.next_deadline(), None);
}

/// SUB-10, decision 19: credentials, lives and rights end streams without a result.
#[test]
fn sub_10_streams_end_with_credential_and_life() {
    let stage = Stage::with(|_, http| {
        http.keep_alive_ms = 0;
        http.max_stream_ms = 1_000;
        http.access = Some(ask(|question| {
            let caller = Caller::new("x").with_all_scopes();
            let end: Option<u64> = question.header("x-end").map(|end| end.parse().unwrap());
            question.allow(match end {
                Some(end) => caller.with_expiry(START + end),
                None => caller,
            });
        }));
    });
    let mut living = listen(&stage, ALL);
    let mut expiring = Request::listen(ALL).with("X-End", "500").send(&stage.endpoint);
    assert_eq!(living.exchange.next_deadline(), Some(Duration::from_secs(1)));
    assert_eq!(expiring.exchange.next_deadline(), Some(Duration::from_millis(500)));
    for (wind, ended) in [(499, (false, false)), (1, (false, true)), (499, (false, true)), (1, (true, true))]
    {
        stage.clock.wind(wind);
        for client in [&mut living, &mut expiring] {
            client.exchange.tick();
            client.pull();
            assert_eq!(client.methods(), [ACK]);
        }
        assert_eq!((living.ended, expiring.ended), ended);
    }
    assert_eq!(stage.stat("subscriptions"), 0);
}

/// SUB-10: by owner key or by principal.
#[test]
fn sub_10_streams_end_when_their_caller_is_revoked() {
    let stage = Stage::with(|_, http| {
        http.access = Some(ask(|question| {
            let name = question.header("x-name").unwrap().into_owned();
            question.allow(Caller::new(&*name).with_owner_key(format!("{name}-owner")).with_all_scopes());
        }));
    });
    let open = |name: &str| Request::listen(ALL).with("X-Name", name).send(&stage.endpoint);
    let (mut alice, mut bob, mut carol) = (open("alice"), open("bob"), open("carol"));
    stage.server.revoke("alice");
    stage.server.revoke("bob-owner");
    stage.server.revoke("car");
    stage.server.resource_updated("mem://a");
    for (client, ended) in [(&mut alice, true), (&mut bob, true), (&mut carol, false)] {
        assert_eq!(client.pull().ended, ended);
        assert_eq!(client.methods().len(), if ended { 1 } else { 2 });
    }
}

/// SUB-19: what a caller may not see is not told, at subscription and at delivery.
#[test]
fn sub_19_rights_count_at_subscription_and_at_delivery() {
    let stage = Stage::with(|_, http| {
        http.access = Some(ask(|question| question.allow(Caller::new("poor"))));
    });
    let mut client = listen(&stage, ALL);
    let honoured = &client.messages()[0]["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(*honoured, serde_json::json!(["mem://a", "mem://later"]));
    stage.server.resource_updated("mem://secret");
    assert_eq!(client.pull().methods(), [ACK]);
}

/// SUB-10: the authorizer is asked again on a period: a refusal, another caller, or silence ends the stream.
#[test]
fn sub_10_streams_are_authorized_again_on_a_period() {
    for outcome in ["allow", "refuse", "other", "silent", "drop"] {
        let (access, questions) = asked();
        let stage = Stage::with(|_, http| {
            http.access = Some(access);
            http.keep_alive_ms = 0;
            http.reauthorize_ms = 100;
        });
        let caller = || Caller::new("x").with_all_scopes();
        let request = Request::listen(ALL);
        let mut client = request.begin(&stage.endpoint);
        questions.recv().unwrap().allow(caller());
        client.pull();
        client.exchange.body(&request.body);
        client.exchange.end_body();
        assert_eq!(client.pull().methods(), [ACK]);
        stage.clock.wind(99);
        client.exchange.tick();
        assert!(questions.try_recv().is_err());
        stage.clock.wind(1);
        client.exchange.tick();
        let question = questions.try_recv().unwrap();
        let kept = match outcome {
            "allow" => {
                question.allow(caller());
                None
            }
            "refuse" => {
                question.refuse(&Refusal::unauthorized());
                None
            }
            "other" => {
                question.allow(Caller::new("y"));
                None
            }
            "drop" => {
                drop(question);
                None
            }
            _ => Some(question),
        };
        assert_eq!(client.pull().ended, matches!(outcome, "refuse" | "other" | "drop"), "{outcome}");
        stage.clock.wind(100);
        client.exchange.tick();
        assert_eq!(client.pull().ended, outcome != "allow", "{outcome}");
        assert_eq!(client.methods(), [ACK]);
        drop(kept);
    }
}

/// SUB-10: the authorizer is asked before each delivery; until it has answered, nothing is told.
#[test]
fn sub_10_streams_are_authorized_before_delivery() {
    let (access, questions) = asked();
    let stage = Stage::with(|_, http| {
        http.access = Some(access);
        http.reauthorize_on_delivery = true;
    });
    let request = Request::listen(ALL);
    let mut client = request.begin(&stage.endpoint);
    questions.recv().unwrap().allow(Caller::new("x").with_all_scopes());
    client.pull();
    client.exchange.body(&request.body);
    client.exchange.end_body();
    client.pull();
    for told in 1..3 {
        stage.server.resource_updated("mem://a");
        assert!(client.was_woken());
        assert_eq!(client.pull().methods().len(), told);
        let question = questions.try_recv().unwrap();
        assert!(questions.try_recv().is_err());
        stage.server.resource_updated("mem://later");
        client.pull();
        assert!(questions.try_recv().is_err(), "one question at a time");
        question.allow(Caller::new("x").with_all_scopes());
        assert!(client.was_woken());
        let expected = if told == 1 { 3 } else { 4 };
        assert_eq!(client.pull().methods().len(), expected.max(told + 2));
        if told == 1 {
            client.data.truncate(2);
        }
    }
    stage.server.resource_updated("mem://a");
    client.pull();
    let before = client.methods().len();
    questions.try_recv().unwrap().refuse(&Refusal::forbidden());
    assert!(client.pull().ended);
    assert_eq!(client.methods().len(), before);
}

/// SUB-10: a question that was put a moment ago is not overdue when the period ends.
#[test]
fn sub_10_one_question_serves_period_and_delivery() {
    let (access, questions) = asked();
    let stage = Stage::with(|_, http| {
        http.access = Some(access);
        http.keep_alive_ms = 0;
        http.reauthorize_ms = 100;
        http.reauthorize_on_delivery = true;
    });
    let request = Request::listen(ALL);
    let mut client = request.begin(&stage.endpoint);
    questions.recv().unwrap().allow(Caller::new("x").with_all_scopes());
    client.pull();
    client.exchange.body(&request.body);
    client.exchange.end_body();
    client.pull();
    stage.clock.wind(99);
    stage.server.resource_updated("mem://a");
    client.pull();
    let question = questions.try_recv().unwrap();
    stage.clock.wind(1);
    client.exchange.tick();
    assert!(questions.try_recv().is_err() && !client.pull().ended);
    question.allow(Caller::new("x").with_all_scopes());
    assert_eq!(client.pull().methods(), [ACK, UPDATED]);
}

/// SUB-19: asked inline, the answer is there at once; and a rights change counts for what is told next.
#[test]
fn sub_19_new_rights_count_from_their_answer_on() {
    static SCOPED: Mutex<bool> = Mutex::new(true);
    let stage = Stage::with(|_, http| {
        http.reauthorize_on_delivery = true;
        http.access = Some(ask(|question| {
            let caller = Caller::new("x");
            let scoped = *SCOPED.lock().unwrap();
            question.allow(if scoped { caller.with_scope("s") } else { caller });
        }));
    });
    let mut client = listen(&stage, ALL);
    stage.server.resource_updated("mem://secret");
    assert_eq!(client.pull().methods(), [ACK, UPDATED]);
    *SCOPED.lock().unwrap() = false;
    stage.server.resource_updated("mem://a");
    assert_eq!(client.pull().methods(), [ACK, UPDATED, UPDATED]);
    stage.server.resource_updated("mem://secret");
    assert_eq!(client.pull().methods().len(), 3);
}
