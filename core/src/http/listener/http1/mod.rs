//! HTTP/1.1 on one connection: requests in, their exchanges driven, answers out, one after the other.
//!
//! hyper could do it, and serves HTTP/2. But it needs more time for a request than reading the message, looking up its
//! tool and answering it take together, and most of that is for what no exchange needs. What is served here is stricter,
//! too: a request whose body could be read in two ways is refused.

mod framing;
#[cfg(any(test, feature = "fuzzing"))]
mod fuzzing;
mod head;
mod input;
mod output;
mod response;
mod serving;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use fuzzing::requests;
pub(super) use input::Input;

use super::transport::Socket;
use crate::http::endpoint::Endpoint;
use crate::http::exchange::PeerAddress;
use head::{Head, Refused, MAX_HEAD};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Response};
use output::Output;
use response::Behind;
use serving::{Served, Serving};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

/// A head, and the beginning of its body.
const MOST_INPUT: usize = MAX_HEAD + (16 << 10);

/// A connection.
#[derive(Debug)]
pub(super) struct Http1 {
    wire: Wire,
    serving: Option<Serving>,
    /// An empty map for the next head.
    headers: HeaderMap,
    /// So much of the input has been looked at for the end of a head.
    searched: usize,
    /// No request is read any more that has not begun to come.
    is_stopping: bool,
    /// The client does not take what is sent.
    is_stalled: bool,
    /// Goes up when a request begins or ends, and with whatever else restarts the time that may be waited.
    turn: u32,
}

/// The two ways, and what is known of them.
#[derive(Debug)]
struct Wire {
    socket: Socket,
    input: Input,
    output: Output,
    /// Nothing is read behind the answer that is on its way.
    is_last: bool,
    /// The client may still be sending what nobody reads.
    is_sending: bool,
}

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// A request: nothing of it has come.
    Idle,
    /// The rest of a head.
    Head,
    /// An exchange.
    Busy,
    /// The client, which does not read.
    Stalled,
}

/// How a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The client is gone.
    Close,
    /// The client was told everything; it may still be sending.
    Linger { is_sending: bool },
}

impl Http1 {
    pub(super) fn new(socket: Socket, input: Input) -> Self {
        Self {
            wire: Wire { socket, input, output: Output::default(), is_last: false, is_sending: false },
            serving: None,
            headers: HeaderMap::new(),
            searched: 0,
            is_stopping: false,
            is_stalled: false,
            turn: 0,
        }
    }

    pub(super) fn into_socket(self) -> Socket {
        self.wire.socket
    }

    pub(super) fn turn(&self) -> u32 {
        self.turn
    }

    pub(super) fn is_busy(&self) -> bool {
        self.serving.is_some()
    }

    pub(super) fn phase(&self) -> Phase {
        if self.is_stalled {
            Phase::Stalled
        } else if self.is_busy() {
            Phase::Busy
        } else if self.wire.input.is_empty() {
            Phase::Idle
        } else {
            Phase::Head
        }
    }

    /// When the exchange has something to do.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        let wait = self.serving.as_ref()?.exchange.next_deadline()?;
        Instant::now().checked_add(wait)
    }

    /// That moment has come.
    pub(super) fn wake(&self) {
        if let Some(serving) = &self.serving {
            serving.exchange.tick();
        }
    }

    /// The listener stops.
    pub(super) fn stop(&mut self) {
        self.is_stopping = true;
    }

    /// Works until there is nothing to do; ready when the connection has ended.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, endpoint: &Endpoint, peer: PeerAddress) -> Poll<End> {
        loop {
            match self.poll_write(cx) {
                Poll::Ready(true) => {}
                Poll::Ready(false) => return Poll::Ready(End::Close),
                Poll::Pending => return Poll::Pending,
            }
            let Some(serving) = &mut self.serving else {
                if self.wire.is_last {
                    return Poll::Ready(End::Linger { is_sending: self.wire.is_sending });
                }
                match self.poll_begin(cx, endpoint, peer) {
                    Poll::Ready(None) => continue,
                    Poll::Ready(Some(end)) => return Poll::Ready(end),
                    Poll::Pending => return Poll::Pending,
                }
            };
            match serving.poll(cx, &mut self.wire, self.is_stopping) {
                Poll::Ready(Served::Said) => {}
                Poll::Ready(Served::Ended(headers)) => {
                    self.serving = None;
                    self.turn = self.turn.wrapping_add(1);
                    self.headers = headers;
                    self.headers.clear();
                }
                Poll::Ready(Served::Gone) => return Poll::Ready(End::Close),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Sends what is there to be sent; false if the client does not exist any more.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<bool> {
        let Wire { socket, output, .. } = &mut self.wire;
        if output.is_empty() {
            return Poll::Ready(true);
        }
        let mut written = 0;
        let polled = output.poll_write(cx, Pin::new(socket), &mut written);
        let is_stalled = polled.is_pending();
        if is_stalled != self.is_stalled || (is_stalled && written > 0) {
            self.is_stalled = is_stalled;
            self.turn = self.turn.wrapping_add(1);
        }
        polled.map(|result| result.is_ok())
    }

    /// Reads the next head and begins to serve it. Ready with how the connection ends, if it does.
    fn poll_begin(
        &mut self,
        cx: &mut Context<'_>,
        endpoint: &Endpoint,
        peer: PeerAddress,
    ) -> Poll<Option<End>> {
        loop {
            if let Some(head) = self.read_head() {
                match head {
                    Ok(head) => {
                        self.serving = Some(Serving::new(head, endpoint, peer));
                        self.turn = self.turn.wrapping_add(1);
                    }
                    Err(refused) => self.wire.refuse(refused),
                }
                return Poll::Ready(None);
            }
            let Wire { socket, input, .. } = &mut self.wire;
            let was_empty = input.is_empty();
            if was_empty && self.is_stopping {
                return Poll::Ready(Some(End::Linger { is_sending: false }));
            }
            match input.poll_read(cx, Pin::new(socket), MOST_INPUT) {
                Poll::Ready(Ok(0) | Err(_)) => return Poll::Ready(Some(End::Close)),
                Poll::Ready(Ok(_)) => {
                    // An empty line begins no request, so it does not win time.
                    if was_empty {
                        input.skip_empty_lines();
                    }
                    if was_empty && !input.is_empty() {
                        self.turn = self.turn.wrapping_add(1);
                    }
                }
                Poll::Pending => {
                    input.settle();
                    return Poll::Pending;
                }
            }
        }
    }

    /// The next head, once it has come.
    fn read_head(&mut self) -> Option<Result<Head, Refused>> {
        let input = &mut self.wire.input;
        if self.searched == 0 {
            input.skip_empty_lines();
        }
        let waiting = input.waiting();
        if matches!(waiting, [] | [b'\r']) {
            return None;
        }
        if self.searched > 0 && !head::may_be_complete(waiting, self.searched) && waiting.len() < MAX_HEAD {
            self.searched = waiting.len();
            return None;
        }
        match head::read(waiting, &mut self.headers) {
            Ok(Some(head)) => {
                self.searched = 0;
                self.wire.input.skip(head.length);
                Some(Ok(head))
            }
            Ok(None) => {
                self.searched = waiting.len();
                None
            }
            Err(refused) => Some(Err(refused)),
        }
    }

    /// The head took too long. Its client is told once this is polled again.
    pub(super) fn give_up_head(&mut self) {
        self.wire.refuse(head::LATE);
    }
}

impl Wire {
    /// Answers what is no request. Where it ends is not known, so nothing can follow.
    fn refuse(&mut self, refused: Refused) {
        let (mut head, ()) = Response::new(()).into_parts();
        head.status = refused.status;
        head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        response::write_head(&mut self.output.text, &head, Behind::Bytes(refused.why.len() + 1), true);
        self.output.text.extend_from_slice(refused.why.as_bytes());
        self.output.text.push(b'\n');
        self.is_last = true;
        self.is_sending = true;
    }
}
