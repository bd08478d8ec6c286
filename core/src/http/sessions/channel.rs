//! One stream of messages to a client, whether anybody reads it now or not.

use super::super::exchange::Shared;
use super::super::sse;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

/// What an event costs besides its text, about: many small ones must not be free.
pub(super) const OVERHEAD: usize = 128;

/// The stream of a session for what belongs to no request.
pub(crate) const STANDALONE: u64 = 0;

/// What becomes of what is said on a channel.
pub(super) struct Channel {
    /// Who reads it now.
    reader: Option<Weak<Shared>>,
    /// Whether the client takes events here. Else there is only one answer.
    pub(super) takes_events: bool,
    /// Whether it has begun to be a stream of events.
    pub(super) streaming: bool,
    /// Responses that it waits for.
    pub(super) owed: usize,
    /// The responses so far of a batch that is answered as one.
    pub(super) batch: Option<Vec<Vec<u8>>>,
    /// Events that are kept, the one before `next` at the end.
    log: VecDeque<Vec<u8>>,
    next: u64,
    /// The first event that was not read.
    cursor: u64,
    /// Bytes from there on.
    pub(super) unread: usize,
    pub(super) end: End,
}

/// What a reader finds behind the last event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// More will come.
    Open,
    /// More will come, but the reader is sent away.
    Early,
    /// Nothing more will be said.
    Closed,
}

/// What a reader has to do.
pub(crate) enum Pulled {
    /// Wait.
    Nothing,
    /// Send this event; it may be the last.
    Event(Vec<u8>, bool),
    /// There is nothing more here.
    End,
}

impl Channel {
    pub(super) fn new(reader: Option<Weak<Shared>>, takes_events: bool) -> Self {
        Self {
            reader,
            takes_events,
            streaming: false,
            owed: 0,
            batch: None,
            log: VecDeque::new(),
            next: 0,
            cursor: 0,
            unread: 0,
            end: End::Open,
        }
    }

    pub(super) fn reader(&self) -> Option<Arc<Shared>> {
        self.reader.as_ref()?.upgrade()
    }

    pub(super) fn has_reader(&self) -> bool {
        self.reader.as_ref().is_some_and(|reader| reader.strong_count() > 0)
    }

    pub(super) fn is_read_by(&self, reader: &Shared) -> bool {
        self.reader.as_ref().is_some_and(|own| std::ptr::eq(own.as_ptr(), reader))
    }

    /// Somebody else reads from now on. Returns who did.
    pub(super) fn attach(&mut self, reader: &Arc<Shared>) -> Option<Arc<Shared>> {
        self.stay();
        self.reader.replace(Arc::downgrade(reader)).and_then(|before| before.upgrade())
    }

    pub(super) fn detach(&mut self) {
        self.reader = None;
        self.stay();
    }

    fn stay(&mut self) {
        if self.end == End::Early {
            self.end = End::Open;
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.end == End::Closed
    }

    /// Whether nobody reads it and nobody can come back to it.
    pub(super) fn is_lost(&self) -> bool {
        !self.streaming && !self.has_reader()
    }

    /// Adds an event: `id` first, if it has one, then `text`.
    pub(super) fn push(&mut self, event: Vec<u8>) {
        self.next += 1;
        self.unread += event.len();
        self.log.push_back(event);
    }

    /// The number of the next event.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// The number of the first event that is kept.
    fn first(&self) -> u64 {
        self.next - self.log.len() as u64
    }

    /// Reads one event. It stays here if it is `kept`.
    pub(super) fn pull(&mut self, kept: bool) -> Pulled {
        let place = usize::try_from(self.cursor - self.first()).unwrap_or(usize::MAX);
        let event = match (kept, place) {
            (true, place) => self.log.get(place).cloned(),
            // What is not kept goes when it is read, so the first is the next.
            (false, _) => self.log.pop_front(),
        };
        if let Some(event) = event {
            self.cursor += 1;
            self.unread -= event.len();
            let last = self.cursor == self.next && self.end != End::Open;
            return Pulled::Event(event, last);
        }
        match self.end {
            End::Open => Pulled::Nothing,
            End::Early | End::Closed => Pulled::End,
        }
    }

    pub(super) fn is_read_out(&self) -> bool {
        self.cursor == self.next
    }

    /// The reader goes on behind this event. False if what followed is not there any more.
    pub(super) fn rewind(&mut self, event: u64) -> bool {
        let cursor = event.saturating_add(1);
        if cursor < self.first() || cursor > self.next {
            return false;
        }
        self.cursor = cursor;
        let read = usize::try_from(cursor - self.first()).unwrap_or(usize::MAX);
        self.unread = self.log.iter().skip(read).map(Vec::len).sum();
        true
    }

    /// As [`Channel::rewind`], but goes on with what there is.
    pub(super) fn rewind_as_far_as_it_goes(&mut self, event: u64) {
        if !self.rewind(event) {
            let first = self.first().checked_sub(1);
            if first.is_none_or(|first| !self.rewind(first)) {
                self.cursor = self.first();
                self.unread = self.log.iter().map(Vec::len).sum();
            }
        }
    }

    /// Forgets the oldest event unless a reader waits for it. Returns what that frees.
    pub(super) fn forget(&mut self) -> Option<usize> {
        if self.has_reader() && self.cursor == self.first() {
            return None;
        }
        let unread = self.cursor == self.first();
        let event = self.log.pop_front()?;
        if unread {
            self.cursor += 1;
            self.unread -= event.len();
        }
        Some(event.len() + OVERHEAD)
    }

    pub(super) fn kept(&self) -> usize {
        self.log.len()
    }

    /// Bytes of what is kept, as they count.
    pub(super) fn size(&self) -> usize {
        self.log.iter().map(|event| event.len() + OVERHEAD).sum()
    }
}

/// Which event of which stream of which life of a session a client saw last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventId {
    pub(super) life: u32,
    pub(super) channel: u64,
    pub(super) event: u64,
}

impl EventId {
    pub(super) fn text(self) -> String {
        format!("{:08x}-{:x}-{:x}", self.life, self.channel, self.event)
    }

    /// Reads what [`EventId::text`] wrote.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('-').map(|part| {
            let plain = part.len() <= 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
            u64::from_str_radix(part, 16).ok().filter(|_| plain)
        });
        let (life, channel, event) = (parts.next()??, parts.next()??, parts.next()??);
        if parts.next().is_some() {
            return None;
        }
        Some(Self { life: u32::try_from(life).ok()?, channel, event })
    }
}

/// What an event says besides its id.
pub(super) enum Say<'m> {
    Message(&'m [u8]),
    /// Nothing, so that the client has an id to come back with; after how long, if it is to be told.
    Prime(u64),
    /// That the client should come back, after how long.
    Retry(u64),
}

pub(super) fn event(id: Option<EventId>, say: &Say<'_>) -> Vec<u8> {
    let id = id.map(EventId::text);
    match say {
        Say::Message(message) => sse::event(id.as_deref(), message),
        Say::Prime(retry) => sse::prime(id.as_deref(), *retry),
        Say::Retry(retry) => sse::retry(*retry),
    }
}
