//! The bodies of responses.

use super::timing::{Open, Timing};
use crate::http::exchange::{Exchange, Part};
use hyper::body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::io::Cursor;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The body of a response.
#[derive(Debug)]
pub(super) enum Payload {
    Empty,
    /// Leaves in one piece, with its length.
    Whole {
        bytes: Cursor<Vec<u8>>,
        _open: Option<Open>,
    },
    /// Leaves in chunks, each flushed as soon as nothing is behind it.
    Stream(Stream),
}

/// An exchange that has begun to answer.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) exchange: Exchange,
    /// What it has given already.
    pub(super) first: Option<Vec<u8>>,
    pub(super) timing: Timing,
    pub(super) open: Open,
}

impl Payload {
    pub(super) fn whole(bytes: Vec<u8>, open: Option<Open>) -> Self {
        if bytes.is_empty() {
            return Self::Empty;
        }
        Self::Whole { bytes: Cursor::new(bytes), _open: open }
    }
}

type Chunk = Cursor<Vec<u8>>;

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
            Self::Whole { bytes, .. } => {
                let bytes = std::mem::take(bytes);
                *this = Self::Empty;
                Some(bytes)
            }
            Self::Stream(stream) => match stream.poll_chunk(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready((chunk, last)) => {
                    if last {
                        *this = Self::Empty;
                    }
                    chunk.map(Cursor::new)
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
            Self::Whole { bytes, .. } => SizeHint::with_exact(bytes.get_ref().len() as u64),
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
            if !self.timing.poll_due(cx, &self.open, &self.exchange) {
                return Poll::Pending;
            }
        }
    }
}
