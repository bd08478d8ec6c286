//! The bytes of one connection, as hyper reads and writes them.

use super::framing::LengthWatch;
use super::progress::Progress;
use nix::sys::socket::{recv, MsgFlags};
use std::io::{self, IoSlice};
use std::os::fd::AsRawFd;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{ready, Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};

/// How a client of HTTP/2 begins (RFC 9113 section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Bytes that are read while nobody wants them yet; what is more waits in the socket.
const AHEAD: usize = 16 << 10;

/// A connected socket.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// What a connection speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    Http1,
    Http2,
}

/// A socket that notes what happens in the connection's [`Progress`].
#[derive(Debug)]
pub(super) struct Transport {
    socket: Socket,
    progress: Arc<Progress>,
    lengths: LengthWatch,
    speech: Speech,
    /// Read before hyper asked for it; `given` of it has been handed on.
    ahead: Vec<u8>,
    given: usize,
}

impl Socket {
    /// Whether the system holds bytes that nobody has read. The runtime may not have heard of them yet.
    pub(super) fn has_unread(&self) -> bool {
        let descriptor = match self {
            Self::Tcp(stream) => stream.as_raw_fd(),
            Self::Unix(stream) => stream.as_raw_fd(),
        };
        let flags = MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT;
        recv(descriptor, &mut [0], flags).is_ok_and(|count| count > 0)
    }
}

impl Transport {
    pub(super) fn new(socket: Socket, progress: Arc<Progress>) -> Self {
        Self {
            socket,
            progress,
            lengths: LengthWatch::default(),
            speech: Speech::Http1,
            ahead: Vec::new(),
            given: 0,
        }
    }

    pub(super) fn into_socket(self) -> Socket {
        self.socket
    }

    /// Reads until it is clear what the client speaks. `None`: it left before.
    pub(super) fn poll_speech(&mut self, cx: &mut Context<'_>) -> Poll<Option<Speech>> {
        loop {
            let common = self.ahead.len().min(PREFACE.len());
            if self.ahead.get(..common) != PREFACE.get(..common) {
                self.lengths_of_ahead();
                return Poll::Ready(Some(Speech::Http1));
            }
            if common == PREFACE.len() {
                self.speech = Speech::Http2;
                return Poll::Ready(Some(Speech::Http2));
            }
            match ready!(self.poll_ahead(cx)) {
                Ok(0) | Err(_) => return Poll::Ready(None),
                Ok(_) => self.progress.note_read(),
            }
        }
    }

    fn lengths_of_ahead(&mut self) {
        if self.lengths.see(&self.ahead) {
            self.progress.note_ambiguous();
        }
    }

    /// Reads what there is room for. 0: the client has ended its side.
    fn poll_ahead(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut room = [0; 4096];
        let mut buffer = ReadBuf::new(&mut room);
        let result = ready!(Pin::new(&mut self.socket).poll_read(cx, &mut buffer));
        if result.is_err() || buffer.filled().is_empty() {
            self.progress.note_ended();
        }
        self.ahead.extend_from_slice(buffer.filled());
        Poll::Ready(result.map(|()| buffer.filled().len()))
    }

    /// While a request is served whose body has come, hyper does not read if it has bytes of the next one already,
    /// and so would not see that the client left.
    fn poll_presence(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        while self.ahead.len() - self.given < AHEAD {
            let from = self.ahead.len();
            match self.poll_ahead(cx) {
                Poll::Pending => return Ok(()),
                Poll::Ready(Ok(0)) => return Err(io::ErrorKind::ConnectionAborted.into()),
                Poll::Ready(Ok(_)) => {
                    if self.lengths.see(self.ahead.get(from..).unwrap_or_default()) {
                        self.progress.note_ambiguous();
                    }
                    self.progress.note_ahead(true);
                }
                Poll::Ready(Err(error)) => return Err(error),
            }
        }
        Ok(())
    }

    fn give_ahead(&mut self, buffer: &mut ReadBuf<'_>) -> bool {
        let waiting = self.ahead.get(self.given..).unwrap_or_default();
        if waiting.is_empty() {
            return false;
        }
        let (given, rest) = waiting.split_at(waiting.len().min(buffer.remaining()));
        buffer.put_slice(given);
        if rest.is_empty() {
            self.ahead = Vec::new();
            self.given = 0;
            self.progress.note_ahead(false);
        } else {
            self.given += given.len();
        }
        true
    }

    fn note_write(&self, result: &Poll<io::Result<usize>>) {
        match result {
            Poll::Ready(_) => self.progress.note_written(),
            Poll::Pending => self.progress.note_stalled(),
        }
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.give_ahead(buffer) {
            if this.speech == Speech::Http1 {
                this.progress.note_read();
            }
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        let result = ready!(Pin::new(&mut this.socket).poll_read(cx, buffer));
        let read = buffer.filled().get(before..).unwrap_or_default();
        if result.is_err() || read.is_empty() {
            this.progress.note_ended();
        } else if this.speech == Speech::Http1 {
            if this.lengths.see(read) {
                this.progress.note_ambiguous();
            }
            this.progress.note_read();
        }
        Poll::Ready(result)
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.socket).poll_write(cx, bytes);
        this.note_write(&result);
        result
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.socket).poll_write_vectored(cx, slices);
        this.note_write(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // A socket has nothing to flush, but hyper comes by here whenever it has done what it could.
        if this.speech == Speech::Http1 && this.progress.is_busy() && this.progress.has_received() {
            this.poll_presence(cx)?;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(cx)
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_read(cx, buffer),
            Self::Unix(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Unix(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
            Self::Unix(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Tcp(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Unix(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
