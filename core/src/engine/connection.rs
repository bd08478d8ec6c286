//! What the engine remembers for one stdio-like peer.

use crate::caller::Caller;
use crate::error::Result;
use crate::server::Server;
use std::sync::Arc;
use std::time::Duration;

/// Where a connection's messages go.
pub trait Output: Send + Sync + 'static {
    /// Takes whole messages, each ended by a newline and without one inside. Called by one thread at a time, in
    /// order, under no lock. It may keep what it cannot write yet (see [`Output::backlog`]), but must not lose it.
    fn write(&self, messages: &[u8]);

    /// Bytes that were taken and are not written yet. While they are many, no further call is started; say
    /// [`Connection::resume`] when they have become few.
    fn backlog(&self) -> usize {
        0
    }
}

/// What the engine remembers for one stdio-like peer: ids in flight, subscriptions, the revision of a legacy session.
/// Fed with bytes; messages are lines.
///
/// [`Connection::receive`] wants one thread at a time; everything else may be called from any thread. Cloning shares it.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
}

struct Shared {}

#[expect(unused_variables, reason = "skeleton")]
impl Connection {
    /// A connection for `caller` whose messages go to `output`.
    pub fn new(server: &Server, caller: Arc<Caller>, output: Box<dyn Output>) -> Result<Self> {
        todo!()
    }
    /// Takes the next bytes, split anywhere. Messages that they complete are served; in [`crate::Dispatch::Inline`]
    /// mode their callbacks run before this returns.
    pub fn receive(&self, bytes: &[u8]) -> Result<()> {
        todo!()
    }
    /// No more bytes will come: a last line without its newline is served, subscriptions end.
    pub fn end_input(&self) {
        todo!()
    }
    /// Calls that were not answered yet (cancelled ones not counted).
    pub fn owed(&self) -> usize {
        todo!()
    }
    /// Waits until nothing is owed, at most `timeout`. True when nothing is.
    pub fn drain(&self, timeout: Duration) -> bool {
        todo!()
    }
    /// How long until [`Connection::tick`] has something to do.
    pub fn next_deadline(&self) -> Option<Duration> {
        todo!()
    }
    /// Ends calls whose time is over.
    pub fn tick(&self) {
        todo!()
    }
    /// The output can take more again: waiting calls and notifications go on.
    pub fn resume(&self) {
        todo!()
    }
    /// Ends everything at once: calls are cancelled, nothing is sent any more.
    pub fn close(&self) {
        todo!()
    }
    /// Whether it was closed, or the server was stopped and nothing is owed.
    pub fn is_closed(&self) -> bool {
        todo!()
    }
}
