//! What of a session is open, under one lock.

use super::super::exchange::Shared;
use super::channel::{event, Channel, End, EventId, Pulled, Say, OVERHEAD, STANDALONE};
use super::Counted;
use crate::call::State as CallState;
use crate::engine::Inquiry;
use crate::jsonrpc::{IdKey, Outgoing};
use std::collections::BTreeMap;
use std::sync::Arc;

/// No time at all.
pub(super) const NEVER: u64 = u64::MAX;

/// One request that has not had its response.
pub(super) struct Slot {
    pub(super) key: IdKey,
    /// Where its response goes.
    pub(super) channel: u64,
    pub(super) work: Work,
    /// When its time is over.
    pub(super) due: u64,
    /// When it must have found a thread.
    pub(super) queue_due: u64,
    /// It is owed its answer, and while it is an inquiry, it waits for its client.
    pub(super) counted: (Counted, Option<Counted>),
}

pub(super) enum Work {
    Call(Arc<CallState>),
    /// It waits while the client is asked.
    Inquiry(Arc<Inquiry>),
}

/// What is to be done when the lock is free again.
pub(super) enum Effect {
    None,
    /// The reader has something to read.
    Nudge(Arc<Shared>),
    /// The whole answer of a POST.
    Whole(Arc<Shared>, Outgoing),
    /// A POST that has nothing to answer any more.
    Nothing(Arc<Shared>),
}

impl Effect {
    pub(super) fn run(self) {
        match self {
            Self::None => {}
            Self::Nudge(reader) => reader.nudge(),
            Self::Whole(reader, outgoing) => reader.answer_whole(outgoing),
            Self::Nothing(reader) => reader.accept(),
        }
    }
}

/// How a session's streams are held.
#[derive(Debug, Clone, Copy)]
pub(super) struct Terms {
    /// Bytes of events that are kept; 0: none, and events have no ids.
    pub(super) replay: usize,
    /// Whether streams begin with an event without a message.
    pub(super) primes: bool,
    /// After how long clients come back, in ms.
    pub(super) retry: u64,
    /// Tells the events of this life of the session from those of others.
    pub(super) life: u32,
}

pub(super) struct Ledger {
    pub(super) terms: Terms,
    pub(super) channels: BTreeMap<u64, Channel>,
    /// Requests by the number of their exchange.
    pub(super) slots: BTreeMap<u64, Slot>,
    last_channel: u64,
    /// Bytes of all events that are kept.
    bytes: usize,
    /// The channel of the newest event.
    newest: u64,
    /// It is over: nothing begins any more.
    pub(super) ended: bool,
    /// It ends when nothing is owed any more.
    pub(super) ending: bool,
}

impl Ledger {
    pub(super) fn new(terms: Terms) -> Self {
        let mut standalone = Channel::new(None, true);
        standalone.streaming = true;
        Self {
            terms,
            channels: BTreeMap::from([(STANDALONE, standalone)]),
            slots: BTreeMap::new(),
            last_channel: STANDALONE,
            bytes: 0,
            newest: STANDALONE,
            ended: false,
            ending: false,
        }
    }

    pub(super) fn open_channel(&mut self, channel: Channel) -> u64 {
        self.last_channel += 1;
        self.channels.insert(self.last_channel, channel);
        self.last_channel
    }

    /// Takes out the requests that are meant.
    pub(super) fn take(&mut self, meant: impl Fn(&Slot) -> bool) -> Vec<Slot> {
        let of = |(number, slot): (&u64, &Slot)| meant(slot).then_some(*number);
        let numbers: Vec<u64> = self.slots.iter().filter_map(of).collect();
        numbers.iter().filter_map(|number| self.slots.remove(number)).collect()
    }

    fn keeps(&self) -> bool {
        self.terms.replay > 0
    }

    /// From now on the channel is a stream of events, if its client takes them.
    pub(super) fn commit(&mut self, number: u64) -> bool {
        let Some(channel) = self.channels.get_mut(&number) else { return false };
        if channel.streaming || !channel.takes_events {
            return channel.streaming;
        }
        channel.streaming = true;
        let gathered = channel.batch.take();
        if self.terms.primes && self.keeps() {
            self.append(number, &Say::Prime(self.terms.retry));
        }
        for response in gathered.iter().flatten() {
            self.append(number, &Say::Message(response));
        }
        true
    }

    /// Adds an event to a channel that streams.
    pub(super) fn append(&mut self, number: u64, say: &Say<'_>) {
        let (keeps, life) = (self.keeps(), self.terms.life);
        let Some(channel) = self.channels.get_mut(&number) else { return };
        let id = keeps.then(|| EventId { life, channel: number, event: channel.next() });
        let event = event(id, say);
        if keeps {
            self.bytes += event.len() + OVERHEAD;
        }
        channel.push(event);
        self.newest = number;
        self.trim();
    }

    /// Adds an event that is written already.
    pub(super) fn append_raw(&mut self, number: u64, event: Vec<u8>) {
        if let Some(channel) = self.channels.get_mut(&number) {
            channel.push(event);
        }
    }

    /// Forgets the oldest events, but not the newest, nor those that a reader has not come to.
    pub(super) fn trim(&mut self) {
        if !self.keeps() || self.bytes <= self.terms.replay {
            return;
        }
        let mut emptied = Vec::new();
        for (number, channel) in &mut self.channels {
            while self.bytes > self.terms.replay {
                if *number == self.newest && channel.kept() <= 1 {
                    break;
                }
                let Some(freed) = channel.forget() else { break };
                self.bytes -= freed;
            }
            if channel.is_closed() && channel.kept() == 0 && !channel.has_reader() {
                emptied.push(*number);
            }
            if self.bytes <= self.terms.replay {
                break;
            }
        }
        for number in emptied {
            self.channels.remove(&number);
        }
    }

    fn remove_channel(&mut self, number: u64) {
        if let Some(channel) = self.channels.remove(&number) {
            if self.keeps() {
                self.bytes -= channel.size();
            }
        }
    }

    pub(super) fn nudge(&self, number: u64) -> Effect {
        let reader = self.channels.get(&number).and_then(Channel::reader);
        reader.map_or(Effect::None, Effect::Nudge)
    }

    /// A notification of a request, which its client can do without. `room`: bytes that may wait to be read.
    pub(super) fn notify(&mut self, number: u64, message: &[u8], room: usize) -> Effect {
        let fits = self.channels.get(&number).is_some_and(|channel| {
            channel.takes_events && !channel.is_lost() && channel.unread + message.len() <= room
        });
        if !fits || !self.commit(number) {
            return Effect::None;
        }
        self.append(number, &Say::Message(message));
        self.nudge(number)
    }

    /// What must be told: questions, and that they are called off. False if nobody will ever read it.
    pub(super) fn tell(&mut self, number: u64, messages: &[Vec<u8>]) -> (bool, Effect) {
        let lost =
            self.channels.get(&number).is_none_or(|channel| channel.is_lost() || !channel.takes_events);
        if lost || !self.commit(number) {
            return (false, Effect::None);
        }
        for message in messages {
            self.append(number, &Say::Message(message));
        }
        (true, self.nudge(number))
    }

    /// Ends the stream of a request before its response, if its client will come back for it.
    pub(super) fn end_early(&mut self, number: u64, retry: u64) -> Effect {
        let polls = self.terms.primes && self.keeps() && number != STANDALONE;
        let read = self.channels.get(&number).is_some_and(Channel::has_reader);
        if !polls || !read || !self.commit(number) {
            return Effect::None;
        }
        if retry > 0 {
            self.append(number, &Say::Retry(retry));
        }
        if let Some(channel) = self.channels.get_mut(&number) {
            channel.end = End::Early;
        }
        self.nudge(number)
    }

    /// A response, or none where the request was cancelled.
    pub(super) fn respond(&mut self, number: u64, outgoing: Option<Outgoing>) -> Effect {
        let Some(channel) = self.channels.get_mut(&number) else { return Effect::None };
        channel.owed = channel.owed.saturating_sub(1);
        if channel.streaming {
            if let Some(outgoing) = outgoing {
                self.append(number, &Say::Message(&outgoing.text));
                outgoing.recycle();
            }
            return self.conclude(number);
        }
        let outgoing = match (&mut channel.batch, outgoing) {
            (Some(gathered), Some(response)) => {
                gathered.push(response.text);
                None
            }
            (_, outgoing) => outgoing,
        };
        if channel.owed > 0 {
            return Effect::None;
        }
        let gathered = channel.batch.take().filter(|gathered| !gathered.is_empty());
        let reader = channel.reader();
        self.remove_channel(number);
        let Some(reader) = reader else { return Effect::None };
        match (gathered, outgoing) {
            (Some(gathered), _) => Effect::Whole(reader, Outgoing::batch(&gathered)),
            (None, Some(outgoing)) => Effect::Whole(reader, outgoing),
            (None, None) => Effect::Nothing(reader),
        }
    }

    /// Closes a stream on which nothing is owed any more.
    fn conclude(&mut self, number: u64) -> Effect {
        let idle = self.slots.is_empty();
        let Some(channel) = self.channels.get_mut(&number) else { return Effect::None };
        let is_complete = if number == STANDALONE { self.ending && idle } else { channel.owed == 0 };
        if is_complete {
            channel.end = End::Closed;
        }
        self.nudge(number)
    }

    /// One event for the reader of a channel.
    pub(super) fn pull(
        &mut self,
        number: u64,
        reader: &Shared,
        news: impl FnOnce() -> Vec<Vec<u8>>,
    ) -> Pulled {
        let keeps = self.keeps();
        let Some(channel) = self.channels.get(&number).filter(|channel| channel.is_read_by(reader)) else {
            return Pulled::End;
        };
        if !channel.streaming {
            return Pulled::Nothing;
        }
        if number == STANDALONE && channel.is_read_out() && !channel.is_closed() {
            for message in news() {
                self.append(number, &Say::Message(&message));
            }
        }
        let Some(channel) = self.channels.get_mut(&number) else { return Pulled::End };
        let pulled = channel.pull(keeps);
        let over = matches!(pulled, Pulled::Event(_, true) | Pulled::End);
        if over {
            channel.detach();
            if !keeps && channel.is_closed() {
                self.channels.remove(&number);
            }
        }
        self.trim();
        pulled
    }
}
