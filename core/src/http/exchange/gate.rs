//! What is decided by the head alone: rows 1 to 5 of the ladder.

use super::super::answer::{Refused, JSON};
use super::super::budget::FREE;
use super::super::config::Access;
use super::super::cors;
use super::super::media::{content_type_is_json, Accepts};
use super::shared::{Phase, Reading, Shared, State};
use super::timers::Timer;
use super::PeerAddress;
use crate::caller::Caller;
use http::header::{
    HeaderMap, HeaderName, HeaderValue, ACCEPT, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ORIGIN,
    TRANSFER_ENCODING,
};
use http::{Method, StatusCode};
use std::sync::Arc;

/// What a document of metadata may be asked with.
const METADATA_METHODS: &str = "GET, HEAD";

impl Shared {
    /// Rows 1 to 3, and then the authorizer.
    pub(super) fn admit(self: &Arc<Self>) {
        let endpoint = &self.endpoint;
        let allowed = endpoint.origins.allows(&self.head.headers);
        self.act(|state| state.page = allowed && self.head.headers.contains_key(ORIGIN));
        let authority = self.head.uri.authority().map(http::uri::Authority::as_str);
        if !endpoint.hosts.allows(&self.head.headers, authority) {
            return self.turn_away(Refused::Host);
        }
        if !allowed {
            return self.turn_away(Refused::Origin);
        }
        let path = self.head.uri.path();
        if let Some(document) = endpoint.metadata_at(path) {
            return self.metadata(document);
        }
        if !endpoint.config.path.is_empty() && path != endpoint.config.path && !self.is_streamed() {
            return self.turn_away(Refused::Path);
        }
        if cors::is_preflight(&self.head.method, &self.head.headers) {
            return self.preflight(self.methods());
        }
        // Sessions read and end their streams by GET and DELETE; where there are none, row 9 is decided here.
        if self.head.method != Method::POST && !self.may_visit() {
            return self.turn_away(Refused::Method(self.methods()));
        }
        if endpoint.is_stopping() {
            return self.turn_away(Refused::Stopping);
        }
        match &endpoint.door {
            Access::Anyone(_) => self.allowed(self.anyone()),
            Access::Ask(_) => {
                self.ask();
                self.wait_for_permission();
            }
        }
    }

    fn turn_away(&self, refused: Refused) {
        self.act(|state| self.refuse(state, refused));
    }

    /// The caller under [`Access::Anyone`].
    fn anyone(&self) -> Arc<Caller> {
        match self.peer {
            PeerAddress::Unix { uid: Some(uid) } if self.endpoint.config.unix_principal => {
                Arc::new(self.endpoint.anyone.named(format!("uid:{uid}")))
            }
            PeerAddress::Unix { .. } | PeerAddress::Ip(_) | PeerAddress::Unknown => {
                Arc::clone(&self.endpoint.anyone)
            }
        }
    }

    fn preflight(&self, methods: &'static str) {
        let mut headers = HeaderMap::new();
        cors::preflight(&self.head.headers, methods, &mut headers);
        self.act(|state| {
            state.unread = self.has_body();
            self.whole(state, StatusCode::NO_CONTENT, headers, Vec::new());
        });
    }

    fn metadata(&self, document: &[u8]) {
        if cors::is_preflight(&self.head.method, &self.head.headers) {
            return self.preflight(METADATA_METHODS);
        }
        self.act(|state| {
            if self.head.method != Method::GET && self.head.method != Method::HEAD {
                let mut headers = HeaderMap::new();
                headers.insert(http::header::ALLOW, HeaderValue::from_static(METADATA_METHODS));
                return self.whole(state, StatusCode::METHOD_NOT_ALLOWED, headers, Vec::new());
            }
            state.unread = self.has_body();
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_TYPE, JSON);
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600"));
            self.whole(state, StatusCode::OK, headers, document.to_vec());
        });
    }

    pub(super) fn has_body(&self) -> bool {
        let headers = &self.head.headers;
        headers.contains_key(TRANSFER_ENCODING)
            || headers.get(CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0")
    }

    /// Row 5 and what comes right behind it, then the body is wanted.
    pub(super) fn enter(&self, state: &mut State, caller: Arc<Caller>) {
        state.accepts = accepts(&self.head.headers);
        let length = match self.check_head(state.accepts) {
            Ok(length) => length,
            Err(refused) => return self.refuse(state, refused),
        };
        // It is the first: an exchange is let in once.
        let _ = self.caller.set(caller);
        let config = &self.endpoint.config;
        state.timers.after(Timer::Door, 0, 0);
        state.timers.after(Timer::Body, self.endpoint.now(), config.body_timeout_ms);
        let (length, body) = (length.unwrap_or(0), Vec::new());
        state.phase = Phase::Reading(Reading { body, length, turn: None });
        state.out.want(config.max_body_bytes);
    }

    /// The declared length of the body.
    fn check_head(&self, accepts: Accepts) -> Result<Option<usize>, Refused> {
        let headers = &self.head.headers;
        let mut lengths = headers.get_all(CONTENT_LENGTH).iter();
        let length = match (lengths.next(), lengths.next()) {
            (None, _) => None,
            (Some(value), None) => Some(read_length(value).ok_or(Refused::Framing)?),
            (Some(_), Some(_)) => return Err(Refused::Framing),
        };
        // One of the two lies, and a proxy in front may have believed the other.
        if length.is_some() && headers.contains_key(TRANSFER_ENCODING) {
            return Err(Refused::Framing);
        }
        let most = self.endpoint.config.max_body_bytes;
        if length.is_some_and(|length| length > most) {
            return Err(Refused::TooLarge(most));
        }
        let kind = only(headers, &CONTENT_TYPE);
        if !kind.is_some_and(|kind| kind == JSON || content_type_is_json(kind)) {
            return Err(Refused::ContentType);
        }
        // Before 2025-03-26, what came back to a POST was no JSON.
        if !accepts.json && !self.is_streamed() {
            return Err(Refused::Accept);
        }
        // Small bodies are free, so they are served all the same.
        if length.is_none_or(|length| length > FREE) && self.endpoint.budget.is_spent() {
            return Err(Refused::Spent);
        }
        Ok(length)
    }
}

/// What nearly every client says needs no grammar.
fn accepts(headers: &HeaderMap) -> Accepts {
    const BOTH: &str = "application/json, text/event-stream";
    match only(headers, &ACCEPT) {
        Some(value) if value == BOTH => Accepts { json: true, event_stream: true },
        Some(_) | None => Accepts::of(headers),
    }
}

/// The value of a header that stands there once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    values.next().is_none().then_some(first)
}

/// A length over what memory can hold is as good as the largest.
fn read_length(value: &HeaderValue) -> Option<usize> {
    let digits = value.to_str().ok()?.trim_matches([' ', '\t']);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(usize::MAX))
}
