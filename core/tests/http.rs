//! The HTTP door without a socket: an endpoint is given requests as bytes, and gives its answers as parts.
#![cfg(feature = "http")]

#[path = "http/authorization.rs"]
mod authorization;
#[path = "http/client.rs"]
mod client;
#[path = "http/headers.rs"]
mod headers;
#[path = "http/host.rs"]
mod host;
#[path = "http/legacy.rs"]
mod legacy;
#[path = "http/legacy_forms.rs"]
mod legacy_forms;
#[path = "http/legacy_limits.rs"]
mod legacy_limits;
#[path = "http/limits.rs"]
mod limits;
#[path = "http/precedence.rs"]
mod precedence;
#[path = "http/requests.rs"]
mod requests;
#[path = "http/subscriptions.rs"]
mod subscriptions;
