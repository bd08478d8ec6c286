//! The server as JavaScript holds it.

use crate::answer::Finish;
use crate::connection::Connections;
use crate::error::{thrown, Result};
use crate::exchange::Open;
use crate::host::{Bridge, Documents, Seat, Wants};
use crate::inbox::{row, Field, Inbox, Shelves};
use crate::settings::{config, log_level, Features, ServerSettings};
use crate::shelf::Shelf;
use crate::store::Keeping;
use mcpcore_engine::http::{Authorization, Endpoint, HttpListener};
use mcpcore_engine::{Call, Pending, Server};
use napi::bindgen_prelude::Function;
use napi_derive::napi;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One server. Everything but its inbox belongs to the thread that made it.
#[napi]
pub struct Engine {
    pub(crate) server: Server,
    pub(crate) bridge: Arc<Bridge>,
    pub(crate) shelf: RefCell<Shelf<Call>>,
    pub(crate) answers: RefCell<Vec<(Call, Finish)>>,
    pub(crate) questions: RefCell<Shelf<Authorization>>,
    pub(crate) keepings: RefCell<Shelf<Keeping>>,
    pub(crate) endpoints: RefCell<Shelf<Endpoint>>,
    pub(crate) exchanges: RefCell<Shelf<Open>>,
    pub(crate) listeners: RefCell<Shelf<Arc<HttpListener>>>,
    pub(crate) pending: RefCell<HashMap<u32, Pending>>,
    pub(crate) connections: RefCell<Connections>,
}

#[napi]
impl Engine {
    /// Checks everything and builds the common catalog out of two documents: what was injected and what was registered
    /// item by item. `wake` is called when there is something to `take`.
    #[napi(constructor)]
    pub fn new(
        name: String,
        version: String,
        settings: ServerSettings,
        features: Features,
        catalog: Option<String>,
        registered: Option<String>,
        wake: Function<'_, (), ()>,
    ) -> Result<Self> {
        let log = log_level(features.log_level.as_deref())?;
        let wants = Wants { log, calls: features.calls };
        let config = config(name, version, settings, features)?;
        let wake = wake
            .build_threadsafe_function::<()>()
            .weak::<true>()
            .callee_handled::<false>()
            .build()
            .map_err(|error| crate::error::invalid(error.reason.clone()))?;
        let mut documents = Documents { keyed: HashMap::new(), registered: registered.map(Arc::from) };
        if let Some(catalog) = catalog {
            documents.keyed.insert(String::new(), Arc::from(catalog));
        }
        let inbox = Arc::new(Inbox::new(wake));
        let bridge = Arc::new(Bridge { inbox, documents: Mutex::new(documents), wants });
        let server =
            Server::new(config, Arc::new(Seat(Arc::clone(&bridge)))).map_err(|error| thrown(&error))?;
        Ok(Self {
            server,
            bridge,
            shelf: RefCell::default(),
            answers: RefCell::default(),
            questions: RefCell::default(),
            keepings: RefCell::default(),
            endpoints: RefCell::default(),
            exchanges: RefCell::default(),
            listeners: RefCell::default(),
            pending: RefCell::default(),
            connections: RefCell::default(),
        })
    }

    /// What waits for this thread, row after row; see `lib/runtime.js` for their shapes.
    #[napi]
    pub fn take(&self) -> Vec<Field> {
        let events = self.bridge.inbox.take();
        let mut rows = Vec::with_capacity(events.len() * 6);
        for event in events {
            row(event, &mut rows, self);
        }
        rows
    }

    /// Sets the catalog for a key, to be published by `publish` or with the first caller who has the key.
    #[napi]
    pub fn set_catalog(&self, key: String, json: String) {
        self.bridge.documents().keyed.insert(key, Arc::from(json));
    }

    /// Forgets the catalog for a key.
    #[napi]
    pub fn drop_catalog(&self, key: String) {
        self.bridge.documents().keyed.remove(&key);
    }

    /// Sets what was registered item by item.
    #[napi]
    pub fn set_registered(&self, json: String) {
        self.bridge.documents().registered = Some(Arc::from(json));
    }

    /// Builds the catalog for a key and publishes it.
    #[napi]
    pub fn publish(&self, key: String) -> Result<()> {
        self.server.catalog_changed(&key).map_err(|error| thrown(&error))
    }

    /// Tells subscribers of `uri` that it changed.
    #[napi]
    pub fn resource_updated(&self, uri: String) {
        self.server.resource_updated(&uri);
    }

    /// Ends the subscriptions of a principal or owner key.
    #[napi]
    pub fn revoke(&self, owner_key: String) {
        self.server.revoke(&owner_key);
    }

    /// Counters as JSON.
    #[napi]
    pub fn stats(&self) -> String {
        self.server.stats()
    }
}

impl Shelves for Engine {
    fn call(&self, call: Call) -> u32 {
        self.shelf.borrow_mut().put(call)
    }

    fn question(&self, question: Authorization) -> u32 {
        self.questions.borrow_mut().put(question)
    }

    fn keeping(&self, keeping: Keeping) -> u32 {
        self.keepings.borrow_mut().put(keeping)
    }
}

impl Drop for Engine {
    /// The thread ends, or nobody holds the server any more: doors that are still open end too.
    fn drop(&mut self) {
        self.give_answers();
        // Nothing waits; what was cut off is over anyway.
        let _ = self.server.stop(Duration::ZERO);
    }
}
