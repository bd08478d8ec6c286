//! The snapshots that are current, one a catalog key.

use super::{discover, hub::Event};
use crate::catalog::{self, Builder, Catalog, List};
use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::jsonrpc::ErrorBody;
use crate::protocol::wire::code;
use crate::protocol::LogLevel;
use crate::server::Inner;
use arc_swap::ArcSwapOption;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Snapshots of keys other than the common one are kept up to about so many bytes; the least used go first.
const KEYED_BYTES: usize = 64 << 20;

const LISTS: [List; 4] = [List::Tools, List::Resources, List::ResourceTemplates, List::Prompts];

/// One published catalog and what follows from it.
pub(crate) struct Snapshot {
    pub(crate) catalog: Catalog,
    pub(crate) offers: Offers,
    /// The result of `server/discover`.
    pub(crate) discover: Box<[u8]>,
}

/// Which features a caller of this catalog is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offers {
    pub(crate) tools: bool,
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
}

impl Offers {
    fn of(catalog: &Catalog, config: &Config) -> Self {
        let any = |list| catalog.count(list) > 0;
        let resources = any(List::Resources) || any(List::ResourceTemplates);
        Self {
            tools: any(List::Tools) || config.tools_list_changed,
            resources: resources || config.resources_list_changed || config.resources_subscribe,
            prompts: any(List::Prompts) || config.prompts_list_changed,
        }
    }
}

struct Kept {
    snapshot: Arc<Snapshot>,
    used: u64,
}

#[derive(Default)]
struct Keyed {
    snapshots: HashMap<String, Kept>,
    clock: u64,
}

impl Keyed {
    fn get(&mut self, key: &str) -> Option<Arc<Snapshot>> {
        self.clock += 1;
        let kept = self.snapshots.get_mut(key)?;
        kept.used = self.clock;
        Some(Arc::clone(&kept.snapshot))
    }

    fn put(&mut self, key: &str, snapshot: Arc<Snapshot>) {
        self.clock += 1;
        self.snapshots.insert(key.to_owned(), Kept { snapshot, used: self.clock });
        while self.snapshots.len() > 1 && self.bytes() > KEYED_BYTES {
            let oldest = self.snapshots.iter().min_by_key(|(_, kept)| kept.used).map(|(key, _)| key.clone());
            oldest.map(|key| self.snapshots.remove(&key));
        }
    }

    fn bytes(&self) -> usize {
        self.snapshots.values().map(|kept| kept.snapshot.catalog.size()).sum()
    }
}

/// The current snapshots of a server.
#[derive(Default)]
pub(crate) struct Catalogs {
    /// The snapshot of the empty key; read without a lock.
    common: ArcSwapOption<Snapshot>,
    keyed: Mutex<Keyed>,
    /// Keys being built: one build at a time each.
    building: Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Catalogs {
    /// The current snapshot for `key`, built now if there is none.
    ///
    /// # Errors
    /// -32603 where the host cannot say what it offers to that key; the log says why.
    #[inline]
    pub(crate) fn snapshot(&self, server: &Inner, key: &str) -> Result<Arc<Snapshot>, ErrorBody> {
        if let Some(snapshot) = self.current(key) {
            return Ok(snapshot);
        }
        self.build_once(server, key)
    }

    /// The catalog of `key` is not there, or not any more.
    #[cold]
    fn build_once(&self, server: &Inner, key: &str) -> Result<Arc<Snapshot>, ErrorBody> {
        let gate = self.gate(key);
        let built = {
            let _one = lock(&gate);
            match self.current(key) {
                Some(snapshot) => Ok(snapshot),
                None => build(server, key).map(|snapshot| self.publish(key, snapshot)),
            }
        };
        self.leave(key, gate);
        built.map_err(|error| {
            let id = server.log_masked(&format!("the catalog for key {key:?} cannot be built: {error}"));
            ErrorBody::new(code::INTERNAL_ERROR, format!("The catalog is not available (log id {id})."))
        })
    }

    /// Whether the host need not be asked for the catalog of `key`.
    #[cfg(feature = "http")]
    pub(crate) fn is_current(&self, key: &str) -> bool {
        key.is_empty() || self.current(key).is_some()
    }

    fn current(&self, key: &str) -> Option<Arc<Snapshot>> {
        if key.is_empty() {
            return self.common.load_full();
        }
        lock(&self.keyed).get(key)
    }

    fn publish(&self, key: &str, snapshot: Snapshot) -> Arc<Snapshot> {
        let snapshot = Arc::new(snapshot);
        if key.is_empty() {
            self.common.store(Some(Arc::clone(&snapshot)));
        } else {
            lock(&self.keyed).put(key, Arc::clone(&snapshot));
        }
        snapshot
    }

    fn gate(&self, key: &str) -> Arc<Mutex<()>> {
        Arc::clone(lock(&self.building).entry(key.to_owned()).or_default())
    }

    fn leave(&self, key: &str, gate: Arc<Mutex<()>>) {
        let mut building = lock(&self.building);
        drop(gate);
        if building.get(key).is_some_and(|gate| Arc::strong_count(gate) == 1) {
            building.remove(key);
        }
    }

    /// Builds the snapshot for `key` anew, publishes it, and tells subscribers of every kind that it may have
    /// changed. On an error the old one stays.
    pub(crate) fn rebuild(&self, server: &Inner, key: &str) -> Result<(), Error> {
        let gate = self.gate(key);
        let outcome = {
            let _one = lock(&gate);
            build(server, key).map(|snapshot| {
                let old = self.current(key);
                let new = self.publish(key, snapshot);
                // Announced even if the net change is nothing, but only for the kinds that changed if some did.
                old.map(|old| old.catalog.changes(&new.catalog))
                    .filter(|changes| changes.tools || changes.resources || changes.prompts)
            })
        };
        self.leave(key, gate);
        let changes = outcome?;
        let told = |changed: fn(&catalog::Changes) -> bool| changes.as_ref().is_none_or(changed);
        let may = |caller: &crate::caller::Caller| caller.catalog_key() == key;
        let config = &server.config;
        if config.tools_list_changed && told(|changes| changes.tools) {
            server.hub.publish(Event::Tools, may);
        }
        if config.prompts_list_changed && told(|changes| changes.prompts) {
            server.hub.publish(Event::Prompts, may);
        }
        if config.resources_list_changed && told(|changes| changes.resources) {
            server.hub.publish(Event::Resources, may);
        }
        Ok(())
    }
}

/// Asks the host and checks everything.
///
/// # Errors
/// [`ErrorKind::Catalog`] with every fault, a line each.
pub(crate) fn build(server: &Inner, key: &str) -> Result<Snapshot, Error> {
    let mut builder = Builder::new(&server.settings);
    // What is not JSON is noted by the builder too, so nothing is lost by going on.
    if let Some(document) = &server.config.catalog {
        let _ = builder.add(document);
    }
    if let Err(error) = server.host.catalog(key, &mut builder) {
        builder.fail(error.to_string());
    }
    let (catalog, skipped) = builder.finish().map_err(|faults| catalog::error_of(&faults))?;
    for fault in &skipped {
        server.log(LogLevel::Warning, &format!("left out: {fault}"));
    }
    for fault in catalog.warnings() {
        server.log(LogLevel::Warning, &fault.to_string());
    }
    let callable = LISTS.into_iter().any(|list| catalog.count(list) > 0) || server.config.completions;
    if callable && !server.host.answers_calls() {
        let why = "the catalog has items (or completions are on), but no callback answers calls";
        return Err(Error::new(ErrorKind::Catalog, why));
    }
    let offers = Offers::of(&catalog, &server.config);
    let discover = discover::render(server, offers).into_boxed_slice();
    Ok(Snapshot { catalog, offers, discover })
}
