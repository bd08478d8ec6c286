//! How a listener stops: its owner says so, its threads and connections see it.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Context;
use std::time::{Duration, Instant};
use tokio::sync::futures::OwnedNotified;
use tokio::sync::Notify;

/// What is expected of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Running,
    /// Answer what is in flight, then close.
    Draining,
    /// Close.
    Cut,
}

#[derive(Debug, Default)]
pub(super) struct Stop {
    notify: Arc<Notify>,
    state: Mutex<State>,
    ended: Condvar,
}
