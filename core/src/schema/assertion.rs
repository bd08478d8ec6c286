//! Keywords without subschemas.

use super::compare;
use super::explain;
use super::format::Format;
use super::number::Bound;
use super::pattern::Pattern;
use super::run::{Run, What};
use super::types::Types;
use crate::json::{Document, Kind, Node};
use std::borrow::Cow;
use std::collections::HashSet;

/// Up to this many names looking for each beats gathering what is there.
const FEW: usize = 4;

/// A demand that most values of another type meet.
pub(super) enum Assertion {
    Type(Types),
    /// `const` and `enum`: an array.
    Listed(Document),
    Bound(Bound),
    Length {
        least: u64,
        most: u64,
    },
    Items {
        least: u64,
        most: u64,
    },
    Properties {
        least: u64,
        most: u64,
    },
    Unique,
    Pattern(Pattern),
    Format(Format),
    Required(Box<[Box<str>]>),
    Entailed(Box<[Entailed]>),
}

/// Names that must be there if one is.
pub(super) struct Entailed {
    pub(super) name: Box<str>,
    pub(super) names: Box<[Box<str>]>,
}

impl Assertion {
    pub(super) fn holds<'d>(&self, node: Node<'d>, run: &mut Run<'d>) -> bool {
        match self {
            Self::Type(types) => types.hold(node) || run.fail(node, || What::Type(*types)),
            Self::Listed(values) => {
                values.root().elements().any(|value| compare::equal(value, node, &run.budget))
                    || run.expect(node, || explain::one_of(values.root().elements()))
            }
            Self::Bound(bound) => bound.holds(node, &run.budget) || run.expect(node, || bound.expected()),
            Self::Length { least, most } => length(node, *least, *most, run),
            Self::Items { least, most } => {
                node.kind() != Kind::Array || size(node, "an array", "item", *least, *most, run)
            }
            Self::Properties { least, most } => {
                node.kind() != Kind::Object || size(node, "an object", "property", *least, *most, run)
            }
            Self::Unique => {
                node.kind() != Kind::Array
                    || compare::all_differ(node, &run.budget)
                    || run.expect(node, || "items that all differ".to_owned())
            }
            Self::Pattern(pattern) => node.as_str().is_none_or(|text| {
                pattern.matches(&text, &run.budget) || run.expect(node, || explain::matching(pattern.text()))
            }),
            Self::Format(format) => node.as_str().is_none_or(|text| {
                run.budget.draw_text(text.len()) && format.matches(&text)
                    || run.expect(node, || format!("a string of format {}", format.name()))
            }),
            Self::Required(names) => required(names, node, run),
            Self::Entailed(list) => entailed(list, node, run),
        }
    }
}

fn length<'d>(node: Node<'d>, least: u64, most: u64, run: &mut Run<'d>) -> bool {
    if node.kind() != Kind::String {
        return true;
    }
    // A code point takes at most 12 bytes as written (an escaped pair), so long texts need no counting.
    let bytes = node.raw().len() as u64 - 2;
    let fewest = bytes.div_ceil(12);
    if least <= fewest && bytes <= most {
        return true;
    }
    let length = if bytes < least || fewest > most || !run.budget.draw_text(node.raw().len()) {
        None
    } else {
        node.as_str().map(|text| text.chars().count() as u64)
    };
    if length.is_some_and(|length| (least..=most).contains(&length)) {
        return true;
    }
    let short = length.map_or(bytes < least, |length| length < least);
    run.expect(node, || explain::at("a string", "character", if short { Ok(least) } else { Err(most) }))
}

fn size<'d>(node: Node<'d>, whole: &str, part: &str, least: u64, most: u64, run: &mut Run<'d>) -> bool {
    let size = node.len() as u64;
    if size < least {
        return run.expect(node, || explain::at(whole, part, Ok(least)));
    }
    size <= most || run.expect(node, || explain::at(whole, part, Err(most)))
}

/// The names of an object's members, gathered where there are many to look for.
fn present<'d>(names: &[Box<str>], node: Node<'d>, run: &Run<'d>) -> Option<HashSet<Cow<'d, str>>> {
    let gathers = names.len() > FEW && run.budget.draw(1 + node.len() as u64);
    gathers.then(|| node.members().map(|(name, _)| name).collect())
}

fn required<'d>(names: &[Box<str>], node: Node<'d>, run: &mut Run<'d>) -> bool {
    if node.kind() != Kind::Object {
        return true;
    }
    let present = present(names, node, run);
    let mut verdict = true;
    for name in names {
        let found = if let Some(present) = &present {
            present.contains(&**name)
        } else {
            let (found, passed) = node.find(name);
            if !run.budget.draw(1 + passed) {
                return false;
            }
            found.is_some()
        };
        if !found {
            run.fail(node, || What::Missing(name.to_string()));
            if !run.goes_on() {
                return false;
            }
            verdict = false;
        }
    }
    verdict
}

fn entailed<'d>(list: &[Entailed], node: Node<'d>, run: &mut Run<'d>) -> bool {
    let mut verdict = true;
    for Entailed { name, names } in list {
        let (found, passed) = node.find(name);
        if !run.budget.draw(1 + passed) {
            return false;
        }
        if found.is_some() && !required(names, node, run) {
            if !run.goes_on() {
                return false;
            }
            verdict = false;
        }
    }
    verdict
}
