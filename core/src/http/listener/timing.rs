//! Who wakes an exchange at the moment that it names.

use super::alarm::Alarm;
use super::progress::Progress;
use crate::http::exchange::Exchange;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

/// An exchange counts as open while one of these lives.
#[derive(Debug)]
pub(super) struct Open(Arc<Progress>);

impl Open {
    pub(super) fn new(progress: &Arc<Progress>, length: Option<u64>) -> Self {
        progress.begin(length);
        Self(Arc::clone(progress))
    }

    pub(super) fn progress(&self) -> &Progress {
        &self.0
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[derive(Debug)]
pub(super) enum Timing {
    /// The connection, which has one exchange at a time.
    Connection,
    /// A timer of its own.
    Own(Box<Alarm>),
}

impl Timing {
    /// Lets the exchange do what is due; true if something was. Else the task is woken when something will be.
    pub(super) fn poll_due(&mut self, cx: &mut Context<'_>, open: &Open, exchange: &Exchange) -> bool {
        let is_due = match self {
            Self::Connection => {
                let is_due = open.0.take_due();
                if !is_due {
                    open.0.wake_after(exchange.next_deadline());
                }
                is_due
            }
            Self::Own(alarm) => {
                let deadline = exchange.next_deadline().and_then(|wait| Instant::now().checked_add(wait));
                alarm.poll(cx, deadline) == Poll::Ready(())
            }
        };
        if is_due {
            exchange.tick();
        }
        is_due
    }
}
