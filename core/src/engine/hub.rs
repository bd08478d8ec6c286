//! Subscriptions: who wants to hear what.

use super::outlet::{Exchange, Outlet};
use super::session::Session;
use crate::caller::Caller;
use crate::json::push_quoted;
use crate::protocol::wire::{key, method};
use arc_swap::ArcSwap;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Something that subscribers may have asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event<'a> {
    Tools,
    Resources,
    Prompts,
    Updated(&'a str),
}

/// What one subscription is told of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) tools: bool,
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
    pub(crate) uris: HashSet<String>,
}

impl Filter {
    pub(crate) fn is_empty(&self) -> bool {
        !self.tools && !self.resources && !self.prompts && self.uris.is_empty()
    }

    fn wants(&self, event: Event<'_>) -> bool {
        match event {
            Event::Tools => self.tools,
            Event::Resources => self.resources,
            Event::Prompts => self.prompts,
            Event::Updated(uri) => self.uris.contains(uri),
        }
    }
}

/// What happened and was not told yet. Level-triggered: a second change before the first is told is one notification,
/// so a slow reader costs at most one flag a kind and one entry a subscribed uri.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    tools: bool,
    resources: bool,
    prompts: bool,
    uris: BTreeSet<String>,
    /// About how much will be sent.
    bytes: usize,
}

/// What a notification of a change takes besides its uri, about.
const NOTIFICATION_BYTES: usize = 160;

impl Pending {
    pub(crate) fn note(&mut self, event: Event<'_>) {
        let length = match event {
            Event::Tools | Event::Resources | Event::Prompts => 0,
            Event::Updated(uri) => uri.len(),
        };
        let new = match event {
            Event::Tools => !std::mem::replace(&mut self.tools, true),
            Event::Resources => !std::mem::replace(&mut self.resources, true),
            Event::Prompts => !std::mem::replace(&mut self.prompts, true),
            Event::Updated(uri) => self.uris.insert(uri.to_owned()),
        };
        if new {
            self.bytes += length + NOTIFICATION_BYTES;
        }
    }

    #[cfg(feature = "http")]
    pub(crate) fn is_empty(&self) -> bool {
        !self.tools && !self.resources && !self.prompts && self.uris.is_empty()
    }

    /// The method of each notification that is due, and the members of its params: a comma before each.
    pub(crate) fn tell(self, mut tell: impl FnMut(&'static str, &[u8])) {
        for (due, method) in [
            (self.tools, method::TOOLS_CHANGED),
            (self.prompts, method::PROMPTS_CHANGED),
            (self.resources, method::RESOURCES_CHANGED),
        ] {
            if due {
                tell(method, b"");
            }
        }
        for uri in self.uris {
            let mut member = b",\"uri\":".to_vec();
            push_quoted(&mut member, &uri);
            tell(method::RESOURCE_UPDATED, &member);
        }
    }

    /// Forgets what was noted of this uri.
    pub(crate) fn forget(&mut self, uri: &str) {
        if self.uris.remove(uri) {
            self.bytes -= uri.len() + NOTIFICATION_BYTES;
        }
    }
}

/// One open subscription.
pub(crate) struct Listener {
    pub(crate) exchange: Exchange,
    /// The listen request's id as it came: the subscription id.
    id: Box<str>,
    filter: Filter,
    /// Replaced where the door asks again who the caller is.
    pub(crate) caller: ArcSwap<Caller>,
    pending: Mutex<Pending>,
    outlet: Weak<dyn Outlet>,
}

impl Listener {
    pub(crate) fn new(
        exchange: Exchange,
        id: &str,
        filter: Filter,
        caller: Arc<Caller>,
        outlet: Weak<dyn Outlet>,
    ) -> Self {
        let caller = ArcSwap::new(caller);
        Self { exchange, id: id.into(), filter, caller, pending: Mutex::default(), outlet }
    }

    /// The first message of the subscription.
    pub(crate) fn acknowledgement(&self) -> Vec<u8> {
        let mut names = Vec::new();
        for (wanted, name) in [
            (self.filter.tools, "toolsListChanged"),
            (self.filter.prompts, "promptsListChanged"),
            (self.filter.resources, "resourcesListChanged"),
        ] {
            if wanted {
                names.push(format!("\"{name}\":true"));
            }
        }
        if !self.filter.uris.is_empty() {
            let mut uris: Vec<&String> = self.filter.uris.iter().collect();
            uris.sort_unstable();
            let uris: Vec<String> = uris.into_iter().map(|uri| crate::json::quote(uri)).collect();
            names.push(format!("\"resourceSubscriptions\":[{}]", uris.join(",")));
        }
        let notifications = format!(",\"notifications\":{{{}}}", names.join(","));
        self.notification(method::ACKNOWLEDGED, notifications.as_bytes())
    }

    /// The result that ends the subscription gracefully, without its braces' outer envelope.
    pub(crate) fn result(&self, server_info: &str) -> Vec<u8> {
        let head = "{\"resultType\":\"complete\",\"_meta\":";
        let mut out = format!("{head}{{\"{}\":", key::SUBSCRIPTION_ID).into_bytes();
        out.extend_from_slice(self.id.as_bytes());
        if !server_info.is_empty() {
            out.extend_from_slice(format!(",\"{}\":", key::SERVER_INFO).as_bytes());
            out.extend_from_slice(server_info.as_bytes());
        }
        out.extend_from_slice(b"}}");
        out
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Every message that is due, oldest kind first; each is told once.
    pub(crate) fn take(&self) -> Vec<Vec<u8>> {
        let pending = std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        let mut messages = Vec::new();
        pending.tell(|method, members| messages.push(self.notification(method, members)));
        messages
    }

    fn notification(&self, method: &str, members: &[u8]) -> Vec<u8> {
        let mut out = b"{\"jsonrpc\":\"2.0\",\"method\":\"".to_vec();
        out.extend_from_slice(method.as_bytes());
        out.extend_from_slice(
            format!("\",\"params\":{{\"_meta\":{{\"{}\":", key::SUBSCRIPTION_ID).as_bytes(),
        );
        out.extend_from_slice(self.id.as_bytes());
        out.push(b'}');
        out.extend_from_slice(members);
        out.extend_from_slice(b"}}");
        out
    }

    fn note(&self, event: Event<'_>) {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).note(event);
    }

    /// About how many bytes wait to be taken.
    #[cfg(feature = "http")]
    pub(crate) fn pending_bytes(&self) -> usize {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner).bytes
    }
}

/// All open subscriptions of a server, and the sessions, which are told of changes unasked.
#[derive(Default)]
pub(crate) struct Hub {
    listeners: Mutex<Vec<Arc<Listener>>>,
    /// By where they are in memory.
    sessions: Mutex<HashMap<usize, Weak<Session>, foldhash::quality::RandomState>>,
}

/// Room for fewer sessions than this is kept when they have ended.
#[cfg(feature = "http")]
const FEW: usize = 64;

impl Hub {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Listener>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, listener: Arc<Listener>) {
        self.lock().push(listener);
    }

    pub(crate) fn remove(&self, number: u64) {
        self.lock().retain(|listener| listener.exchange.number != number);
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Ends the subscriptions that are meant, without their results.
    pub(crate) fn evict(&self, which: impl Fn(&Listener) -> bool) {
        let leaving: Vec<Arc<Listener>> =
            self.lock().iter().filter(|listener| which(listener)).cloned().collect();
        for listener in leaving {
            if let Some(outlet) = listener.outlet.upgrade() {
                outlet.evict(&listener);
            }
        }
    }

    /// Tells every subscriber that asked for `event` and that `may` see it.
    pub(crate) fn publish(&self, event: Event<'_>, may: impl Fn(&Caller) -> bool) {
        let wanting: Vec<Arc<Listener>> =
            self.lock().iter().filter(|listener| listener.filter.wants(event)).cloned().collect();
        for listener in wanting {
            if may(&listener.caller.load()) {
                listener.note(event);
                if let Some(outlet) = listener.outlet.upgrade() {
                    outlet.wake(&listener);
                }
            }
        }
        for session in self.sessions() {
            if session.wants(event) && may(&session.caller()) {
                session.note(event);
            }
        }
    }

    pub(crate) fn add_session(&self, session: &Arc<Session>) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that nobody has taken out are forgotten when the room runs out.
        if sessions.len() == sessions.capacity() {
            sessions.retain(|_, known| known.strong_count() > 0);
        }
        sessions.insert(place(session), Arc::downgrade(session));
    }

    /// The session is over. What is known of it here would keep its memory.
    #[cfg(feature = "http")]
    pub(crate) fn remove_session(&self, session: &Arc<Session>) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.remove(&place(session));
        if sessions.capacity() > FEW && sessions.len() < sessions.capacity() / 8 {
            let room = sessions.len() * 2;
            sessions.shrink_to(room);
        }
    }

    /// Ends the subscriptions of sessions of such callers.
    pub(crate) fn unsubscribe_sessions(&self, whose: impl Fn(&Caller) -> bool) {
        for session in self.sessions().iter().filter(|session| whose(&session.caller())) {
            session.unsubscribe_all();
        }
    }

    fn sessions(&self) -> Vec<Arc<Session>> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.values().filter_map(Weak::upgrade).collect()
    }
}

fn place(session: &Arc<Session>) -> usize {
    Arc::as_ptr(session).addr()
}
