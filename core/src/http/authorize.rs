//! The question of who may use the endpoint.

use super::exchange::PeerAddress;
use crate::caller::Caller;
use std::borrow::Cow;
use std::fmt;

/// Decides about the bytes of a body, before they are read as JSON.
pub type BodyCheck = dyn Fn(&Caller, &[u8]) -> bool + Send + Sync;

/// Decides who may use the endpoint.
pub trait Authorizer: Send + Sync + 'static {
    /// Answers `question`, now or later, from any thread. Runs where [`crate::Dispatch`] says, before a byte of the body
    /// is read. Dropped unanswered, the client gets 500 and no reason; the log says why.
    fn authorize(&self, question: Authorization);
}

/// A request that wants in: its head and its peer. Answered once.
pub struct Authorization {
    _private: (),
}

impl Authorization {
    /// The HTTP method.
    pub fn method(&self) -> &str {
        ""
    }

    /// The path, without the query.
    pub fn path(&self) -> &str {
        ""
    }

    /// A header, whatever the case of `name`; several values are joined with `, `. `None` if it is absent.
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        let _ = name;
        None
    }

    /// Where the request comes from.
    pub fn peer(&self) -> PeerAddress {
        PeerAddress::Unknown
    }

    /// Lets the request in as `caller`.
    pub fn allow(self, caller: Caller) {
        drop(caller);
    }

    /// Keeps the request out.
    pub fn refuse(self, refusal: Refusal) {
        drop(refusal);
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Headers hold credentials.
        f.debug_struct("Authorization").finish_non_exhaustive()
    }
}

/// Why a request is kept out, and what its client is told in the `WWW-Authenticate` challenge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// 401 or 403.
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
