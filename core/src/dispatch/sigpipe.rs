//! Keeps SIGPIPE from a write to a closed pipe away from the host (decision 38).
//!
//! A write has no flag for it, and the signal's disposition belongs to the host, so it is blocked in single threads.

use nix::sys::signal::{SigSet, Signal};
use std::cell::Cell;

thread_local! {
    static BLOCKED: Cell<bool> = const { Cell::new(false) };
    static RAISED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread may write to a pipe whose reader may be gone.
pub(crate) fn is_blocked() -> bool {
    BLOCKED.get()
}

/// A write on this thread found the reader gone, so that SIGPIPE is pending here.
pub(crate) fn note_raised() {
    RAISED.set(true);
}

/// Blocks SIGPIPE in this thread, which is the library's own, for good.
pub(crate) fn block() {
    if only().thread_block().is_ok() {
        BLOCKED.set(true);
    }
}

/// Blocks SIGPIPE in a thread of the host for as long as this lives, and takes back one that was raised meanwhile.
#[derive(Debug)]
pub(crate) struct Blocked {
    /// The host itself had the signal blocked.
    masked_before: bool,
    /// It was pending before, so it is not ours to take back.
    pending_before: bool,
    outer: bool,
}

impl Blocked {
    pub(crate) fn new() -> nix::Result<Self> {
        let masked_before = SigSet::thread_get_mask()?.contains(Signal::SIGPIPE);
        let pending_before = masked_before && pending::is_pending();
        only().thread_block()?;
        Ok(Self { masked_before, pending_before, outer: BLOCKED.replace(true) })
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        if RAISED.take() && !self.pending_before {
            pending::take();
        }
        BLOCKED.set(self.outer);
        if !self.masked_before {
            // It was blocked by `new`, so unblocking cannot fail.
            let _ = only().thread_unblock();
        }
    }
}

fn only() -> SigSet {
    SigSet::from(Signal::SIGPIPE)
}

#[cfg(test)]
pub(crate) fn is_pending() -> bool {
    pending::is_pending()
}

#[cfg(target_os = "linux")]
mod pending {
    use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
    use nix::sys::signalfd::{SfdFlags, SignalFd};
    use std::os::fd::AsFd;

    fn signals() -> Option<SignalFd> {
        SignalFd::with_flags(&super::only(), SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC).ok()
    }

    pub(super) fn is_pending() -> bool {
        signals().is_some_and(|signals| {
            poll(&mut [PollFd::new(signals.as_fd(), PollFlags::POLLIN)], PollTimeout::ZERO) == Ok(1)
        })
    }

    pub(super) fn take() {
        if let Some(signals) = signals() {
            // Nothing pending is as good as one taken.
            let _ = signals.read_signal();
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod pending {
    pub(super) fn is_pending() -> bool {
        false
    }

    pub(super) fn take() {
        // Only called with the signal pending, so this does not wait.
        let _ = super::only().wait();
    }
}
