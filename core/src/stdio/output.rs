//! What leaves over a descriptor: at once where that can be done, else by a thread that waits for the reader.

use super::port::Port;
use crate::dispatch::{sigpipe, Bell};
use crate::engine::connection::Output;
use nix::errno::Errno;
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A backlog that falls below this lets waiting calls go on.
pub(crate) const FEW: usize = 32 << 10;

/// Buffers up to this size are kept for the next messages.
const KEPT: usize = 256 << 10;

/// The way out of one door. Cloning shares it.
///
/// The door's reader and the workers of a pool write themselves as long as the descriptor takes it; any other thread (the
/// host's own, whose SIGPIPE is not ours to block) and whatever does not fit leaves it to a writer thread, which is
/// started when it is first needed. Never waits in [`Output::write`].
#[derive(Clone)]
pub(super) struct Outlet {
    shared: Arc<Shared>,
}

struct Shared {
    /// `None` once the door is closed. Held while bytes are written, which never waits.
    port: Mutex<Option<Arc<Port>>>,
    /// Bytes that the writer has still to write. While there are any, only the writer writes.
    backlog: AtomicUsize,
    /// Nothing is written any more; what comes is dropped.
    closed: AtomicBool,
    /// The backlog became small since this was last asked.
    eased: AtomicBool,
    state: Mutex<State>,
    /// There are bytes for the writer, or it is to end.
    work: Condvar,
    /// The backlog is written, or the output closed.
    empty: Condvar,
    /// Calls the writer away from a reader that it waits for.
    halt: Bell,
    /// The door's own: tells its reading thread that the output closed or eased.
    door: Arc<Bell>,
}

#[derive(Default)]
struct State {
    queue: Vec<u8>,
    writer: Option<JoinHandle<()>>,
    /// Why the output closed, until it was taken.
    fault: Option<io::Error>,
}

impl Outlet {
    pub(super) fn new(output: BorrowedFd<'_>, door: Arc<Bell>) -> io::Result<Self> {
        Ok(Self::with(Port::open(output)?, Bell::new()?, door))
    }

    pub(super) fn with(port: Port, halt: Bell, door: Arc<Bell>) -> Self {
        let shared = Shared {
            port: Mutex::new(Some(Arc::new(port))),
            backlog: AtomicUsize::new(0),
            closed: AtomicBool::new(false),
            eased: AtomicBool::new(false),
            state: Mutex::default(),
            work: Condvar::new(),
            empty: Condvar::new(),
            halt,
            door,
        };
        Self { shared: Arc::new(shared) }
    }

    /// Whether the output closed by itself, or was closed.
    pub(super) fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::Acquire)
    }

    #[cfg(test)]
    pub(super) fn has_writer(&self) -> bool {
        self.shared.lock().writer.is_some()
    }

    /// Why the output closed by itself.
    pub(super) fn take_fault(&self) -> Option<io::Error> {
        self.shared.lock().fault.take()
    }

    /// Whether the backlog became small since the last time.
    pub(super) fn take_eased(&self) -> bool {
        self.shared.eased.swap(false, Ordering::AcqRel)
    }

    /// Waits until the backlog is written, at most `timeout`. True if it is.
    pub(super) fn flush(&self, timeout: Duration) -> bool {
        let waits = |_: &mut State| self.backlog() > 0 && !self.is_closed();
        let state = self.shared.lock();
        drop(
            self.shared
                .empty
                .wait_timeout_while(state, timeout, waits)
                .unwrap_or_else(PoisonError::into_inner),
        );
        self.backlog() == 0 && !self.is_closed()
    }

    /// Closes the descriptor and ends the writer; what it has not written is lost.
    pub(super) fn close(&self) {
        self.shared.shut(None);
        self.shared.halt.ring();
        let writer = self.shared.lock().writer.take();
        if let Some(writer) = writer {
            // The writer has no panic to pass on.
            let _ = writer.join();
        }
        *self.shared.port.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Output for Outlet {
    fn hurry(&self) {
        self.shared.door.ring();
    }

    fn write(&self, messages: &[u8]) {
        let shared = &self.shared;
        if self.is_closed() {
            return;
        }
        let mut rest = messages;
        if shared.backlog.load(Ordering::Acquire) == 0 && sigpipe::is_blocked() {
            let port = shared.port.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(open) = port.as_ref() else { return };
            match open.write(rest) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) => {
                    drop(port);
                    return shared.shut(Some(error.into()));
                }
            }
        }
        if !rest.is_empty() {
            shared.hand_over(rest);
        }
    }

    fn backlog(&self) -> usize {
        self.shared.backlog.load(Ordering::Acquire)
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_over(self: &Arc<Self>, bytes: &[u8]) {
        let mut state = self.lock();
        if self.closed.load(Ordering::Acquire) {
            return;
        }
        if state.writer.is_none() {
            let shared = Arc::clone(self);
            match thread::Builder::new().name("mcpcore-writer".to_owned()).spawn(move || shared.run()) {
                Ok(writer) => state.writer = Some(writer),
                Err(error) => {
                    drop(state);
                    return self.shut(Some(error));
                }
            }
        }
        let idle = state.queue.is_empty();
        state.queue.extend_from_slice(bytes);
        self.backlog.fetch_add(bytes.len(), Ordering::AcqRel);
        drop(state);
        if idle {
            self.work.notify_one();
        }
    }

    /// Nothing is written from now on, because of `fault` if there is one.
    fn shut(&self, fault: Option<io::Error>) {
        let mut state = self.lock();
        if !self.closed.swap(true, Ordering::AcqRel) {
            state.fault = fault;
        }
        state.queue = Vec::new();
        self.backlog.store(0, Ordering::Release);
        drop(state);
        self.work.notify_all();
        self.empty.notify_all();
        self.door.ring();
    }

    /// The writer's life.
    fn run(&self) {
        sigpipe::block();
        let Some(port) = self.port.lock().unwrap_or_else(PoisonError::into_inner).clone() else {
            return;
        };
        let mut batch = Vec::new();
        loop {
            let waits = |state: &mut State| state.queue.is_empty() && !self.closed.load(Ordering::Acquire);
            let mut state = self.work.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
            if self.closed.load(Ordering::Acquire) {
                return;
            }
            std::mem::swap(&mut batch, &mut state.queue);
            drop(state);
            if let Err(error) = self.write_all(&port, &batch) {
                return self.shut(Some(error.into()));
            }
            batch.clear();
            batch.shrink_to(KEPT);
        }
    }

    /// Writes everything, waiting for the reader where need be. Returns early, and well, once the output is closed.
    fn write_all(&self, port: &Port, mut bytes: &[u8]) -> nix::Result<()> {
        while !bytes.is_empty() && !self.closed.load(Ordering::Acquire) {
            let count = port.write(bytes)?;
            bytes = bytes.get(count..).unwrap_or_default();
            self.written(count);
            if !bytes.is_empty() {
                self.wait(port)?;
            }
        }
        Ok(())
    }

    /// Waits until the port takes more or the output is closed.
    fn wait(&self, port: &Port) -> nix::Result<()> {
        let mut fds = [
            PollFd::new(port.as_fd(), PollFlags::POLLOUT),
            PollFd::new(self.halt.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut fds, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Counts `count` bytes of the backlog as written.
    fn written(&self, count: usize) {
        let state = self.lock();
        let before = self.backlog.load(Ordering::Acquire);
        let after = before.saturating_sub(count);
        self.backlog.store(after, Ordering::Release);
        drop(state);
        if after == 0 {
            self.empty.notify_all();
        }
        if before >= FEW && after < FEW {
            self.eased.store(true, Ordering::Release);
            self.door.ring();
        }
    }
}
