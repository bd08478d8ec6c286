//! How a listener stops: its owner says so; its threads and connections see it.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Context;
use std::time::{Duration, Instant};
use tokio::sync::futures::{Notified, OwnedNotified};
use tokio::sync::Notify;

/// What a listener's owner, threads and connections have in common.
#[derive(Debug)]
pub(super) struct Stop {
    stopping: AtomicBool,
    changed: Arc<Notify>,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug)]
struct State {
    /// When what is still open is cut.
    until: Option<Instant>,
    /// Threads that run.
    threads: usize,
    /// Connections that were cut while a request was served.
    cut: usize,
}

impl Stop {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            stopping: AtomicBool::new(false),
            changed: Arc::default(),
            state: Mutex::new(State { until: None, threads, cut: 0 }),
            ended: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to stop, and cuts what is open after `timeout`; said again, the earlier moment counts.
    pub(super) fn begin(&self, timeout: Duration) {
        let until = Instant::now().checked_add(timeout);
        let mut state = self.state();
        state.until = match (state.until, until) {
            (Some(before), Some(now)) => Some(before.min(now)),
            (one, other) => one.or(other),
        };
        drop(state);
        self.stopping.store(true, Ordering::Release);
        self.changed.notify_waiters();
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    pub(super) fn until(&self) -> Option<Instant> {
        self.state().until
    }

    pub(super) fn watch(&self) -> Watch {
        Watch {
            notified: Box::pin(Arc::clone(&self.changed).notified_owned()),
            is_registered: false,
            told: false,
        }
    }

    /// Ready when [`Stop::begin`] is called once more.
    pub(super) fn changed(&self) -> Notified<'_> {
        self.changed.notified()
    }

    /// A thread ended, and `cut` of its connections with it.
    pub(super) fn thread_ended(&self, cut: usize) {
        let mut state = self.state();
        state.threads = state.threads.saturating_sub(1);
        state.cut += cut;
        drop(state);
        self.ended.notify_all();
    }

    /// Waits for all threads to end. Returns how many connections were cut.
    pub(super) fn wait(&self) -> usize {
        let state = self.state();
        let state = self.ended.wait_while(state, |state| state.threads > 0);
        state.unwrap_or_else(PoisonError::into_inner).cut
    }
}

/// One task's view: it is woken when the listener begins to stop.
#[derive(Debug)]
pub(super) struct Watch {
    notified: Pin<Box<OwnedNotified>>,
    is_registered: bool,
    told: bool,
}

impl Watch {
    /// True once, when the listener stops. A task that has polled this once is woken then.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, stop: &Stop) -> bool {
        if !self.is_registered {
            // Its result says no more than the flag, which is read behind it.
            let _ = self.notified.as_mut().poll(cx);
            self.is_registered = true;
        }
        let news = !self.told && stop.is_stopping();
        self.told |= news;
        news
    }
}
