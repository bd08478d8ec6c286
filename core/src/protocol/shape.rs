//! Checking objects against tables of members, and saying where they break them.

use crate::json::{Integer, Kind, Node};
use std::borrow::Cow;
use std::fmt;

/// A value of the wrong shape: where, as a JSON pointer from the checked value, and what it must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShapeFault {
    /// `""` is the checked value itself. Shortened when it is very long.
    pub(crate) pointer: String,
    /// Half a sentence: `must be a string`.
    pub(crate) reason: String,
}

impl fmt::Display for ShapeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            f.write_str(&self.reason)
        } else {
            write!(f, "{} {}", self.pointer, self.reason)
        }
    }
}

/// A fault on its way up: the node's index, from which [`Fault::locate`] finds the path.
#[derive(Debug)]
pub(crate) struct Fault {
    at: u32,
    reason: Cow<'static, str>,
}

/// What a check returns.
pub(crate) type Checked<T = ()> = Result<T, Fault>;

impl Fault {
    /// `node` is wrong because of `reason`.
    pub(crate) fn at(node: Node<'_>, reason: impl Into<Cow<'static, str>>) -> Self {
        Self { at: node.index(), reason: reason.into() }
    }

    /// Names the place as seen from `root`, which must hold the node.
    pub(crate) fn locate(self, root: Node<'_>) -> ShapeFault {
        ShapeFault { pointer: pointer(root, self.at), reason: self.reason.into_owned() }
    }
}

// Only faults pay for the search, so the checks carry no path.
fn pointer(root: Node<'_>, at: u32) -> String {
    /// Keeps messages under 200 characters.
    const LIMIT: usize = 90;
    let mut out = String::new();
    let mut node = root;
    while node.index() < at {
        let mut inside = None;
        let mut members = node.members();
        while let Some((name, value)) = members.next_nodes().filter(|(_, value)| value.index() <= at) {
            inside = Some((value, name.as_str().unwrap_or_default().replace('~', "~0").replace('/', "~1")));
        }
        if node.is_array() {
            let last = node.elements().take_while(|value| value.index() <= at).enumerate().last();
            inside = last.map(|(n, value)| (value, n.to_string()));
        }
        let Some((value, step)) = inside else { break };
        node = value;
        out.push('/');
        out.push_str(&excerpt(&step));
    }
    let length = out.chars().count();
    if length > LIMIT {
        return format!("…{}", out.chars().skip(length - LIMIT).collect::<String>());
    }
    out
}

/// `text` as it may stand in a message: short and on one line.
pub(crate) fn excerpt(text: &str) -> String {
    shorten(text, 48)
}

/// The first `limit` characters of `text`, on one line.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let mut out: String =
        text.chars().take(limit).map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect();
    if text.chars().nth(limit).is_some() {
        out.push('…');
    }
    out
}

/// Who wrote the text.
///
/// A host's text goes to clients that may refuse `null` for a member that is merely optional and keys that the
/// protocol reserves, so it is refused before; in a client's text both are tolerated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Host,
    Client,
}

/// Whether a member must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Required,
    Optional,
    /// Optional, and `null` is a value like any other.
    Nullable,
}

/// One member that an object may have.
pub(crate) struct Field {
    name: &'static str,
    need: Need,
    check: fn(Node<'_>, Side) -> Checked,
}

pub(crate) const fn required(name: &'static str, check: fn(Node<'_>, Side) -> Checked) -> Field {
    Field { name, need: Need::Required, check }
}

pub(crate) const fn optional(name: &'static str, check: fn(Node<'_>, Side) -> Checked) -> Field {
    Field { name, need: Need::Optional, check }
}

pub(crate) const fn nullable(name: &'static str) -> Field {
    Field { name, need: Need::Nullable, check: anything }
}

/// Checks an object against its table in one walk and returns the members in the table's order. Members that the
/// table does not name are let through.
pub(crate) fn read<'d, const N: usize>(
    node: Node<'d>,
    side: Side,
    fields: &[Field; N],
) -> Checked<[Option<Node<'d>>; N]> {
    object(node, side)?;
    let mut found = [None; N];
    let mut members = node.members();
    while let Some((name, value)) = members.next_nodes() {
        let Some((field, slot)) = fields.iter().zip(&mut found).find(|(field, _)| name.is_str(field.name))
        else {
            continue;
        };
        if value.is_null() && field.need != Need::Nullable {
            match side {
                Side::Client => continue,
                Side::Host => return Err(Fault::at(value, "must not be null; leave it out")),
            }
        }
        (field.check)(value, side)?;
        *slot = Some(value);
    }
    for (field, slot) in fields.iter().zip(&found) {
        if field.need == Need::Required && slot.is_none() {
            return Err(Fault::at(node, format!("needs `{}`", field.name)));
        }
    }
    Ok(found)
}

/// Refuses members that the table does not name, save remarks for people and `x-…`.
pub(crate) fn known(node: Node<'_>, fields: &[Field]) -> Checked {
    const REMARKS: [&str; 6] = ["$comment", "examples", "deprecated", "readOnly", "writeOnly", "$schema"];
    let mut members = node.members();
    while let Some((name, value)) = members.next_nodes() {
        let listed = fields.iter().any(|field| name.is_str(field.name));
        if !listed && !REMARKS.iter().any(|remark| name.is_str(remark)) {
            let name = name.as_str().unwrap_or_default();
            if !name.starts_with("x-") {
                let reason = format!("cannot be used here: `{}` is no keyword of a form", excerpt(&name));
                return Err(Fault::at(value, reason));
            }
        }
    }
    Ok(())
}

fn must(holds: bool, node: Node<'_>, reason: &'static str) -> Checked {
    if holds {
        Ok(())
    } else {
        Err(Fault::at(node, reason))
    }
}

#[expect(clippy::unnecessary_wraps, reason = "stands in tables of checks")]
pub(crate) fn anything(_: Node<'_>, _: Side) -> Checked {
    Ok(())
}

pub(crate) fn object(node: Node<'_>, _: Side) -> Checked {
    must(node.is_object(), node, "must be an object")
}

pub(crate) fn string(node: Node<'_>, _: Side) -> Checked {
    must(node.is_string(), node, "must be a string")
}

pub(crate) fn filled(node: Node<'_>, _: Side) -> Checked {
    must(node.is_string() && !node.is_str(""), node, "must be a string that is not empty")
}

pub(crate) fn boolean(node: Node<'_>, _: Side) -> Checked {
    must(matches!(node.kind(), Kind::True | Kind::False), node, "must be true or false")
}

pub(crate) fn number(node: Node<'_>, _: Side) -> Checked {
    must(node.as_number().is_some(), node, "must be a number")
}

/// A whole number in any spelling.
pub(crate) fn is_integer(node: Node<'_>) -> bool {
    // The plain spelling needs no look at its value.
    node.as_number().is_some_and(|token| {
        token.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') || Integer::read(token).is_some()
    })
}

pub(crate) fn count(node: Node<'_>, _: Side) -> Checked {
    let holds = node.as_i64().is_some_and(|value| value >= 0);
    must(holds, node, "must be an integer from 0 to 9223372036854775807")
}

/// A number from 0 to 1.
pub(crate) fn share(node: Node<'_>, _: Side) -> Checked {
    let holds = node.as_f64().is_some_and(|value| (0.0..=1.0).contains(&value));
    must(holds, node, "must be a number from 0 to 1")
}

pub(crate) fn strings(node: Node<'_>, side: Side) -> Checked {
    each(node, side, "must be an array of strings", string)
}

/// An array whose elements all pass `check`.
pub(crate) fn each(
    node: Node<'_>,
    side: Side,
    reason: &'static str,
    check: fn(Node<'_>, Side) -> Checked,
) -> Checked {
    must(node.is_array(), node, reason)?;
    node.elements().try_for_each(|element| check(element, side))
}
