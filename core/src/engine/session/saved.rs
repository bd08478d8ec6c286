//! A session as a text, from which another process can go on with it.
#![cfg(feature = "http")]

use super::open::keep;
use super::{Session, Stream};
use crate::caller::Caller;
use crate::json::{push_compact, push_quoted, Node};
use crate::protocol::{Era, LogLevel, Revision};
use crate::server::Inner;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

impl Session {
    pub(crate) fn is_changed(&self) -> bool {
        self.changed.load(Ordering::Acquire)
    }

    /// Whether it is not what was saved last. It counts as saved then.
    pub(crate) fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    /// It could not be saved.
    pub(crate) fn unsaved(&self) {
        self.change();
    }

    /// Everything of it that outlives its connections, a JSON object.
    pub(crate) fn save(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"revision\":");
        push_quoted(out, self.revision.as_str());
        for (name, value) in [("capabilities", &self.capabilities), ("info", &self.info)] {
            if let Some(value) = value {
                out.extend_from_slice(format!(",\"{name}\":").as_bytes());
                push_compact(out, value.root());
            }
        }
        let ready = self.ready.load(Ordering::Acquire);
        let level = self.log_level();
        out.extend_from_slice(format!(",\"level\":\"{level}\",\"ready\":{ready},\"uris\":[").as_bytes());
        for (place, uri) in self.notices().uris().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            push_quoted(out, uri);
        }
        out.extend_from_slice(b"]}");
    }

    /// The session that was saved so; none where that is no session which this server could have opened.
    pub(crate) fn restore(
        server: &Inner,
        caller: &Arc<Caller>,
        saved: Node<'_>,
        stream: Weak<dyn Stream>,
    ) -> Option<Arc<Self>> {
        let text = |name: &str| saved.get(name).and_then(Node::as_str);
        let revision = Revision::read(&text("revision")?).filter(|read| read.era() == Era::Legacy)?;
        if !server.offered.has(revision) {
            return None;
        }
        let object = |name: &str| saved.get(name).filter(|value| value.is_object());
        let session = Arc::new(Self {
            capabilities: object("capabilities").and_then(|value| keep(|out| push_compact(out, value))),
            info: object("info").and_then(|value| keep(|out| push_compact(out, value))),
            ..Self::new(revision, caller, stream)
        });
        session.log_level.store(LogLevel::read(&text("level")?)? as u8, Ordering::Relaxed);
        session.ready.store(saved.get("ready")?.raw() == "true", Ordering::Release);
        let most = server.config.max_subscription_uris;
        for uri in saved.get("uris").filter(|uris| uris.is_array())?.elements() {
            session.notices().add(&uri.as_str()?, most);
        }
        session.changed.store(false, Ordering::Release);
        server.hub.add_session(&session);
        Some(session)
    }
}
