//! Messages of the older revisions, which belong to a session.

use super::super::answer::{self, busy, Refused};
use super::super::config::Sessions;
use super::super::sessions::{Absent, Conversation, Kind, Post};
use super::super::status;
use super::follow::Following;
use super::shared::{Phase, Shared, State};
use super::timers::Timer;
use crate::call::State as CallState;
use crate::engine::{
    number, refuse_session, serve_session, Exchange, Outlet, Place, Prepared, Served, Session, Step,
};
use crate::jsonrpc::{About, ErrorBody, Message, Outgoing};
use crate::protocol::wire::{code, method};
use crate::protocol::{Era, Revision};
use http::header::{HeaderName, HeaderValue, WWW_AUTHENTICATE};
use http::StatusCode;
use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::sync::Arc;

pub(super) static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The longest id of a session that is looked at.
const LONGEST_ID: usize = 1024;

/// What the header `MCP-Protocol-Version` says of a request that does not name its revision itself.
enum Named {
    /// It is not there.
    No,
    Legacy(Revision),
    /// A revision without sessions, or none that is offered.
    Other,
}

/// Why a message finds no session.
pub(super) struct Lost {
    pub(super) status: StatusCode,
    pub(super) error: ErrorBody,
}

pub(super) fn invalid(why: impl Into<Cow<'static, str>>) -> ErrorBody {
    ErrorBody::new(code::INVALID_REQUEST, why)
}

impl Lost {
    fn bad(why: &'static str) -> Self {
        Self { status: StatusCode::BAD_REQUEST, error: invalid(why) }
    }

    pub(super) fn absent(absent: Absent) -> Self {
        match absent {
            Absent::Unknown => Self {
                status: StatusCode::NOT_FOUND,
                error: invalid("There is no such session: open another with initialize."),
            },
            Absent::Failed => {
                let why = "Sessions cannot be served now: try again.";
                Self { status: StatusCode::SERVICE_UNAVAILABLE, error: busy(why) }
            }
            Absent::Full => {
                let why = "Too many sessions are open (option max_sessions): try again.";
                Self { status: StatusCode::SERVICE_UNAVAILABLE, error: busy(why) }
            }
        }
    }
}

impl Shared {
    /// Whether sessions are served at all.
    pub(super) fn has_sessions(&self) -> bool {
        self.endpoint.server.offered.negotiate("").is_some()
    }

    /// Whether sessions are remembered between requests.
    pub(super) fn keeps_sessions(&self) -> bool {
        self.has_sessions() && self.endpoint.config.sessions == Sessions::Kept
    }

    /// Whether the request names a session that may be remembered.
    pub(super) fn names_session(&self) -> bool {
        self.keeps_sessions() && self.head.headers.contains_key(&SESSION_ID)
    }

    fn named(&self) -> Named {
        let mut values = self.head.headers.get_all(&VERSION).iter();
        let Some(value) = values.next() else { return Named::No };
        let read = value.to_str().ok().filter(|_| values.next().is_none());
        match read.and_then(|text| Revision::read(text.trim_matches([' ', '\t']))) {
            Some(revision) if revision.era() == Era::Legacy && self.endpoint.server.offered.has(revision) => {
                Named::Legacy(revision)
            }
            Some(_) | None => Named::Other,
        }
    }

    /// Whether the headers name a revision without sessions.
    pub(super) fn names_modern(&self) -> bool {
        let value = self.head.headers.get(&VERSION).and_then(|value| value.to_str().ok());
        value.and_then(Revision::read).is_some_and(|revision| revision.era() == Era::Modern)
    }

    /// The session that the request names.
    pub(super) fn conversation(self: &Arc<Self>) -> Result<Arc<Conversation>, Lost> {
        self.conversation_in(&self.named())
    }

    /// The same, where it is known which revision the headers name.
    fn conversation_in(self: &Arc<Self>, named: &Named) -> Result<Arc<Conversation>, Lost> {
        if self.is_streamed() {
            let id = self
                .head
                .uri
                .query()
                .and_then(|query| query.split('&').find_map(|part| part.strip_prefix("sessionId=")));
            let id = id.ok_or_else(|| {
                Lost::bad("The query lacks sessionId: post to the endpoint that the stream names.")
            })?;
            return self.find(id, Kind::Streamed);
        }
        let mut values = self.head.headers.get_all(&SESSION_ID).iter();
        let Some(value) = values.next() else {
            return Err(Lost::bad("The header Mcp-Session-Id is missing: open a session with initialize."));
        };
        let bytes = value.as_bytes();
        let plain = !bytes.is_empty() && bytes.len() <= LONGEST_ID && bytes.iter().all(u8::is_ascii_graphic);
        let id = value.to_str().ok().filter(|_| plain && values.next().is_none());
        let id = id.ok_or_else(|| {
            Lost::bad("The header Mcp-Session-Id must be one of 1 to 1024 visible ASCII characters.")
        })?;
        if matches!(named, Named::Other) {
            return Err(Lost::bad(
                "The header MCP-Protocol-Version names no revision that sessions here have.",
            ));
        }
        let conversation = self.find(id, Kind::Kept)?;
        let spoken = conversation.session().map(|session| session.revision());
        match (named, spoken) {
            (Named::Legacy(named), Some(spoken)) if spoken.has_version_header() && *named != spoken => {
                Err(Lost::bad("The header MCP-Protocol-Version differs from the revision of the session."))
            }
            _ => Ok(conversation),
        }
    }

    fn find(&self, id: &str, kind: Kind) -> Result<Arc<Conversation>, Lost> {
        self.endpoint.sessions.find(&self.endpoint, id, self.caller(), kind).map_err(Lost::absent)
    }

    /// Serves a request that does not name its revision.
    pub(super) fn legacy(self: &Arc<Self>, message: Message) {
        let endpoint = &self.endpoint;
        endpoint.sessions.tick(endpoint);
        if !self.has_sessions() {
            return self.respond(refuse_session(&endpoint.server, &message, false));
        }
        if self.is_streamed() {
            return self.streamed(|post, conversation| post.streamed_request(conversation, message));
        }
        let named = self.named();
        if matches!(named, Named::Other) {
            return self.respond(refuse_unnamed(&message));
        }
        let asked = message.method();
        let (opens, pings) = (asked == method::INITIALIZE, asked == method::PING);
        drop(asked);
        match endpoint.config.sessions {
            Sessions::Stateless => self.alone(message, opens, &named),
            Sessions::Kept if opens => self.initialize(&message),
            Sessions::Kept if pings && !self.head.headers.contains_key(&SESSION_ID) => {
                self.respond(Outgoing::result(message.id(), 2, |out| out.extend_from_slice(b"{}")));
            }
            Sessions::Kept => match self.conversation_in(&named) {
                Ok(conversation) => self.within(&conversation, message),
                Err(Lost { status, .. })
                    if status == StatusCode::BAD_REQUEST && !self.head.headers.contains_key(&SESSION_ID) =>
                {
                    self.respond(refuse_unnamed(&message));
                }
                Err(lost) => self.lose(&lost, Some(message.id())),
            },
        }
    }

    /// Opens a session.
    fn initialize(self: &Arc<Self>, message: &Message) {
        let (endpoint, caller) = (&self.endpoint, Arc::clone(self.caller()));
        if self.head.headers.contains_key(&SESSION_ID) {
            return self.lose(
                &Lost::bad("initialize opens a session: send it without Mcp-Session-Id."),
                Some(message.id()),
            );
        }
        let conversation = match endpoint.sessions.begin(endpoint, &caller, Kind::Kept) {
            Ok(conversation) => conversation,
            Err(absent) => return self.lose(&Lost::absent(absent), Some(message.id())),
        };
        let stream = conversation.stream();
        let (session, answer) =
            match Session::open(&endpoint.server, &caller, message, Place { stream, lasts: true }) {
                Ok(opened) => opened,
                Err(refusal) => return self.respond_legacy(refusal),
            };
        conversation.adopt(session);
        let id = message.id().to_owned();
        let opened = Arc::clone(&conversation);
        self.save_first(&conversation, move |me, saved| {
            let saved = if saved { Ok(()) } else { Err(Absent::Failed) };
            if let Err(absent) = saved.and_then(|()| me.endpoint.sessions.keep(&me.endpoint, &opened)) {
                return me.lose(&Lost::absent(absent), Some(&id));
            }
            let mut headers = answer::json_headers();
            if let Ok(id) = HeaderValue::try_from(opened.id()) {
                headers.insert(&SESSION_ID, id);
            }
            me.done(|state| me.whole(state, StatusCode::OK, headers, answer.text));
        });
    }

    /// Serves a request in its session.
    fn within(self: &Arc<Self>, conversation: &Arc<Conversation>, message: Message) {
        let session = conversation.session();
        let post = Post::new(self, conversation);
        let outlet = Arc::clone(&post) as Arc<dyn Outlet>;
        let place = || Place { stream: conversation.stream(), lasts: conversation.kind() != Kind::Passing };
        match serve_session(outlet, session.as_ref(), message, place) {
            Served::Step(Step::Reply(outgoing)) => self.respond_legacy(outgoing),
            Served::Step(Step::Call(prepared)) => self.open(&post, conversation, prepared),
            Served::Opened(_, answer) => self.respond_legacy(answer),
            // Neither is a method of these revisions.
            Served::Step(Step::Listen(_) | Step::Legacy(..)) => self.refuse_message(Refused::Failed),
        }
        self.save(conversation);
    }

    /// Takes a place among the calls in flight.
    pub(super) fn seat(&self, message: &Message) -> Result<(), Outgoing> {
        let (calls, most) = (&self.endpoint.calls, self.endpoint.config.max_calls);
        if calls.fetch_add(1, Ordering::SeqCst) < most {
            return Ok(());
        }
        calls.fetch_sub(1, Ordering::SeqCst);
        Err(message.error(&busy(format!("At most {most} calls are served at once."))))
    }

    /// Opens a call whose answer this exchange waits for.
    fn open(self: &Arc<Self>, post: &Arc<Post>, conversation: &Arc<Conversation>, prepared: Prepared) {
        if let Err(refusal) = self.seat(&prepared.request.message) {
            return self.respond_legacy(refusal);
        }
        let takes_events = self.lock().accepts.event_stream;
        let begun = conversation
            .open_channel(self, takes_events, 1, false)
            .filter(|channel| self.wait_on(conversation, *channel));
        match begun {
            Some(channel) if self.begin(post, conversation, prepared, channel) => {
                self.watch(conversation, channel, takes_events);
            }
            Some(_) | None => {
                self.endpoint.calls.fetch_sub(1, Ordering::SeqCst);
                self.refuse_message(Refused::Stopping);
            }
        }
    }

    /// Hands a call over that has its place. False once the session is over.
    pub(super) fn begin(
        self: &Arc<Self>,
        post: &Arc<Post>,
        conversation: &Arc<Conversation>,
        prepared: Prepared,
        channel: u64,
    ) -> bool {
        let Some(key) = prepared.request.message.id_key().cloned() else { return false };
        let exchange = Exchange { key, number: number(&self.endpoint.server) };
        let call = Arc::new(CallState::new(prepared, exchange));
        let open = conversation.enter(&self.endpoint, &call, channel);
        if open {
            post.start(&call);
        }
        open
    }

    /// The exchange is there for the answers on this channel. False if its client went meanwhile.
    pub(super) fn wait_on(self: &Arc<Self>, conversation: &Arc<Conversation>, channel: u64) -> bool {
        let begun = self.act(|state| {
            let begun = matches!(state.phase, Phase::Serving);
            if begun {
                state.phase = Phase::Following(Following::post(conversation, channel, self.caller()));
            }
            begun
        });
        if !begun {
            conversation.detach(&self.endpoint.server, channel, self, self.endpoint.now());
        }
        begun || conversation.kind() == Kind::Kept
    }

    /// If it was not answered at once, its times begin.
    pub(super) fn watch(
        self: &Arc<Self>,
        conversation: &Arc<Conversation>,
        channel: u64,
        takes_events: bool,
    ) {
        let waker = {
            let mut state = self.lock();
            if !state.is_following(conversation, channel) {
                return;
            }
            if takes_events {
                state.timers.after(Timer::Quiet, self.endpoint.now(), self.endpoint.config.keep_alive_ms);
            }
            // The driver may have asked for deadlines before there were any.
            state.take_waker()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        self.endpoint.sessions.watch(conversation);
    }

    /// Serves a request by itself.
    fn alone(self: &Arc<Self>, message: Message, opens: bool, named: &Named) {
        let endpoint = &self.endpoint;
        let conversation = endpoint.sessions.pass(endpoint, self.caller());
        if !opens {
            let revision = match named {
                Named::Legacy(revision) => *revision,
                Named::No | Named::Other => Revision::unnamed(),
            };
            if !endpoint.server.offered.has(revision) {
                return self.respond(refuse_unnamed(&message));
            }
            conversation.adopt(Session::passing(revision, self.caller(), conversation.stream()));
        }
        self.within(&conversation, message);
    }

    /// There is no session for the message.
    pub(super) fn lose(&self, lost: &Lost, id: Option<&str>) {
        let outgoing = Outgoing::error(id, &lost.error);
        let mut headers = answer::json_headers();
        if lost.error.about == About::Busy {
            answer::retry_soon(&mut headers);
        }
        self.done(|state| self.whole(state, lost.status, headers, outgoing.text));
    }

    /// Answers a request of a session that opened no call.
    fn respond_legacy(&self, outgoing: Outgoing) {
        self.done(|state| self.say_legacy(state, outgoing));
    }

    /// The whole answer of a POST that waited for it.
    pub(in super::super) fn answer_whole(&self, outgoing: Outgoing) {
        self.follow_whole(|state| self.say_legacy(state, outgoing));
    }

    /// Answers with a response: these revisions have no statuses for errors.
    fn say_legacy(&self, state: &mut State, outgoing: Outgoing) {
        let mut headers = answer::json_headers();
        let status = match &outgoing.about {
            About::Code | About::Meta => StatusCode::OK,
            About::Busy => {
                answer::retry_soon(&mut headers);
                status::of(&outgoing)
            }
            About::Scopes(missing) => {
                headers.insert(WWW_AUTHENTICATE, answer::scope_challenge(&self.endpoint, missing));
                status::of(&outgoing)
            }
        };
        self.whole(state, status, headers, outgoing.text);
    }
}

/// The request names its revision nowhere, and no session.
fn refuse_unnamed(message: &Message) -> Outgoing {
    message.error(&crate::engine::unopened(message))
}
