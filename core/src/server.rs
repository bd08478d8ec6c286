//! The server: immutable, shared by any number of threads.

use crate::caller::Caller;
use crate::config::Config;
use crate::error::Result;
use crate::host::Host;
use std::sync::Arc;
use std::time::Duration;

/// A protocol server without I/O: message bytes in, message bytes out. Cloning shares it.
#[derive(Clone)]
pub struct Server {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) host: Arc<dyn Host>,
}

impl Server {
    /// Checks everything and builds the catalog.
    ///
    /// # Errors
    /// Every fault of the configuration and the catalog at once, a line each.
    pub fn new(config: Config, host: Arc<dyn Host>) -> Result<Self> {
        Ok(Self {
            inner: Arc::new(Inner { config, host }),
        })
    }

    /// One modern message in, its response out, on this thread; `None` for a notification. The host's callback runs
    /// on this thread too; a call that it does not answer before it returns is waited for, at most `timeout`.
    pub fn handle(
        &self,
        caller: &Arc<Caller>,
        message: &[u8],
        timeout: Option<Duration>,
    ) -> Result<Option<Vec<u8>>> {
        let _ = (caller, message, timeout);
        todo!()
    }

    /// Builds the catalog for `key` anew, publishes it and tells subscribers. On a fault the old one stays.
    pub fn catalog_changed(&self, key: &str) -> Result<()> {
        let _ = key;
        todo!()
    }

    /// Tells subscribers of `uri` that it changed.
    pub fn resource_updated(&self, uri: &str) {
        let _ = uri;
        todo!()
    }

    /// Ends what callers with this owner key or principal have open.
    pub fn revoke(&self, owner_key: &str) {
        let _ = owner_key;
        todo!()
    }

    /// Runs waiting callbacks on this thread ([`crate::Dispatch::Pump`]) for at most `max`, at least one if there is
    /// one. Returns how many ran.
    pub fn pump(&self, max: Duration) -> Result<u32> {
        let _ = max;
        todo!()
    }

    /// A descriptor that is readable while [`Server::pump`] has work.
    #[cfg(unix)]
    pub fn pump_fd(&self) -> Result<std::os::fd::BorrowedFd<'_>> {
        todo!()
    }

    /// Ends subscriptions gracefully, refuses new requests, gives calls in flight `timeout` to end, cancels the rest.
    pub fn stop(&self, timeout: Duration) -> Result<()> {
        let _ = timeout;
        todo!()
    }

    /// Counters as a JSON object.
    pub fn stats(&self) -> String {
        todo!()
    }
}
