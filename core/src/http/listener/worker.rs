//! A thread that serves connections.

use super::accept::{Acceptor, Inbox};
use super::connection::{self, Connection};
use super::places::Places;
use super::stop::Stop;
use super::transport::Socket;
use crate::dispatch::sigpipe;
use crate::http::endpoint::Endpoint;
use crate::http::exchange::PeerAddress;
use crate::server::Server;
use hyper::server::conn::http2;
use hyper_util::rt::TokioExecutor;
use std::future::{poll_fn, Future};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use tokio::sync::Notify;

/// What the connections of one thread have in common.
pub(super) struct Shared {
    pub(super) server: Server,
    pub(super) endpoint: Endpoint,
    pub(super) stop: Arc<Stop>,
    /// Of all threads.
    pub(super) places: Arc<Places>,
    pub(super) http2: http2::Builder<TokioExecutor>,
    pub(super) header_timeout: Option<Duration>,
    pub(super) idle: Option<Duration>,
    /// Connections of this thread.
    open: AtomicUsize,
    emptied: Notify,
    /// The thread ends, and what is open with it.
    is_cutting: AtomicBool,
    cut: AtomicUsize,
}

impl Shared {
    pub(super) fn new(
        server: Server,
        endpoint: Endpoint,
        stop: Arc<Stop>,
        places: Arc<Places>,
        header_timeout: Option<Duration>,
        idle: Option<Duration>,
    ) -> Self {
        Self {
            server,
            endpoint,
            stop,
            places,
            http2: connection::http2(),
            header_timeout,
            idle,
            open: AtomicUsize::new(0),
            emptied: Notify::new(),
            is_cutting: AtomicBool::new(false),
            cut: AtomicUsize::new(0),
        }
    }

    /// Serves a connection that has its place, on this thread.
    pub(super) fn serve(self: &Arc<Self>, socket: Socket, peer: PeerAddress) {
        self.open.fetch_add(1, Ordering::Relaxed);
        drop(tokio::spawn(Connection::new(socket, peer, Arc::clone(self))));
    }

    /// A connection has ended, with a request in flight or without.
    pub(super) fn leave(&self, busy: bool) {
        self.places.leave();
        if self.open.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.emptied.notify_one();
        }
        if busy && self.is_cutting.load(Ordering::Relaxed) {
            self.cut.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until the connections have ended, or for as long as the listener's owner says.
    async fn drain(&self) {
        while self.open.load(Ordering::Relaxed) > 0 {
            let mut changed = pin!(self.stop.changed());
            changed.as_mut().enable();
            let until = self.stop.until();
            if until.is_some_and(|until| until <= Instant::now()) {
                return;
            }
            let far = Instant::now() + Duration::from_secs(3600);
            let mut timer = pin!(tokio::time::sleep_until(until.unwrap_or(far).into()));
            let mut emptied = pin!(self.emptied.notified());
            poll_fn(|cx| {
                let is_ready = changed.as_mut().poll(cx).is_ready()
                    || emptied.as_mut().poll(cx).is_ready()
                    || timer.as_mut().poll(cx).is_ready();
                if is_ready {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            })
            .await;
        }
    }
}

/// Where a thread's connections come from.
pub(super) enum Source {
    /// It accepts them, and hands some to other threads.
    Acceptor(Acceptor),
    Inbox(Arc<Inbox>),
}

/// The whole life of a thread.
pub(super) fn run(runtime: Runtime, shared: &Arc<Shared>, source: Source) {
    let _ended = Ended(shared);
    sigpipe::block();
    runtime.block_on(async {
        match source {
            Source::Acceptor(acceptor) => acceptor.run(shared).await,
            Source::Inbox(inbox) => inbox.run(shared).await,
        }
        shared.drain().await;
    });
    shared.is_cutting.store(true, Ordering::Relaxed);
    drop(runtime);
}

/// Says that the thread ended, however it did.
struct Ended<'s>(&'s Shared);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.stop.thread_ended(self.0.cut.load(Ordering::Relaxed));
    }
}
