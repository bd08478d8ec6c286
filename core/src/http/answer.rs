//! Responses: their heads, and the texts of refusals that are no JSON-RPC errors.

use super::authorize::Refusal;
use super::challenge::{www_authenticate, Challenge};
use super::endpoint::Inner;
use crate::jsonrpc::{About, ErrorBody};
use crate::protocol::wire::code;
use http::header::{HeaderMap, HeaderValue, ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{response, Response, StatusCode};
use std::borrow::Cow;

pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const SOON: HeaderValue = HeaderValue::from_static("1");

/// A refusal that is about HTTP, not about a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    Host,
    Origin,
    Path,
    /// Which are served.
    Method(&'static str),
    Framing,
    TooLarge(usize),
    ContentType,
    Accept,
    AcceptStream,
    Stopping,
    Spent,
    Late,
    Undecided,
    Body,
    Failed,
}

impl Refused {
    fn status(self) -> StatusCode {
        match self {
            Self::Host | Self::Origin | Self::Body => StatusCode::FORBIDDEN,
            Self::Path => StatusCode::NOT_FOUND,
            Self::Method(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Framing => StatusCode::BAD_REQUEST,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::ContentType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Accept | Self::AcceptStream => StatusCode::NOT_ACCEPTABLE,
            Self::Stopping | Self::Spent | Self::Undecided => StatusCode::SERVICE_UNAVAILABLE,
            Self::Late => StatusCode::REQUEST_TIMEOUT,
            Self::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What would help. Empty where the client is not to be told.
    fn text(self) -> String {
        let text = match self {
            Self::Host => "The Host header names another server: add the name to the option hosts.",
            Self::Origin => "The Origin is not allowed: add it to the option origins.",
            Self::Path => "Nothing is served here: the path differs from the option path.",
            Self::Method(served) => return format!("Only {served} is served here.\n"),
            Self::Framing => {
                "The request has both Content-Length and Transfer-Encoding, or a bad Content-Length."
            }
            Self::TooLarge(most) => {
                return format!("The body is over {most} bytes, the option max_body_bytes.\n")
            }
            Self::ContentType => "The Content-Type must be application/json in UTF-8.",
            Self::Accept => "The Accept header must take application/json.",
            Self::AcceptStream => {
                "The Accept header must take text/event-stream: this method answers a stream."
            }
            Self::Stopping => "The server is shutting down.",
            Self::Spent => "Too many large requests are being served (option byte_budget): try again.",
            Self::Late => "The body took too long (option body_timeout_ms).",
            Self::Undecided => "It was not decided in time who may come in: try again.",
            Self::Body | Self::Failed => return String::new(),
        };
        format!("{text}\n")
    }

    /// Status, headers and text.
    pub(super) fn response(self) -> (StatusCode, HeaderMap, Vec<u8>) {
        let mut headers = HeaderMap::new();
        let text = self.text();
        if !text.is_empty() {
            headers.insert(CONTENT_TYPE, TEXT);
        }
        match self {
            Self::Method(served) => {
                headers.insert(ALLOW, HeaderValue::from_static(served));
            }
            Self::Stopping | Self::Spent | Self::Undecided => {
                headers.insert(RETRY_AFTER, SOON);
            }
            Self::Host
            | Self::Origin
            | Self::Path
            | Self::Framing
            | Self::TooLarge(_)
            | Self::ContentType
            | Self::Accept
            | Self::AcceptStream
            | Self::Late
            | Self::Body
            | Self::Failed => {}
        }
        (self.status(), headers, text.into_bytes())
    }
}

/// The head of a response.
pub(super) fn head(status: StatusCode, headers: HeaderMap) -> response::Parts {
    let (mut parts, ()) = Response::new(()).into_parts();
    parts.status = status;
    parts.headers = headers;
    parts
}

pub(super) fn json_headers() -> HeaderMap {
    // Servers keep the map for the headers of the next request.
    let mut headers = HeaderMap::with_capacity(12);
    headers.insert(CONTENT_TYPE, JSON);
    headers
}

pub(super) fn event_headers() -> HeaderMap {
    let mut headers = HeaderMap::with_capacity(8);
    headers.insert(CONTENT_TYPE, EVENTS);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    headers
}

pub(super) fn retry_soon(headers: &mut HeaderMap) {
    headers.insert(RETRY_AFTER, SOON);
}

/// The challenge of a refusal by the authorizer.
pub(super) fn challenge(endpoint: &Inner, refusal: &Refusal) -> HeaderValue {
    www_authenticate(&Challenge {
        realm: endpoint.realm(),
        error: refusal.error.as_deref(),
        description: refusal.description.as_deref(),
        scope: refusal.scope.as_deref(),
        resource_metadata: endpoint.metadata_url(),
    })
}

/// The challenge of a call whose caller lacks scopes of a catalog item.
pub(super) fn scope_challenge(endpoint: &Inner, missing: &str) -> HeaderValue {
    www_authenticate(&Challenge {
        realm: endpoint.realm(),
        error: Some("insufficient_scope"),
        description: Some("The caller lacks scopes of this item."),
        scope: Some(missing),
        resource_metadata: endpoint.metadata_url(),
    })
}

/// What is answered where there is no room: 503, and to be tried again.
pub(super) fn busy(why: impl Into<Cow<'static, str>>) -> ErrorBody {
    ErrorBody::new(code::INTERNAL_ERROR, why).about(About::Busy)
}
