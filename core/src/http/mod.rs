//! The HTTP door: Streamable HTTP of revision 2026-07-28 and of those before it, and HTTP+SSE of 2024-11-05.
//!
//! [`Endpoint`] is one endpoint path of one server, without I/O. A driver (the library's own listener, or the host's web
//! server) begins an [`Exchange`] a request, pulls its [`Part`]s, and drops it when the client is gone. Only the exchange
//! decides statuses, headers and refusals.

mod answer;
mod authorize;
mod budget;
mod challenge;
mod config;
mod cors;
mod endpoint;
mod exchange;
mod listener;
mod media;
mod metadata;
mod mirror;
mod origin;
mod sessions;
mod sse;
mod status;

pub use authorize::{Authorization, Authorizer, BodyCheck, Refusal};
pub use config::{Access, HttpConfig, Origins, Sessions};
pub use endpoint::Endpoint;
pub use exchange::{Exchange, Part, PeerAddress};
pub use listener::{HttpListener, ListenerConfig};
pub use sessions::{MemoryStore, SessionStore};
