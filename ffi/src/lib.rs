//! The C library over the `mcpcore` engine.
//!
//! `include/mcpcore.h` is generated from this source and is the manual; its opening comment is the contract that every
//! `unsafe` exported function relies on (valid pointers, live handles, one thread at a time where it says so). An
//! exported function borrows its arguments, calls one safe function of the engine and stores the result; it decides
//! nothing about the protocol.
//!
//! Handles come in as `Option<&T>`, which is a pointer that may be NULL, so that NULL is checked by the type. Texts
//! come in as pointer and length, through [`text`].
#![warn(
    clippy::undocumented_unsafe_blocks,
    clippy::multiple_unsafe_ops_per_block,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")
)]
#![expect(
    non_camel_case_types,
    reason = "exported types are named as C sees them, so that a search finds both ends"
)]
#![expect(
    clippy::missing_safety_doc,
    reason = "the opening comment of the header is the contract of every function"
)]
#![expect(clippy::doc_markdown, reason = "the comments of what is exported become C comments")]

#[cfg(not(panic = "unwind"))]
compile_error!(
    "mcpcore must be built with panic = \"unwind\": a panic has to end as MCP_STATUS_PANIC, not the process"
);

pub mod bytes;
pub mod call;
pub mod callback;
pub mod caller;
pub mod catalog;
pub mod config;
pub mod connection;
pub mod error;
pub mod http;
pub mod message;
pub mod option;
pub mod server;
pub mod status;
pub mod stdio;
pub mod version;

mod arena;
mod consumed;
mod fault;
mod fork;
mod guard;
mod host;
mod text;
