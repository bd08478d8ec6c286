//! The engine for Node: it converts and calls, and decides nothing about the protocol. What users see is in `lib/`.
//!
//! The engine runs in inline dispatch, on whatever thread a message comes in. Its callbacks only put into an inbox; the
//! first to put something in wakes the JavaScript thread, which takes all of it with one call. Nothing here waits for
//! JavaScript: catalogs are documents that were set before. What JavaScript holds (calls, questions, exchanges) has a
//! number, and is touched by its own thread alone.
#![expect(
    clippy::needless_pass_by_value,
    reason = "what comes from JavaScript is owned: texts are copied on the way in"
)]

mod answer;
mod authorize;
mod call;
mod caller;
mod connection;
mod door;
mod engine;
mod error;
mod exchange;
mod host;
mod http;
mod inbox;
mod settings;
mod shelf;
mod store;
