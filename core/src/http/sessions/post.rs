//! One POST of a session, as its calls know it. It outlives its connection.

use super::super::endpoint::Inner;
use super::super::exchange::Shared;
use super::conversation::Conversation;
use crate::call::{Call, State as CallState};
use crate::caller::Caller;
use crate::dispatch::Job;
use crate::engine::{Exchange, Inquiry, Outlet};
use crate::jsonrpc::Outgoing;
use crate::server::Inner as ServerInner;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct Post {
    /// Who asks, and with which headers.
    request: Arc<Shared>,
    conversation: Arc<Conversation>,
    rounds: Mutex<Rounds>,
}

/// Rounds that wait to be handed to the host.
#[derive(Default)]
struct Rounds {
    waiting: VecDeque<Call>,
    starting: bool,
}

impl Post {
    pub(crate) fn new(request: &Arc<Shared>, conversation: &Arc<Conversation>) -> Arc<Self> {
        Arc::new(Self {
            request: Arc::clone(request),
            conversation: Arc::clone(conversation),
            rounds: Mutex::default(),
        })
    }

    fn endpoint(&self) -> &Arc<Inner> {
        &self.request.endpoint
    }

    /// Hands a call to the host. A round that begins inside the callback of the one before waits until that returns, or
    /// the stack would grow with each. Its place among the calls in flight is taken.
    pub(crate) fn start(&self, call: &Arc<CallState>) {
        let call = Call::new(Arc::clone(call));
        call.count();
        {
            let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
            if std::mem::replace(&mut rounds.starting, true) {
                return rounds.waiting.push_back(call);
            }
        }
        let mut next = Some(call);
        while let Some(call) = next {
            self.request.endpoint.server.dispatch(Job::Call(call));
            let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
            next = rounds.waiting.pop_front();
            rounds.starting = next.is_some();
        }
    }
}

impl Outlet for Post {
    fn server(&self) -> &Arc<ServerInner> {
        &self.request.endpoint.server
    }

    fn caller(&self) -> &Arc<Caller> {
        self.request.caller()
    }

    fn notify(&self, exchange: &Exchange, message: Vec<u8>) -> bool {
        let room = self.endpoint().config.stream_queue_bytes;
        self.conversation.notify(exchange.number, &message, room)
    }

    fn reply(&self, exchange: &Exchange, message: Outgoing) -> bool {
        self.conversation.reply(exchange.number, message)
    }

    fn ask(&self, exchange: &Exchange, inquiry: &Arc<Inquiry>, questions: Vec<Vec<u8>>) -> bool {
        self.conversation.ask(self.endpoint(), exchange.number, inquiry, &questions)
    }

    fn again(&self, exchange: &Exchange, call: &Arc<CallState>) -> bool {
        let open = self.conversation.replace(self.endpoint(), exchange.number, call);
        if open {
            // It had a place before.
            self.endpoint().calls.fetch_add(1, Ordering::SeqCst);
            self.start(call);
        }
        open
    }

    fn close_stream(&self, exchange: &Exchange, retry_ms: u64) {
        self.conversation.close_stream(exchange.number, retry_ms);
    }

    fn released(&self) {
        self.endpoint().calls.fetch_sub(1, Ordering::SeqCst);
        self.request.release();
    }

    fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        self.request.header(name)
    }
}
