//! JSON Schema: compiled once when the catalog is published, checked on the nodes of a message as they are.

mod adapter;
mod bounds;
mod compare;
mod compile;
mod dialect;
mod exact;
mod explain;
mod graph;
mod header_params;
mod positions;
mod repair;
#[cfg(test)]
mod tests;

use crate::json::Node;
use adapter::{Budget, Cursor, Tape};
use jsonschema::{ValidationError, Validator};
use std::panic::{catch_unwind, AssertUnwindSafe};

pub(crate) use explain::Violations;
#[cfg(any(test, feature = "http"))]
pub(crate) use header_params::HeaderKind;
pub(crate) use header_params::{header_params, HeaderParam};

/// Instances of up to this many values get every fault told, larger ones the first.
const LISTED_VALUES: usize = 4096;
/// Steps that telling the faults may take; every fault costs at least one.
const EXPLAIN_STEPS: u64 = 100_000;
/// Steps for a property name where names are matched by patterns that backtrack.
const NAME_STEPS: u64 = 10_000;

/// How schemas are read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SchemaOptions {
    /// Whether `format` is checked.
    pub(crate) check_formats: bool,
    /// Whether the root must have `"type": "object"`, as an `inputSchema` must.
    pub(crate) root_object: bool,
}

/// Something wrong with a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaFault {
    /// JSON pointer to it inside the schema.
    pub(crate) pointer: String,
    /// What is wrong, and what to do.
    pub(crate) reason: String,
}

/// A compiled schema.
pub(crate) struct Schema {
    validator: Validator<Tape>,
    name_steps: u64,
    alternatives: bool,
}

impl std::fmt::Debug for Schema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Schema").finish_non_exhaustive()
    }
}

impl Schema {
    /// Compiles a schema. Nothing is ever fetched.
    ///
    /// # Errors
    /// All faults that were found: an unknown dialect, a breach of the meta-schema, a reference that does not resolve
    /// inside the document, a pattern that cannot be matched, a schema that would cost too much to check.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "options will grow")]
    pub(crate) fn compile(schema: Node<'_>, options: &SchemaOptions) -> Result<Self, Vec<SchemaFault>> {
        let compiled = compile::compile(schema, *options)?;
        let name_steps = if compiled.backtracking_names { NAME_STEPS } else { 0 };
        Ok(Self { validator: compiled.validator, name_steps, alternatives: compiled.alternatives })
    }

    /// Checks a value; its text may be as hostile as it likes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check(&self, instance: Node<'_>) -> Result<(), Violations> {
        let budget = Budget::of(instance, self.name_steps);
        let valid = self.validator.is_valid(Cursor::new(instance, &budget));
        if budget.spent() {
            return Err(Violations::too_costly());
        }
        if valid {
            return Ok(());
        }
        Err(self.explain(instance))
    }

    #[cold]
    fn explain(&self, instance: Node<'_>) -> Violations {
        let all = instance.values() <= LISTED_VALUES;
        let budget = if all || self.alternatives {
            Budget::new(EXPLAIN_STEPS, self.name_steps)
        } else {
            // The first fault ends the search, so nothing piles up.
            Budget::of(instance, self.name_steps)
        };
        match self.errors(Cursor::new(instance, &budget), all) {
            Some(errors) => Violations::of(&errors, instance),
            None => Violations::too_many(),
        }
    }

    /// All errors or the first; nothing if the budget ran out, since nodes that pretend to be empty make errors of
    /// their own.
    fn errors<'i>(&'i self, cursor: Cursor<'i>, all: bool) -> Option<Vec<ValidationError<'i>>> {
        // The validator survives a panic of the regex engine (rust-lang/regex#1344), but not always telling of it.
        let errors = catch_unwind(AssertUnwindSafe(|| {
            if all {
                self.validator.iter_errors(cursor).collect()
            } else {
                self.validator.validate(cursor).err().into_iter().collect()
            }
        }));
        errors.ok().filter(|_| !cursor.budget.spent())
    }

    /// The value with stringified scalars, arrays and objects (`"5"`, `"false"`, `"[1]"`) turned into what the schema
    /// wants in their place, as new JSON text; nothing unless the result is valid and differs.
    pub(crate) fn repair(&self, instance: Node<'_>) -> Option<String> {
        repair::repair(self, instance)
    }
}
