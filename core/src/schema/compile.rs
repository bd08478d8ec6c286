//! From a schema's text to a program, or to everything that is wrong with it.

use super::assemble::{assemble, Author};
use super::budget::Budget;
use super::dialect::Dialect;
use super::explain::{below, cut};
use super::graph::Graph;
use super::program::Program;
use super::run::Run;
use super::{bounds, explain, SchemaFault, SchemaOptions};
use crate::json::{Document, Node};
use std::collections::HashSet;
use std::sync::OnceLock;

/// Values and names in one schema, `enum` lists included.
const MAX_VALUES: usize = 500_000;
/// Faults of the meta-schema that are told.
const MAX_META_FAULTS: usize = 32;

fn fault(pointer: &str, reason: impl Into<String>) -> SchemaFault {
    SchemaFault { pointer: pointer.to_owned(), reason: reason.into() }
}

pub(super) fn compile(schema: Node<'_>, options: SchemaOptions) -> Result<Program, Vec<SchemaFault>> {
    if !schema.is_object() {
        return Err(vec![fault("", "must be an object")]);
    }
    if schema.values() > MAX_VALUES {
        return Err(vec![fault("", format!("has more than {MAX_VALUES} values"))]);
    }
    let dialect = Dialect::of(schema).map_err(|reason| vec![fault("/$schema", reason)])?;
    let mut graph = Graph::of(schema, dialect);
    let too_much = bounds::faults(&graph);
    if !too_much.is_empty() {
        return Err(too_much);
    }
    let mut faults = Vec::new();
    repeated_members(schema, "", &mut faults);
    faults.extend(meta_faults(dialect, schema));
    let typed = schema.get("type").is_some_and(|kind| kind.is_str("object"));
    if options.root_object && !typed && !faults.iter().any(|fault| fault.pointer == "/type") {
        faults.push(fault("/type", "the root of an input schema must have \"type\": \"object\""));
    }
    faults.append(&mut graph.faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    assemble(&graph, options.check_formats, Author::Host)
}

fn meta_faults(dialect: Dialect, schema: Node<'_>) -> Vec<SchemaFault> {
    let Some(meta) = meta(dialect) else {
        return vec![fault("", "cannot be checked: this library's own schema of schemas is broken")];
    };
    let mut run = Run::telling(Budget::of(schema), MAX_META_FAULTS);
    meta.holds(0, schema, &mut run, None);
    let mut faults: Vec<SchemaFault> = Vec::new();
    if run.budget.spent() {
        faults.push(fault("", "costs too much to check against its meta-schema; make it smaller"));
    }
    for found in run.into_faults() {
        let reason =
            format!("expected {}, got {}", explain::expectation(&found), explain::show_whole(found.node));
        let found = fault(&explain::pointer(schema, found.node), cut(&reason, 180));
        if !faults.contains(&found) {
            faults.push(found);
        }
    }
    faults
}

/// The program that checks schemas of a dialect; made once.
fn meta(dialect: Dialect) -> Option<&'static Program> {
    static MADE: [OnceLock<Option<Program>>; 5] = [const { OnceLock::new() }; 5];
    let made = MADE.get(dialect as usize)?;
    let program = made.get_or_init(|| {
        let document = Document::parse(dialect.meta().as_bytes().to_vec()).ok()?;
        let graph = Graph::of(document.root(), dialect);
        // The newer dialects take formats for annotations.
        let checked =
            graph.faults.is_empty().then(|| assemble(&graph, dialect.reference_alone(), Author::Us));
        checked?.ok()
    });
    program.as_ref()
}

/// It looks everywhere, since references may lead anywhere. Recursion is bounded by the depth of documents.
fn repeated_members(node: Node<'_>, pointer: &str, faults: &mut Vec<SchemaFault>) {
    let mut names = HashSet::new();
    for (name, member) in node.members() {
        repeated_members(member, &below(pointer, &name), faults);
        if !names.insert(name) {
            return faults.push(fault(pointer, "names a member twice"));
        }
    }
    for (n, item) in node.elements().enumerate() {
        if item.is_object() || item.is_array() {
            repeated_members(item, &format!("{pointer}/{n}"), faults);
        }
    }
}
