//! One connection from its beginning to its end: what it speaks, its times, and how it closes.

use super::alarm::Alarm;
use super::answer::Service;
use super::progress::{Phase, Progress};
use super::stop::Watch;
use super::transport::{Socket, Speech, Transport};
use super::worker::Shared;
use crate::http::exchange::PeerAddress;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The longest head of a request; hyper answers 431 to a longer one.
const MAX_HEAD: usize = 64 << 10;
/// How long, and for how many bytes, a client may go on sending after its last answer: if the socket were closed
/// before, the system would tell the client so at once, and the answer could be lost on the way.
const LINGER: Duration = Duration::from_secs(5);
const LINGER_BYTES: usize = 64 << 20;
/// What a client is told whose request never became complete.
const HEAD_TIMEOUT: &[u8] = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

type Io = TokioIo<Transport>;

/// Serves one connection; complete when its socket is closed.
pub(super) struct Connection {
    stage: Stage,
    shared: Arc<Shared>,
    peer: PeerAddress,
    progress: Arc<Progress>,
    alarm: Alarm,
    stop: Watch,
    /// The turn of the progress that was seen last, and when.
    turn: u32,
    since: Instant,
}

#[expect(clippy::large_enum_variant, reason = "it is nearly always the large one")]
enum Stage {
    Opening(Transport),
    Http1(http1::Connection<Io, Service>),
    Http2(Pin<Box<http2::Connection<Io, Service, TokioExecutor>>>),
    Lingering(Linger),
    Closed,
}

/// A socket that has been answered for the last time.
struct Linger {
    socket: Socket,
    told: bool,
    /// The client may be sending.
    is_expected: bool,
    left: usize,
}

impl Connection {
    pub(super) fn new(socket: Socket, peer: PeerAddress, shared: Arc<Shared>) -> Self {
        let progress = Arc::new(Progress::new(shared.epoch));
        Self {
            stage: Stage::Opening(Transport::new(socket, Arc::clone(&progress))),
            stop: shared.stop.watch(),
            shared,
            peer,
            turn: progress.turns(),
            progress,
            alarm: Alarm::default(),
            since: Instant::now(),
        }
    }

    fn open(&mut self, transport: Transport, speech: Speech) {
        let service = Service {
            endpoint: self.shared.endpoint.clone(),
            peer: self.peer,
            progress: Arc::clone(&self.progress),
            serial: speech == Speech::Http1,
        };
        let io = TokioIo::new(transport);
        self.stage = match speech {
            Speech::Http1 => Stage::Http1(self.shared.http1.serve_connection(io, service)),
            Speech::Http2 => Stage::Http2(Box::pin(self.shared.http2.serve_connection(io, service))),
        };
    }

    /// Works until there is nothing to do; ready when this stage has ended.
    fn poll_stage(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match &mut self.stage {
            Stage::Opening(transport) => transport.poll_speech(cx).map(|speech| {
                let stage = std::mem::replace(&mut self.stage, Stage::Closed);
                if let (Some(speech), Stage::Opening(transport)) = (speech, stage) {
                    self.open(transport, speech);
                }
            }),
            Stage::Http1(connection) => {
                let polled = connection.poll_without_shutdown(cx);
                if polled.is_pending() && self.progress.has_next() {
                    cx.waker().wake_by_ref();
                }
                // Its errors are the client's, who was answered if that was possible.
                polled.map(|_| self.linger())
            }
            Stage::Http2(connection) => connection.as_mut().poll(cx).map(|_| self.stage = Stage::Closed),
            Stage::Lingering(linger) => linger.poll(cx).map(|()| self.stage = Stage::Closed),
            Stage::Closed => Poll::Ready(()),
        }
    }

    /// Ends the sending side, and goes on reading for a while if the client may still be sending.
    fn linger(&mut self) {
        let stage = std::mem::replace(&mut self.stage, Stage::Closed);
        if self.progress.has_ended() {
            return;
        }
        let socket = match stage {
            Stage::Opening(transport) => transport.into_socket(),
            Stage::Http1(connection) => connection.into_parts().io.into_inner().into_socket(),
            Stage::Http2(_) | Stage::Lingering(_) | Stage::Closed => return,
        };
        let is_expected =
            !self.progress.has_received() || self.progress.phase() == Phase::Head || socket.has_unread();
        self.stage = Stage::Lingering(Linger { socket, told: false, is_expected, left: LINGER_BYTES });
        self.since = Instant::now();
    }

    /// When this has been waiting for too long.
    fn deadline(&mut self) -> Option<Instant> {
        let turn = self.progress.turns();
        if turn != self.turn {
            self.turn = turn;
            self.since = Instant::now();
        }
        let after = |limit: Option<Duration>| self.since.checked_add(limit?);
        match &self.stage {
            Stage::Opening(_) => after(self.shared.header_timeout),
            Stage::Http1(_) | Stage::Http2(_) => match self.progress.phase() {
                Phase::Head => after(self.shared.header_timeout),
                Phase::Idle | Phase::Stalled => after(self.shared.idle),
                Phase::Busy => self.progress.wake_at(),
            },
            Stage::Lingering(_) => after(Some(LINGER)),
            Stage::Closed => None,
        }
    }

    fn on_deadline(&mut self) {
        match (&mut self.stage, self.progress.phase()) {
            (Stage::Http1(_) | Stage::Http2(_), Phase::Busy) => self.progress.wake(),
            (Stage::Http1(_), Phase::Head) => {
                self.linger();
                if let Stage::Lingering(linger) = &mut self.stage {
                    linger.say(HEAD_TIMEOUT);
                }
            }
            (Stage::Http1(_), Phase::Idle) => self.linger(),
            (
                Stage::Opening(_) | Stage::Http1(_) | Stage::Http2(_) | Stage::Lingering(_) | Stage::Closed,
                _,
            ) => {
                self.stage = Stage::Closed;
            }
        }
    }

    /// The listener stops: no more requests.
    fn on_stop(&mut self) {
        match &mut self.stage {
            Stage::Opening(_) => self.stage = Stage::Closed,
            Stage::Http1(connection) => Pin::new(connection).graceful_shutdown(),
            Stage::Http2(connection) => connection.as_mut().graceful_shutdown(),
            Stage::Lingering(_) | Stage::Closed => {}
        }
    }
}

impl Future for Connection {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        loop {
            if this.stop.poll(cx, &this.shared.stop) {
                this.on_stop();
            }
            if this.poll_stage(cx).is_ready() {
                if matches!(this.stage, Stage::Closed) {
                    return Poll::Ready(());
                }
                continue;
            }
            let deadline = this.deadline();
            if this.alarm.poll(cx, deadline).is_pending() {
                return Poll::Pending;
            }
            this.on_deadline();
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.leave(self.progress.is_busy());
    }
}

impl Linger {
    /// Sends a last word, if that is possible at once.
    fn say(&mut self, text: &[u8]) {
        // What does not fit into an empty socket buffer is not waited for.
        let _ = match &self.socket {
            Socket::Tcp(stream) => stream.try_write(text),
            Socket::Unix(stream) => stream.try_write(text),
        };
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.told {
            self.told = true;
            if let Poll::Ready(Err(_)) = Pin::new(&mut self.socket).poll_shutdown(cx) {
                return Poll::Ready(());
            }
        }
        let mut room = [0; 8192];
        while self.is_expected {
            let mut buffer = ReadBuf::new(&mut room);
            match Pin::new(&mut self.socket).poll_read(cx, &mut buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() && self.left > buffer.filled().len() => {
                    self.left -= buffer.filled().len();
                }
                Poll::Ready(_) => break,
            }
        }
        Poll::Ready(())
    }
}

/// What every connection of HTTP/1.1 has in common.
pub(super) fn http1() -> http1::Builder {
    let mut builder = http1::Builder::new();
    // Times are kept here, with one timer a connection instead of one a request.
    builder.header_read_timeout(None).max_header_size(MAX_HEAD).writev(false);
    builder
}

/// What every connection of HTTP/2 has in common.
pub(super) fn http2() -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder.max_header_list_size(u32::try_from(MAX_HEAD).unwrap_or(u32::MAX));
    builder
}
