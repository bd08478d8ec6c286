//! What bounds sessions: times, counts, bytes, the caller's rights, the server's end.

use super::client::Request;
use super::host::{ask, START};
use super::legacy::{events, initialize, messages, methods, request, stage, text, tool, Legacy};
use mcpcore::{Caller, CancelReason, Dispatch};
use std::time::Duration;

/// LEG-42, R053: a session whose client is away ends, and so do its calls.
#[test]
fn leg_42_sessions_of_absent_clients_end() {
    let stage = stage(|_, http| http.session_idle_ms = 1000);
    let list = request(1, "tools/list", "{}");
    let (away, here) =
        (Legacy::open(&stage.endpoint, "2025-11-25"), Legacy::open(&stage.endpoint, "2025-11-25"));
    let busy = Legacy::open(&stage.endpoint, "2025-06-18");
    let mut listening = here.listen();
    let left = away.send(&tool(1, "wait"));
    let call = stage.call();
    let mut waiting = busy.send(&tool(1, "wait"));
    drop(left);
    assert!(stage.endpoint.next_deadline().is_some());
    stage.clock.wind(999);
    stage.endpoint.tick();
    assert_eq!(call.cancelled(), None);
    stage.clock.wind(60);
    stage.endpoint.tick();
    assert_eq!(call.cancelled(), Some(CancelReason::Closed));
    assert_eq!(away.send(&list).status(), 404);
    assert_eq!(here.send(&list).status(), 200, "its stream is open");
    assert_eq!(busy.send(&list).status(), 200, "it waits for an answer");
    assert!(!listening.pull().ended && !waiting.pull().ended);
    // What is used goes on, whether or not anybody looks at the clock.
    for _ in 0..5 {
        stage.clock.wind(900);
        assert_eq!(busy.send(&list).status(), 200);
    }
    stage.call().complete_text("x").unwrap();
    drop(listening);
    stage.clock.wind(2000);
    assert_eq!(here.send(&list).status(), 404, "it is over before anybody looked");
    stage.endpoint.tick();
    assert_eq!(stage.endpoint.next_deadline(), None, "nothing is left");
    let for_ever = super::legacy::stage(|_, http| http.session_idle_ms = 0);
    let client = Legacy::open(&for_ever.endpoint, "2025-11-25");
    assert_eq!(for_ever.endpoint.next_deadline(), None);
    for_ever.clock.wind(1 << 40);
    assert_eq!(client.send(&list).status(), 200);
}

/// LEG-42, P-61: for one session too many, that of the client that has been away for longest goes.
#[test]
fn leg_42_the_longest_absent_client_makes_room() {
    let stage = stage(|_, http| http.max_sessions = 3);
    let list = request(1, "tools/list", "{}");
    let open = || {
        stage.clock.wind(10);
        Legacy::open(&stage.endpoint, "2025-11-25")
    };
    let (first, second, third) = (open(), open(), open());
    let _stream = first.listen();
    stage.clock.wind(10);
    third.send(&list);
    let fourth = open();
    let status = |client: &Legacy<'_>| client.send(&list).status();
    assert_eq!([&first, &second, &third, &fourth].map(status), [200, 404, 200, 200]);
    let (_third, _fourth) = (third.listen(), fourth.listen());
    let refused = initialize("2025-11-25").answer(&stage.endpoint);
    assert_eq!((refused.status(), refused.code()), (503, -32603));
    assert_eq!(refused.header("retry-after").as_deref(), Some("1"));
    assert!(refused.header("mcp-session-id").is_none());
}

/// Calls of sessions have the endpoint's limits and their own times, with a connection and without.
#[test]
fn calls_of_sessions_are_bounded() {
    let stage = stage(|_, http| http.max_calls = 2);
    let client = Legacy::open(&stage.endpoint, "2025-11-25");
    let mut brief = client.send(&tool(1, "brief"));
    let left = client.send(&tool(2, "wait"));
    let (one, two) = (stage.call(), stage.call());
    let third = client.send(&tool(3, "echo"));
    assert_eq!((third.status(), third.code()), (503, -32603));
    stage.clock.wind(500);
    assert_eq!(brief.exchange.next_deadline(), Some(Duration::ZERO));
    brief.exchange.tick();
    brief.pull();
    assert_eq!((brief.status(), brief.code()), (200, -32603));
    assert_eq!(one.cancelled(), Some(CancelReason::Timeout));
    assert_eq!(client.send(&tool(3, "echo")).status(), 503, "the host has not let go of it");
    drop(one);
    assert_eq!(text(&client.send(&tool(3, "echo"))), "echo {}");
    drop(left);
    two.complete_text("nobody hears it").unwrap();
    let left = client.send(&tool(4, "brief"));
    drop(left);
    let call = stage.call();
    stage.clock.wind(500);
    stage.endpoint.tick();
    assert_eq!(call.cancelled(), Some(CancelReason::Timeout), "also without a connection");
    drop(call);
    assert_eq!(stage.stat("callsOwed"), 0);
}

/// LEG-25: what is kept for clients that come back is bounded, the newest event aside.
#[test]
fn leg_25_what_can_be_had_again_is_bounded() {
    let stage = stage(|_, http| http.session_replay_bytes = 4000);
    let client = Legacy::open(&stage.endpoint, "2025-11-25");
    let mut cut = client.send(&tool(1, "wait"));
    let call = stage.call();
    call.progress(0.0, None, None).unwrap();
    let first = events(cut.pull())[0].id.clone();
    let reached = events(&cut)[1].id.clone();
    for step in 1..100 {
        stage.clock.wind(1000);
        call.progress(f64::from(step), None, None).unwrap();
    }
    assert_eq!(methods(cut.pull()).len(), 100, "who reads misses nothing");
    drop(cut);
    assert_eq!(client.get(&first).send(&stage.endpoint).status(), 400);
    assert_eq!(client.get(&reached).send(&stage.endpoint).status(), 400);
    call.complete_text(&"x".repeat(100_000)).unwrap();
    // Its own id is not known to anybody, so it is had with the one before.
    let unread = client.send(&tool(2, "wait"));
    let second = stage.call();
    second.progress(1.0, None, None).unwrap();
    let mut unread = unread;
    let last = events(unread.pull()).pop().unwrap().id;
    drop(unread);
    second.complete_text(&"y".repeat(100_000)).unwrap();
    let resumed = client.get(&last).send(&stage.endpoint);
    assert_eq!(methods(&resumed), ["result"]);
    assert!(resumed.ended && resumed.body().len() > 100_000);
    // What nobody reads is forgotten in the end.
    for id in 3..200 {
        drop(client.send(&tool(id, "talk")));
    }
    assert_eq!(client.get(&last).send(&stage.endpoint).status(), 400);
    let off = super::legacy::stage(|_, http| http.session_replay_bytes = 0);
    let client = Legacy::open(&off.endpoint, "2025-11-25");
    let stream = client.send(&tool(1, "talk"));
    assert!(events(&stream).iter().all(|event| event.id.is_empty() && event.data.as_deref() != Some("")));
}

/// LEG-23, LEG-51: a stream that the host ends is gone on with, where the revision has it.
#[test]
fn leg_23_a_call_may_end_its_stream_early() {
    let stage = stage(|_, _| {});
    let client = Legacy::open(&stage.endpoint, "2025-11-25");
    let mut polled = client.send(&tool(1, "wait"));
    let call = stage.call();
    call.close_stream(2500);
    call.close_stream(2500);
    polled.pull();
    assert!(polled.ended);
    let told = events(&polled);
    assert_eq!((told[0].data.as_deref(), &*told[0].retry), (Some(""), "1000"));
    assert_eq!((told[1].data.as_deref(), &*told[1].retry), (None, "2500"));
    call.progress(1.0, None, None).unwrap();
    let mut resumed = client.get(&told[0].id).send(&stage.endpoint);
    assert_eq!(methods(&resumed), ["notifications/progress"]);
    call.close_stream(0);
    assert!(resumed.pull().ended);
    assert_eq!(call.cancelled(), None);
    call.complete_text("done").unwrap();
    let last = events(&resumed).iter().rev().find(|event| !event.id.is_empty()).unwrap().id.clone();
    let rest = client.get(&last).send(&stage.endpoint);
    assert_eq!(methods(&rest), ["result"]);
    assert!(rest.ended);
    // Where a client would not come back, it does nothing.
    let older = Legacy::open(&stage.endpoint, "2025-06-18");
    let plain = || client.post(&tool(2, "wait")).with("Accept", "application/json").send(&stage.endpoint);
    let modern = || Request::call("wait", "{}").send(&stage.endpoint);
    for mut waiting in [older.send(&tool(1, "wait")), plain(), modern()] {
        let call = stage.call();
        call.close_stream(10);
        assert!(!waiting.pull().ended && waiting.head.is_none());
        call.complete_text("whole").unwrap();
        assert_eq!(text(waiting.pull()), "whole");
    }
}

/// LEG-34, 7: streams end with the right to them.
#[test]
fn streams_of_sessions_end_with_the_right_to_them() {
    let stage = stage(|_, http| {
        http.access = Some(ask(|question| {
            let name = question.header("x-user").unwrap_or_default().into_owned();
            question.allow(Caller::new(name).with_all_scopes().with_expiry(START + 10_000));
        }));
    });
    let open = |user: &str| {
        let opened = initialize("2025-11-25").with("x-user", user).answer(&stage.endpoint);
        opened.header("mcp-session-id").unwrap()
    };
    let listen = |id: &str, user: &str| {
        let get = Request::bare("GET", "/mcp").with("Accept", "text/event-stream");
        get.with("Mcp-Session-Id", id).with("x-user", user).send(&stage.endpoint)
    };
    let (ann, bob) = (open("ann"), open("bob"));
    let (mut of_ann, mut of_bob) = (listen(&ann, "ann"), listen(&bob, "bob"));
    stage.server.revoke("ann");
    assert!(of_ann.pull().ended && !of_bob.pull().ended);
    assert_eq!(listen(&ann, "ann").status(), 200, "who is let in again may come back");
    assert_eq!(of_bob.exchange.next_deadline(), Some(Duration::from_secs(10)));
    stage.clock.wind(10_000);
    of_bob.exchange.tick();
    assert!(of_bob.pull().ended);
}

/// LEG-33, LEG-54, LEG-64: pages and strangers are kept out of sessions as of everything else.
#[test]
fn leg_33_sessions_are_for_those_who_may() {
    let stage = stage(|_, http| {
        http.resource_metadata = Some(
            r#"{"resource":"https://a.example/mcp","authorization_servers":["https://b.example"]}"#
                .to_owned(),
        );
        http.sse_path = Some("/sse".to_owned());
        http.access = Some(ask(|question| match question.header("authorization") {
            Some(_) => question.allow(Caller::new("ann")),
            None => question.refuse(&mcpcore::http::Refusal::unauthorized()),
        }));
    });
    let opened = initialize("2025-11-25").with("Authorization", "x").answer(&stage.endpoint);
    let client = Legacy {
        endpoint: &stage.endpoint,
        id: opened.header("mcp-session-id").unwrap(),
        revision: "2025-11-25",
    };
    let list = client.post(&request(1, "tools/list", "{}"));
    let sse = Request::bare("GET", "/sse").with("Accept", "text/event-stream");
    let delete = client.with(Request::bare("DELETE", "/mcp"));
    for request in [initialize("2025-11-25"), list, client.get(""), sse, delete] {
        let stranger = request.send(&stage.endpoint);
        assert_eq!(stranger.status(), 401, "{request:?}");
        let challenge = stranger.header("www-authenticate").unwrap();
        assert!(challenge.contains("/.well-known/oauth-protected-resource/mcp"), "{challenge}");
        let known = request.with("Authorization", "x");
        let page = known.clone().with("Origin", "https://evil.example").send(&stage.endpoint);
        assert_eq!(page.status(), 403, "{known:?}");
        assert!(known.send(&stage.endpoint).status() < 300, "{known:?}");
    }
}

/// The authorizer is asked again about streams of sessions as about subscriptions.
#[test]
fn the_authorizer_is_asked_again_about_streams_of_sessions() {
    let (access, questions) = super::host::asked();
    let stage = stage(|_, http| {
        http.access = Some(access);
        http.reauthorize_on_delivery = true;
    });
    let caller = || Caller::new("ann").with_all_scopes();
    let mut opened = initialize("2025-11-25").begin(&stage.endpoint);
    questions.recv().unwrap().allow(caller());
    opened.pull();
    let opened = {
        opened.exchange.body(&initialize("2025-11-25").body);
        opened.exchange.end_body();
        opened.pull();
        opened
    };
    let client = Legacy {
        endpoint: &stage.endpoint,
        id: opened.header("mcp-session-id").unwrap(),
        revision: "2025-11-25",
    };
    let ready = client.post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    let mut sent = ready.begin(&stage.endpoint);
    questions.recv().unwrap().allow(caller());
    sent.pull();
    sent.exchange.body(&ready.body);
    sent.exchange.end_body();
    let mut listening = client.listen();
    questions.recv().unwrap().allow(caller());
    listening.pull();
    // The first event is asked about too.
    questions.recv().unwrap().allow(caller());
    listening.pull();
    assert!(questions.try_recv().is_err());
    stage.server.catalog_changed("").unwrap();
    listening.pull();
    assert!(messages(&listening).is_empty(), "not before the authorizer has said so");
    questions.recv().unwrap().allow(caller());
    assert_eq!(methods(listening.pull()).len(), 3);
    stage.server.catalog_changed("").unwrap();
    listening.pull();
    questions.recv().unwrap().allow(Caller::new("bob"));
    assert!(listening.pull().ended);
    assert_eq!(methods(&listening).len(), 3);
}

/// R057: a server that stops ends streams at once, gives calls their time, and refuses what is new.
#[test]
fn r057_the_end_of_the_server_ends_sessions() {
    for handed in [false, true] {
        let stage = stage(|_, _| {});
        let client = Legacy::open(&stage.endpoint, "2025-11-25");
        let mut listening = client.listen();
        let mut waiting = client.send(&tool(1, "wait"));
        let mut streaming = client.send(&tool(2, "wait"));
        let (first, second) = (stage.call(), stage.call());
        second.progress(1.0, None, None).unwrap();
        streaming.pull();
        if handed {
            stage.endpoint.stop();
            assert!(listening.pull().ended);
            assert_eq!(client.send(&tool(3, "echo")).status(), 503);
            first.complete_text("in time").unwrap();
            second.complete_text("in time").unwrap();
            assert_eq!(text(waiting.pull()), "in time");
            assert_eq!(methods(streaming.pull()), ["notifications/progress", "result"]);
            assert!(stage.server.stop(Duration::ZERO).is_ok());
        } else {
            assert!(stage.server.stop(Duration::ZERO).is_err());
            assert!(listening.pull().ended);
            assert_eq!(waiting.pull().status(), 503);
            assert_eq!(methods(streaming.pull()), ["notifications/progress", "error"]);
            assert_eq!(first.cancelled(), Some(CancelReason::Stopped));
        }
        assert!(waiting.ended && streaming.ended);
    }
}

/// HTTP-14, R050: quiet streams live, and clients that take nothing are let go, but not their sessions.
#[test]
fn r050_quiet_streams_of_sessions_are_kept_alive() {
    let stage = stage(|_, http| {
        http.keep_alive_ms = 1000;
        http.max_stream_ms = 30_000;
    });
    let client = Legacy::open(&stage.endpoint, "2025-11-25");
    let mut listening = client.listen();
    let mut waiting = client.send(&tool(1, "wait"));
    let call = stage.call();
    for _ in 0..3 {
        stage.clock.wind(1000);
        listening.exchange.tick();
        waiting.exchange.tick();
        listening.pull();
        waiting.pull();
    }
    assert_eq!(listening.body().matches(": keep-alive\n\n").count(), 3);
    assert_eq!(events(&waiting)[0].data.as_deref(), Some(""), "it became a stream");
    // The other takes nothing of what waits for it.
    stage.server.catalog_changed("").unwrap();
    for _ in 0..2 {
        stage.clock.wind(1000);
        listening.exchange.tick();
    }
    assert!(listening.pull().ended);
    assert!(stage.logged("its client does not read"));
    call.complete_text("x").unwrap();
    assert_eq!(methods(waiting.pull()), ["result"]);
    let again = client.listen();
    assert_eq!(methods(&again).len(), 3, "what it did not take is there for the next");
    let mut old = again;
    for _ in 0..30 {
        stage.clock.wind(1000);
        old.exchange.tick();
        old.pull();
    }
    assert!(old.ended, "max_stream_ms");
    assert_eq!(client.send(&request(9, "tools/list", "{}")).status(), 200);
}

/// Open streams are counted together with subscriptions.
#[test]
fn streams_of_sessions_are_counted() {
    let stage = stage(|_, http| http.max_streams = 2);
    let client = Legacy::open(&stage.endpoint, "2025-11-25");
    let other = Legacy::open(&stage.endpoint, "2025-11-25");
    let first = client.listen();
    let _modern = Request::listen(r#"{"toolsListChanged":true}"#).send(&stage.endpoint);
    assert_eq!(other.listen().status(), 503);
    drop(first);
    let again = other.listen();
    assert_eq!(again.status(), 200);
    // One that is replaced gives its place back, though it needs two for a moment.
    assert_eq!(other.listen().status(), 503);
    let none = super::legacy::stage(|_, http| http.max_streams = 0);
    let client = Legacy::open(&none.endpoint, "2025-11-25");
    let refused = client.listen();
    assert_eq!((refused.status(), refused.header("allow").as_deref()), (405, Some("POST, DELETE")));
}

/// A client that answers nothing holds its call for so long and no longer, and only so many are asked.
#[test]
fn questions_of_sessions_have_their_time() {
    let stage = stage(|_, http| http.max_calls = 2);
    let client = Legacy::open(&stage.endpoint, "2025-11-25");
    let mut first = client.send(&tool(1, "sample"));
    let mut second = client.send(&tool(2, "sample"));
    let third = client.send(&tool(3, "sample"));
    assert!(third.body().contains("Too many calls wait for the client."), "{third:?}");
    assert_eq!(first.exchange.next_deadline(), Some(Duration::from_secs(15)), "the keep-alive comes first");
    stage.clock.wind(600_000);
    first.exchange.tick();
    assert_eq!(methods(first.pull()), ["sampling/createMessage", "notifications/cancelled", "result"]);
    assert!(first.body().contains("did not answer in time"));
    second.pull();
    assert!(second.ended, "its time was over too");
    assert_eq!(text(&client.send(&tool(4, "echo"))), "echo {}");
}

/// Clients that do everything at once, and leave at any moment, leave nothing behind and hold nobody up.
#[test]
fn sessions_survive_whatever_order_things_come_in() {
    for dispatch in [Dispatch::Pool, Dispatch::Inline] {
        let stage = stage(|config, http| {
            config.dispatch = dispatch;
            http.max_sessions = 5;
            http.session_replay_bytes = 2000;
        });
        let (endpoint, server) = (&stage.endpoint, &stage.server);
        std::thread::scope(|scope| {
            for thread in 0..4_u32 {
                scope.spawn(move || {
                    let reopen = || loop {
                        // Others may take its place at once.
                        let opened = initialize("2025-11-25").answer(endpoint);
                        if let Some(id) = opened.header("mcp-session-id") {
                            return Legacy { endpoint, id, revision: "2025-11-25" };
                        }
                    };
                    let mut client = reopen();
                    let mut open = Vec::new();
                    for turn in 0..300 {
                        let id = thread * 1000 + turn;
                        let cancel = format!(
                            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
                        );
                        match (turn * 7 + thread) % 11 {
                            0 => open.push(client.listen()),
                            1 | 2 => open.push(client.send(&tool(id, "talk"))),
                            3 => drop(client.send(&tool(id, "sample"))),
                            4 => {
                                open.push(client.send(&tool(id, "sample")));
                                client.send(&cancel);
                            }
                            5 => server.catalog_changed("").unwrap(),
                            6 => open.truncate(2),
                            7 => drop(client.post(&tool(id, "echo")).begin(endpoint)),
                            8 => server.revoke("anyone"),
                            9 if turn % 3 == 1 => {
                                open.clear();
                                client = reopen();
                            }
                            9 if turn % 3 == 0 => {
                                client.delete();
                                client = reopen();
                            }
                            _ => {
                                let status = client.post(&tool(id, "echo")).answer(endpoint).status();
                                if status == 404 {
                                    // Others took its place.
                                    open.clear();
                                    client = reopen();
                                }
                            }
                        }
                        for client in &mut open {
                            client.pull();
                        }
                    }
                    client.delete();
                });
            }
        });
        // What asked and was left ends with its time.
        stage.clock.wind(4_000_000);
        stage.endpoint.tick();
        let until = std::time::Instant::now() + super::client::LONG;
        while stage.stat("callsOwed") > 0 {
            assert!(std::time::Instant::now() < until);
            std::thread::yield_now();
        }
        assert_eq!(stage.endpoint.next_deadline(), None);
        assert!(stage.server.stop(Duration::from_secs(10)).is_ok());
    }
}

/// Decision 39 and 36: sessions are served whatever threads run the host's code.
#[test]
fn sessions_are_served_on_every_kind_of_thread() {
    for dispatch in [Dispatch::Pool, Dispatch::Inline] {
        let stage = stage(|config, _| config.dispatch = dispatch);
        let client = Legacy::open(&stage.endpoint, "2025-11-25");
        for id in 0..50 {
            let answer = client.post(&tool(id, "talk")).answer(&stage.endpoint);
            assert_eq!(methods(&answer), ["notifications/message", "notifications/progress", "result"]);
            assert_eq!(text(&client.post(&tool(id, "echo")).answer(&stage.endpoint)), "echo {}");
        }
        let refused = client.post(&tool(1, "crash")).answer(&stage.endpoint);
        assert_eq!((refused.status(), refused.code()), (200, -32603));
    }
}
