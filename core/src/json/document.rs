//! A text that was read.

use super::entry::Entry;
use super::known::Mark;
use super::node::Node;
use super::{scan, spare, Fault, FaultKind};
use std::borrow::Cow;
use std::fmt;

/// A JSON text that was read once, strictly, and is kept as it came. [`Document`] is the form that owns its text.
pub struct Parsed<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) entries: Vec<Entry>,
    duplicate: Option<u32>,
    spaced: bool,
    surrogates: bool,
    recalled: Option<(u32, Mark)>,
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
        Err(error) => Err(Fault::new(FaultKind::Utf8, error.utf8_error().valid_up_to(), "not UTF-8")),
    }
}

impl Drop for Parsed<'_> {
    fn drop(&mut self) {
        scan::keep(std::mem::take(&mut self.entries));
        if let Cow::Owned(text) = std::mem::take(&mut self.text) {
            spare::keep(text.into_bytes());
        }
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

    /// The same as [`Document::parse`] does, without copying it.
    pub(super) fn borrow(text: &'t str) -> Result<Self, Fault> {
        Self::read(Cow::Borrowed(text), false)
    }

    fn read(text: Cow<'t, str>, lenient: bool) -> Result<Self, Fault> {
        let scanned = scan::scan(&text, lenient)?;
        Ok(Self {
            text,
            entries: scanned.entries,
            duplicate: scanned.duplicate,
            spaced: scanned.spaced,
            surrogates: scanned.surrogates,
            recalled: scanned.recalled,
        })
    }

    /// The whole value.
    pub fn root(&self) -> Node<'_> {
        Node::at(self, 0)
    }

    /// The text as it came.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first member name that its object has twice.
    pub fn duplicate(&self) -> Option<Cow<'_, str>> {
        self.duplicate.map(|index| Node::at(self, index).decoded())
    }

    /// Whether white space stands between tokens.
    pub(crate) fn spaced(&self) -> bool {
        self.spaced
    }

    /// Whether a string holds a surrogate without its partner (only after [`Document::parse_host`]).
    pub fn surrogates(&self) -> bool {
        self.surrogates
    }

    /// The member `_meta` of `params`, if it is a text that was remembered under `mark`.
    pub(crate) fn recalled(&self, params: Node<'_>, mark: Mark) -> Option<Node<'_>> {
        let (index, known) = self.recalled?;
        let end = params.index() as usize + params.values();
        // Only what stands two objects deep is recalled, so that what lies inside of the params is a member of theirs.
        let inside = params.index() < index && (index as usize) < end;
        // A name that merely ends like it does not count.
        let named = self.node(index.checked_sub(1)?).is_str("_meta");
        (known == mark && inside && named).then(|| self.node(index))
    }

    /// A handle to a node that outlives the borrow; see [`Document::node`].
    pub(crate) fn node(&self, index: u32) -> Node<'_> {
        Node::at(self, index)
    }
}
