//! The engine for Node: it converts and calls, and decides nothing about the protocol. What users see is in `lib/`.
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
