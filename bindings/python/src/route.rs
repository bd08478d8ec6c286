//! Which handler a call is for, and where it runs.

use crate::gate::{Gate, Permit};
use mcpcore_engine::json::Node;
use mcpcore_engine::{Call, CallKind};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Where a handler runs.
#[derive(Clone)]
pub(crate) struct Route {
    /// Python's number of it.
    pub(crate) handler: u32,
    /// On a thread of the pool; otherwise on an event loop.
    pub(crate) threaded: bool,
    pub(crate) gate: Option<Arc<Gate>>,
}

/// A call and whom it is for.
pub(crate) struct Work {
    pub(crate) call: Call,
    pub(crate) handler: u32,
    pub(crate) threaded: bool,
    pub(crate) permit: Option<Permit>,
}

/// All routes. Names are of tools and prompts, uris and uri templates; of completions, the name or template and the
/// argument behind a line feed.
#[derive(Default)]
pub(crate) struct Routes {
    table: RwLock<Table>,
}

#[derive(Default)]
struct Table {
    tools: HashMap<Box<str>, Route>,
    resources: HashMap<Box<str>, Route>,
    prompts: HashMap<Box<str>, Route>,
    completions: HashMap<Box<str>, Route>,
    /// Whatever has none of its own.
    rest: Option<Route>,
}

impl Table {
    fn of(&mut self, kind: &str) -> Option<&mut HashMap<Box<str>, Route>> {
        match kind {
            "tool" => Some(&mut self.tools),
            "resource" => Some(&mut self.resources),
            "prompt" => Some(&mut self.prompts),
            "completion" => Some(&mut self.completions),
            _ => None,
        }
    }
}

impl Routes {
    /// Sets or takes away the route of an item; without a name, of whatever has none of its own. False for a kind that
    /// there is not.
    pub(crate) fn set(&self, kind: &str, name: Option<&str>, route: Option<Route>) -> bool {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let Some(name) = name else {
            table.rest = route;
            return true;
        };
        let Some(routes) = table.of(kind) else { return false };
        match route {
            Some(route) => drop(routes.insert(name.into(), route)),
            None => drop(routes.remove(name)),
        }
        true
    }

    pub(crate) fn find(&self, call: &Call) -> Option<Route> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let found = match call.kind() {
            CallKind::Tool => table.tools.get(call.name()),
            CallKind::Resource => table.resources.get(call.template().unwrap_or(call.name())),
            CallKind::Prompt => table.prompts.get(call.name()),
            CallKind::Completion => {
                let argument = call.argument_node().pointer("/argument/name").and_then(Node::as_str);
                let key = format!("{}\n{}", call.name(), argument.unwrap_or_default());
                table.completions.get(&*key)
            }
            // A kind of a later engine is for whoever takes the rest.
            _ => None,
        };
        found.or(table.rest.as_ref()).cloned()
    }

    pub(crate) fn is_empty(&self) -> bool {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let some = [&table.tools, &table.resources, &table.prompts, &table.completions];
        table.rest.is_none() && some.iter().all(|routes| routes.is_empty())
    }
}
