//! The question of who may use the endpoint.

use super::exchange::{PeerAddress, Shared};
use crate::caller::Caller;
use crate::protocol::LogLevel;
use http::HeaderMap;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Decides about the bytes of a body, before they are read as JSON.
pub type BodyCheck = dyn Fn(&Caller, &[u8]) -> bool + Send + Sync;

/// Decides who may use the endpoint.
pub trait Authorizer: Send + Sync + 'static {
    /// Answers `question`, now or later, from any thread. Runs where [`crate::Dispatch`] says, before a byte of the body
    /// is read. Dropped unanswered, the client gets 500 and no reason;
    /// unanswered for 30 seconds, 503. The log says why.
    fn authorize(&self, question: Authorization);
}

/// A request that wants in: its head and its peer. Answered once. The same is asked again about an open subscription,
/// where [`super::HttpConfig::reauthorize_ms`] or [`super::HttpConfig::reauthorize_on_delivery`] says so; there a refusal
/// ends it.
pub struct Authorization {
    /// `None` once answered.
    asked: Option<Arc<Shared>>,
}

impl Authorization {
    pub(super) fn new(asked: Arc<Shared>) -> Self {
        Self { asked: Some(asked) }
    }

    fn head(&self) -> Option<&http::request::Parts> {
        self.asked.as_deref().map(|asked| &asked.head)
    }

    /// The HTTP method.
    pub fn method(&self) -> &str {
        self.head().map_or("", |head| head.method.as_str())
    }

    /// The path, without the query.
    pub fn path(&self) -> &str {
        self.head().map_or("", |head| head.uri.path())
    }

    /// A header, whatever the case of `name`; several values are joined with `, `. `None` if it is absent.
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        joined(&self.head()?.headers, name)
    }

    /// Where the request comes from.
    pub fn peer(&self) -> PeerAddress {
        self.asked.as_deref().map_or(PeerAddress::Unknown, |asked| asked.peer)
    }

    /// Lets the request in as `caller`. One whose credential has expired is kept out.
    pub fn allow(mut self, caller: Caller) {
        if let Some(asked) = self.asked.take() {
            asked.allowed(Arc::new(caller));
        }
    }

    /// Keeps the request out.
    pub fn refuse(mut self, refusal: &Refusal) {
        if let Some(asked) = self.asked.take() {
            if let Some(reason) = &refusal.reason {
                asked.endpoint.server.log(LogLevel::Notice, &format!("not authorized: {reason}"));
            }
            asked.refused(refusal);
        }
    }
}

impl Drop for Authorization {
    fn drop(&mut self) {
        if let Some(asked) = self.asked.take() {
            asked.unanswered();
        }
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Headers hold credentials.
        f.debug_struct("Authorization").field("method", &self.method()).finish_non_exhaustive()
    }
}

/// All values of a header, joined with `, `.
pub(super) fn joined<'h>(headers: &'h HeaderMap, name: &str) -> Option<Cow<'h, str>> {
    let mut values = headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    let first = values.next()?;
    Some(values.fold(first, |mut all, value| {
        let text = all.to_mut();
        text.push_str(", ");
        text.push_str(&value);
        all
    }))
}

/// Why a request is kept out, and what its client is told in the `WWW-Authenticate` challenge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// 401 or 403; anything else is answered 500 and logged.
    pub status: u16,
    /// Scopes that would do, separated by spaces.
    pub scope: Option<String>,
    /// The error code of RFC 6750, `invalid_token` for example.
    pub error: Option<String>,
    /// For people, told to the client.
    pub description: Option<String>,
    /// For the log only.
    pub reason: Option<String>,
}

impl Refusal {
    /// 401: who asks is not known. `error` stays empty where the request brought no token.
    pub fn unauthorized() -> Self {
        Self { status: 401, ..Self::default() }
    }

    /// 403: who asks is known and may not.
    pub fn forbidden() -> Self {
        Self { status: 403, ..Self::default() }
    }
}
