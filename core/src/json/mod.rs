//! JSON as it came: one strict pass over the text, then navigation over the original bytes.
//!
//! A [`Document`] owns the text and a flat list of entries that say where each value starts and ends. Nothing is
//! decoded until somebody asks, and every value can be handed on as the very bytes that came in.

mod document;
mod entry;
mod escape;
mod fault;
mod known;
mod names;
mod node;
mod number;
mod scan;
pub(crate) mod spare;
mod write;

pub use document::{Document, Parsed};
pub use entry::Kind;
pub use fault::{Fault, FaultKind};
pub(crate) use known::{remember, Mark};
pub use node::{Elements, Members, Node};
pub(crate) use number::{Decimal, Integer};
pub use write::quote;
pub(crate) use write::{push_compact, push_quoted};

/// How deep objects and arrays may nest, everywhere.
pub const MAX_DEPTH: usize = 128;

#[cfg(test)]
mod tests;
