//! A parsed text and the cursor that walks it.

use super::scan::{self, Fault};
use std::borrow::Cow;
use std::fmt;

/// What a JSON value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number, kept as its token.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// One value (or member name) of a document, 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// First byte of the token, quotes and brackets included.
    pub(super) start: u32,
    /// One past its last byte.
    pub(super) end: u32,
    /// Index of the first entry behind this value and all it holds.
    pub(super) next: u32,
    /// Members or elements inside (low 28 bits), escaped flag (bit 28), kind (high 3 bits).
    info: u32,
}

const COUNT_MASK: u32 = (1 << 28) - 1;
const ESCAPED: u32 = 1 << 28;

impl Entry {
    pub(super) fn new(kind: Kind, start: u32, end: u32, next: u32, escaped: bool) -> Self {
        let info = ((kind as u32) << 29) | if escaped { ESCAPED } else { 0 };
        Self { start, end, next, info }
    }

    pub(super) fn close(&mut self, end: u32, next: u32, count: u32) {
        self.end = end;
        self.next = next;
        self.info |= count & COUNT_MASK;
    }

    fn kind(self) -> Kind {
        match self.info >> 29 {
            0 => Kind::Null,
            1 => Kind::True,
            2 => Kind::False,
            3 => Kind::Number,
            4 => Kind::String,
            5 => Kind::Array,
            _ => Kind::Object,
        }
    }

    pub(super) fn escaped(self) -> bool {
        self.info & ESCAPED != 0
    }

    pub(super) fn count(self) -> usize {
        (self.info & COUNT_MASK) as usize
    }
}

/// A JSON text that was read once, strictly, and is kept as it came. [`Document`] is the form that owns its text.
pub struct Parsed<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) entries: Vec<Entry>,
    duplicate: Option<u32>,
    spaced: bool,
    surrogates: bool,
}

/// A [`Parsed`] that owns its text.
pub type Document = Parsed<'static>;

impl fmt::Debug for Parsed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Document").field(&self.text).finish()
    }
}

impl Parsed<'static> {
    /// Reads one JSON value that fills `bytes`. A repeated member name is not refused here (see
    /// [`Document::duplicate`]), so that the caller can still read an id.
    ///
    /// # Errors
    /// The first fault and where it stands: not UTF-8, not JSON, nested over [`super::MAX_DEPTH`], a lone surrogate.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, Fault> {
        Self::read(into_text(bytes)?, false)
    }

    /// The same for what a host wrote: a lone surrogate is let through and written as U+FFFD
    /// (see [`Document::surrogates`]).
    ///
    /// # Errors
    /// As [`Document::parse`], surrogates excepted.
    pub fn parse_host(bytes: Vec<u8>) -> Result<Self, Fault> {
        Self::read(into_text(bytes)?, true)
    }
}

fn into_text(bytes: Vec<u8>) -> Result<Cow<'static, str>, Fault> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Owned(text)),
        Err(error) => Err(Fault::utf8(error.utf8_error().valid_up_to())),
    }
}

impl<'t> Parsed<'t> {
    /// Reads what a host wrote without copying it; see [`Document::parse_host`].
    ///
    /// # Errors
    /// As [`Document::parse`], surrogates excepted.
    pub fn borrow_host(text: &'t str) -> Result<Self, Fault> {
        Self::read(Cow::Borrowed(text), true)
    }

    fn read(text: Cow<'t, str>, lenient: bool) -> Result<Self, Fault> {
        let scanned = scan::scan(&text, lenient)?;
        Ok(Self {
            text,
            entries: scanned.entries,
            duplicate: scanned.duplicate,
            spaced: scanned.spaced,
            surrogates: scanned.surrogates,
        })
    }

    /// The whole value.
    pub fn root(&self) -> Node<'_> {
        Node { document: self, index: 0 }
    }

    /// The text as it came.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first member name that its object has twice.
    pub fn duplicate(&self) -> Option<Cow<'_, str>> {
        self.duplicate.map(|index| Node { document: self, index }.decoded())
    }

    /// Whether white space stands between tokens.
    pub(crate) fn spaced(&self) -> bool {
        self.spaced
    }

    /// Whether a string holds a surrogate without its partner (only after [`Document::parse_host`]).
    pub fn surrogates(&self) -> bool {
        self.surrogates
    }

    /// A handle to a node that outlives the borrow; see [`Document::node`].
    pub(crate) fn node(&self, index: u32) -> Node<'_> {
        Node { document: self, index }
    }
}

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
        let entry = self.entry();
        if entry.kind() != Kind::Object {
            return None;
        }
        let mut index = self.index + 1;
        while index < entry.next {
            let key = Node { index, ..self };
            let value = Node { index: index + 1, ..self };
            if key.string_equals(key.entry(), name) {
                return Some(value);
            }
            index = value.entry().next;
        }
        None
    }

    /// The member called `name`, and how many members were passed on the way to it.
    pub(crate) fn find(self, name: &str) -> (Option<Node<'d>>, u64) {
        let mut members = self.members();
        let mut passed = 0;
        while let Some((key, value)) = members.next_nodes() {
            passed += 1;
            if key.string_equals(key.entry(), name) {
                return (Some(value), passed);
            }
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
        for token in pointer.strip_prefix('/')?.split('/') {
            let token: Cow<'_, str> = if token.contains('~') {
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
    fn decoded(self) -> Cow<'d, str> {
        let inner = self.inner();
        if self.entry().escaped() {
            Cow::Owned(scan::unescape(inner))
        } else {
            Cow::Borrowed(inner)
        }
    }

    #[inline]
    fn inner(self) -> &'d str {
        let entry = self.entry();
        &self.document.text[entry.start as usize + 1..entry.end as usize - 1]
    }

    #[inline]
    fn string_equals(self, entry: Entry, expected: &str) -> bool {
        if entry.escaped() {
            return scan::unescape(self.inner()) == expected;
        }
        // As bytes, so that nobody looks for the borders of characters.
        let (start, end) = (entry.start as usize + 1, entry.end as usize - 1);
        end - start == expected.len() && self.document.text.as_bytes()[start..end] == *expected.as_bytes()
    }
}

/// Member names and values; made by [`Node::members`].
#[derive(Clone)]
pub struct Members<'d> {
    document: &'d Parsed<'d>,
    index: u32,
    end: u32,
}

impl<'d> Members<'d> {
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
