//! The cursor that walks a document.

use super::entry::Entry;
use super::{escape, Kind, Parsed};
use std::borrow::Cow;
use std::fmt;

/// One value inside a [`Document`]. Cheap to copy.
#[derive(Clone, Copy)]
pub struct Node<'d> {
    document: &'d Parsed<'d>,
    index: u32,
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw())
    }
}

impl<'d> Node<'d> {
    pub(super) fn at(document: &'d Parsed<'d>, index: u32) -> Self {
        Self { document, index }
    }

    #[inline]
    fn entry(self) -> Entry {
        self.document.entries[self.index as usize]
    }

    /// Where this node stands in its document; see `Document::node`.
    pub(crate) fn index(self) -> u32 {
        self.index
    }

    /// The document this node belongs to.
    pub(crate) fn document(self) -> &'d Parsed<'d> {
        self.document
    }

    /// What the value is.
    pub fn kind(self) -> Kind {
        self.entry().kind()
    }

    /// The value as it was written.
    pub fn raw(self) -> &'d str {
        let entry = self.entry();
        &self.document.text[entry.start as usize..entry.end as usize]
    }

    /// Where the value starts in the text, in bytes.
    pub fn offset(self) -> usize {
        self.entry().start as usize
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Whether it is an object.
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// Whether it is an array.
    pub fn is_array(self) -> bool {
        self.kind() == Kind::Array
    }

    /// Whether it is a string.
    pub fn is_string(self) -> bool {
        self.kind() == Kind::String
    }

    /// The boolean, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            Kind::Null | Kind::Number | Kind::String | Kind::Array | Kind::Object => None,
        }
    }

    /// The string, decoded, if it is one.
    pub fn as_str(self) -> Option<Cow<'d, str>> {
        (self.kind() == Kind::String).then(|| self.decoded())
    }

    /// Whether it is the string `expected`.
    pub fn is_str(self, expected: &str) -> bool {
        let entry = self.entry();
        entry.kind() == Kind::String && self.string_equals(entry, expected)
    }

    /// The number's token, if it is a number.
    pub fn as_number(self) -> Option<&'d str> {
        (self.kind() == Kind::Number).then(|| self.raw())
    }

    /// The number as a 64-bit integer, if it is one in any spelling (`1`, `1.0`, `1e2`) and fits.
    pub fn as_i64(self) -> Option<i64> {
        super::Integer::read(self.as_number()?)?.to_i64()
    }

    /// The number as the nearest double, if it is a number that a double can hold.
    pub fn as_f64(self) -> Option<f64> {
        self.as_number()?.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// How many members or elements it has; 0 for scalars.
    pub fn len(self) -> usize {
        self.entry().count()
    }

    /// Whether it has no member or element.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The member called `name`, if this is an object that has one.
    pub fn get(self, name: &str) -> Option<Node<'d>> {
        self.find(name).0
    }

    /// The member called `name`, and how many members were passed on the way to it.
    pub(crate) fn find(self, name: &str) -> (Option<Node<'d>>, u64) {
        let entries = self.document.entries.as_slice();
        let mut members = self.members();
        let mut passed = 0;
        while let Some(&[key, value]) = members.pair(entries) {
            passed += 1;
            // Lengths tell nearly all names apart.
            let alike = key.escaped() || (key.end - key.start) as usize == name.len() + 2;
            if alike && self.string_equals(key, name) {
                return (Some(Node { index: members.index + 1, ..self }), passed);
            }
            members.index = value.next;
        }
        (None, passed)
    }

    /// How many values and member names it is made of, itself included.
    pub(crate) fn values(self) -> usize {
        (self.entry().next - self.index) as usize
    }

    /// The member called `name`, where `null` counts as absent.
    pub fn get_present(self, name: &str) -> Option<Node<'d>> {
        self.get(name).filter(|node| !node.is_null())
    }

    /// The value that an RFC 6901 pointer names: `""` is the node itself, `/a/0` walks members and elements.
    pub fn pointer(self, pointer: &str) -> Option<Node<'d>> {
        if pointer.is_empty() {
            return Some(self);
        }
        let mut node = self;
        let mut rest = Some(pointer.strip_prefix('/')?);
        while let Some(here) = rest {
            // Tokens are short, so that looking for single bytes is the quickest.
            let end = here.bytes().position(|byte| byte == b'/');
            let token = here.get(..end.unwrap_or(here.len()))?;
            rest = end.and_then(|end| here.get(end + 1..));
            let token: Cow<'_, str> = if token.bytes().any(|byte| byte == b'~') {
                Cow::Owned(token.replace("~1", "/").replace("~0", "~"))
            } else {
                Cow::Borrowed(token)
            };
            node = match node.kind() {
                Kind::Object => node.get(&token)?,
                Kind::Array => {
                    let digits = token.bytes().all(|c| c.is_ascii_digit());
                    if !digits || (token.len() > 1 && token.starts_with('0')) {
                        return None;
                    }
                    node.elements().nth(token.parse().ok()?)?
                }
                Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::String => return None,
            };
        }
        Some(node)
    }

    /// The members of an object, in their order; none for other kinds.
    #[inline]
    pub fn members(self) -> Members<'d> {
        let entry = self.entry();
        let end = if entry.kind() == Kind::Object { entry.next } else { self.index + 1 };
        Members { document: self.document, index: self.index + 1, end }
    }

    /// The elements of an array, in their order; none for other kinds.
    pub fn elements(self) -> Elements<'d> {
        let entry = self.entry();
        let end = if entry.kind() == Kind::Array { entry.next } else { self.index + 1 };
        Elements { document: self.document, index: self.index + 1, end }
    }

    /// The value as a `serde_json` tree, for the paths where speed does not matter.
    pub fn to_value(self) -> serde_json::Value {
        use serde_json::Value;
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::True => Value::Bool(true),
            Kind::False => Value::Bool(false),
            Kind::Number => serde_json::from_str(self.raw()).unwrap_or(Value::Null),
            Kind::String => Value::String(self.decoded().into_owned()),
            Kind::Array => Value::Array(self.elements().map(Node::to_value).collect()),
            Kind::Object => Value::Object(
                self.members().map(|(name, value)| (name.into_owned(), value.to_value())).collect(),
            ),
        }
    }

    /// The string between the quotes, escapes resolved. Call it on strings and member names only.
    #[inline]
    pub(super) fn decoded(self) -> Cow<'d, str> {
        let inner = self.inner();
        if self.entry().escaped() {
            Cow::Owned(escape::unescape(inner))
        } else {
            Cow::Borrowed(inner)
        }
    }

    /// A member name as bytes, escapes resolved.
    #[inline]
    pub(crate) fn name(self) -> Cow<'d, [u8]> {
        let entry = self.entry();
        if entry.escaped() {
            return Cow::Owned(escape::unescape(self.inner()).into_bytes());
        }
        let inner = entry.start as usize + 1..(entry.end as usize).saturating_sub(1);
        Cow::Borrowed(self.document.text.as_bytes().get(inner).unwrap_or_default())
    }

    #[inline]
    fn inner(self) -> &'d str {
        let entry = self.entry();
        &self.document.text[entry.start as usize + 1..entry.end as usize - 1]
    }

    /// Whether the string at `entry` of this document is `expected`.
    #[inline]
    fn string_equals(self, entry: Entry, expected: &str) -> bool {
        let inner = entry.start as usize + 1..(entry.end as usize).saturating_sub(1);
        // As bytes, so that nobody looks for the borders of characters.
        let bytes = self.document.text.as_bytes().get(inner).unwrap_or_default();
        if entry.escaped() {
            return unescaped_equals(bytes, expected);
        }
        bytes == expected.as_bytes()
    }
}

#[cold]
fn unescaped_equals(bytes: &[u8], expected: &str) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|inner| escape::unescape(inner) == expected)
}

/// Member names and values; made by [`Node::members`].
#[derive(Clone)]
pub struct Members<'d> {
    document: &'d Parsed<'d>,
    index: u32,
    end: u32,
}

impl<'d> Members<'d> {
    /// The entries of the next name and its value.
    #[inline]
    fn pair<'e>(&self, entries: &'e [Entry]) -> Option<&'e [Entry; 2]> {
        if self.index >= self.end {
            return None;
        }
        entries.get(self.index as usize..)?.first_chunk()
    }

    /// The next name, as a string node, and its value.
    #[inline]
    pub(crate) fn next_nodes(&mut self) -> Option<(Node<'d>, Node<'d>)> {
        if self.index >= self.end {
            return None;
        }
        let name = Node { document: self.document, index: self.index };
        let value = Node { document: self.document, index: self.index + 1 };
        self.index = value.entry().next;
        Some((name, value))
    }
}

impl<'d> Iterator for Members<'d> {
    type Item = (Cow<'d, str>, Node<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        self.next_nodes().map(|(name, value)| (name.decoded(), value))
    }
}

/// Values; made by [`Node::elements`].
#[derive(Clone)]
pub struct Elements<'d> {
    document: &'d Parsed<'d>,
    index: u32,
    end: u32,
}

impl<'d> Iterator for Elements<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.index >= self.end {
            return None;
        }
        let value = Node { document: self.document, index: self.index };
        self.index = value.entry().next;
        Some(value)
    }
}
