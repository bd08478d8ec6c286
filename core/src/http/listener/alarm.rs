//! A timer that is set again only when it must ring earlier.
//!
//! A connection's deadlines move with every request, and nearly always to later: then the timer is left alone, and sees
//! when it rings that it is not time yet.

use crate::http::endpoint::Endpoint;
use crate::http::exchange::Exchange;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::{sleep_until, Instant, Sleep};

#[derive(Debug, Default)]
pub(super) struct Alarm {
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Alarm {
    /// Ready once `deadline` has come. A task is woken at the latest then.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, deadline: Option<std::time::Instant>) -> Poll<()> {
        let Some(deadline) = deadline else {
            return Poll::Pending;
        };
        let deadline = deadline.into();
        let sleep = match &mut self.sleep {
            Some(sleep) => {
                if sleep.is_elapsed() {
                    if deadline <= Instant::now() {
                        return Poll::Ready(());
                    }
                } else if deadline >= sleep.deadline() {
                    return Poll::Pending;
                }
                sleep.as_mut().reset(deadline);
                sleep
            }
            none => none.insert(Box::pin(sleep_until(deadline))),
        };
        sleep.as_mut().poll(cx)
    }

    /// Lets the exchange do what is due; true if something was. Else the task is woken when something will be.
    pub(super) fn poll_due(&mut self, cx: &mut Context<'_>, exchange: &Exchange) -> bool {
        let deadline = exchange.next_deadline().and_then(|wait| std::time::Instant::now().checked_add(wait));
        let is_due = self.poll(cx, deadline).is_ready();
        if is_due {
            exchange.tick();
        }
        is_due
    }

    /// Lets the endpoint do what is due of its sessions. The task is woken when something will be.
    pub(super) fn poll_sessions(&mut self, cx: &mut Context<'_>, endpoint: &Endpoint) {
        loop {
            let wait = endpoint.watch_deadline(cx.waker());
            let deadline = wait.and_then(|wait| std::time::Instant::now().checked_add(wait));
            if self.poll(cx, deadline).is_pending() {
                return;
            }
            endpoint.tick();
        }
    }
}
