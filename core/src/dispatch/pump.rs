//! A queue that the host runs on a thread of its own.

#[cfg(unix)]
use super::Bell;
use super::{perform, Inside, Job, Process};
use crate::error::{Error, ErrorKind, Result};
use crate::host::Host;
use std::collections::VecDeque;
#[cfg(unix)]
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// With so many jobs waiting, further log lines and events are dropped.
const MOST_TALK: usize = 8192;

pub(super) struct Pump {
    host: Arc<dyn Host>,
    queue: Mutex<Queue>,
    /// Rung exactly while jobs wait; rung and cleared under the queue's lock. Made when it is first asked for.
    #[cfg(unix)]
    bell: std::sync::OnceLock<Bell>,
    process: Process,
}

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    stopped: bool,
    /// Nobody can run it any more.
    abandoned: bool,
}

impl Pump {
    pub(super) fn new(host: Arc<dyn Host>) -> Self {
        Self {
            host,
            queue: Mutex::default(),
            #[cfg(unix)]
            bell: std::sync::OnceLock::new(),
            process: Process::current(),
        }
    }

    pub(super) fn push(&self, job: Job) -> Result<()> {
        self.process.check()?;
        let mut queue = self.lock();
        if queue.abandoned && job.keeps_server() {
            drop(queue);
            drop(job);
            return Ok(());
        }
        if queue.stopped && matches!(job, Job::Call(_)) {
            return Err(Error::new(ErrorKind::Closed, "the server was stopped and takes no more calls"));
        }
        // Calls are bounded by their connections; lines of the log are not, and nobody may be pumping.
        if queue.jobs.len() >= MOST_TALK && matches!(job, Job::Log { .. } | Job::Event(_)) {
            return Ok(());
        }
        queue.jobs.push_back(job);
        #[cfg(unix)]
        if let Some(bell) = self.bell.get() {
            bell.ring();
        }
        Ok(())
    }

    pub(super) fn run(&self, max: Duration) -> u32 {
        let started = Instant::now();
        let _inside = Inside::enter(self.address());
        let mut count = 0;
        while let Some(job) = self.pop() {
            perform(&*self.host, job);
            count += 1;
            if started.elapsed() >= max {
                break;
            }
        }
        count
    }

    pub(super) fn in_worker(&self) -> bool {
        Inside::is(self.address())
    }

    pub(super) fn stop(&self) -> bool {
        let mut queue = self.lock();
        queue.stopped = true;
        queue.jobs.is_empty()
    }

    /// Nobody can run the queue any more. What waits there and keeps the server, which keeps the queue, is dropped.
    pub(super) fn abandon(&self) {
        if self.process.check().is_err() {
            return;
        }
        let mut queue = self.lock();
        queue.abandoned = true;
        let (dropped, kept) = std::mem::take(&mut queue.jobs).into_iter().partition(Job::keeps_server);
        queue.jobs = kept;
        drop(queue);
        // A call answers itself, and may log that.
        drop::<VecDeque<Job>>(dropped);
    }

    #[cfg(unix)]
    pub(super) fn fd(&self) -> Result<BorrowedFd<'_>> {
        let queue = self.lock();
        if let Some(bell) = self.bell.get() {
            return Ok(bell.as_fd());
        }
        let bell = Bell::new().map_err(|error| {
            Error::new(ErrorKind::Io, "no descriptor could be made for the pump").with_source(error)
        })?;
        if !queue.jobs.is_empty() {
            bell.ring();
        }
        Ok(self.bell.get_or_init(|| bell).as_fd())
    }

    fn pop(&self) -> Option<Job> {
        let mut queue = self.lock();
        let job = queue.jobs.pop_front();
        #[cfg(unix)]
        if queue.jobs.is_empty() {
            if let Some(bell) = self.bell.get() {
                bell.clear();
            }
        }
        job
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn address(&self) -> usize {
        (&raw const *self).addr()
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        if self.process.check().is_err() {
            return;
        }
        while let Some(job) = self.pop() {
            match job {
                // A call answers itself; what else was to run needs the server.
                Job::Call(_) | Job::Run(..) => {}
                Job::Cancel { .. } | Job::Log { .. } | Job::Event(_) => perform(&*self.host, job),
            }
        }
    }
}
