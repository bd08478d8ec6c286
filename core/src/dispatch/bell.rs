//! A descriptor that is readable once it was rung.

use std::io::{ErrorKind, Read, Result, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};

/// Wakes a thread that polls. Rings until it is cleared.
#[derive(Debug)]
pub(crate) struct Bell {
    rope: UnixStream,
    sound: UnixStream,
    rung: AtomicBool,
}

impl Bell {
    pub(crate) fn new() -> Result<Self> {
        let (rope, sound) = UnixStream::pair()?;
        rope.set_nonblocking(true)?;
        sound.set_nonblocking(true)?;
        Ok(Self { rope, sound, rung: AtomicBool::new(false) })
    }

    /// Makes the descriptor readable. From any thread; never blocks, and never raises SIGPIPE as both ends live here.
    pub(crate) fn ring(&self) {
        if !self.rung.swap(true, Ordering::AcqRel) {
            while matches!((&self.rope).write(&[1]), Err(error) if error.kind() == ErrorKind::Interrupted) {}
        }
    }

    /// Makes the descriptor unreadable. What was done before a [`Bell::ring`] that this takes back is seen after it.
    pub(crate) fn clear(&self) {
        let mut bytes = [0; 16];
        loop {
            match (&self.sound).read(&mut bytes) {
                Ok(0) => break,
                Err(error) if error.kind() != ErrorKind::Interrupted => break,
                Ok(_) | Err(_) => {}
            }
        }
        self.rung.swap(false, Ordering::AcqRel);
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.sound.as_fd()
    }
}
