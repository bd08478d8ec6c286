//! The state of one check.

use super::budget::Budget;
use super::program::Id;
use super::types::Types;
use crate::json::Node;
use std::collections::{HashMap, HashSet};

/// Something wrong with a value.
pub(super) struct Fault<'d> {
    pub(super) node: Node<'d>,
    pub(super) what: What<'d>,
}

pub(super) enum What<'d> {
    Type(Types),
    /// No alternative holds: what is wrong by each.
    Alternatives(Vec<Vec<Fault<'d>>>),
    /// A property is missing.
    Missing(String),
    /// The value is one of a property that may not be there.
    Unexpected,
    /// The name does not match, with what it should be.
    Name {
        name: Node<'d>,
        expected: String,
    },
    /// What should be there.
    Expected(String),
}

/// The members or elements that some keyword has looked at, by their number in the document.
#[derive(Default)]
pub(super) struct Marks(HashSet<u32, foldhash::fast::RandomState>);

impl Marks {
    pub(super) fn add(&mut self, node: Node<'_>) {
        self.0.insert(node.index());
    }

    pub(super) fn take(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(super) fn has(&self, node: Node<'_>) -> bool {
        self.0.contains(&node.index())
    }
}

type Verdicts = HashMap<(Id, u32), bool, foldhash::fast::RandomState>;

/// One pass over a value.
pub(super) struct Run<'d> {
    pub(super) budget: Budget,
    /// The resources on the way to where the check stands, where a dynamic reference wants to know.
    pub(super) scope: Vec<u32>,
    /// Verdicts that took long, by subschema and value, so that recursive schemas stay cheap.
    verdicts: Option<Box<Verdicts>>,
    /// Where faults are told, if anybody wants to know.
    told: Option<Vec<Fault<'d>>>,
    /// How many faults are enough.
    most: usize,
}

impl<'d> Run<'d> {
    /// A pass that says no more than whether the value is valid.
    pub(super) fn verdict(budget: Budget) -> Self {
        Self { budget, scope: Vec::new(), verdicts: None, told: None, most: 0 }
    }

    /// A pass that tells up to `most` faults.
    pub(super) fn telling(budget: Budget, most: usize) -> Self {
        Self { told: Some(Vec::new()), most, ..Self::verdict(budget) }
    }

    pub(super) fn into_faults(self) -> Vec<Fault<'d>> {
        self.told.unwrap_or_default()
    }

    pub(super) fn tells(&self) -> bool {
        self.told.is_some()
    }

    /// Whether there is a point in going on after a fault.
    pub(super) fn goes_on(&self) -> bool {
        self.told.as_ref().is_some_and(|told| told.len() < self.most) && !self.budget.spent()
    }

    /// Whether `check` holds of every item. After a fault it goes on while there is a point in it.
    #[inline]
    pub(super) fn every<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut check: impl FnMut(&mut Self, T) -> bool,
    ) -> bool {
        let mut verdict = true;
        for item in items {
            if !check(self, item) {
                if !self.goes_on() {
                    return false;
                }
                verdict = false;
            }
        }
        verdict
    }

    /// Notes a fault. Always false, as the verdict.
    #[cold]
    pub(super) fn fail(&mut self, node: Node<'d>, what: impl FnOnce() -> What<'d>) -> bool {
        if let Some(told) = &mut self.told {
            if told.len() < self.most && self.budget.draw(1) {
                told.push(Fault { node, what: what() });
            }
        }
        false
    }

    /// The same for what can be said in words.
    #[cold]
    pub(super) fn expect(&mut self, node: Node<'d>, expected: impl FnOnce() -> String) -> bool {
        self.fail(node, || What::Expected(expected()))
    }

    /// Runs `check` with nobody listening.
    pub(super) fn silently(&mut self, check: impl FnOnce(&mut Self) -> bool) -> bool {
        let told = self.told.take();
        let verdict = check(self);
        self.told = told;
        verdict
    }

    /// Runs `check` and gives what it tells.
    pub(super) fn aside(&mut self, check: impl FnOnce(&mut Self) -> bool) -> Vec<Fault<'d>> {
        let told = self.told.replace(Vec::new());
        check(self);
        std::mem::replace(&mut self.told, told).unwrap_or_default()
    }

    /// A verdict that is known.
    pub(super) fn known(&self, schema: Id, node: Node<'d>) -> Option<bool> {
        self.verdicts.as_ref()?.get(&(schema, node.index())).copied()
    }

    pub(super) fn note(&mut self, schema: Id, node: Node<'d>, verdict: bool) {
        self.verdicts.get_or_insert_default().insert((schema, node.index()), verdict);
    }
}
