//! Numbers are compared by their digits, since no double holds them all.

use super::budget::Budget;
use crate::json::{Decimal, Node};

#[derive(Clone, Copy)]
pub(super) enum Relation {
    AtLeast,
    AtMost,
    Above,
    Below,
    MultipleOf,
}

/// `minimum` and its kin.
pub(super) struct Bound {
    relation: Relation,
    limit: String,
    /// The limit as a word, for the common case.
    word: Option<i64>,
}

impl Bound {
    pub(super) fn new(relation: Relation, limit: &str) -> Self {
        Self { relation, limit: limit.to_owned(), word: word(limit) }
    }

    pub(super) fn holds(&self, node: Node<'_>, budget: &Budget) -> bool {
        let Some(token) = node.as_number() else {
            return true;
        };
        budget.draw_text(token.len()) && self.relates(token, budget)
    }

    fn relates(&self, token: &str, budget: &Budget) -> bool {
        if let (Some(value), Some(limit)) = (word(token), self.word) {
            return match self.relation {
                Relation::AtLeast => value >= limit,
                Relation::AtMost => value <= limit,
                Relation::Above => value > limit,
                Relation::Below => value < limit,
                Relation::MultipleOf => limit != 0 && value % limit == 0,
            };
        }
        let (value, limit) = (Decimal::read(token), Decimal::read(&self.limit));
        match self.relation {
            Relation::AtLeast => value >= limit,
            Relation::AtMost => value <= limit,
            Relation::Above => value > limit,
            Relation::Below => value < limit,
            Relation::MultipleOf => {
                let answer = budget.draw(token.len() as u64).then(|| value.is_multiple_of(&limit)).flatten();
                if answer.is_none() {
                    budget.spend();
                }
                answer.unwrap_or(false)
            }
        }
    }

    pub(super) fn expected(&self) -> String {
        let limit = &self.limit;
        match self.relation {
            Relation::AtLeast => format!("a number of at least {limit}"),
            Relation::AtMost => format!("a number of at most {limit}"),
            Relation::Above => format!("a number above {limit}"),
            Relation::Below => format!("a number below {limit}"),
            Relation::MultipleOf => format!("a multiple of {limit}"),
        }
    }
}

/// A short token without fraction or exponent.
fn word(token: &str) -> Option<i64> {
    (token.len() <= 18).then(|| token.parse().ok()).flatten()
}

/// Whether a token is spelled as an integer, without fraction or exponent.
pub(super) fn is_spelled_integer(token: &str) -> bool {
    !token.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}

/// Whether a token's value is an integer.
pub(super) fn is_integer(token: &str) -> bool {
    is_spelled_integer(token) || Decimal::read(token).is_integer()
}

/// A count as `maxLength` and its kin give it; what is larger than any count becomes the largest.
pub(super) fn count(node: Node<'_>) -> Option<u64> {
    let token = node.as_number()?;
    let value = Decimal::read(token);
    match value.to_i128() {
        Some(value) => Some(u64::try_from(value.max(0)).unwrap_or(u64::MAX)),
        None => (value.is_integer() && !token.starts_with('-')).then_some(u64::MAX),
    }
}
