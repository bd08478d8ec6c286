//! What one operation costs in process: in instructions under callgrind, or in time.

use crate::fixture::{self, Constant, Envelope, Params};
use mcpcore::{Caller, Server};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

type Operation = Box<dyn Fn()>;

struct Case {
    name: &'static str,
    prepare: fn() -> Result<Operation, String>,
}

/// The names stand in `core/tests/instructions.tsv` too.
const CASES: &[Case] = &[
    Case { name: "parse", prepare: || Ok(parse()) },
    Case { name: "parse-params", prepare: || Ok(parse_params()) },
    Case { name: "call-50", prepare: || call(50) },
    Case { name: "call-2000", prepare: || call(2_000) },
    Case { name: "call-50000", prepare: || call(50_000) },
    Case { name: "list-parse-copy", prepare: list_parse_copy },
    Case { name: "list-50", prepare: list },
];

/// Seven digits, as the load driver sends them.
const ID: u64 = 1_000_000;

/// Runs before anything is counted: caches are filled, and what is made once is made.
const WARM_UP: u32 = 100;

const ROUNDS: usize = 15;
const ROUND_NS: u128 = 10_000_000;

fn parse() -> Operation {
    let message = fixture::call(ID);
    Box::new(move || {
        let envelope: Option<Envelope> = serde_json::from_slice(black_box(message.as_bytes())).ok();
        black_box(
            envelope.is_some_and(|envelope| envelope.jsonrpc == "2.0" && !envelope.id.get().is_empty()),
        );
    })
}

fn parse_params() -> Operation {
    let message = fixture::call(ID);
    Box::new(move || {
        let envelope: Option<Envelope> = serde_json::from_slice(black_box(message.as_bytes())).ok();
        let params: Option<Params> =
            envelope.and_then(|envelope| serde_json::from_str(envelope.params.get()).ok());
        black_box(params.is_some_and(|params| {
            params.name == "echo" && !params.arguments.get().is_empty() && !params.meta.get().is_empty()
        }));
    })
}

fn call(tools: usize) -> Result<Operation, String> {
    let server = fixture::server(tools, Constant)?;
    let caller = Arc::new(Caller::local());
    let message = fixture::call(ID);
    answered(&server, &caller, &message, &format!("\"text\":\"{}\"", fixture::TEXT))?;
    Ok(handled(server, caller, message))
}

fn list() -> Result<Operation, String> {
    let server = fixture::server(50, Constant)?;
    let caller = Arc::new(Caller::local());
    let message = fixture::list(ID);
    answered(&server, &caller, &message, "\"echo\"")?;
    Ok(handled(server, caller, message))
}

/// The least that a list can cost: the bare parse of the request, and the answer's bytes copied.
fn list_parse_copy() -> Result<Operation, String> {
    let message = fixture::list(ID);
    let page = answered(&fixture::server(50, Constant)?, &Arc::new(Caller::local()), &message, "\"echo\"")?;
    Ok(Box::new(move || {
        let envelope: Option<Envelope> = serde_json::from_slice(black_box(message.as_bytes())).ok();
        black_box(envelope.is_some_and(|envelope| envelope.method == "tools/list"));
        black_box(black_box(&page).clone());
    }))
}

fn handled(server: Server, caller: Arc<Caller>, message: String) -> Operation {
    Box::new(move || {
        let _ = black_box(server.handle(black_box(&caller), black_box(message.as_bytes()), None));
    })
}

/// One request's response, which must hold `expected`: what is measured must be the thing itself, not a refusal.
fn answered(server: &Server, caller: &Arc<Caller>, message: &str, expected: &str) -> Result<Vec<u8>, String> {
    let response = server.handle(caller, message.as_bytes(), None).map_err(|error| error.to_string())?;
    let response = response.ok_or("no response")?;
    let text = String::from_utf8_lossy(&response);
    if text.contains("\"result\"") && text.contains(expected) {
        Ok(response)
    } else {
        Err(format!("expected {expected} in the response, got {text}"))
    }
}

/// The boundary at which callgrind starts and stops to count, so its name must stay a symbol.
#[inline(never)]
fn operation(operation: &Operation, times: u32) {
    for _ in 0..times {
        black_box(operation)();
    }
}

/// The names of all cases.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    CASES.iter().map(|case| case.name)
}

/// Runs one case; [`operation`] is what callgrind counts, so the warm-up stays outside of it.
pub(crate) fn count(name: &str, times: u32) -> Result<(), String> {
    let case =
        CASES.iter().find(|case| case.name == name).ok_or_else(|| format!("no case is called {name}"))?;
    let prepared = (case.prepare)()?;
    for _ in 0..WARM_UP {
        black_box(&prepared)();
    }
    operation(&prepared, times);
    Ok(())
}

/// Prints each case's nanoseconds an operation: the best of interleaved rounds, so that what disturbs the machine for
/// a while disturbs all cases alike.
pub(crate) fn time() -> Result<(), String> {
    let mut measured = Vec::new();
    for case in CASES {
        let prepared = (case.prepare)()?;
        let mut times = WARM_UP;
        while timed(&prepared, times) < ROUND_NS {
            times = times.saturating_mul(2);
        }
        measured.push((case.name, prepared, times, u128::MAX));
    }
    for _ in 0..ROUNDS {
        for (_, prepared, times, best) in &mut measured {
            *best = timed(prepared, *times).min(*best);
        }
    }
    for (name, _, times, best) in measured {
        println!("{name}\t{}", best / u128::from(times));
    }
    Ok(())
}

fn timed(prepared: &Operation, times: u32) -> u128 {
    let start = Instant::now();
    operation(prepared, times);
    start.elapsed().as_nanos()
}
