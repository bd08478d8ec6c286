//! The HTTP door without a socket: an endpoint is given requests as bytes, and gives its answers as parts.
#![cfg(feature = "http")]

#[path = "http/client.rs"]
mod client;
#[path = "http/host.rs"]
mod host;
#[path = "http/requests.rs"]
mod requests;
