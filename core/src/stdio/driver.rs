//! Reads a descriptor, feeds a connection, and ends both together.

use super::output::Outlet;
use super::Stop;
use crate::dispatch::Bell;
use crate::engine::connection::{Connection, Output};
use crate::error::{Error, ErrorKind, Result};
use nix::errno::Errno;
use nix::poll::{poll, PollFd, PollFlags, PollTimeout};
use nix::unistd::read;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes that are read at once: what a pipe holds.
const CHUNK: usize = 64 << 10;

/// How often things are looked at that ring no bell: the end of a drain, room for further input.
const GLANCE: Duration = Duration::from_millis(20);

/// One door at work.
pub(super) struct Driver<'a> {
    pub(super) connection: Connection,
    pub(super) input: BorrowedFd<'a>,
    /// Watched for a reader that goes away while nothing is written.
    pub(super) output: BorrowedFd<'a>,
    pub(super) outlet: Outlet,
    pub(super) alarm: Arc<Alarm>,
    /// How long owed answers are waited for at the end of the input, and their writing thereafter.
    pub(super) drain: Duration,
}

/// What calls a door away from its input: the server when it stops, and the outlet.
pub(super) struct Alarm {
    pub(super) bell: Arc<Bell>,
    stopped: AtomicBool,
}

impl Alarm {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { bell: Arc::new(Bell::new()?), stopped: AtomicBool::new(false) })
    }
}

impl Stop for Alarm {
    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        self.bell.ring();
    }
}

/// Why a door ends.
enum End {
    /// No more input.
    Input,
    /// The connection or the server was closed.
    Closed,
    /// Nobody reads what is written.
    Output,
    /// Reading failed, or the connection took no more.
    Fault(Error),
}

/// What a wait brought.
struct Seen {
    input: bool,
    /// The output's reader is gone.
    hangup: bool,
    bell: bool,
}

impl Driver<'_> {
    /// Serves until the end.
    pub(super) fn run(&self) -> Result<()> {
        let end = self.read();
        let outcome = match end {
            End::Input => self.finish(),
            End::Closed => Ok(()),
            End::Output => Err(self.output_fault()),
            End::Fault(error) => Err(error),
        };
        self.connection.close();
        let flushed = self.outlet.flush(self.drain);
        let lost = self.outlet.backlog();
        let fault = self.outlet.take_fault();
        self.outlet.close();
        match (outcome, fault) {
            (Ok(()), Some(error)) => Err(unwritten(error)),
            (Ok(()), None) if !flushed => Err(Error::new(
                ErrorKind::Timeout,
                format!("the last {lost} bytes of output were not read in time"),
            )),
            (outcome, _) => outcome,
        }
    }

    fn read(&self) -> End {
        let mut chunk = vec![0; CHUNK];
        loop {
            if self.outlet.is_closed() {
                return End::Output;
            }
            if self.connection.is_closed() || self.alarm.stopped.load(Ordering::Acquire) {
                return End::Closed;
            }
            let due = self.connection.next_deadline();
            // Too much waits its turn: reading goes on when some of it has been started.
            let reading = self.connection.wants_input();
            let longest = if reading { due } else { Some(due.map_or(GLANCE, |due| due.min(GLANCE))) };
            let started = due.map(|due| (Instant::now(), due));
            let seen = match self.wait(reading, longest) {
                Ok(seen) => seen,
                Err(error) => return End::Fault(unread(error.into())),
            };
            if started.is_some_and(|(started, due)| started.elapsed() >= due) {
                self.connection.tick();
            }
            if seen.bell {
                self.alarm.bell.clear();
                self.ease();
            }
            if seen.input {
                match read(self.input, &mut chunk) {
                    Ok(0) => return End::Input,
                    Ok(count) => {
                        if let Err(error) = self.connection.receive(chunk.get(..count).unwrap_or_default()) {
                            return if self.connection.is_closed() { End::Closed } else { End::Fault(error) };
                        }
                    }
                    Err(Errno::EINTR | Errno::EAGAIN) => {}
                    Err(error) => return End::Fault(unread(error.into())),
                }
            } else if seen.hangup {
                return End::Output;
            }
        }
    }

    /// Waits for input (if `reading`), a bell or the end of the output, at most `longest`.
    fn wait(&self, reading: bool, longest: Option<Duration>) -> nix::Result<Seen> {
        let wanted = if reading { PollFlags::POLLIN } else { PollFlags::empty() };
        let mut fds = [
            PollFd::new(self.input, wanted),
            PollFd::new(self.alarm.bell.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.output, PollFlags::empty()),
        ];
        match poll(&mut fds, timeout(longest)) {
            Ok(_) => {}
            Err(Errno::EINTR) => return Ok(Seen { input: false, hangup: false, bell: false }),
            Err(error) => return Err(error),
        }
        let [input, bell, output] = fds.map(|fd| fd.revents().unwrap_or(PollFlags::empty()));
        if input.contains(PollFlags::POLLNVAL) {
            return Err(Errno::EBADF);
        }
        Ok(Seen {
            input: reading && !input.is_empty(),
            hangup: output.intersects(PollFlags::POLLERR | PollFlags::POLLHUP | PollFlags::POLLNVAL),
            bell: !bell.is_empty(),
        })
    }

    /// Lets waiting calls go on if the output eased.
    fn ease(&self) {
        if self.outlet.take_eased() {
            self.connection.resume();
        }
    }

    /// The input has ended: answers what is owed, within the drain time.
    fn finish(&self) -> Result<()> {
        self.connection.end_input();
        let started = Instant::now();
        loop {
            let left = self.drain.saturating_sub(started.elapsed());
            if self.connection.drain(left.min(GLANCE)) || left.is_zero() || self.connection.is_closed() {
                return Ok(());
            }
            self.ease();
            if self.connection.next_deadline().is_some_and(|due| due.is_zero()) {
                self.connection.tick();
            }
            if self.outlet.is_closed() || self.hung_up() {
                return Err(self.output_fault());
            }
        }
    }

    fn hung_up(&self) -> bool {
        let mut fds = [PollFd::new(self.output, PollFlags::empty())];
        matches!(poll(&mut fds, PollTimeout::ZERO), Ok(count) if count > 0)
    }

    fn output_fault(&self) -> Error {
        unwritten(self.outlet.take_fault().unwrap_or_else(|| Errno::EPIPE.into()))
    }
}

fn timeout(longest: Option<Duration>) -> PollTimeout {
    let Some(longest) = longest else {
        return PollTimeout::NONE;
    };
    // Rounded up: waking a little early would find nothing due and wait again.
    let ms = longest.as_nanos().div_ceil(1_000_000);
    i32::try_from(ms).ok().and_then(|ms| PollTimeout::try_from(ms).ok()).unwrap_or(PollTimeout::MAX)
}

fn unread(error: io::Error) -> Error {
    Error::new(ErrorKind::Io, "reading the input failed").with_source(error)
}

fn unwritten(error: io::Error) -> Error {
    Error::new(ErrorKind::Io, "the output was closed by its reader, or writing it failed").with_source(error)
}
