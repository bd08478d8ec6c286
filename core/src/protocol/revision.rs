//! The revisions of the protocol, and what sets them apart.

/// How a conversation is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Every request stands alone and names its revision.
    Modern,
    /// A session that `initialize` opened.
    Legacy,
}

/// A revision of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26
    V2025_03_26,
    /// 2025-06-18
    V2025_06_18,
    /// 2025-11-25
    V2025_11_25,
    /// 2026-07-28
    V2026_07_28,
}

/// What one revision is.
struct Row {
    revision: Revision,
    text: &'static str,
    era: Era,
    /// Whether this build answers requests of the revision.
    served: bool,
}

/// One row a revision, newest first: the order in which they are offered.
const TABLE: &[Row] = &[
    Row { revision: Revision::V2026_07_28, text: "2026-07-28", era: Era::Modern, served: true },
    Row { revision: Revision::V2025_11_25, text: "2025-11-25", era: Era::Legacy, served: false },
    Row { revision: Revision::V2025_06_18, text: "2025-06-18", era: Era::Legacy, served: false },
    Row { revision: Revision::V2025_03_26, text: "2025-03-26", era: Era::Legacy, served: false },
    Row { revision: Revision::V2024_11_05, text: "2024-11-05", era: Era::Legacy, served: false },
];

impl Revision {
    /// The newest revision.
    pub const LATEST: Revision = Revision::V2026_07_28;

    fn row(self) -> &'static Row {
        // Newest first, so the last row is the first of the enumeration.
        &TABLE[TABLE.len() - 1 - self as usize]
    }

    /// The date that names it.
    pub fn as_str(self) -> &'static str {
        self.row().text
    }

    /// How its conversations are held.
    pub fn era(self) -> Era {
        self.row().era
    }

    /// Reads a date; compared exactly.
    pub fn read(text: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.text == text).map(|row| row.revision)
    }

    /// The revisions that this build serves, newest first.
    pub fn served() -> impl Iterator<Item = Revision> {
        TABLE.iter().filter(|row| row.served).map(|row| row.revision)
    }

    /// Whether this build serves it.
    pub fn is_served(self) -> bool {
        self.row().served
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enumeration() {
        for row in TABLE {
            assert_eq!(row.revision.as_str(), row.text);
            assert_eq!(Revision::read(row.text), Some(row.revision));
        }
        assert_eq!(Revision::read("2026-07-28 "), None);
    }
}
