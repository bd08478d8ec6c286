//! What is wrong with a value, for a model to read and correct.

use super::run::{Fault, What};
use crate::json::{self, Kind, Node};
use std::fmt;

/// Violations that are told.
const TOLD: usize = 16;
/// Characters of a value that are shown.
const SHOWN: usize = 80;
/// Characters of an expectation or a path that are shown.
const SHOWN_TEXT: usize = 240;
/// Alternatives that are listed.
const ALTERNATIVES: usize = 12;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    /// JSON pointer to the value, or to where one is missing; `""` is the whole.
    pub(crate) path: String,
    /// What the schema wants there: `integer`, `one of "a", "b"`.
    pub(crate) expected: String,
    /// What stands there, shortened: `"x"`, `nothing`.
    pub(crate) came: String,
}

/// Everything that is wrong with a value, at least one thing. It displays as one line, every entry as
/// `/a: expected integer, got "x"`, separated by semicolons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violations {
    /// The first violations, in the order of the schema.
    pub(crate) entries: Vec<Violation>,
    /// How many more there are.
    pub(crate) more: usize,
}

impl Violations {
    /// The check ran out of its budget.
    pub(super) fn too_costly() -> Self {
        Self::whole("a value that can be checked within the limits", "one that costs too much to check")
    }

    /// The value is wrong, but saying where would cost too much.
    pub(super) fn too_many() -> Self {
        Self::whole("a value that matches the schema", "one with too many faults to list")
    }

    fn whole(expected: &str, came: &str) -> Self {
        let entry = Violation { path: String::new(), expected: expected.to_owned(), came: came.to_owned() };
        Self { entries: vec![entry], more: 0 }
    }

    /// What `faults` say about `instance`.
    pub(super) fn of(faults: &[Fault<'_>], instance: Node<'_>) -> Self {
        let mut entries: Vec<Violation> = Vec::new();
        let mut more = 0;
        for fault in faults {
            if entries.len() == TOLD {
                more += 1;
                continue;
            }
            let entry = describe(fault, instance);
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        if entries.is_empty() {
            return Self::too_many();
        }
        Self { entries, more }
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, Violation { path, expected, came }) in self.entries.iter().enumerate() {
            let separator = if n > 0 { "; " } else { "" };
            let path = if path.is_empty() { "(root)" } else { path };
            write!(f, "{separator}{path}: expected {expected}, got {came}")?;
        }
        if self.more > 0 {
            write!(f, "; and {} more", self.more)?;
        }
        Ok(())
    }
}

fn describe(fault: &Fault<'_>, instance: Node<'_>) -> Violation {
    let path = pointer(instance, fault.node);
    let (path, came) = match &fault.what {
        What::Missing(name) => (below(&path, name), "nothing".to_owned()),
        What::Name { name, .. } => (path, show(*name)),
        What::Type(_) | What::Alternatives(_) | What::Unexpected | What::Expected(_) => {
            (path, show(fault.node))
        }
    };
    let expected = match &fault.what {
        What::Missing(_) => "a value (required)".to_owned(),
        What::Unexpected => "no property of this name".to_owned(),
        What::Type(_) | What::Alternatives(_) | What::Name { .. } | What::Expected(_) => expectation(fault),
    };
    Violation { path: cut(&path, SHOWN_TEXT), expected: cut(&expected, SHOWN_TEXT), came }
}

/// What the schema wants at the fault's place.
pub(super) fn expectation(fault: &Fault<'_>) -> String {
    match &fault.what {
        What::Type(types) => types.expected(),
        What::Alternatives(branches) => alternatives(branches, fault.node),
        What::Missing(name) => format!("an object with {}", json::quote(name)),
        What::Unexpected => "no further properties".to_owned(),
        What::Name { expected, .. } => format!("property names that are {expected}"),
        What::Expected(expected) => expected.clone(),
    }
}

/// `string or null` where every branch fails for the type alone, else each branch by its first fault.
fn alternatives(branches: &[Vec<Fault<'_>>], node: Node<'_>) -> String {
    let mut told: Vec<String> = Vec::new();
    for fault in branches.iter().filter_map(|branch| branch.first()) {
        let (at, what) = match &fault.what {
            // As a fault of the object around it.
            What::Unexpected => (parent(node, fault.node), expectation(fault)),
            What::Type(_)
            | What::Alternatives(_)
            | What::Missing(_)
            | What::Name { .. }
            | What::Expected(_) => (fault.node, expectation(fault)),
        };
        let text = match pointer(node, at).as_str() {
            "" => what,
            deeper => format!("{what} at {deeper}"),
        };
        if !told.contains(&text) {
            told.push(text);
        }
    }
    let dropped = told.len().saturating_sub(ALTERNATIVES);
    told.truncate(ALTERNATIVES);
    if dropped > 0 {
        told.push(format!("{dropped} more"));
    }
    told.join(" or ")
}

/// The child of `node` in which `target` stands, and its step: nodes are numbered in the order of the text.
fn step<'d>(node: Node<'d>, target: Node<'d>) -> Option<(Node<'d>, String)> {
    let before = |child: &Node<'_>| child.index() <= target.index();
    if node.is_object() {
        let (name, child) = node.members().take_while(|(_, value)| before(value)).last()?;
        return Some((child, name.into_owned()));
    }
    let (n, child) = node.elements().enumerate().take_while(|(_, child)| before(child)).last()?;
    Some((child, n.to_string()))
}

/// The JSON pointer from `node` to `target`, which stands in it.
pub(super) fn pointer(node: Node<'_>, target: Node<'_>) -> String {
    let mut path = String::new();
    let mut at = node;
    while at.index() != target.index() {
        let Some((child, name)) = step(at, target) else { break };
        path = below(&path, &name);
        at = child;
    }
    path
}

/// What `target` stands right in, at most `node`.
fn parent<'d>(node: Node<'d>, target: Node<'d>) -> Node<'d> {
    let mut at = node;
    while let Some((child, _)) = step(at, target) {
        if child.index() == target.index() {
            break;
        }
        at = child;
    }
    at
}

/// `one of "a", "b"`, or the value alone if it is one.
pub(super) fn one_of<'d>(mut values: impl Iterator<Item = Node<'d>>) -> String {
    let mut told: Vec<String> =
        values.by_ref().take(ALTERNATIVES).map(|value| cut(&compact(value), SHOWN)).collect();
    let dropped = values.count();
    if dropped > 0 {
        told.push(format!("{dropped} more"));
    }
    match told.len() {
        1 => told.join(""),
        _ => format!("one of {}", told.join(", ")),
    }
}

pub(super) fn matching(pattern: &str) -> String {
    format!("a string that matches {}", cut(&json::quote(pattern), SHOWN_TEXT))
}

/// `an array of at least 1 item`; the bound is the least or the most.
pub(super) fn at(whole: &str, part: &str, bound: Result<u64, u64>) -> String {
    match bound {
        Ok(least) => format!("{whole} of at least {}", counted(least, part)),
        Err(most) => format!("{whole} of at most {}", counted(most, part)),
    }
}

fn counted(count: u64, noun: &str) -> String {
    match (count, noun) {
        (1, noun) => format!("1 {noun}"),
        (count, "property") => format!("{count} properties"),
        (count, noun) => format!("{count} {noun}s"),
    }
}

/// The pointer to member `name` of what `path` points to.
pub(super) fn below(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// A value as it was written, shortened; what is too long is counted instead.
pub(super) fn show(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Array if node.raw().len() > SHOWN => {
            format!("an array of {}", counted(node.len() as u64, "item"))
        }
        Kind::Object if node.raw().len() > SHOWN => {
            format!("an object of {}", counted(node.len() as u64, "property"))
        }
        Kind::Array | Kind::Object => compact(node),
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::String => cut(node.raw(), SHOWN),
    }
}

/// A value without white space, not shortened.
fn compact(node: Node<'_>) -> String {
    let mut text = Vec::new();
    json::push_compact(&mut text, node);
    String::from_utf8_lossy(&text).into_owned()
}

/// The same, shortened.
pub(super) fn show_whole(node: Node<'_>) -> String {
    cut(&compact(node), SHOWN)
}

/// At most `limit` characters, cut between characters.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
