//! One request of one connection: drives its exchange, and makes hyper's response of what the exchange says.

use super::payload::{Payload, Stream};
use super::progress::Progress;
use super::timing::{Open, Timing};
use crate::http::endpoint::Endpoint;
use crate::http::exchange::{Exchange, Part, PeerAddress};
use http::header::{CONNECTION, CONTENT_TYPE};
use http::response::Parts;
use http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::{Body, Incoming};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

const TWO_LENGTHS: &str = "The request has both Content-Length and Transfer-Encoding: send one of them.";
const BROKEN_BODY: &str = "The body breaks its framing, or ends too early.";

/// Begins the exchanges of one connection.
#[derive(Debug)]
pub(super) struct Service {
    pub(super) endpoint: Endpoint,
    pub(super) peer: PeerAddress,
    pub(super) progress: Arc<Progress>,
    /// Whether requests come one after the other, so that the connection keeps their time.
    pub(super) serial: bool,
}

impl hyper::service::Service<Request<Incoming>> for Service {
    type Response = Response<Payload>;
    type Error = Infallible;
    type Future = Answer;

    fn call(&self, request: Request<Incoming>) -> Answer {
        let length = request.body().size_hint().exact();
        let open = Open::new(&self.progress, length);
        if request.body().is_end_stream() {
            self.progress.note_received();
        }
        let timing = if self.serial { Timing::Connection } else { Timing::Own(Box::default()) };
        let state = if self.serial && length.is_none() {
            let endpoint = self.endpoint.clone();
            State::Doubted(Some(Box::new(Doubted { endpoint, peer: self.peer, request, timing, open })))
        } else {
            State::Asked(Asked::new(&self.endpoint, self.peer, request, timing, open))
        };
        Answer { state }
    }
}

/// The future response to a request.
#[derive(Debug)]
pub(super) struct Answer {
    state: State,
}

#[derive(Debug)]
enum State {
    /// The body is chunked: its head may have had a length that hyper did not hand on, and only the transport knows.
    Doubted(Option<Box<Doubted>>),
    Asked(Asked),
    Done,
}

#[derive(Debug)]
struct Doubted {
    endpoint: Endpoint,
    peer: PeerAddress,
    request: Request<Incoming>,
    timing: Timing,
    open: Open,
}

#[derive(Debug)]
struct Asked {
    exchange: Exchange,
    /// The request's body, until it has been read.
    body: Option<Incoming>,
    /// How many bytes of it the exchange still takes; `None` while it wants none.
    left: Option<usize>,
    timing: Timing,
    /// `None` once the response has it.
    open: Option<Open>,
}

/// What an exchange came to.
enum Outcome {
    /// A head, and all that follows it.
    Whole(Parts, Vec<u8>),
    /// A head, perhaps some bytes, and more to come.
    Begun(Parts, Option<Vec<u8>>),
    /// The request is malformed in a way that only its transport sees.
    Refused(&'static str),
}

impl Future for Answer {
    type Output = Result<Response<Payload>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let State::Doubted(doubted) = &mut this.state {
            let progress = doubted.as_ref().map(|doubted| doubted.open.progress());
            match progress.and_then(Progress::ask_lengths) {
                Some(true) => return Poll::Ready(Ok(refusal(TWO_LENGTHS))),
                Some(false) => {}
                None => {
                    // The transport is asked as soon as this has returned.
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
            }
            if let Some(doubted) = doubted.take() {
                let Doubted { endpoint, peer, request, timing, open } = *doubted;
                this.state = State::Asked(Asked::new(&endpoint, peer, request, timing, open));
            }
        }
        let State::Asked(asked) = &mut this.state else {
            return Poll::Pending;
        };
        let response = match asked.poll(cx) {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Outcome::Whole(head, bytes)) => {
                Response::from_parts(head, Payload::whole(bytes, asked.open.take()))
            }
            Poll::Ready(Outcome::Begun(head, first)) => {
                let asked = std::mem::replace(&mut this.state, State::Done);
                Response::from_parts(head, asked.into_stream(first))
            }
            Poll::Ready(Outcome::Refused(why)) => refusal(why),
        };
        Poll::Ready(Ok(response))
    }
}

impl State {
    /// What is left of an exchange that has begun to answer.
    fn into_stream(self, first: Option<Vec<u8>>) -> Payload {
        match self {
            Self::Asked(Asked { exchange, timing, open: Some(open), .. }) => {
                Payload::Stream(Stream { exchange, first, timing, open })
            }
            Self::Asked(_) | Self::Doubted(_) | Self::Done => Payload::Empty,
        }
    }
}

impl Asked {
    fn new(
        endpoint: &Endpoint,
        peer: PeerAddress,
        request: Request<Incoming>,
        timing: Timing,
        open: Open,
    ) -> Self {
        let (head, body) = request.into_parts();
        let exchange = endpoint.begin_unmeasured(head, peer);
        Self { exchange, body: Some(body), left: None, timing, open: Some(open) }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        let mut head = None;
        loop {
            match self.read_body(cx) {
                Ok(true) => {
                    // Nearly always it answers at once.
                    if let Some((head, bytes)) = self.exchange.take_whole() {
                        return Poll::Ready(Outcome::Whole(head, bytes));
                    }
                }
                Ok(false) => {}
                Err(why) => return Poll::Ready(Outcome::Refused(why)),
            }
            match self.exchange.poll(cx) {
                Poll::Ready(Part::WantBody { most }) => self.left = Some(most),
                Poll::Ready(Part::Head { parts }) => {
                    head = Some(parts);
                    // What it has not read by now is not wanted.
                    self.left = None;
                }
                Poll::Ready(Part::Data { bytes, last: true }) => {
                    return Poll::Ready(Outcome::Whole(known(head), bytes));
                }
                Poll::Ready(Part::Data { bytes, last: false }) => {
                    return Poll::Ready(Outcome::Begun(known(head), Some(bytes)));
                }
                Poll::Ready(Part::End) => return Poll::Ready(Outcome::Whole(known(head), Vec::new())),
                Poll::Pending if head.is_some() => {
                    return Poll::Ready(Outcome::Begun(known(head), None));
                }
                Poll::Pending => {
                    let Some(open) = &self.open else {
                        return Poll::Pending;
                    };
                    if !self.timing.poll_due(cx, open, &self.exchange) {
                        return Poll::Pending;
                    }
                }
            }
        }
    }

    /// Hands over what has come of the body, if it is wanted. True: it has just ended.
    fn read_body(&mut self, cx: &mut Context<'_>) -> Result<bool, &'static str> {
        while let (Some(left), Some(body)) = (self.left, &mut self.body) {
            let next = if body.is_end_stream() { Poll::Ready(None) } else { Pin::new(body).poll_frame(cx) };
            match next {
                Poll::Pending => break,
                Poll::Ready(Some(Err(_))) => return Err(BROKEN_BODY),
                Poll::Ready(Some(Ok(frame))) => {
                    // Trailers say nothing here.
                    let Some(chunk) = frame.data_ref() else { continue };
                    self.exchange.body(chunk);
                    // With more than it takes, the exchange has its answer.
                    self.left = left.checked_sub(chunk.len());
                }
                Poll::Ready(None) => {
                    self.body = None;
                    if let Some(open) = &self.open {
                        open.progress().note_received();
                    }
                    self.exchange.end_body();
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

/// An exchange gives its head before anything else.
fn known(head: Option<Parts>) -> Parts {
    head.unwrap_or_else(|| plain(StatusCode::INTERNAL_SERVER_ERROR, "").into_parts().0)
}

/// The answer to a request whose transport is malformed. Where its body ends is not known, so nothing can follow.
fn refusal(why: &'static str) -> Response<Payload> {
    let mut response = plain(StatusCode::BAD_REQUEST, why);
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response<Payload> {
    let mut response = Response::new(Payload::whole(text.into(), None));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
