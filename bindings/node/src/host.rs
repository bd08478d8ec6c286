//! The seam: the engine's callbacks become events of the inbox.

use crate::inbox::{Event, Inbox};
use mcpcore_engine::{Call, CancelReason, CatalogBuilder, Error, ErrorKind, Host, LogLevel};
use std::collections::HashMap;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Catalog documents as JavaScript gave them: nothing here ever waits for JavaScript.
#[derive(Default)]
pub(crate) struct Documents {
    /// By catalog key; empty: the common one.
    pub(crate) keyed: HashMap<String, Arc<str>>,
    /// What was registered item by item; part of every catalog.
    pub(crate) registered: Option<Arc<str>>,
}

/// Which callbacks JavaScript wants.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wants {
    pub(crate) log: Option<LogLevel>,
    pub(crate) calls: bool,
}

pub(crate) struct Bridge {
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) documents: Mutex<Documents>,
    pub(crate) wants: Wants,
}

impl Bridge {
    pub(crate) fn documents(&self) -> MutexGuard<'_, Documents> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine's handle of a bridge that the JavaScript side also holds.
pub(crate) struct Seat(pub(crate) Arc<Bridge>);

impl Host for Seat {
    fn catalog(&self, key: &str, catalog: &mut CatalogBuilder) -> Result<(), Error> {
        let (keyed, registered) = {
            let documents = self.0.documents();
            (documents.keyed.get(key).cloned(), documents.registered.clone())
        };
        if keyed.is_none() && !key.is_empty() {
            let why = format!("no catalog was made for the key {key:?}");
            return Err(Error::new(ErrorKind::Catalog, why));
        }
        // What is wrong with them is noted and reported with everything else.
        for document in [keyed, registered].into_iter().flatten() {
            let _ = catalog.add(&document);
        }
        Ok(())
    }

    fn call(&self, call: Call) {
        self.0.inbox.push(Event::Call(call));
    }

    fn answers_calls(&self) -> bool {
        self.0.wants.calls
    }

    fn cancelled(&self, number: u64, reason: CancelReason) {
        self.0.inbox.push(Event::Cancelled { number, reason });
    }

    fn log(&self, level: LogLevel, text: &str) {
        match self.0.wants.log {
            Some(least) if level >= least => self.0.inbox.push(Event::Log { level, text: text.to_owned() }),
            None if level >= LogLevel::Warning => {
                // A broken standard error is no reason to fail.
                let _ = writeln!(std::io::stderr(), "mcpcore: {level}: {text}");
            }
            Some(_) | None => {}
        }
    }

    fn event(&self, json: &str) {
        self.0.inbox.push(Event::Happened(json.to_owned()));
    }
}
