//! The JSON-RPC envelope: what a message is, and what goes back.

mod code;
mod id;
mod message;
mod outgoing;

pub(crate) use code::Code;
pub(crate) use id::IdKey;
pub(crate) use message::{cut, read, Inbound, Message};
pub(crate) use outgoing::{ErrorBody, Outgoing};
