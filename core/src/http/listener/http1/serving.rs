//! One request being served: its body in, its exchange driven, its answer out.

use super::super::answer::known;
use super::framing::{Broken, Framing, Step};
use super::head::{Head, Refused};
use super::response::{write_chunk, write_head, Behind, LAST_CHUNK};
use super::Wire;
use crate::http::endpoint::Endpoint;
use crate::http::exchange::{Exchange, Part, PeerAddress};
use crate::json::spare;
use http::response::Parts;
use http::{HeaderMap, Method, StatusCode, Version};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What is read of a body before it is handed on.
const MOST_BODY: usize = 64 << 10;
/// So much of a body is worth a read of its own.
const LONG_BODY: usize = 16 << 10;
/// What is read while a request is being served: the next ones, and above all the end of the connection.
const MOST_AHEAD: usize = 16 << 10;
/// Events are gathered up to this length before they are written.
const MOST_EVENTS: usize = 32 << 10;
/// What a client is told that waits for it.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
const BROKEN: Refused = Refused { status: StatusCode::BAD_REQUEST, why: "The body breaks its framing." };

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is one fact of the request's head")]
pub(super) struct Serving {
    pub(super) exchange: Exchange,
    framing: Framing,
    /// How many bytes of the body the exchange still takes; `None` while it wants none.
    left: Option<usize>,
    expects: bool,
    keep_alive: bool,
    is_head: bool,
    is_old: bool,
    /// The answer is a stream that has begun.
    stream: Option<Stream>,
}

/// A stream on its way: in chunks, or up to the end of the connection.
#[derive(Debug)]
struct Stream {
    behind: Behind,
    headers: HeaderMap,
}

/// What became of serving for now.
pub(super) enum Served {
    /// Something is to be sent.
    Said,
    /// The request has been answered. A map of headers that can be used again.
    Ended(HeaderMap),
    /// The client left.
    Gone,
}

/// What became of reading the body.
enum Body {
    /// It has just ended.
    Ended,
    /// It is not wanted, or has ended before.
    Unwanted,
    /// More must come.
    Pending,
    Broken,
    Gone,
}

impl Serving {
    pub(super) fn new(head: Head, endpoint: &Endpoint, peer: PeerAddress) -> Self {
        let Head { parts, framing, keep_alive, expects, .. } = head;
        let (is_head, is_old) = (parts.method == Method::HEAD, parts.version == Version::HTTP_10);
        let exchange = endpoint.begin_unmeasured(parts, peer);
        Self { exchange, framing, left: None, expects, keep_alive, is_head, is_old, stream: None }
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>, wire: &mut Wire, stopping: bool) -> Poll<Served> {
        let mut head = None;
        loop {
            match self.poll_body(cx, wire) {
                Body::Ended => {
                    // Nearly always it answers at once.
                    if let Some((head, bytes)) = self.exchange.take_whole() {
                        return Poll::Ready(self.answer(wire, head, bytes, stopping));
                    }
                }
                Body::Unwanted | Body::Pending => {}
                Body::Broken => {
                    wire.refuse(BROKEN);
                    return Poll::Ready(Served::Ended(HeaderMap::new()));
                }
                Body::Gone => return Poll::Ready(Served::Gone),
            }
            match self.exchange.poll(cx) {
                Poll::Ready(Part::WantBody { most }) => {
                    self.left = Some(most);
                    if std::mem::take(&mut self.expects) && wire.input.is_empty() {
                        wire.output.text.extend_from_slice(CONTINUE);
                        return Poll::Ready(Served::Said);
                    }
                }
                Poll::Ready(Part::Head { parts }) => {
                    // What has not been read by now is not wanted.
                    self.left = None;
                    head = Some(parts);
                }
                Poll::Ready(Part::Data { bytes, last: true }) if self.stream.is_none() => {
                    return Poll::Ready(self.answer(wire, known(head), bytes, stopping));
                }
                Poll::Ready(Part::End) if self.stream.is_none() => {
                    return Poll::Ready(self.answer(wire, known(head), Vec::new(), stopping));
                }
                Poll::Ready(Part::Data { bytes, last }) => {
                    self.begin_stream(wire, &mut head, stopping);
                    self.write_event(wire, bytes);
                    if last {
                        return Poll::Ready(self.end_stream(wire));
                    }
                    if wire.output.text.len() >= MOST_EVENTS {
                        return Poll::Ready(Served::Said);
                    }
                }
                Poll::Ready(Part::End) => return Poll::Ready(self.end_stream(wire)),
                Poll::Pending => {
                    self.begin_stream(wire, &mut head, stopping);
                    if !wire.output.is_empty() {
                        return Poll::Ready(Served::Said);
                    }
                    return self.poll_presence(cx, wire);
                }
            }
        }
    }

    /// Hands over what has come of the body, as far as it is wanted.
    fn poll_body(&mut self, cx: &mut Context<'_>, wire: &mut Wire) -> Body {
        while let Some(left) = self.left {
            if self.framing.has_ended() {
                self.left = None;
                self.exchange.end_body();
                return Body::Ended;
            }
            match self.framing.step(wire.input.waiting()) {
                Err(Broken) => return Body::Broken,
                Ok(Step { skip: 0, data: 0 }) if !self.framing.has_ended() => {
                    match self.poll_more(cx, wire, left) {
                        Poll::Ready(Ok(0) | Err(_)) => return Body::Gone,
                        Poll::Ready(Ok(_)) => {}
                        Poll::Pending => return Body::Pending,
                    }
                }
                Ok(Step { skip, data }) => {
                    wire.input.skip(skip);
                    let chunk = wire.input.waiting().get(..data).unwrap_or_default();
                    if data > 0 {
                        self.exchange.body(chunk);
                        // With more than it takes, the exchange has its answer.
                        self.left = left.checked_sub(data);
                    }
                    wire.input.skip(data);
                }
            }
        }
        Body::Unwanted
    }

    /// Reads once: the rest of a long body to where it stays, else whatever comes.
    fn poll_more(&mut self, cx: &mut Context<'_>, wire: &mut Wire, left: usize) -> Poll<io::Result<usize>> {
        let rest =
            self.framing.left().map_or(0, |rest| usize::try_from(rest).unwrap_or(usize::MAX)).min(left);
        if rest >= LONG_BODY {
            let read = self.exchange.fill(rest, |room| wire.socket.poll_fill(cx, room));
            if let Some(read) = read {
                if let Poll::Ready(Ok(count)) = read {
                    self.framing.took(count);
                    self.left = left.checked_sub(count);
                }
                return read;
            }
        }
        wire.input.poll_read(cx, Pin::new(&mut wire.socket), MOST_BODY)
    }

    /// Whether the connection ends behind this answer.
    fn closes(&self, stopping: bool) -> bool {
        stopping || !self.keep_alive || !self.framing.has_ended()
    }

    fn answer(&mut self, wire: &mut Wire, head: Parts, bytes: Vec<u8>, stopping: bool) -> Served {
        let behind = if self.is_head { Behind::Nothing } else { Behind::Bytes(bytes.len()) };
        let closes = write_head(&mut wire.output.text, &head, behind, self.closes(stopping));
        if !self.is_head {
            wire.output.body(bytes);
        }
        self.end(wire, closes, head.headers)
    }

    fn begin_stream(&mut self, wire: &mut Wire, head: &mut Option<Parts>, stopping: bool) {
        if let Some(head) = head.take() {
            let behind = if self.is_old { Behind::Rest } else { Behind::Chunks };
            let close = self.is_old || self.closes(stopping);
            self.keep_alive = !write_head(&mut wire.output.text, &head, behind, close);
            self.stream = Some(Stream { behind, headers: head.headers });
        }
    }

    fn write_event(&self, wire: &mut Wire, bytes: Vec<u8>) {
        match &self.stream {
            Some(Stream { behind: Behind::Chunks, .. }) => write_chunk(&mut wire.output.text, &bytes),
            Some(_) | None => wire.output.text.extend_from_slice(&bytes),
        }
        spare::keep(bytes);
    }

    fn end_stream(&mut self, wire: &mut Wire) -> Served {
        let Some(Stream { behind, headers }) = self.stream.take() else {
            return Served::Gone;
        };
        if behind == Behind::Chunks {
            wire.output.text.extend_from_slice(LAST_CHUNK);
        }
        self.end(wire, !self.keep_alive, headers)
    }

    fn end(&self, wire: &mut Wire, closes: bool, headers: HeaderMap) -> Served {
        wire.is_last = closes;
        wire.is_sending = !self.framing.has_ended();
        Served::Ended(headers)
    }

    /// Sees whether the client is still there. What it sends meanwhile waits, as far as there is room.
    fn poll_presence(&self, cx: &mut Context<'_>, wire: &mut Wire) -> Poll<Served> {
        // A body that is being read shows it by itself.
        while self.left.is_none() && wire.input.len() < MOST_AHEAD {
            match wire.input.poll_read(cx, Pin::new(&mut wire.socket), MOST_AHEAD) {
                Poll::Ready(Ok(0) | Err(_)) => return Poll::Ready(Served::Gone),
                Poll::Ready(Ok(_)) => {}
                Poll::Pending => break,
            }
        }
        Poll::Pending
    }
}
