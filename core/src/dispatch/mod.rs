//! Where host callbacks run.

#[cfg(unix)]
mod bell;
mod pool;
mod pump;
#[cfg(unix)]
pub(crate) mod sigpipe;
#[cfg(test)]
mod tests;

#[cfg(unix)]
pub(crate) use bell::Bell;

use crate::call::Call;
use crate::config::Dispatch;
use crate::error::{Error, ErrorKind, Result};
use crate::host::{CancelReason, Host};
use crate::protocol::LogLevel;
use pool::Pool;
use pump::Pump;
use std::any::Any;
use std::cell::RefCell;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use std::time::Duration;

/// The longest panic message that is logged, in characters.
const PANIC_TEXT: usize = 140;

/// Something that the host's code does.
pub(crate) enum Job {
    /// Answers a call. One that was cancelled while it waited is dropped.
    Call(Call),
    /// Learns that a call ended.
    Cancel { number: u64, reason: CancelReason },
    /// Takes a line of the log.
    Log { level: LogLevel, text: String },
    /// Takes an event.
    Event(String),
    /// Runs some other callback.
    #[cfg_attr(
        not(any(test, feature = "http")),
        expect(dead_code, reason = "for what HTTP callers need, which no I/O thread may run")
    )]
    Run(&'static str, Box<dyn FnOnce() + Send>),
}

impl Job {
    /// Whether it keeps the server alive that it waits in.
    fn keeps_server(&self) -> bool {
        match self {
            Self::Call(_) | Self::Run(..) => true,
            Self::Cancel { .. } | Self::Log { .. } | Self::Event(_) => false,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Call(_) => "call",
            Self::Cancel { .. } => "cancelled",
            Self::Log { .. } => "log",
            Self::Event(_) => "event",
            Self::Run(name, _) => name,
        }
    }
}

/// Runs host callbacks where [`Dispatch`] says.
///
/// - `Inline`: every job on the thread that brings it.
/// - `Pool`: calls and `Run` jobs on threads of the library, `Run` jobs first; `Cancel`, `Log` and `Event` at once on the
///   thread that brings them, so that none waits behind blocked calls.
/// - `Pump`: every job inside [`Dispatcher::pump`], in order.
///
/// Dropping it drops the jobs that wait (a call answers itself then; in `Pump` mode the rest still runs, on the dropping
/// thread), and joins the pool's threads but those that are inside a callback: these end when it returns, and the host
/// lives as long as the last of them. So it may be dropped anywhere, a callback included.
pub(crate) struct Dispatcher {
    host: Arc<dyn Host>,
    place: Place,
}

enum Place {
    Inline,
    Pool(Pool),
    Pump(Pump),
}

impl Dispatcher {
    /// A dispatcher; `threads` is the pool's bound, 0 for the default. Starts no thread yet.
    pub(crate) fn new(mode: Dispatch, threads: usize, host: Arc<dyn Host>) -> Self {
        let place = match mode {
            Dispatch::Inline => Place::Inline,
            Dispatch::Pool => Place::Pool(Pool::new(threads, Arc::clone(&host))),
            Dispatch::Pump => Place::Pump(Pump::new(Arc::clone(&host))),
        };
        Self { host, place }
    }

    /// Runs `job`, now or later. The caller holds no lock.
    ///
    /// # Errors
    /// `Closed` in another process than the one that made the server (R099), or for a call after [`Dispatcher::stop`];
    /// `Io` if not even one thread can be started. The job is dropped then.
    pub(crate) fn run(&self, job: Job) -> Result<()> {
        match (&self.place, &job) {
            (Place::Pump(pump), _) => return pump.push(job),
            (Place::Pool(pool), Job::Call(_)) => return pool.push(pool::Lane::Calls, job),
            (Place::Pool(pool), Job::Run(..)) => return pool.push(pool::Lane::Urgent, job),
            (Place::Pool(_), Job::Cancel { .. } | Job::Log { .. } | Job::Event(_)) | (Place::Inline, _) => {}
        }
        perform(&*self.host, job);
        Ok(())
    }

    /// Runs `job` on this thread, whatever the mode.
    pub(crate) fn run_here(&self, job: Job) {
        perform(&*self.host, job);
    }

    /// Whether this thread runs one of this dispatcher's jobs, as its worker or in [`Dispatcher::pump`]. Such a thread
    /// must not wait for another job; it runs what it needs itself (decision 39).
    pub(crate) fn in_worker(&self) -> bool {
        match &self.place {
            Place::Inline => false,
            Place::Pool(pool) => pool.in_worker(),
            Place::Pump(pump) => pump.in_worker(),
        }
    }

    /// Takes no more calls. Waits at most `timeout` until none waits or runs, the one that this thread is inside of not
    /// counted; true if none does. In `Pump` mode it does not wait, as the waiting thread may be the one that pumps.
    pub(crate) fn stop(&self, timeout: Duration) -> bool {
        match &self.place {
            Place::Inline => true,
            Place::Pool(pool) => pool.stop(timeout),
            Place::Pump(pump) => pump.stop(),
        }
    }

    /// Runs jobs that wait on this thread, for at most `max`, at least one if there is one. Returns how many ran; 0 in
    /// the other modes.
    pub(crate) fn pump(&self, max: Duration) -> u32 {
        match &self.place {
            Place::Pump(pump) => pump.run(max),
            Place::Inline | Place::Pool(_) => 0,
        }
    }

    /// Nobody will call [`Dispatcher::pump`] any more.
    pub(crate) fn abandon(&self) {
        match &self.place {
            Place::Pump(pump) => pump.abandon(),
            Place::Inline | Place::Pool(_) => {}
        }
    }

    /// A descriptor that is readable while [`Dispatcher::pump`] has work.
    #[cfg(unix)]
    pub(crate) fn pump_fd(&self) -> Result<std::os::fd::BorrowedFd<'_>> {
        match &self.place {
            Place::Pump(pump) => pump.fd(),
            Place::Inline | Place::Pool(_) => Err(Error::new(
                ErrorKind::InvalidArgument,
                "only a server with dispatch set to pump can be pumped",
            )),
        }
    }
}

/// Runs one job. A panic ends the job, not the thread.
fn perform(host: &dyn Host, job: Job) {
    let name = job.name();
    let outcome = catch_unwind(AssertUnwindSafe(|| match job {
        Job::Call(call) => call.deliver_to(host),
        Job::Cancel { number, reason } => host.cancelled(number, reason),
        Job::Log { level, text } => host.log(level, &text),
        Job::Event(json) => host.event(&json),
        Job::Run(_, run) => run(),
    }));
    if let Err(panic) = outcome {
        // The log itself may be what panics, and so may the value that was thrown when it is dropped.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let text = panic_text(&*panic);
            host.log(LogLevel::Error, &format!("the host's {name} callback panicked: {text}"));
        }));
        let _ = catch_unwind(AssertUnwindSafe(|| drop(panic)));
    }
}

/// What a panic said, as a short line.
fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text.as_str(),
        (None, None) => "(no text)",
    };
    text.chars().take(PANIC_TEXT).map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Which process this is, to tell a fork.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process(u32);

impl Process {
    fn current() -> Self {
        Self(std::process::id())
    }

    fn check(self) -> Result<()> {
        if self == Self::current() {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Closed,
            "the server was made before this process was forked; make a new one here",
        ))
    }
}

thread_local! {
    /// Whose jobs this thread is inside of, by address.
    static INSIDE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// This thread runs jobs of someone while this lives.
struct Inside;

impl Inside {
    fn enter(whose: usize) -> Self {
        INSIDE.with_borrow_mut(|inside| inside.push(whose));
        Self
    }

    fn is(whose: usize) -> bool {
        INSIDE.with_borrow(|inside| inside.contains(&whose))
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.with_borrow_mut(Vec::pop);
    }
}
