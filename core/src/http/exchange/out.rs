//! What an exchange has to say and its driver has not taken yet.

use super::super::sse;
use super::Part;
use http::response;
use std::collections::VecDeque;

#[derive(Default)]
pub(super) struct Out {
    want: Option<usize>,
    head: Option<response::Parts>,
    /// A whole answer.
    whole: Option<Vec<u8>>,
    events: VecDeque<Vec<u8>>,
    /// Bytes of `events`.
    pub(super) bytes: usize,
    /// Whether the head says that events come.
    pub(super) streaming: bool,
    /// Nothing more is added.
    closed: bool,
}

impl Out {
    pub(super) fn want(&mut self, most: usize) {
        self.want = Some(most);
    }

    /// A whole answer; an empty one has no data.
    pub(super) fn whole(&mut self, head: response::Parts, body: Vec<u8>) {
        self.want = None;
        self.head = Some(head);
        self.whole = (!body.is_empty()).then_some(body);
        self.closed = true;
    }

    pub(super) fn stream(&mut self, head: response::Parts) {
        self.head = Some(head);
        self.streaming = true;
    }

    /// Adds a message as an event.
    pub(super) fn event(&mut self, message: &[u8]) {
        self.push(sse::event(None, message));
    }

    pub(super) fn keep_alive(&mut self) {
        self.push(sse::KEEP_ALIVE.to_vec());
    }

    /// Adds an event that is written already.
    pub(super) fn push(&mut self, event: Vec<u8>) {
        self.bytes += event.len();
        self.events.push_back(event);
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    /// Drops the events that wait, and ends.
    pub(super) fn cut(&mut self) {
        self.events.clear();
        self.bytes = 0;
        self.closed = true;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.want.is_none() && self.head.is_none() && self.whole.is_none() && self.events.is_empty()
    }

    /// Whether a poll has something to give.
    pub(super) fn is_ready(&self) -> bool {
        !self.is_empty() || self.closed
    }

    pub(super) fn take_whole(&mut self) -> Option<(response::Parts, Vec<u8>)> {
        if self.streaming || !self.closed {
            return None;
        }
        Some((self.head.take()?, self.whole.take().unwrap_or_default()))
    }

    pub(super) fn next(&mut self) -> Option<Part> {
        if let Some(most) = self.want.take() {
            return Some(Part::WantBody { most });
        }
        if let Some(parts) = self.head.take() {
            return Some(Part::Head { parts });
        }
        if let Some(bytes) = self.whole.take() {
            return Some(Part::Data { bytes, last: true });
        }
        if let Some(bytes) = self.events.pop_front() {
            self.bytes -= bytes.len();
            let last = self.closed && self.events.is_empty();
            return Some(Part::Data { bytes, last });
        }
        self.closed.then_some(Part::End)
    }
}
