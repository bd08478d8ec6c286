//! How many connections may be open.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

/// Counts the connections of all threads. Only one task waits here: the one that accepts.
#[derive(Debug)]
pub(super) struct Places {
    taken: AtomicUsize,
    most: usize,
    waiting: Mutex<Option<Waker>>,
}

impl Places {
    pub(super) fn new(most: usize) -> Self {
        Self { taken: AtomicUsize::new(0), most, waiting: Mutex::default() }
    }

    fn is_full(&self) -> bool {
        self.taken.load(Ordering::SeqCst) >= self.most
    }

    pub(super) fn poll_free(&self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.is_full() {
            return Poll::Ready(());
        }
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
        // One may have left before the waker stood there.
        if self.is_full() {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    }

    pub(super) fn enter(&self) {
        self.taken.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn leave(&self) {
        if self.taken.fetch_sub(1, Ordering::SeqCst) == self.most {
            let waker = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}
