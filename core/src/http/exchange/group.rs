//! Messages of the older revisions that are no lone requests: notifications, responses, batches, and everything of
//! HTTP+SSE.

use super::super::answer::Refused;
use super::super::sessions::{Conversation, Post, STANDALONE};
use super::legacy::invalid;
use super::shared::Shared;
use crate::engine::{batch, cancelled_id, serve_session, Outlet, Place, Served, Step};
use crate::json::Document;
use crate::jsonrpc::{refuse_batch, Inbound, Message, Outgoing};
use crate::protocol::LogLevel;
use http::{HeaderMap, StatusCode};
use std::sync::atomic::Ordering;
use std::sync::Arc;

impl Shared {
    /// Takes a notification.
    pub(super) fn notification(self: &Arc<Self>, message: &Message) {
        if self.is_streamed() {
            return self.streamed(|_, conversation| self.notified(conversation, message));
        }
        // One that names no session says nothing to anybody.
        if !self.names_session() || self.names_modern() {
            return self.take_note();
        }
        match self.conversation() {
            Ok(conversation) => {
                self.take_note();
                self.notified(&conversation, message);
            }
            Err(lost) => self.lose(&lost, None),
        }
    }

    fn notified(self: &Arc<Self>, conversation: &Arc<Conversation>, message: &Message) {
        match cancelled_id(message) {
            Some(key) => conversation.cancel(&self.endpoint, &key),
            None => {
                if let Some(session) = conversation.session() {
                    session.notified(message);
                    self.save(conversation);
                }
            }
        }
    }

    fn take_note(&self) {
        self.done(|state| self.whole(state, StatusCode::ACCEPTED, HeaderMap::new(), Vec::new()));
    }

    /// Takes a response to something that the client was asked.
    pub(super) fn response(self: &Arc<Self>, response: Document) {
        if self.is_streamed() {
            return self.streamed(|_, conversation| {
                // It was accepted already, whether or not somebody waits for it.
                let _ = self.answer_to(conversation, response);
            });
        }
        let unawaited = || {
            let why = "A response was sent where none is awaited.";
            Outgoing::error(None, &invalid(why))
        };
        if !self.names_session() {
            return self.respond(unawaited());
        }
        match self.conversation() {
            Ok(conversation) => {
                if self.answer_to(&conversation, response).is_err() {
                    self.respond(unawaited());
                }
            }
            Err(lost) => self.lose(&lost, None),
        }
    }

    fn answer_to(&self, conversation: &Arc<Conversation>, response: Document) -> Result<(), ()> {
        let complete = conversation.session().ok_or(())?.respond(response)?;
        self.take_note();
        if let Some(inquiry) = complete {
            inquiry.resume();
        }
        Ok(())
    }

    /// Serves several messages that came as one (2025-03-26, transports, sending messages).
    pub(super) fn batch(self: &Arc<Self>, batch: &Document) {
        if self.is_streamed() || !self.names_session() {
            return self.respond(refuse_batch());
        }
        let conversation = match self.conversation() {
            Ok(conversation) => conversation,
            Err(lost) => return self.lose(&lost, None),
        };
        if !conversation.session().is_some_and(|session| session.revision().has_batches()) {
            return self.unreadable(refuse_batch());
        }
        let messages = match batch::messages(batch) {
            Ok(messages) => messages,
            Err(refusal) => return self.unreadable(refusal),
        };
        let owed = batch::owed(&messages);
        if owed == 0 {
            self.take_note();
            return self.serve_batch(messages, &conversation, STANDALONE);
        }
        let takes_events = self.lock().accepts.event_stream;
        let channel = conversation
            .open_channel(self, takes_events, owed, true)
            .filter(|channel| self.wait_on(&conversation, *channel));
        let Some(channel) = channel else { return self.refuse_message(Refused::Stopping) };
        self.serve_batch(messages, &conversation, channel);
        self.watch(&conversation, channel, takes_events);
    }

    fn serve_batch(
        self: &Arc<Self>,
        messages: Vec<Result<Inbound, Outgoing>>,
        conversation: &Arc<Conversation>,
        channel: u64,
    ) {
        let post = Post::new(self, conversation);
        for message in messages {
            match message {
                Ok(Inbound::Request(message)) => {
                    if let Some(outgoing) = self.request_on(&post, conversation, message, channel) {
                        conversation.respond(channel, outgoing);
                    }
                }
                Ok(Inbound::Notification(message)) => self.notified(conversation, &message),
                Ok(Inbound::Response(response)) => {
                    let complete = conversation.session().map(|session| session.respond(response));
                    if let Some(Ok(Some(inquiry))) = complete {
                        inquiry.resume();
                    }
                }
                Ok(Inbound::Batch(_)) => {}
                Err(refusal) => conversation.respond(channel, identified(conversation, refusal)),
            }
        }
        self.save(conversation);
    }

    /// Serves a request whose response goes to a channel that others share. Returns what is known at once.
    fn request_on(
        self: &Arc<Self>,
        post: &Arc<Post>,
        conversation: &Arc<Conversation>,
        message: Message,
        channel: u64,
    ) -> Option<Outgoing> {
        let session = conversation.session();
        let outlet = Arc::clone(post) as Arc<dyn Outlet>;
        let place = || Place { stream: conversation.stream(), lasts: true };
        match serve_session(outlet, session.as_ref(), message, place) {
            Served::Step(Step::Reply(outgoing)) => Some(outgoing),
            Served::Step(Step::Call(prepared)) => {
                if let Err(refusal) = self.seat(&prepared.request.message) {
                    return Some(refusal);
                }
                if !self.begin(post, conversation, prepared, channel) {
                    self.endpoint.calls.fetch_sub(1, Ordering::SeqCst);
                }
                None
            }
            Served::Opened(session, answer) => {
                conversation.adopt(session);
                conversation.end_inquiries(&self.endpoint);
                Some(answer)
            }
            Served::Step(Step::Listen(_) | Step::Legacy(..)) => None,
        }
    }

    /// Whether the request is one of HTTP+SSE (2024-11-05).
    pub(super) fn is_streamed(&self) -> bool {
        self.endpoint.config.sse_path.as_deref().is_some_and(|path| path == self.head.uri.path())
    }

    /// Takes a message of HTTP+SSE: it is accepted, and answered on the session's one stream.
    pub(super) fn streamed(self: &Arc<Self>, work: impl FnOnce(&Arc<Self>, &Arc<Conversation>)) {
        match self.conversation() {
            Ok(conversation) => {
                self.take_note();
                work(self, &conversation);
                if conversation.is_stuck(self.endpoint.config.stream_queue_bytes) {
                    let line = "a session was ended: its client does not read its stream (option stream_queue_bytes)";
                    self.endpoint.server.log(LogLevel::Notice, line);
                    self.endpoint.sessions.end(&self.endpoint, &conversation);
                }
            }
            Err(lost) => self.lose(&lost, None),
        }
    }

    pub(super) fn streamed_request(self: &Arc<Self>, conversation: &Arc<Conversation>, message: Message) {
        let post = Post::new(self, conversation);
        if let Some(outgoing) = self.request_on(&post, conversation, message, STANDALONE) {
            conversation.respond(STANDALONE, outgoing);
        }
    }

    /// What is no message.
    pub(super) fn unreadable(self: &Arc<Self>, refusal: Outgoing) {
        let refusal = match self.names_session().then(|| self.conversation()) {
            Some(Ok(conversation)) => identified(&conversation, refusal),
            Some(Err(_)) | None => refusal,
        };
        self.respond(refusal);
    }
}

/// An error for what could not be read, as the session's revision has it.
fn identified(conversation: &Conversation, refusal: Outgoing) -> Outgoing {
    match conversation.session().and_then(|session| session.revision().unread_id()) {
        Some(id) => refusal.with_id(id),
        None => refusal,
    }
}
