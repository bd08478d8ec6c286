//! Where the faults of one value are noted while it is walked.

use crate::json::{self, Kind, Node};
use std::borrow::Cow;

/// One thing that was found: the JSON pointer of its place, and what is wrong there.
pub(crate) type Found = (String, String);

/// Notes faults and warnings with the place that is being looked at.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    path: String,
    faults: Vec<Found>,
    warnings: Vec<Found>,
}

impl Checks {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// What was wrong.
    pub(crate) fn faults(&self) -> &[Found] {
        &self.faults
    }

    /// What was wrong, and what is odd but allowed.
    pub(crate) fn into_parts(self) -> (Vec<Found>, Vec<Found>) {
        (self.faults, self.warnings)
    }

    /// Notes a fault of the place.
    pub(crate) fn fault(&mut self, reason: impl Into<String>) {
        self.faults.push((self.path.clone(), reason.into()));
    }

    /// Notes something odd but allowed.
    pub(crate) fn warn(&mut self, reason: impl Into<String>) {
        self.warnings.push((self.path.clone(), reason.into()));
    }

    /// Looks at the member `name` of the place while `body` runs.
    pub(crate) fn at<R>(&mut self, name: &str, body: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.path.len();
        self.path.push('/');
        self.path.push_str(&escape(name));
        let result = body(self);
        self.path.truncate(mark);
        result
    }

    /// Looks at the pointer `pointer` below the place while `body` runs.
    pub(crate) fn below<R>(&mut self, pointer: &str, body: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.path.len();
        self.path.push_str(pointer);
        let result = body(self);
        self.path.truncate(mark);
        result
    }

    /// Looks at each element of `node` in turn.
    pub(crate) fn each<'d>(&mut self, node: Node<'d>, mut body: impl FnMut(&mut Self, Node<'d>)) {
        for (index, element) in node.elements().enumerate() {
            self.at(&index.to_string(), |checks| body(checks, element));
        }
    }

    /// Whether `node`, at the place, is of `kind`; a fault if not.
    pub(crate) fn expect(&mut self, node: Node<'_>, kind: Kind) -> bool {
        let fits = node.kind() == kind;
        if !fits {
            self.fault(format!("must be {}, not {}", kind_word(kind), kind_word(node.kind())));
        }
        fits
    }

    /// The member `name` of `node`, if it is there and of `kind`.
    pub(crate) fn optional<'d>(&mut self, node: Node<'d>, name: &str, kind: Kind) -> Option<Node<'d>> {
        let member = node.get(name)?;
        self.at(name, |checks| checks.expect(member, kind)).then_some(member)
    }

    /// The member `name` of `node`, which must be there and of `kind`.
    pub(crate) fn required<'d>(&mut self, node: Node<'d>, name: &str, kind: Kind) -> Option<Node<'d>> {
        if node.get(name).is_none() {
            self.at(name, |checks| {
                checks.fault(format!("is missing: {} is required", kind_word(kind)));
            });
        }
        self.optional(node, name, kind)
    }

    /// The string `name` of `node`, if it is there.
    pub(crate) fn string<'d>(&mut self, node: Node<'d>, name: &str) -> Option<Cow<'d, str>> {
        self.optional(node, name, Kind::String).and_then(Node::as_str)
    }

    /// The string `name` of `node`, which must be there and not empty.
    pub(crate) fn required_string<'d>(&mut self, node: Node<'d>, name: &str) -> Option<Cow<'d, str>> {
        let text = self.required(node, name, Kind::String).and_then(Node::as_str)?;
        if text.is_empty() {
            self.at(name, |checks| checks.fault("must not be empty"));
            return None;
        }
        Some(text)
    }

    /// The boolean `name` of `node`, if it is there.
    pub(crate) fn boolean(&mut self, node: Node<'_>, name: &str) -> Option<bool> {
        let member = node.get(name)?;
        let value = member.as_bool();
        if value.is_none() {
            let reason = format!("must be true or false, not {}", kind_word(member.kind()));
            self.at(name, |checks| checks.fault(reason));
        }
        value
    }

    /// The string `name` of `node`, if it is there; it must be one of `words`.
    pub(crate) fn word<'d>(&mut self, node: Node<'d>, name: &str, words: &[&str]) -> Option<Cow<'d, str>> {
        let member = node.get(name)?;
        self.at(name, |checks| checks.one_of(member, words))
    }

    /// `node`, at the place, as a string that is one of `words`.
    pub(crate) fn one_of<'d>(&mut self, node: Node<'d>, words: &[&str]) -> Option<Cow<'d, str>> {
        if !self.expect(node, Kind::String) {
            return None;
        }
        let text = node.as_str()?;
        if words.contains(&&*text) {
            return Some(text);
        }
        let words: Vec<String> = words.iter().map(|word| json::quote(word)).collect();
        self.fault(format!("must be {}, not {}", words.join(" or "), shown(&text)));
        None
    }
}

/// A kind of value in words.
pub(crate) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::True => "true",
        Kind::False => "false",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// A member name as it stands in a JSON pointer (RFC 6901, section 3).
pub(crate) fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        Cow::Owned(name.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Foreign text as it is shown in a message: quoted and at most 40 characters long.
pub(crate) fn shown(text: &str) -> String {
    shown_within(text, 40)
}

/// Foreign text, quoted and at most `longest` characters long.
pub(crate) fn shown_within(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((cut, _)) => json::quote(&format!("{}…", &text[..cut])),
        None => json::quote(text),
    }
}
