//! Where schemas stand inside a schema.

use super::explain::below;
use crate::json::Node;

/// What a subschema is applied to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The same value as the schema around it.
    Same,
    /// A part of that value.
    Part,
    /// Nothing, until something refers to it.
    Nothing,
}

/// How a keyword holds subschemas.
#[derive(Clone, Copy)]
enum Shape {
    One,
    List,
    OneOrList,
    Map,
}

/// The keywords of all dialects that hold subschemas. None means different things in different dialects.
fn holds(keyword: &str) -> Option<(Shape, Place)> {
    Some(match keyword {
        "not" | "if" | "then" | "else" => (Shape::One, Place::Same),
        "allOf" | "anyOf" | "oneOf" => (Shape::List, Place::Same),
        "dependentSchemas" | "dependencies" => (Shape::Map, Place::Same),
        "items" => (Shape::OneOrList, Place::Part),
        "prefixItems" => (Shape::List, Place::Part),
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "contentSchema"
        | "propertyNames"
        | "unevaluatedItems"
        | "unevaluatedProperties" => (Shape::One, Place::Part),
        "properties" | "patternProperties" => (Shape::Map, Place::Part),
        "$defs" | "definitions" => (Shape::Map, Place::Nothing),
        _ => return None,
    })
}

/// Whether the value of `keyword` is data, so that nothing in it is a keyword.
pub(super) fn is_data(keyword: &str) -> bool {
    matches!(keyword, "const" | "enum" | "default" | "examples" | "example")
}

/// Whether `keyword` holds subschemas.
pub(super) fn holds_schemas(keyword: &str) -> bool {
    holds(keyword).is_some()
}

/// A subschema, and the way to it.
pub(super) struct Subschema<'s> {
    pub(super) keyword: String,
    pub(super) pointer: String,
    pub(super) node: Node<'s>,
    pub(super) place: Place,
}

/// The subschemas right under `schema`, which stands at `pointer`.
pub(super) fn subschemas<'s>(schema: Node<'s>, pointer: &str) -> Vec<Subschema<'s>> {
    let mut out = Vec::new();
    for (keyword, value) in schema.members() {
        let Some((shape, place)) = holds(&keyword) else {
            continue;
        };
        let at = below(pointer, &keyword);
        let mut add = |pointer: String, node: Node<'s>| {
            // An array of names under `dependencies`, or a mistake that the meta-schema finds.
            if node.is_object() || node.as_bool().is_some() {
                out.push(Subschema { keyword: keyword.to_string(), pointer, node, place });
            }
        };
        match shape {
            Shape::OneOrList | Shape::One if !value.is_array() => add(at, value),
            Shape::One => {}
            Shape::List | Shape::OneOrList => {
                for (n, item) in value.elements().enumerate() {
                    add(format!("{at}/{n}"), item);
                }
            }
            Shape::Map => {
                for (name, item) in value.members() {
                    add(below(&at, &name), item);
                }
            }
        }
    }
    out
}
