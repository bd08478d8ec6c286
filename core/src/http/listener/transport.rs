//! Sockets, and what is spoken over them.

use super::http1::Input;
use super::progress::Progress;
use bytes::BufMut;
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
/// What is read to tell what a client speaks; what is more is part of its first request.
const FIRST: usize = 4 << 10;

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

impl Speech {
    /// What a client speaks that has sent these bytes; `None`: it is not clear yet.
    fn of(bytes: &[u8]) -> Option<Self> {
        let common = bytes.len().min(PREFACE.len());
        if bytes.get(..common) != PREFACE.get(..common) {
            Some(Self::Http1)
        } else if common == PREFACE.len() {
            Some(Self::Http2)
        } else {
            None
        }
    }
}

impl Socket {
    /// Reads until it is clear what the client speaks. `None`: it left before.
    pub(super) fn poll_speech(&mut self, cx: &mut Context<'_>, input: &mut Input) -> Poll<Option<Speech>> {
        loop {
            if let Some(speech) = Speech::of(input.waiting()) {
                return Poll::Ready(Some(speech));
            }
            match ready!(input.poll_read(cx, Pin::new(&mut *self), FIRST)) {
                Ok(0) | Err(_) => return Poll::Ready(None),
                Ok(_) => {}
            }
        }
    }

    /// Reads once into the room that a buffer has. 0: the other side has ended.
    pub(super) fn poll_fill(&self, cx: &mut Context<'_>, room: &mut impl BufMut) -> Poll<io::Result<usize>> {
        loop {
            let read = match self {
                Self::Tcp(stream) => {
                    ready!(stream.poll_read_ready(cx))?;
                    stream.try_read_buf(room)
                }
                Self::Unix(stream) => {
                    ready!(stream.poll_read_ready(cx))?;
                    stream.try_read_buf(room)
                }
            };
            match read {
                // It was read to its end before; now the runtime knows.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return Poll::Ready(read),
            }
        }
    }

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

/// A socket of HTTP/2: what was read of it already comes first, and its [`Progress`] is noted.
#[derive(Debug)]
pub(super) struct Transport {
    pub(super) socket: Socket,
    pub(super) input: Input,
    pub(super) progress: Arc<Progress>,
}

impl Transport {
    fn note(&self, result: &Poll<io::Result<usize>>) {
        self.progress.note_write(result.is_pending());
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.input.is_empty() {
            return Pin::new(&mut this.socket).poll_read(cx, buffer);
        }
        let count = this.input.len().min(buffer.remaining());
        buffer.put_slice(this.input.waiting().get(..count).unwrap_or_default());
        this.input.skip(count);
        this.input.settle();
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.socket).poll_write(cx, bytes);
        this.note(&result);
        result
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.socket).poll_write_vectored(cx, slices);
        this.note(&result);
        result
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
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
