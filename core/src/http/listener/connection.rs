//! One connection from its beginning to its end: what it speaks, its times, and how it closes.

use super::alarm::Alarm;
use super::answer::Service;
use super::http1::{End, Http1, Input, Phase};
use super::progress::Progress;
use super::stop::Watch;
use super::transport::{Socket, Speech, Transport};
use super::worker::Shared;
use crate::http::exchange::PeerAddress;
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The longest head of a request over HTTP/2; that of HTTP/1.1 is as long.
const MAX_HEAD: u32 = 64 << 10;
/// How long, and for how many bytes, a client may go on sending after its last answer: if the socket were closed
/// before, the system would tell the client so at once, and the answer could be lost on the way.
const LINGER: Duration = Duration::from_secs(5);
const LINGER_BYTES: usize = 64 << 20;

/// Serves one connection; complete when its socket is closed.
pub(super) struct Connection {
    stage: Stage,
    shared: Arc<Shared>,
    peer: PeerAddress,
    alarm: Alarm,
    stop: Watch,
    /// The turn of the connection that was seen last, and when.
    turn: u32,
    since: Instant,
}

#[expect(clippy::large_enum_variant, reason = "it is nearly always the large one")]
enum Stage {
    Opening { socket: Socket, input: Input },
    Http1(Http1),
    Http2(Pin<Box<Http2>>),
    Lingering(Linger),
    Closed,
}

struct Http2 {
    connection: http2::Connection<TokioIo<Transport>, Service, TokioExecutor>,
    progress: Arc<Progress>,
}

/// A socket that has been answered for the last time.
struct Linger {
    socket: Socket,
    told: bool,
    left: usize,
}

impl Connection {
    pub(super) fn new(socket: Socket, peer: PeerAddress, shared: Arc<Shared>) -> Self {
        Self {
            stage: Stage::Opening { socket, input: Input::default() },
            stop: shared.stop.watch(),
            shared,
            peer,
            alarm: Alarm::default(),
            turn: 0,
            since: Instant::now(),
        }
    }

    fn open(&mut self, socket: Socket, input: Input, speech: Speech) {
        self.stage = match speech {
            Speech::Http1 => Stage::Http1(Http1::new(socket, input)),
            Speech::Http2 => {
                let progress = Arc::new(Progress::default());
                let service = Service {
                    endpoint: self.shared.endpoint.clone(),
                    peer: self.peer,
                    progress: Arc::clone(&progress),
                };
                let io = TokioIo::new(Transport { socket, input, progress: Arc::clone(&progress) });
                let connection = self.shared.http2.serve_connection(io, service);
                Stage::Http2(Box::pin(Http2 { connection, progress }))
            }
        };
    }

    /// Works until there is nothing to do; ready when this stage has ended.
    fn poll_stage(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match &mut self.stage {
            Stage::Opening { socket, input } => socket.poll_speech(cx, input).map(|speech| {
                let stage = std::mem::replace(&mut self.stage, Stage::Closed);
                if let (Some(speech), Stage::Opening { socket, input }) = (speech, stage) {
                    self.open(socket, input, speech);
                }
            }),
            Stage::Http1(http1) => http1.poll(cx, &self.shared.endpoint, self.peer).map(|end| match end {
                End::Close => self.stage = Stage::Closed,
                End::Linger { is_sending } => self.linger(is_sending),
            }),
            // Its errors are the client's.
            Stage::Http2(http2) => {
                Pin::new(&mut http2.connection).poll(cx).map(|_| self.stage = Stage::Closed)
            }
            Stage::Lingering(linger) => linger.poll(cx).map(|()| self.stage = Stage::Closed),
            Stage::Closed => Poll::Ready(()),
        }
    }

    /// Ends the sending side, and goes on reading for a while if the client may still be sending.
    fn linger(&mut self, is_sending: bool) {
        if let Stage::Http1(http1) = std::mem::replace(&mut self.stage, Stage::Closed) {
            let socket = http1.into_socket();
            if is_sending || socket.has_unread() {
                self.stage = Stage::Lingering(Linger { socket, told: false, left: LINGER_BYTES });
                self.since = Instant::now();
            }
        }
    }

    /// When this has been waiting for too long.
    fn deadline(&mut self) -> Option<Instant> {
        let turn = match &self.stage {
            Stage::Http1(http1) => http1.turn(),
            Stage::Http2(http2) => http2.progress.turn(),
            Stage::Opening { .. } | Stage::Lingering(_) | Stage::Closed => self.turn,
        };
        if turn != self.turn {
            self.turn = turn;
            self.since = Instant::now();
        }
        let after = |limit: Option<Duration>| self.since.checked_add(limit?);
        match &self.stage {
            Stage::Opening { .. } => after(self.shared.header_timeout),
            Stage::Http1(http1) => match http1.phase() {
                Phase::Head => after(self.shared.header_timeout),
                Phase::Idle | Phase::Stalled => after(self.shared.idle),
                Phase::Busy => http1.wake_at(),
            },
            // Its exchanges keep their own times.
            Stage::Http2(http2) if http2.progress.is_busy() && !http2.progress.is_stalled() => None,
            Stage::Http2(_) => after(self.shared.idle),
            Stage::Lingering(_) => after(Some(LINGER)),
            Stage::Closed => None,
        }
    }

    fn on_deadline(&mut self) {
        match &mut self.stage {
            Stage::Http1(http1) => match http1.phase() {
                Phase::Busy => http1.wake(),
                Phase::Head => http1.give_up_head(),
                Phase::Idle => self.linger(false),
                Phase::Stalled => self.stage = Stage::Closed,
            },
            Stage::Opening { .. } | Stage::Http2(_) | Stage::Lingering(_) | Stage::Closed => {
                self.stage = Stage::Closed;
            }
        }
    }

    /// The listener stops: no more requests.
    fn on_stop(&mut self) {
        match &mut self.stage {
            Stage::Opening { .. } => self.stage = Stage::Closed,
            Stage::Http1(http1) => http1.stop(),
            Stage::Http2(http2) => Pin::new(&mut http2.connection).graceful_shutdown(),
            Stage::Lingering(_) | Stage::Closed => {}
        }
    }

    fn is_busy(&self) -> bool {
        match &self.stage {
            Stage::Http1(http1) => http1.is_busy(),
            Stage::Http2(http2) => http2.progress.is_busy(),
            Stage::Opening { .. } | Stage::Lingering(_) | Stage::Closed => false,
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
        self.shared.leave(self.is_busy());
    }
}

impl Linger {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.told {
            self.told = true;
            if let Poll::Ready(Err(_)) = Pin::new(&mut self.socket).poll_shutdown(cx) {
                return Poll::Ready(());
            }
        }
        let mut room = [0; 8192];
        loop {
            let mut buffer = ReadBuf::new(&mut room);
            match Pin::new(&mut self.socket).poll_read(cx, &mut buffer) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() && self.left > buffer.filled().len() => {
                    self.left -= buffer.filled().len();
                }
                Poll::Ready(_) => return Poll::Ready(()),
            }
        }
    }
}

/// What every connection of HTTP/2 has in common.
pub(super) fn http2() -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder.max_header_list_size(MAX_HEAD);
    builder
}
