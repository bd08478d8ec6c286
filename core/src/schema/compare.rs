//! Equality as JSON Schema means it: 1 equals 1.0 at any depth and any size, members in any order.

use super::budget::Budget;
use crate::json::{Decimal, Kind, Node};
use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash, Hasher};

/// Up to this many members or elements comparing each with each beats hashing.
const PAIRWISE: usize = 16;

/// Whether two nodes hold equal values. Recursion is bounded by the depth of documents.
pub(super) fn equal(left: Node<'_>, right: Node<'_>, budget: &Budget) -> bool {
    if !budget.draw(1) {
        return false;
    }
    match (left.kind(), right.kind()) {
        (Kind::Number, Kind::Number) => {
            let same = left.raw() == right.raw();
            same || Decimal::read(left.raw()) == Decimal::read(right.raw())
        }
        (Kind::String, Kind::String) => {
            budget.draw(left.raw().len() as u64 / 32) && left.as_str() == right.as_str()
        }
        (Kind::Array, Kind::Array) => {
            left.len() == right.len()
                && left.elements().zip(right.elements()).all(|(a, b)| equal(a, b, budget))
        }
        (Kind::Object, Kind::Object) => left.len() == right.len() && equal_members(left, right, budget),
        (a, b) => a == b,
    }
}

fn equal_members(left: Node<'_>, right: Node<'_>, budget: &Budget) -> bool {
    if left.len() <= PAIRWISE {
        return left.members().all(|(name, a)| right.get(&name).is_some_and(|b| equal(a, b, budget)));
    }
    let others: HashMap<Cow<'_, str>, Node<'_>> = right.members().collect();
    left.members().all(|(name, a)| others.get(&name).is_some_and(|&b| equal(a, b, budget)))
}

/// `uniqueItems`.
pub(super) fn all_differ(node: Node<'_>, budget: &Budget) -> bool {
    if node.len() <= PAIRWISE {
        let mut rest = node.elements();
        while let Some(item) = rest.next() {
            if rest.clone().any(|other| equal(item, other, budget)) {
                return false;
            }
        }
        return true;
    }
    let state = RandomState::new();
    #[expect(clippy::mutable_key_type, reason = "the budget takes no part in equality or hash")]
    let mut seen = HashSet::with_capacity(node.len());
    node.elements().all(|node| seen.insert(Item { node, budget, digest: digest(node, &state, budget) }))
}

/// An element as a set compares it.
struct Item<'a> {
    node: Node<'a>,
    budget: &'a Budget,
    digest: u64,
}

impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest && equal(self.node, other.node, self.budget)
    }
}

impl Eq for Item<'_> {}

impl Hash for Item<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.digest);
    }
}

/// A number that is the same for equal values.
fn digest(node: Node<'_>, state: &RandomState, budget: &Budget) -> u64 {
    let mut hasher = state.build_hasher();
    if !budget.draw(2 + node.raw().len() as u64 / 64) {
        return 0;
    }
    match node.kind() {
        kind @ (Kind::Null | Kind::True | Kind::False) => (kind as u8).hash(&mut hasher),
        Kind::Number => Decimal::read(node.raw()).hash(&mut hasher),
        Kind::String => node.as_str().hash(&mut hasher),
        Kind::Array => {
            for item in node.elements() {
                hasher.write_u64(digest(item, state, budget));
            }
        }
        Kind::Object => {
            // Order must not matter, so members are added up.
            let sum = node.members().fold(0_u64, |sum, (name, value)| {
                sum.wrapping_add(state.hash_one((name, digest(value, state, budget))))
            });
            hasher.write_u64(sum);
        }
    }
    hasher.finish()
}
