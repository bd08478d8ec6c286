//! The thread that waits for a store of sessions, where no other may.

use crate::dispatch::sigpipe;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// Begun with its first job; ends when this is dropped and the jobs are done.
#[derive(Default)]
pub(super) struct Apart {
    jobs: Mutex<Option<Sender<Job>>>,
}

impl Apart {
    /// Runs `job` behind those before it. It is dropped where there is no thread to be had.
    pub(super) fn run(&self, job: Job) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(thread) = jobs.as_ref().map_or_else(begin, |jobs| Some(jobs.clone())) else { return };
        if let Err(unsent) = thread.send(job) {
            // The thread is gone, as in a child of the process that began it.
            drop(jobs);
            return drop(unsent);
        }
        *jobs = Some(thread);
    }
}

fn begin() -> Option<Sender<Job>> {
    let (jobs, inbox) = channel::<Job>();
    let work = move || {
        sigpipe::block();
        for job in inbox {
            // Its client is answered when what it holds is dropped.
            let _ = catch_unwind(AssertUnwindSafe(job));
        }
    };
    thread::Builder::new().name("mcpcore-sessions".to_owned()).spawn(work).ok()?;
    Some(jobs)
}
