//! One request over HTTP/2: drives its exchange, and makes hyper's response of what the exchange says.

use super::alarm::Alarm;
use super::payload::{Payload, Stream};
use super::progress::{Open, Progress};
use crate::http::endpoint::Endpoint;
use crate::http::exchange::{Exchange, Part, PeerAddress};
use http::response::Parts;
use http::{Request, Response, StatusCode};
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
}

impl hyper::service::Service<Request<Incoming>> for Service {
    type Response = Response<Payload>;
    type Error = Infallible;
    type Future = Answer;

    fn call(&self, request: Request<Incoming>) -> Answer {
        let open = Open::new(&self.progress);
        let (head, body) = request.into_parts();
        let exchange = self.endpoint.begin_unmeasured(head, self.peer);
        Answer {
            asked: Some(Asked { exchange, body: Some(body), left: None, alarm: Alarm::default(), open }),
        }
    }
}

/// The future response to a request.
#[derive(Debug)]
pub(super) struct Answer {
    /// `None` once there is a response.
    asked: Option<Asked>,
}

#[derive(Debug)]
struct Asked {
    exchange: Exchange,
    /// The request's body, until it has been read.
    body: Option<Incoming>,
    /// How many bytes of it the exchange still takes; `None` while it wants none.
    left: Option<usize>,
    alarm: Alarm,
    open: Open,
}

/// What an exchange came to.
enum Outcome {
    /// A head, and all that follows it.
    Whole(Parts, Vec<u8>),
    /// A head, perhaps some bytes, and more to come.
    Begun(Parts, Option<Vec<u8>>),
    /// The body broke off.
    Broken,
}

impl Future for Answer {
    type Output = Result<Response<Payload>, Infallible>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let Some(Poll::Ready(outcome)) = this.asked.as_mut().map(|asked| asked.poll(cx)) else {
            return Poll::Pending;
        };
        let Some(Asked { exchange, alarm, open, .. }) = this.asked.take() else {
            return Poll::Pending;
        };
        Poll::Ready(Ok(match outcome {
            Outcome::Whole(head, bytes) => Response::from_parts(head, Payload::whole(bytes, open)),
            Outcome::Begun(head, first) => {
                Response::from_parts(head, Payload::Stream(Stream { exchange, first, alarm, _open: open }))
            }
            Outcome::Broken => plain(StatusCode::BAD_REQUEST).map(|()| Payload::Empty),
        }))
    }
}

impl Asked {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        let mut head = None;
        loop {
            if !self.read_body(cx) {
                return Poll::Ready(Outcome::Broken);
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
                Poll::Pending if head.is_some() => return Poll::Ready(Outcome::Begun(known(head), None)),
                Poll::Pending => {
                    if !self.alarm.poll_due(cx, &self.exchange) {
                        return Poll::Pending;
                    }
                }
            }
        }
    }

    /// Hands over what has come of the body, if it is wanted. False: it broke off.
    fn read_body(&mut self, cx: &mut Context<'_>) -> bool {
        while let (Some(left), Some(body)) = (self.left, &mut self.body) {
            match Pin::new(body).poll_frame(cx) {
                Poll::Pending => break,
                Poll::Ready(Some(Err(_))) => return false,
                Poll::Ready(Some(Ok(frame))) => {
                    // Trailers say nothing here.
                    let Some(chunk) = frame.data_ref() else { continue };
                    self.exchange.body(chunk);
                    // With more than it takes, the exchange has its answer.
                    self.left = left.checked_sub(chunk.len());
                }
                Poll::Ready(None) => {
                    self.body = None;
                    self.exchange.end_body();
                }
            }
        }
        true
    }
}

/// An exchange gives its head before anything else.
pub(super) fn known(head: Option<Parts>) -> Parts {
    head.unwrap_or_else(|| plain(StatusCode::INTERNAL_SERVER_ERROR).into_parts().0)
}

fn plain(status: StatusCode) -> Response<()> {
    let mut response = Response::new(());
    *response.status_mut() = status;
    response
}
