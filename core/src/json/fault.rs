//! Why a text was refused, and where.

use std::fmt;

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Not UTF-8.
    Utf8,
    /// Not JSON.
    Syntax,
    /// An escape that names half of a surrogate pair.
    Surrogate,
    /// Nested deeper than [`super::MAX_DEPTH`].
    Depth,
    /// Longer than positions can count (4 GiB).
    Length,
}

/// A text that was refused, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    kind: FaultKind,
    offset: usize,
    what: &'static str,
}

impl Fault {
    #[cold]
    pub(super) fn new(kind: FaultKind, offset: usize, what: &'static str) -> Self {
        Self { kind, offset, what }
    }

    /// What is wrong.
    pub fn kind(&self) -> FaultKind {
        self.kind
    }

    /// The byte at which it was noticed.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)
    }
}

impl std::error::Error for Fault {}
