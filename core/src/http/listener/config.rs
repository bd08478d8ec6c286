//! What a listener is made from.

/// What a listener is made from. Every field has a default but the addresses; numbers that may be "none" take 0 for it.
/// Checked in [`super::HttpListener::bind`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ListenerConfig {
    /// Where to listen: `127.0.0.1:4000`, `[::1]:0` (a port that is free), `unix:/run/mcp.sock`.
    pub addresses: Vec<String>,
    /// Threads that serve; a connection stays on one.
    pub threads: usize,
    /// Open connections. While there are as many, no more are accepted: they wait in the system's queue, where they
    /// cost nothing, until one closes.
    pub max_connections: usize,
    /// How long the head of a request may take, from the connection or from its first byte, in ms; 0: for ever.
    pub header_timeout_ms: u64,
    /// How long a connection may be without a request, or a client without reading what is sent to it, in ms; 0: for
    /// ever.
    pub idle_ms: u64,
    /// How long requests in flight have to be answered once [`crate::Server::stop`] has ended, in ms.
    pub drain_ms: u64,
}

impl ListenerConfig {
    /// A configuration with every default.
    pub fn new(address: impl Into<String>) -> Self {
        Self {
            addresses: vec![address.into()],
            threads: 1,
            max_connections: 4096,
            header_timeout_ms: 10_000,
            idle_ms: 60_000,
            drain_ms: 5_000,
        }
    }

    pub(super) fn check(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if self.addresses.is_empty() {
            faults.push("addresses: name at least one, 127.0.0.1:4000 for example".to_owned());
        }
        for (name, value) in [("threads", self.threads), ("max_connections", self.max_connections)] {
            if value == 0 {
                faults.push(format!("{name}: must be at least 1"));
            }
        }
        faults
    }
}
