//! The bytes of one connection, as hyper reads and writes them.

use super::framing::Lengths;
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

/// Answers up to this length are written in one piece.
const SMALL: usize = 1024;

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
    lengths: Lengths,
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
            lengths: Lengths::default(),
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
                self.lengths.take(&self.ahead, None);
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
                    self.lengths.take(self.ahead.get(from..).unwrap_or_default(), None);
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

/// The pieces as one, if they fit.
fn gather<'r>(slices: &[IoSlice<'_>], room: &'r mut [u8; SMALL]) -> Option<&'r [u8]> {
    if slices.iter().map(|slice| slice.len()).sum::<usize>() > SMALL {
        return None;
    }
    let mut length = 0;
    for slice in slices {
        let end = length + slice.len();
        room.get_mut(length..end)?.copy_from_slice(slice);
        length = end;
    }
    room.get(..length)
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
            this.lengths.take(read, this.progress.ended_length());
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
        // A head and a small body: copying them costs less than what the system does more for several pieces.
        let mut room = [0; SMALL];
        let result = match gather(slices, &mut room) {
            Some(whole) => Pin::new(&mut this.socket).poll_write(cx, whole),
            None => Pin::new(&mut this.socket).poll_write_vectored(cx, slices),
        };
        this.note_write(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // A socket has nothing to flush, but hyper comes by here whenever it has done what it could.
        if this.speech == Speech::Http1 && this.progress.is_busy() {
            if this.progress.is_asked_for_lengths() {
                this.progress.tell_lengths(this.lengths.are_ambiguous());
            }
            if this.progress.has_received() {
                this.poll_presence(cx)?;
            }
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
