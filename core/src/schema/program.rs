//! A schema as it is run: its subschemas by number, and what each asks of a value.

use super::assertion::Assertion;
use super::pattern::Pattern;
use super::types::Types;
use std::collections::HashMap;

/// The number of a subschema.
pub(super) type Id = u32;

/// Subschemas that refer to one another by number. The first is the root.
pub(super) struct Program {
    pub(super) subschemas: Vec<Subschema>,
    /// Whether a reference goes by the schemas that led to it.
    pub(super) dynamic: bool,
    /// Whether alternatives are compared, so that telling the first fault may mean gathering others.
    pub(super) alternatives: bool,
}

pub(super) enum Subschema {
    Anything,
    Nothing,
    /// Asks for a type alone, as most properties do.
    Typed(Types),
    Keywords(Keywords),
}

/// What a schema object asks for, all at once.
pub(super) struct Keywords {
    /// In the order of the schema; those that look at what the others left over stand last.
    pub(super) all: Box<[Keyword]>,
    /// The resource that it belongs to: what a `$id` encloses.
    pub(super) resource: u32,
    /// Whether there are `unevaluatedItems` or `unevaluatedProperties`.
    pub(super) leftovers: bool,
}

/// One demand.
pub(super) enum Keyword {
    Assertion(Assertion),
    /// Schemas for the whole object that a name entails.
    EntailedSchemas(Box<[(Box<str>, Id)]>),
    Members(Members),
    Names(Id),
    /// The first elements.
    First(Box<[Id]>),
    /// The elements behind the first so many.
    Rest {
        from: usize,
        schema: Id,
    },
    Contains(Contains),
    Reference(Id),
    Dynamic(Dynamic),
    All(Box<[Id]>),
    Any(Box<[Id]>),
    One(Box<[Id]>),
    Not {
        schema: Id,
        shown: String,
    },
    If(Branches),
    LeftoverItems(Id),
    LeftoverProperties(Id),
}

/// `properties`, `patternProperties` and `additionalProperties`.
pub(super) struct Members {
    pub(super) named: Named,
    pub(super) patterns: Box<[(Pattern, Id)]>,
    pub(super) rest: Option<Id>,
}

/// `contains`.
pub(super) struct Contains {
    pub(super) schema: Id,
    pub(super) least: u64,
    pub(super) most: u64,
    /// Whether what it finds is no leftover.
    pub(super) evaluates: bool,
}

/// `$dynamicRef` and `$recursiveRef`.
pub(super) struct Dynamic {
    /// Where it leads as a plain reference.
    pub(super) plain: Id,
    /// Where it leads instead, by the outermost resource on the way to it.
    pub(super) places: Box<[(u32, Id)]>,
}

/// `if`, `then` and `else`.
pub(super) struct Branches {
    pub(super) test: Id,
    pub(super) then: Option<Id>,
    pub(super) otherwise: Option<Id>,
}

/// Up to this many names comparing one by one beats hashing.
const FEW: usize = 8;

/// Subschemas by the name of a property.
pub(super) struct Named {
    few: Vec<(Box<str>, Id)>,
    many: HashMap<Box<str>, Id, foldhash::fast::RandomState>,
}

impl Named {
    pub(super) fn new(list: Vec<(Box<str>, Id)>) -> Self {
        if list.len() <= FEW {
            Self { few: list, many: HashMap::default() }
        } else {
            Self { few: Vec::new(), many: list.into_iter().collect() }
        }
    }

    #[inline]
    pub(super) fn get(&self, name: &str) -> Option<Id> {
        if self.many.is_empty() {
            self.few.iter().find(|(known, _)| **known == *name).map(|&(_, id)| id)
        } else {
            self.many.get(name).copied()
        }
    }
}
