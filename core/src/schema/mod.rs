//! JSON Schema: compiled once when the catalog is published, checked on the nodes of a message as they are.

mod assemble;
mod assertion;
mod bounds;
mod budget;
mod check;
mod compare;
mod compile;
mod dialect;
mod explain;
mod format;
mod graph;
mod header_params;
mod number;
mod parts;
mod pattern;
mod positions;
mod program;
mod repair;
mod run;
#[cfg(test)]
mod tests;
mod types;

use crate::json::Node;
use budget::Budget;
use program::Program;
use run::{Fault, Run};

pub(crate) use explain::Violations;
#[cfg(any(test, feature = "http"))]
pub(crate) use header_params::HeaderKind;
pub(crate) use header_params::{header_params, HeaderParam};

/// Instances of up to this many values get every fault told, larger ones the first.
const LISTED_VALUES: usize = 4096;
/// Steps that telling the faults may take; every fault costs at least one.
const EXPLAIN_STEPS: u64 = 100_000;

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
    program: Program,
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
        Ok(Self { program: compile::compile(schema, *options)? })
    }

    /// Checks a value; its text may be as hostile as it likes.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn check(&self, instance: Node<'_>) -> Result<(), Violations> {
        let mut run = Run::verdict(Budget::of(instance));
        let valid = self.program.holds(0, instance, &mut run, None);
        if run.budget.spent() {
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
        let budget = if all || self.program.alternatives {
            Budget::new(EXPLAIN_STEPS)
        } else {
            // The first fault ends the search, so nothing piles up.
            Budget::of(instance)
        };
        match self.faults(instance, budget, if all { usize::MAX } else { 1 }) {
            Some(faults) => Violations::of(&faults, instance),
            None => Violations::too_many(),
        }
    }

    /// Up to `most` faults; nothing if the budget ran out, since then nothing holds any more.
    fn faults<'d>(&self, instance: Node<'d>, budget: Budget, most: usize) -> Option<Vec<Fault<'d>>> {
        let mut run = Run::telling(budget, most);
        self.program.holds(0, instance, &mut run, None);
        (!run.budget.spent()).then(|| run.into_faults())
    }

    /// The value with stringified scalars, arrays and objects (`"5"`, `"false"`, `"[1]"`) turned into what the schema
    /// wants in their place, as new JSON text; nothing unless the result is valid and differs.
    pub(crate) fn repair(&self, instance: Node<'_>) -> Option<String> {
        repair::repair(self, instance)
    }
}
