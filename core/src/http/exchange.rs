//! One HTTP request and its answer, pulled by a driver.

mod admission;
mod body;
mod call;
mod follow;
mod gate;
mod group;
mod legacy;
mod out;
mod shared;
mod store;
mod stream;
#[cfg(test)]
mod tests;
mod timers;
mod visit;

pub(super) use shared::Shared;

use super::endpoint::Inner;
use bytes::buf::Limit;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum PeerAddress {
    /// Over TCP.
    Ip(SocketAddr),
    /// Over a Unix socket.
    Unix {
        /// The user id of the peer, where the system tells it.
        uid: Option<u32>,
    },
    /// The driver does not know.
    #[default]
    Unknown,
}

/// `127.0.0.1:4000`, `[::1]:4000`, `unix`, `unix:1000` with the user id; empty where nobody knows.
impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(f),
            Self::Unix { uid: Some(uid) } => write!(f, "unix:{uid}"),
            Self::Unix { uid: None } => f.write_str("unix"),
            Self::Unknown => Ok(()),
        }
    }
}

/// What a driver has to do next.
#[derive(Debug)]
#[non_exhaustive]
pub enum Part {
    /// Read the body and hand it over, at most `most` bytes; one byte more is refused. `Expect: 100-continue` is answered
    /// now.
    WantBody {
        /// The longest body, in bytes.
        most: usize,
    },
    /// Send the head. Comes once.
    Head {
        /// Status and headers; `Connection: close` is among them where the body was not read.
        parts: http::response::Parts,
    },
    /// Send bytes of the body: a whole JSON text, or one SSE event, which is flushed.
    Data {
        /// The bytes.
        bytes: Vec<u8>,
        /// Whether the body ends here.
        last: bool,
    },
    /// The body ends, or there is none.
    End,
}

/// One HTTP request being served. Dropped before its end, the client is gone: its call is cancelled
/// ([`crate::CancelReason::Closed`], since nobody can tell a client that hangs up on purpose from one that is cut off),
/// its subscription ends.
///
/// Everything may be called from any thread.
pub struct Exchange {
    shared: Arc<Shared>,
}

impl Exchange {
    pub(super) fn begin(
        endpoint: &Arc<Inner>,
        head: http::request::Parts,
        peer: PeerAddress,
        measured: bool,
    ) -> Self {
        let shared = Arc::new(Shared::new(endpoint, head, peer, measured));
        shared.admit();
        Self { shared }
    }

    /// The next part. Pending: the waker of `cx` is woken when there is one, under no lock. Behind the last part comes
    /// [`Part::End`] again and again.
    pub fn poll(&self, cx: &mut Context<'_>) -> Poll<Part> {
        self.shared.poll(cx)
    }

    /// The answer, if it is whole and nothing of it was taken: what [`Exchange::poll`] gives in parts.
    pub(super) fn take_whole(&self) -> Option<(http::response::Parts, Vec<u8>)> {
        self.shared.take_whole()
    }

    /// Takes bytes of the body, after [`Part::WantBody`]. They are split anywhere; at any other time they are ignored.
    pub fn body(&self, chunk: &[u8]) {
        self.shared.body(chunk);
    }

    /// As [`Exchange::body`] for a driver that can read into memory of the exchange: `read` appends to it. At most `most`
    /// bytes are taken. `None` at any other time.
    pub(super) fn fill<R>(&self, most: usize, read: impl FnOnce(&mut Limit<&mut Vec<u8>>) -> R) -> Option<R> {
        self.shared.fill(most, read)
    }

    /// The body is complete.
    pub fn end_body(&self) {
        self.shared.end_body();
    }

    /// How long until [`Exchange::tick`] has something to do. Asked again after each poll that was pending.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.shared.next_deadline()
    }

    /// Does what is due: ends what took too long, keeps quiet streams alive.
    pub fn tick(&self) {
        self.shared.tick();
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.shared.hang_up();
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("peer", &self.shared.peer).finish_non_exhaustive()
    }
}
