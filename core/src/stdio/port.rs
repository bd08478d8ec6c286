//! How bytes get into a descriptor without ever waiting for its reader.

use crate::dispatch::sigpipe;
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc::PIPE_BUF;
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use nix::sys::socket::{send, MsgFlags};
use nix::sys::stat::{fstat, SFlag};
use nix::unistd::{isatty, write};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

/// A descriptor to write to. The non-blocking flag of the caller's open file is never touched: other processes share it.
#[derive(Debug)]
pub(super) enum Port {
    /// A socket: each send says that it must not wait.
    Socket(OwnedFd),
    /// A write does not wait: a regular file, or a pipe or terminal that was opened anew for us.
    Free(OwnedFd),
    /// A write of up to `PIPE_BUF` bytes does not wait if the descriptor was just found writable.
    Paced(OwnedFd),
}

impl Port {
    /// A port to what `output` writes to, as a private, close-on-exec descriptor.
    pub(super) fn open(output: BorrowedFd<'_>) -> io::Result<Self> {
        let own = output.try_clone_to_owned()?;
        let kind = SFlag::from_bits_truncate(fstat(&own)?.st_mode) & SFlag::S_IFMT;
        Ok(match kind {
            SFlag::S_IFSOCK => Self::Socket(own),
            SFlag::S_IFREG => Self::Free(own),
            SFlag::S_IFIFO => reopen(&own).map_or(Self::Paced(own), Self::Free),
            _ if isatty(&own) == Ok(true) => reopen(&own).map_or(Self::Paced(own), Self::Free),
            _ => Self::Paced(own),
        })
    }

    /// Writes what can be written at once and returns how much that was.
    pub(super) fn write(&self, bytes: &[u8]) -> nix::Result<usize> {
        let mut done = 0;
        while let Some(rest) = bytes.get(done..).filter(|rest| !rest.is_empty()) {
            let count = self.step(rest)?;
            done += count;
            let full = match self {
                Self::Socket(_) | Self::Free(_) => count < rest.len(),
                Self::Paced(_) => count == 0,
            };
            if full {
                break;
            }
        }
        Ok(done)
    }

    fn step(&self, bytes: &[u8]) -> nix::Result<usize> {
        let outcome = match self {
            Self::Socket(fd) => send(fd.as_raw_fd(), bytes, MsgFlags::MSG_DONTWAIT | no_signal()),
            Self::Free(fd) => write(fd, bytes),
            Self::Paced(fd) => {
                match poll(&mut [PollFd::new(fd.as_fd(), PollFlags::POLLOUT)], PollTimeout::ZERO) {
                    Ok(0) => Ok(0),
                    Ok(_) => write(fd, bytes.get(..PIPE_BUF).unwrap_or(bytes)),
                    Err(error) => Err(error),
                }
            }
        };
        match outcome {
            Err(Errno::EAGAIN) => Ok(0),
            Err(Errno::EINTR) => self.step(bytes),
            Err(Errno::EPIPE) => {
                sigpipe::note_raised();
                Err(Errno::EPIPE)
            }
            outcome => outcome,
        }
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Socket(fd) | Self::Free(fd) | Self::Paced(fd) => fd.as_fd(),
        }
    }
}

/// Opens the same pipe or terminal once more, so that it can be non-blocking for us alone. Fails where `/proc` is not
/// mounted, where the pipe belongs to another user, and on systems whose `/dev/fd` only duplicates.
fn reopen(fd: &OwnedFd) -> Option<OwnedFd> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let flags = OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
    let file: File = OpenOptions::new().write(true).custom_flags(flags.bits()).open(path).ok()?;
    let (one, two) = (fstat(fd).ok()?, fstat(&file).ok()?);
    ((one.st_dev, one.st_ino) == (two.st_dev, two.st_ino)).then(|| file.into())
}

#[cfg(not(any(target_os = "macos", target_os = "ios")))]
fn no_signal() -> MsgFlags {
    MsgFlags::MSG_NOSIGNAL
}

/// Only threads with SIGPIPE blocked write, so the flag is not missed.
#[cfg(any(target_os = "macos", target_os = "ios"))]
fn no_signal() -> MsgFlags {
    MsgFlags::empty()
}
