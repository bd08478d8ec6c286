//! Bytes on their way out.

use super::super::payload::Chunk;
use bytes::Buf;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{ready, Context, Poll};
use tokio::io::AsyncWrite;

/// A body up to this length is copied behind its head: that costs less than writing two pieces.
const COPIED: usize = 8 << 10;
/// A longer buffer does not outlive what it was for.
const MOST_KEPT: usize = 32 << 10;

/// What a connection has to send.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Heads, chunks, small bodies.
    pub(super) text: Vec<u8>,
    sent: usize,
    /// A large body, behind the text.
    body: Option<Chunk>,
}

impl Output {
    /// Appends a whole body.
    pub(super) fn body(&mut self, bytes: Vec<u8>) {
        let body = Chunk::new(bytes);
        if body.remaining() <= COPIED {
            self.text.extend_from_slice(body.chunk());
        } else {
            self.body = Some(body);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.len() == self.sent && self.body.is_none()
    }

    /// Writes everything. Gives how many bytes were written even if some are left.
    pub(super) fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        mut socket: Pin<&mut impl AsyncWrite>,
        written: &mut usize,
    ) -> Poll<io::Result<()>> {
        while !self.is_empty() {
            let text = self.text.get(self.sent..).unwrap_or_default();
            let count = match &self.body {
                None => ready!(socket.as_mut().poll_write(cx, text))?,
                Some(body) if text.is_empty() => ready!(socket.as_mut().poll_write(cx, body.chunk()))?,
                Some(body) => {
                    let pieces = [IoSlice::new(text), IoSlice::new(body.chunk())];
                    ready!(socket.as_mut().poll_write_vectored(cx, &pieces))?
                }
            };
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            *written += count;
            self.advance(count);
        }
        self.text.clear();
        self.sent = 0;
        if self.text.capacity() > MOST_KEPT {
            self.text = Vec::new();
        }
        Poll::Ready(Ok(()))
    }

    fn advance(&mut self, count: usize) {
        let of_text = count.min(self.text.len() - self.sent);
        self.sent += of_text;
        if let Some(body) = &mut self.body {
            body.advance(count - of_text);
            if !body.has_remaining() {
                self.body = None;
            }
        }
    }
}
