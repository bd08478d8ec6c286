//! The JSON-RPC envelope: what a message is, and what goes back.

mod check;
mod id;
mod message;
mod outgoing;

pub use check::check_message;
pub(crate) use id::IdKey;
pub(crate) use message::{cut, read, refuse_batch, Inbound, Message};
pub(crate) use outgoing::{About, ErrorBody, Outgoing};
