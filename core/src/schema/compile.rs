//! From a schema's text to a validator, or to everything that is wrong with it.

use super::adapter::Tape;
use super::dialect::Dialect;
use super::exact::{self, Written};
use super::explain::{below, cut, expectation};
use super::graph::Graph;
use super::{bounds, explain, SchemaFault, SchemaOptions};
use crate::json::{Decimal, Node};
use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Number, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// Values and names in one schema, `enum` lists included.
const MAX_VALUES: usize = 500_000;
/// Faults of the meta-schema that are told.
const MAX_META_FAULTS: usize = 32;
/// Backtracks that a property name may take in `patternProperties`.
const NAME_BACKTRACKS: usize = 2_000;

/// What compiling gives.
pub(super) struct Compiled {
    pub(super) validator: Validator<Tape>,
    /// Whether `patternProperties` has a pattern that backtracks.
    pub(super) backtracking_names: bool,
    /// Whether alternatives are compared, so that telling the first fault may mean gathering others.
    pub(super) alternatives: bool,
}

fn fault(pointer: &str, reason: impl Into<String>) -> SchemaFault {
    SchemaFault { pointer: pointer.to_owned(), reason: reason.into() }
}

pub(super) fn compile(schema: Node<'_>, options: SchemaOptions) -> Result<Compiled, Vec<SchemaFault>> {
    if !schema.is_object() {
        return Err(vec![fault("", "must be an object")]);
    }
    if schema.values() > MAX_VALUES {
        return Err(vec![fault("", format!("has more than {MAX_VALUES} values"))]);
    }
    let dialect = Dialect::of(schema).map_err(|reason| vec![fault("/$schema", reason)])?;
    let graph = Graph::of(schema, dialect);
    let too_much = bounds::faults(&graph);
    if !too_much.is_empty() {
        return Err(too_much);
    }
    let value = to_value(schema);
    let mut survey = Survey::default();
    survey.visit(schema, &value, "");
    let mut faults = std::mem::take(&mut survey.faults);
    faults.extend(meta_faults(dialect, &value));
    let typed = schema.get("type").is_some_and(|kind| kind.is_str("object"));
    if options.root_object && !typed && !faults.iter().any(|fault| fault.pointer == "/type") {
        faults.push(fault("/type", "the root of an input schema must have \"type\": \"object\""));
    }
    faults.extend(graph.faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    build(dialect, &value, survey, options).map_err(|fault| vec![fault])
}

fn meta_faults(dialect: Dialect, value: &Value) -> Vec<SchemaFault> {
    let meta = dialect.meta();
    let mut faults: Vec<SchemaFault> = Vec::new();
    for error in meta.iter_errors(value) {
        let reason =
            format!("expected {}, got {}", expectation(&error), explain::show_value(error.instance()));
        let fault = fault(error.instance_path().as_str(), cut(&reason, 180));
        if !faults.contains(&fault) {
            faults.push(fault);
        }
        if faults.len() == MAX_META_FAULTS {
            break;
        }
    }
    faults
}

fn build(
    dialect: Dialect,
    value: &Value,
    survey: Survey,
    options: SchemaOptions,
) -> Result<Compiled, SchemaFault> {
    let written: Written = Arc::new(survey.written);
    let mut builder = jsonschema::options_for::<Tape>()
        .offline()
        .with_draft(dialect.draft())
        .should_validate_formats(options.check_formats)
        .should_ignore_unknown_formats(true)
        // Annotations in the newer dialects, and so in all.
        .without_content_media_type_support("application/json")
        .without_content_encoding_support("base64")
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(NAME_BACKTRACKS));
    builder = exact::with_numbers(builder, &written);
    if survey.numbers_listed {
        builder = exact::with_values(builder, &written);
    }
    if survey.backtracking {
        builder = exact::with_patterns(builder);
    }
    let validator = builder.build(value).map_err(|error| {
        let reason = match error.kind() {
            jsonschema::error::ValidationErrorKind::Format { format } if format == "regex" => {
                format!(
                    "{} is not a regular expression that can be matched",
                    explain::show_value(error.instance())
                )
            }
            _ => error.to_string().replace(char::is_control, " "),
        };
        fault(error.schema_path().as_str(), cut(&reason, 180))
    })?;
    Ok(Compiled {
        validator,
        backtracking_names: survey.backtracking_names,
        alternatives: survey.alternatives,
    })
}

/// The schema for the validator. A number that no double holds becomes one that has its sign and stays away from zero;
/// see [`Survey::written`].
fn to_value(node: Node<'_>) -> Value {
    if let Some(token) = node.as_number() {
        return Value::Number(serde_json::from_str(token).ok().filter(|_| !vanished(token)).unwrap_or_else(
            || {
                let size = if vanished(token) { f64::MIN_POSITIVE } else { f64::MAX };
                let number = Number::from_f64(if token.starts_with('-') { -size } else { size });
                number.unwrap_or_else(|| 0.into())
            },
        ));
    }
    if node.is_array() {
        return Value::Array(node.elements().map(to_value).collect());
    }
    if node.is_object() {
        return Value::Object(
            node.members().map(|(name, value)| (name.into_owned(), to_value(value))).collect(),
        );
    }
    node.to_value()
}

/// Whether a number is too small for a double, though not zero.
fn vanished(token: &str) -> bool {
    token.parse() == Ok(0.0) && !Decimal::read(token).is_zero()
}

/// What to know about a schema before it is built. It looks everywhere, since references may lead anywhere.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a schema")]
struct Survey {
    /// The text of values with numbers that `serde_json` could not keep, by address.
    written: HashMap<usize, String>,
    /// Whether a `const` or `enum` has a number in it.
    numbers_listed: bool,
    /// Whether a `pattern` backtracks.
    backtracking: bool,
    /// Whether a name in `patternProperties` backtracks.
    backtracking_names: bool,
    /// Whether there is an `anyOf` or `oneOf`.
    alternatives: bool,
    faults: Vec<SchemaFault>,
}

impl Survey {
    /// Whether `value` lost digits against `node`. Recursion is bounded by the depth of documents.
    fn visit(&mut self, node: Node<'_>, value: &Value, pointer: &str) -> bool {
        let lossy = match value {
            Value::Number(number) => node
                .as_number()
                .is_some_and(|token| Decimal::read(token) != Decimal::read(&number.to_string())),
            Value::Array(items) => {
                let mut lossy = false;
                for (n, (node, value)) in node.elements().zip(items).enumerate() {
                    lossy |= self.visit(node, value, &below(pointer, &n.to_string()));
                }
                lossy
            }
            Value::Object(map) => self.object(node, map, pointer),
            Value::Null | Value::Bool(_) | Value::String(_) => false,
        };
        if lossy {
            self.written.insert(exact::address(value), node.raw().to_owned());
        }
        lossy
    }

    fn object(&mut self, node: Node<'_>, map: &Map<String, Value>, pointer: &str) -> bool {
        if map.len() != node.len() {
            self.faults.push(fault(pointer, "names a member twice"));
            return false;
        }
        let mut lossy = false;
        for (name, node) in node.members() {
            let Some(value) = map.get(&*name) else { continue };
            match (&*name, value) {
                ("const" | "enum", value) => self.numbers_listed |= has_number(value),
                ("anyOf" | "oneOf", _) => self.alternatives = true,
                ("pattern", Value::String(pattern)) => self.backtracking |= exact::backtracks(pattern),
                ("patternProperties", Value::Object(map)) => {
                    self.backtracking_names |= map.keys().any(|pattern| exact::backtracks(pattern));
                }
                _ => {}
            }
            lossy |= self.visit(node, value, &below(pointer, &name));
        }
        lossy
    }
}

fn has_number(value: &Value) -> bool {
    match value {
        Value::Number(_) => true,
        Value::Array(items) => items.iter().any(has_number),
        Value::Object(map) => map.values().any(has_number),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}
