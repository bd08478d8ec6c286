//! One request of one connection: drives its exchange, and makes hyper's response of what the exchange says.

use super::payload::{Payload, Stream};
use super::progress::Progress;
use super::timing::{Open, Timing};
use crate::http::endpoint::Endpoint;
use crate::http::exchange::{Exchange, Part, PeerAddress};
use http::header::{CONNECTION, CONTENT_TYPE, TRANSFER_ENCODING};
use http::response::Parts;
use http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::{Body, Incoming};
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

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
        let (head, body) = request.into_parts();
        let state = if self.progress.is_ambiguous() && head.headers.contains_key(TRANSFER_ENCODING) {
            State::Refused("The request has both Content-Length and Transfer-Encoding: send one of them.")
        } else {
            let open = Open::new(&self.progress);
            if body.is_end_stream() {
                self.progress.note_received();
            }
            State::Asked(Asked {
                exchange: self.endpoint.begin(head, self.peer),
                body: Some(body),
                left: None,
                head: None,
                timing: if self.serial { Timing::Connection } else { Timing::Own(Box::default()) },
                open,
            })
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
    Asked(Asked),
    /// The request is malformed in a way that only its transport sees.
    Refused(&'static str),
    Done,
}

#[derive(Debug)]
struct Asked {
    exchange: Exchange,
    /// The request's body, until it has been read or nobody wants it any more.
    body: Option<Incoming>,
    /// How many bytes of it the exchange still takes; `None` while it has not asked for any.
    left: Option<usize>,
    head: Option<Parts>,
    timing: Timing,
    open: Open,
}

/// What an exchange came to.
enum Outcome {
    /// A head, and all that follows it.
    Whole(Option<Vec<u8>>),
    /// A head, perhaps some bytes, and more to come.
    Begun(Option<Vec<u8>>),
    Refused(&'static str),
}

impl Future for Answer {
    type Output = Result<Response<Payload>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = match &mut self.state {
            State::Asked(asked) => match asked.poll(cx) {
                Poll::Ready(outcome) => outcome,
                Poll::Pending => return Poll::Pending,
            },
            State::Refused(why) => Outcome::Refused(why),
            State::Done => return Poll::Pending,
        };
        let state = std::mem::replace(&mut self.state, State::Done);
        Poll::Ready(Ok(match (outcome, state) {
            (Outcome::Whole(bytes), State::Asked(asked)) => asked.into_whole(bytes),
            (Outcome::Begun(first), State::Asked(asked)) => asked.into_stream(first),
            (Outcome::Refused(why), _) => refusal(why),
            (Outcome::Whole(_) | Outcome::Begun(_), State::Refused(_) | State::Done) => {
                plain(StatusCode::INTERNAL_SERVER_ERROR, "")
            }
        }))
    }
}

impl Asked {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        loop {
            if let Err(why) = self.read_body(cx) {
                return Poll::Ready(Outcome::Refused(why));
            }
            match self.exchange.poll(cx) {
                Poll::Ready(Part::WantBody { most }) => self.left = Some(most),
                Poll::Ready(Part::Head { parts }) => {
                    self.head = Some(parts);
                    // What it has not read by now is not wanted.
                    self.left = None;
                }
                Poll::Ready(Part::Data { bytes, last: true }) => {
                    return Poll::Ready(Outcome::Whole(Some(bytes)))
                }
                Poll::Ready(Part::Data { bytes, last: false }) => {
                    return Poll::Ready(Outcome::Begun(Some(bytes)))
                }
                Poll::Ready(Part::End) => return Poll::Ready(Outcome::Whole(None)),
                Poll::Pending if self.head.is_some() => return Poll::Ready(Outcome::Begun(None)),
                Poll::Pending => {
                    if !self.timing.poll_due(cx, &self.open, &self.exchange) {
                        return Poll::Pending;
                    }
                }
            }
        }
    }

    /// Hands over what has come of the body, if it is wanted.
    fn read_body(&mut self, cx: &mut Context<'_>) -> Result<(), &'static str> {
        while let (Some(left), Some(body)) = (self.left, &mut self.body) {
            if body.is_end_stream() {
                self.end_body();
                break;
            }
            match Pin::new(body).poll_frame(cx) {
                Poll::Pending => break,
                Poll::Ready(None) => self.end_body(),
                Poll::Ready(Some(Err(_))) => return Err("The body breaks its framing, or ends too early."),
                Poll::Ready(Some(Ok(frame))) => {
                    // Trailers say nothing here.
                    let Some(chunk) = frame.data_ref() else { continue };
                    self.exchange.body(chunk);
                    // With more than it takes, the exchange has its answer.
                    self.left = left.checked_sub(chunk.len());
                }
            }
        }
        Ok(())
    }

    fn end_body(&mut self) {
        self.body = None;
        self.open.progress().note_received();
        self.exchange.end_body();
    }

    fn into_whole(self, bytes: Option<Vec<u8>>) -> Response<Payload> {
        let Some(head) = self.head else {
            return plain(StatusCode::INTERNAL_SERVER_ERROR, "");
        };
        let payload = bytes.map_or(Payload::Empty, |bytes| Payload::whole(bytes, Some(self.open)));
        Response::from_parts(head, payload)
    }

    fn into_stream(self, first: Option<Vec<u8>>) -> Response<Payload> {
        let Some(head) = self.head else {
            return plain(StatusCode::INTERNAL_SERVER_ERROR, "");
        };
        let stream = Stream { exchange: self.exchange, first, timing: self.timing, open: self.open };
        Response::from_parts(head, Payload::Stream(stream))
    }
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
