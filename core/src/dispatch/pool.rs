//! A bounded pool of threads, started as they are needed.

use super::{perform, Inside, Job, Process};
use crate::error::{Error, ErrorKind, Result};
use crate::host::Host;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Threads of a pool whose size is left open, where there are fewer processors.
const DEFAULT_THREADS: usize = 4;

/// Which queue a job waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Served first.
    Urgent,
    Calls,
}

pub(super) struct Pool {
    shared: Arc<Shared>,
    process: Process,
}

struct Shared {
    host: Arc<dyn Host>,
    limit: usize,
    state: Mutex<State>,
    /// A worker was called, or all are to end.
    work: Condvar,
    /// No call waits or runs any more.
    rest: Condvar,
}

#[derive(Default)]
struct State {
    urgent: VecDeque<Job>,
    calls: VecDeque<Job>,
    workers: Vec<Worker>,
    /// Workers that wait for work.
    idle: usize,
    /// A worker was woken or started and has not come for a job yet. At most one at a time: it calls the next itself if
    /// there is more, so that a burst costs its sender one wake-up.
    called: bool,
    stopped: bool,
    ending: bool,
}

struct Worker {
    thread: JoinHandle<()>,
    busy: bool,
}

impl Pool {
    pub(super) fn new(threads: usize, host: Arc<dyn Host>) -> Self {
        let limit = match threads {
            0 => thread::available_parallelism()
                .map_or(DEFAULT_THREADS, |count| count.get().max(DEFAULT_THREADS)),
            threads => threads,
        };
        let (work, rest) = (Condvar::new(), Condvar::new());
        Self {
            shared: Arc::new(Shared { host, limit, state: Mutex::default(), work, rest }),
            process: Process::current(),
        }
    }

    pub(super) fn push(&self, lane: Lane, job: Job) -> Result<()> {
        // Before the lock: another thread may have held it when the process was forked.
        self.process.check()?;
        let mut state = self.shared.lock();
        match lane {
            Lane::Urgent => state.urgent.push_back(job),
            Lane::Calls if state.stopped => {
                return Err(Error::new(ErrorKind::Closed, "the server was stopped and takes no more calls"));
            }
            Lane::Calls => state.calls.push_back(job),
        }
        let Err(error) = self.shared.summon(&mut state) else {
            return Ok(());
        };
        if !state.workers.is_empty() {
            // It is served when one of them is free.
            return Ok(());
        }
        let refused = match lane {
            Lane::Urgent => state.urgent.pop_back(),
            Lane::Calls => state.calls.pop_back(),
        };
        drop(state);
        drop(refused);
        Err(Error::new(ErrorKind::Io, "no thread could be started for the host's callbacks")
            .with_source(error))
    }

    #[cfg(test)]
    pub(super) fn idle(&self) -> usize {
        self.shared.lock().idle
    }

    pub(super) fn in_worker(&self) -> bool {
        Inside::is(self.shared.address())
    }

    pub(super) fn stop(&self, timeout: Duration) -> bool {
        if self.process.check().is_err() {
            return true;
        }
        let own = usize::from(self.in_worker());
        let mut state = self.shared.lock();
        state.stopped = true;
        let (_state, wait) = self
            .shared
            .rest
            .wait_timeout_while(state, timeout, |state| !state.rests(own))
            .unwrap_or_else(PoisonError::into_inner);
        !wait.timed_out()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.process.check().is_err() {
            // The threads, and perhaps the holder of the lock, stayed in the parent.
            std::mem::forget(Arc::clone(&self.shared));
            return;
        }
        let mut state = self.shared.lock();
        state.ending = true;
        let waiting = (std::mem::take(&mut state.urgent), std::mem::take(&mut state.calls));
        let (busy, free): (Vec<_>, Vec<_>) = state.workers.drain(..).partition(|worker| worker.busy);
        drop(state);
        self.shared.work.notify_all();
        drop(busy);
        for worker in free {
            // A worker catches what its jobs throw, so there is no panic to pass on.
            let _ = worker.thread.join();
        }
        drop(waiting);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn address(self: &Arc<Self>) -> usize {
        Arc::as_ptr(self).addr()
    }

    /// Sees to it that a worker comes for the waiting jobs, unless one is on its way or all are busy.
    fn summon(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        if state.called || state.ending || (state.urgent.is_empty() && state.calls.is_empty()) {
            return Ok(());
        }
        if state.idle > 0 {
            state.called = true;
            self.work.notify_one();
        } else if state.workers.len() < self.limit {
            let index = state.workers.len();
            let shared = Arc::clone(self);
            let named = thread::Builder::new().name(format!("mcpcore-pool-{index}"));
            let thread = named.spawn(move || shared.work(index))?;
            state.called = true;
            state.workers.push(Worker { thread, busy: false });
        }
        Ok(())
    }

    fn work(self: &Arc<Self>, index: usize) {
        #[cfg(unix)]
        super::sigpipe::block();
        let _inside = Inside::enter(self.address());
        let mut state = self.lock();
        state.called = false;
        while !state.ending {
            let Some(job) = state.next() else {
                state = self.wait(state);
                continue;
            };
            state.set_busy(index, true);
            // If no further thread can be started, those that run serve the rest.
            let _ = self.summon(&mut state);
            drop(state);
            perform(&*self.host, job);
            state = self.lock();
            state.set_busy(index, false);
            if state.stopped {
                self.rest.notify_all();
            }
        }
    }

    /// Waits until this worker is called or all are to end.
    fn wait<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.idle += 1;
        state = self
            .work
            .wait_while(state, |state| !state.called && !state.ending)
            .unwrap_or_else(PoisonError::into_inner);
        state.idle -= 1;
        state.called = false;
        state
    }
}

impl State {
    fn next(&mut self) -> Option<Job> {
        self.urgent.pop_front().or_else(|| self.calls.pop_front())
    }

    /// Nothing waits, and no more than `own` workers are inside a callback.
    fn rests(&self, own: usize) -> bool {
        self.urgent.is_empty()
            && self.calls.is_empty()
            && self.workers.iter().filter(|worker| worker.busy).count() <= own
    }

    fn set_busy(&mut self, index: usize, busy: bool) {
        if let Some(worker) = self.workers.get_mut(index) {
            worker.busy = busy;
        }
    }
}
