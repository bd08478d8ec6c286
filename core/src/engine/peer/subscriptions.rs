//! Subscriptions of a peer.

use super::super::hub::Listener;
use super::super::listen::Prepared;
use super::super::outlet::{Exchange, Outlet};
use super::ledger::{Ledger, Slot};
use super::{number, Peer};
use crate::jsonrpc::{ErrorBody, IdKey, Outgoing};
use crate::protocol::wire::{code, method};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

impl Peer {
    pub(super) fn listen(&self, prepared: Prepared, key: IdKey) {
        let Prepared { request, filter } = prepared;
        let dead = filter.is_empty();
        let exchange = Exchange { key: key.clone(), number: number(&self.server) };
        let outlet: Weak<dyn Outlet> = Weak::clone(&self.me) as Weak<dyn Outlet>;
        let listener =
            Arc::new(Listener::new(exchange, request.message.id(), filter, Arc::clone(&self.caller), outlet));
        let mut state = self.lock();
        let open = state.exchanges.values().filter(|slot| matches!(slot, Slot::Listener(_))).count();
        let most = self.server.config.max_subscriptions;
        if open >= most {
            drop(state);
            let why = format!("Too many subscriptions: at most {most} are open at once.");
            return self.respond(None, &request.message.error(&ErrorBody::new(code::INTERNAL_ERROR, why)));
        }
        if state.closed {
            return;
        }
        // The acknowledgement is the subscription's first message: a change that is told while this lock is held
        // comes behind it, and none that happens from now on is lost.
        state.say(&listener.acknowledgement());
        if dead {
            self.end(&mut state, &listener);
        } else {
            state.insert(key, Slot::Listener(Arc::clone(&listener)));
            self.open.store(state.exchanges.len(), Ordering::Relaxed);
            self.server.hub.add(listener);
        }
        drop(state);
        self.flush_if(false);
    }

    /// Ends subscriptions gracefully: each gets its result.
    pub(crate) fn end_gracefully(&self) {
        self.part(|_| true, |state, listener| self.end(state, listener));
    }

    /// Ends a subscription whose caller lost the right to it: told as a cancellation, not as a result.
    pub(super) fn evict_listener(&self, number: u64) {
        let which = |listener: &Listener| listener.exchange.number == number;
        self.part(which, |state, listener| {
            let head = "{\"jsonrpc\":\"2.0\",\"method\":";
            let params = format!("{{\"requestId\":{}}}", listener.id());
            state.say(format!("{head}\"{}\",\"params\":{params}}}", method::CANCELLED).as_bytes());
        });
    }

    fn end(&self, state: &mut Ledger, listener: &Listener) {
        let result = listener.result(&self.server.info);
        let end = Outgoing::result(listener.id(), result.len(), |out| out.extend_from_slice(&result));
        state.say(&end.text);
    }

    fn part(&self, which: impl Fn(&Listener) -> bool, farewell: impl Fn(&mut Ledger, &Listener)) {
        let mut state = self.lock();
        let leaving = |slot: &Slot| matches!(slot, Slot::Listener(listener) if which(listener));
        let keys: Vec<IdKey> =
            state.exchanges.iter().filter(|(_, slot)| leaving(slot)).map(|(key, _)| key.clone()).collect();
        let mut ended = Vec::new();
        for key in keys {
            if let Some(Slot::Listener(listener)) = state.remove(&key, None) {
                farewell(&mut state, &listener);
                ended.push(listener.exchange.number);
            }
        }
        drop(state);
        for number in ended {
            self.server.hub.remove(number);
        }
        self.flush_if(false);
    }

    pub(in super::super) fn resume(&self) {
        let listeners: Vec<Arc<Listener>> = self
            .lock()
            .exchanges
            .values()
            .filter_map(|slot| match slot {
                Slot::Listener(listener) => Some(Arc::clone(listener)),
                Slot::Call { .. } | Slot::Inquiry { .. } => None,
            })
            .collect();
        for listener in listeners {
            Outlet::wake(self, &listener);
        }
        self.wake_session();
        self.start();
    }
}
