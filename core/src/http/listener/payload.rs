//! The bodies of responses over HTTP/2.

use super::alarm::Alarm;
use super::progress::Open;
use crate::http::exchange::{Exchange, Part};
use crate::json::spare;
use bytes::Buf;
use hyper::body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Bytes on their way to a socket; their buffer is used again.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    bytes: Vec<u8>,
    at: usize,
}

impl Chunk {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, at: 0 }
    }
}

impl Buf for Chunk {
    fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn advance(&mut self, count: usize) {
        self.at += count.min(self.remaining());
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        spare::keep(std::mem::take(&mut self.bytes));
    }
}

/// The body of a response.
#[derive(Debug)]
pub(super) enum Payload {
    Empty,
    /// With its length.
    Whole {
        chunk: Chunk,
        _open: Open,
    },
    Stream(Stream),
}

/// An exchange that has begun to answer.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) exchange: Exchange,
    /// What it has given already.
    pub(super) first: Option<Vec<u8>>,
    pub(super) alarm: Alarm,
    pub(super) _open: Open,
}

impl Payload {
    pub(super) fn whole(bytes: Vec<u8>, open: Open) -> Self {
        if bytes.is_empty() {
            return Self::Empty;
        }
        Self::Whole { chunk: Chunk::new(bytes), _open: open }
    }
}

impl Body for Payload {
    type Data = Chunk;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Chunk>, Infallible>>> {
        let this = self.get_mut();
        let chunk = match this {
            Self::Empty => None,
            Self::Whole { chunk, .. } => {
                let chunk = std::mem::take(chunk);
                *this = Self::Empty;
                Some(chunk)
            }
            Self::Stream(stream) => match stream.poll_chunk(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready((chunk, last)) => {
                    if last {
                        *this = Self::Empty;
                    }
                    chunk.map(Chunk::new)
                }
            },
        };
        Poll::Ready(chunk.map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Whole { .. } | Self::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Empty => SizeHint::with_exact(0),
            Self::Whole { chunk, .. } => SizeHint::with_exact(chunk.remaining() as u64),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}

impl Stream {
    /// The next bytes and whether they are the last.
    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<(Option<Vec<u8>>, bool)> {
        if let Some(first) = self.first.take() {
            return Poll::Ready((Some(first), false));
        }
        loop {
            match self.exchange.poll(cx) {
                Poll::Ready(Part::Data { bytes, last }) => return Poll::Ready((Some(bytes), last)),
                Poll::Ready(Part::End | Part::Head { .. } | Part::WantBody { .. }) => {
                    return Poll::Ready((None, true))
                }
                Poll::Pending => {}
            }
            if !self.alarm.poll_due(cx, &self.exchange) {
                return Poll::Pending;
            }
        }
    }
}
