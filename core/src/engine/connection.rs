//! The handle of one stdio-like peer, fed with bytes.

use super::peer::Peer;
use crate::caller::Caller;
use crate::error::{Error, ErrorKind, Result};
use crate::host::CancelReason;
use crate::server::Server;
use crate::stdio::lines::Lines;
use std::sync::{Arc, Mutex, PoisonError};
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

    /// [`Connection::next_deadline`] may be shorter than it was, by the work of another thread than the one that
    /// receives. Called under no lock.
    fn hurry(&self) {}
}

/// What the engine remembers for one stdio-like peer: ids in flight, subscriptions, the revision of a legacy session.
/// Fed with bytes; messages are lines.
///
/// [`Connection::receive`] wants one thread at a time; everything else may be called from any thread. Cloning shares
/// it; dropping the last clone closes it.
#[derive(Clone)]
pub struct Connection {
    owner: Arc<Owner>,
}

/// Closes the connection when the last clone of its handle goes, though calls still refer to what is shared.
struct Owner {
    peer: Arc<Peer>,
    /// `None` while a thread is in `receive`.
    lines: Mutex<Option<Lines>>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.peer.close(CancelReason::Closed);
    }
}

impl Connection {
    /// A connection for `caller` whose messages go to `output`.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] after [`Server::stop`].
    pub fn new(server: &Server, caller: Arc<Caller>, output: Box<dyn Output>) -> Result<Self> {
        let inner = &server.inner;
        if inner.is_stopping() {
            return Err(Error::new(ErrorKind::Closed, "the server was stopped"));
        }
        let peer = Peer::new(inner, caller, output);
        inner.register(&peer);
        let lines = Mutex::new(Some(Lines::new(inner.config.max_message_bytes)));
        Ok(Self { owner: Arc::new(Owner { peer, lines }) })
    }

    fn peer(&self) -> &Arc<Peer> {
        &self.owner.peer
    }

    /// Takes the next bytes, split anywhere. Messages that they complete are served; in [`crate::Dispatch::Inline`]
    /// mode their callbacks run before this returns.
    ///
    /// # Errors
    /// [`ErrorKind::Closed`] once closed, [`ErrorKind::Busy`] while another thread (or a callback of this one) is in it.
    pub fn receive(&self, bytes: &[u8]) -> Result<()> {
        self.with_lines(|lines| {
            let mut rest = bytes;
            while let Some(line) = lines.next(&mut rest) {
                self.peer().line(line);
            }
        })
    }

    /// No more bytes will come: a last line without its newline is served, subscriptions end.
    pub fn end_input(&self) {
        // A concurrent `receive` is the caller's fault; then there is no last line to serve.
        let _ = self.with_lines(|lines| {
            if let Some(line) = lines.finish() {
                self.peer().line(line);
            }
        });
        self.peer().end_of_input();
        self.peer().end_gracefully();
    }

    fn with_lines(&self, work: impl FnOnce(&mut Lines)) -> Result<()> {
        if self.peer().is_closed() {
            return Err(Error::new(ErrorKind::Closed, "the connection is closed"));
        }
        let taken = self.owner.lines.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut lines = taken.ok_or_else(|| Error::new(ErrorKind::Busy, "another thread is receiving"))?;
        self.peer().while_receiving(|| work(&mut lines));
        *self.owner.lines.lock().unwrap_or_else(PoisonError::into_inner) = Some(lines);
        Ok(())
    }

    /// Calls that were not answered yet (cancelled ones not counted).
    pub fn owed(&self) -> usize {
        self.peer().owed()
    }

    /// Waits until nothing is owed, at most `timeout`. True when nothing is.
    pub fn drain(&self, timeout: Duration) -> bool {
        self.peer().drain(timeout)
    }

    /// How long until [`Connection::tick`] has something to do.
    pub fn next_deadline(&self) -> Option<Duration> {
        self.peer().next_deadline()
    }

    /// Ends calls whose time is over.
    pub fn tick(&self) {
        self.peer().tick();
    }

    /// Whether more may be received. False while the calls that wait their turn, or the output that the peer does not
    /// read, take more memory than is good: go on when some has been started or read. Cancellations are read until then.
    pub fn wants_input(&self) -> bool {
        self.peer().wants_input()
    }

    /// The output can take more again: waiting calls and notifications go on.
    pub fn resume(&self) {
        self.peer().resume();
    }

    /// Ends everything at once: calls are cancelled, nothing is sent any more.
    pub fn close(&self) {
        self.peer().close(CancelReason::Closed);
    }

    /// Whether it was closed, by this side or by [`Server::stop`].
    pub fn is_closed(&self) -> bool {
        self.peer().is_closed()
    }
}
