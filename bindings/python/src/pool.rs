//! What waits for threads.

use crate::authorization::Authorization;
use crate::call::{Call, BUSY};
use crate::host::Shared;
use crate::route::Work;
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// After so long without a free thread, another one is woken. While short functions run one after another on one thread,
/// no other is woken to fight for the interpreter's lock.
const PATIENCE: Duration = Duration::from_millis(1);

/// A call for a thread.
pub(crate) enum Job {
    /// As it came from the engine.
    Work(Work, Arc<Shared>),
    /// With the context that it is to run in.
    Call(Py<Call>, Py<PyAny>),
    /// A request that wants in.
    Question(Authorization),
}

impl Job {
    fn has_ended(&self) -> bool {
        match self {
            Self::Work(work, _) => work.call.cancelled().is_some(),
            Self::Call(call, _) => call.get().has_ended(),
            Self::Question(_) => false,
        }
    }
}

/// A queue for threads that Python starts, each of which comes for one job at a time.
pub(crate) struct Pool {
    limit: usize,
    /// How long a job may wait for a thread; `None`: for ever.
    longest_wait: Option<Duration>,
    state: Mutex<State>,
    /// A thread was called, or all are to end.
    work: Condvar,
    /// There is something to watch.
    watch: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<(Instant, Job)>,
    /// Threads that were started.
    threads: usize,
    /// Threads that wait for work.
    idle: usize,
    /// Threads that were called and have not come yet.
    called: usize,
    /// Whether the watcher runs, and whether it sleeps until it is needed.
    watched: bool,
    asleep: bool,
    ended: bool,
}

impl State {
    /// Calls a thread, if one waits.
    fn call_one(&mut self, work: &Condvar) {
        if self.idle > self.called {
            self.called += 1;
            work.notify_one();
        }
    }

    fn running(&self) -> usize {
        self.threads - self.idle + self.called
    }
}

impl Pool {
    pub(crate) fn new(limit: usize, wait_ms: u64) -> Self {
        let longest_wait = (wait_ms > 0).then(|| Duration::from_millis(wait_ms));
        Self { limit, longest_wait, state: Mutex::default(), work: Condvar::new(), watch: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(self: &Arc<Self>, job: Job) {
        let mut state = self.lock();
        if state.ended {
            drop(state);
            // The call answers itself.
            return drop(job);
        }
        state.jobs.push_back((Instant::now(), job));
        if state.running() == 0 {
            state.call_one(&self.work);
        }
        if !state.watched {
            let pool = Arc::clone(self);
            let named = std::thread::Builder::new().name("mcpcore-watch".to_owned());
            // Without it only the call of further threads is slower: each that is free comes by itself.
            state.watched = named.spawn(move || pool.keep_watch()).is_ok();
        } else if state.asleep {
            state.asleep = false;
            self.watch.notify_one();
        }
    }

    /// Calls another thread when a job waits longer than is good; ends those that waited longer than is allowed.
    fn keep_watch(&self) {
        let mut state = self.lock();
        while !state.ended {
            if state.jobs.is_empty() {
                state.asleep = true;
                state = self
                    .watch
                    .wait_while(state, |state| state.asleep && !state.ended)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state = self.watch.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
            let late = match (state.jobs.front(), self.longest_wait) {
                (Some((since, _)), Some(longest)) if since.elapsed() > longest => state.jobs.pop_front(),
                (Some((since, _)), _) => {
                    if since.elapsed() >= PATIENCE {
                        state.call_one(&self.work);
                    }
                    None
                }
                (None, _) => None,
            };
            if let Some((_, job)) = late {
                drop(state);
                refuse(job);
                state = self.lock();
            }
        }
    }

    /// The next job, if one waits.
    fn next(&self) -> Option<Job> {
        let mut state = self.lock();
        state.next()
    }

    /// Waits for a job; `None` once ended.
    fn wait(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.next() {
                return Some(job);
            }
            if state.ended {
                state.threads -= 1;
                return None;
            }
            state.idle += 1;
            state = self
                .work
                .wait_while(state, |state| state.called == 0 && !state.ended)
                .unwrap_or_else(PoisonError::into_inner);
            state.idle -= 1;
            state.called = state.called.saturating_sub(1);
        }
    }

    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.ended = true;
        let jobs = std::mem::take(&mut state.jobs);
        drop(state);
        self.work.notify_all();
        self.watch.notify_all();
        drop(jobs);
    }
}

impl State {
    fn next(&mut self) -> Option<Job> {
        while let Some((_, job)) = self.jobs.pop_front() {
            if !job.has_ended() {
                return Some(job);
            }
        }
        None
    }
}

fn refuse(job: Job) {
    match job {
        // A lost race is fine.
        Job::Work(work, _) => drop(work.call.reject(-32603, BUSY, None)),
        Job::Call(call, _) => call.get().refuse_busy(),
        // Dropped, it answers itself.
        Job::Question(question) => drop(question),
    }
}

/// The queue for threads, for those that come for jobs.
#[pyclass(frozen, module = "mcpcore._mcpcore")]
pub(crate) struct Jobs {
    pub(crate) pool: Arc<Pool>,
}

#[pymethods]
impl Jobs {
    /// Takes the next call (or authorization) and the context that it is to run in, or `None` where that is the server's own; waits for it
    /// without the interpreter's lock. The third says whether another thread is to be started. `None` once ended.
    #[expect(clippy::type_complexity, reason = "it is a tuple of Python")]
    fn take(&self, py: Python<'_>) -> PyResult<Option<(Py<PyAny>, Option<Py<PyAny>>, bool)>> {
        let job = match self.pool.next() {
            Some(job) => Some(job),
            None => py.detach(|| self.pool.wait()),
        };
        let Some(job) = job else { return Ok(None) };
        let more = self.more();
        Ok(Some(match job {
            Job::Work(work, shared) => (Py::new(py, Call::new(work, shared))?.into_any(), None, more),
            Job::Call(call, context) => (call.into_any(), Some(context), more),
            Job::Question(question) => (Py::new(py, question)?.into_any(), None, more),
        }))
    }

    /// Gives a call to a thread, to run in `context`.
    fn put(&self, call: Py<Call>, context: Py<PyAny>) {
        self.pool.push(Job::Call(call, context));
    }

    /// Whether a thread is to be started, which then counts as started: there is always one that waits, up to the limit.
    fn more(&self) -> bool {
        let mut state = self.pool.lock();
        let more = state.idle == 0 && state.threads < self.pool.limit && !state.ended;
        state.threads += usize::from(more);
        more
    }

    /// Wakes the threads that wait, for the last time.
    fn end(&self) {
        self.pool.end();
    }
}
