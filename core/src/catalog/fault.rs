//! What is wrong with a definition, and where.

use crate::error::{Error, ErrorKind};
use crate::protocol::definition;
use std::fmt;

/// One thing that is wrong with one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// `tool "echo"`, `tools[3]` for an item without a name, `catalog` for the whole.
    pub(crate) item: String,
    /// RFC 6901, from the item; empty for the item itself.
    pub(crate) pointer: String,
    /// What is wrong there, and what would be right.
    pub(crate) reason: String,
}

impl Fault {
    /// A fault of the catalog as a whole.
    pub(super) fn whole(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { item: "catalog".to_owned(), pointer: pointer.into(), reason: reason.into() }
    }

    pub(super) fn of(item: &str, (pointer, reason): definition::Found) -> Self {
        Self { item: item.to_owned(), pointer, reason }
    }
}

impl fmt::Display for Fault {
    /// `tool "echo" at /inputSchema/type: …`, always one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_line(f, &self.item)?;
        if !self.pointer.is_empty() {
            f.write_str(" at ")?;
            write_line(f, &self.pointer)?;
        }
        f.write_str(": ")?;
        write_line(f, &self.reason)
    }
}

fn write_line(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    use fmt::Write;
    text.chars().try_for_each(|letter| {
        if letter.is_control() {
            write!(f, "{}", letter.escape_default())
        } else {
            f.write_char(letter)
        }
    })
}

/// One error that says all of `faults`, a line each.
pub(crate) fn error_of(faults: &[Fault]) -> Error {
    let lines: Vec<String> = faults.iter().map(Fault::to_string).collect();
    Error::new(ErrorKind::Catalog, lines.join("\n"))
}
