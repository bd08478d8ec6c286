//! GET and DELETE: the streams of sessions, and their end.

use super::super::answer::{busy, Refused};
use super::super::config::Access;
use super::super::media::Accepts;
use super::super::sessions::{Conversation, Counted, EventId, Kind, STANDALONE};
use super::super::sse;
use super::follow::Following;
use super::legacy::Lost;
use super::shared::{Phase, Shared};
use super::stream::Question;
use crate::caller::Caller;
use crate::engine::Outlet;
use crate::jsonrpc::ErrorBody;
use crate::protocol::wire::code;
use http::header::HeaderName;
use http::{HeaderMap, Method, StatusCode};
use std::sync::Arc;

static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

impl Shared {
    /// The methods that the path serves.
    pub(super) fn methods(&self) -> &'static str {
        let config = &self.endpoint.config;
        if self.is_streamed() {
            "GET, POST"
        } else if !self.keeps_sessions() {
            "POST"
        } else if config.max_streams > 0 {
            "GET, POST, DELETE"
        } else {
            "POST, DELETE"
        }
    }

    /// Whether a request with another method than POST is served. One that names a revision without sessions is not.
    pub(super) fn may_visit(&self) -> bool {
        let served = self.methods().split(", ").any(|served| served == self.head.method.as_str());
        served && (self.is_streamed() || !self.names_modern())
    }

    /// Whether it is served without a body.
    pub(super) fn is_visit(&self) -> bool {
        self.head.method != Method::POST
    }

    /// Serves a request without a body.
    pub(super) fn visit(self: &Arc<Self>, caller: Arc<Caller>) {
        let first = self.act(|state| {
            if !matches!(state.phase, Phase::Asked) {
                return false;
            }
            state.accepts = Accepts::of(&self.head.headers);
            state.unread = self.has_body();
            state.phase = Phase::Serving;
            true
        });
        if !first {
            return self.admitted(caller, false);
        }
        // It is the first: an exchange is let in once.
        let _ = self.caller.set(caller);
        self.endpoint.sessions.tick(&self.endpoint);
        self.with_session(|me| match me.head.method {
            Method::DELETE => me.end_session(),
            _ if me.is_streamed() => me.open_streamed(),
            _ => me.open_stream(),
        });
    }

    fn end_session(self: &Arc<Self>) {
        match self.conversation() {
            Ok(conversation) => {
                self.endpoint.sessions.end(&self.endpoint, &conversation);
                self.unsave(&conversation, |me| {
                    me.done(|state| me.whole(state, StatusCode::NO_CONTENT, HeaderMap::new(), Vec::new()));
                });
            }
            Err(lost) => self.lose(&lost, None),
        }
    }

    /// A place among the open streams for a client that takes them.
    fn stream_place(self: &Arc<Self>) -> Option<Counted> {
        if !self.lock().accepts.event_stream {
            self.refuse_message(Refused::AcceptStream);
            return None;
        }
        let place = Counted::stream(&self.endpoint);
        if place.is_none() {
            let most = self.endpoint.config.max_streams;
            let why = format!("Too many streams: at most {most} are open at once.");
            let error = busy(why);
            self.lose(&Lost { status: StatusCode::SERVICE_UNAVAILABLE, error }, None);
        }
        place
    }

    /// Opens the stream of a session for what belongs to no request, or goes on with one that was cut off.
    fn open_stream(self: &Arc<Self>) {
        let conversation = match self.conversation() {
            Ok(conversation) => conversation,
            Err(lost) => return self.lose(&lost, None),
        };
        let Some(place) = self.stream_place() else { return };
        let last =
            self.head.headers.get(&LAST_EVENT_ID).map(|value| value.to_str().ok().and_then(EventId::read));
        let attached = match last {
            // What is no id of ours was never sent to anybody.
            Some(None) => None,
            Some(Some(last)) => conversation.attach(self, Some(last)).ok(),
            None => conversation.attach(self, None).ok(),
        };
        let Some(channel) = attached else {
            let why = "Nothing is kept of what followed the event that Last-Event-ID names.";
            let error = ErrorBody::new(code::INVALID_REQUEST, why);
            return self.lose(&Lost { status: StatusCode::BAD_REQUEST, error }, None);
        };
        self.listen_to(self.following(&conversation, channel, place));
    }

    /// Opens a session of HTTP+SSE (2024-11-05): its stream first tells where messages are posted to.
    fn open_streamed(self: &Arc<Self>) {
        let Some(place) = self.stream_place() else { return };
        let endpoint = &self.endpoint;
        let begun = endpoint.sessions.begin(endpoint, self.caller(), Kind::Streamed);
        let conversation = match begun.and_then(|begun| {
            let first = sse::endpoint(&format!("{}?sessionId={}", self.head.uri.path(), begun.id()));
            begun.open_stream(self, first);
            endpoint.sessions.keep(endpoint, &begun)?;
            Ok(begun)
        }) {
            Ok(conversation) => conversation,
            Err(absent) => return self.lose(&Lost::absent(absent), None),
        };
        self.listen_to(self.following(&conversation, STANDALONE, place));
    }

    fn following(&self, conversation: &Arc<Conversation>, channel: u64, place: Counted) -> Following {
        let caller = Arc::clone(self.caller());
        let guarded =
            self.endpoint.config.reauthorize_on_delivery && matches!(self.endpoint.door, Access::Ask(_));
        Following {
            place: Some(place),
            guarded,
            question: Question::None,
            ..Following::post(conversation, channel, &caller)
        }
    }
}
