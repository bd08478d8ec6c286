//! The revisions of the protocol, and what sets them apart. This table and the members in `revision/edition.rs` are the
//! only places that know: everything else asks them.

pub(crate) mod edition;
mod offered;

pub(crate) use offered::Offered;

use super::wire::{code, method};

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

/// How far a revision lets a server ask the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// Not at all.
    Nothing,
    /// By a form of texts, numbers, booleans and one-of-many choices, whose `enumNames` give the titles.
    PlainForm,
    /// By any form, or by an address; the address has an `elicitationId`.
    NumberedUrl,
    /// By any form, or by an address.
    Url,
}

/// What one revision is.
#[expect(clippy::struct_excessive_bools, reason = "each is one feature that a revision has or has not")]
struct Row {
    revision: Revision,
    text: &'static str,
    era: Era,
    /// Methods of requests that a server answers.
    methods: [&'static [&'static str]; 2],
    /// Codes between -32099 and -32000 that a server sends.
    codes: &'static [i32],
    /// The code for a resource that is not there.
    not_found: i32,
    /// The id of an error for a message whose id could not be read; none: it has no `id`.
    unread_id: Option<&'static str>,
    /// Whether several messages come as one array.
    batches: bool,
    /// Whether clients name the revision in a header of each request of a session.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only HTTP has headers"))]
    version_header: bool,
    /// Whether streams begin with an event without a message, so that a server may end them early.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only HTTP has several streams"))]
    polling: bool,
    /// Whether servers say that they complete arguments; they may do so in any revision.
    completions: bool,
    /// Whether progress has a `message`.
    progress_message: bool,
    asks: Asks,
    /// Whether `sampling.tools` and `sampling.context` are things that a client declares. Before, it takes no tools, and
    /// whoever samples takes a context.
    sampling_parts: bool,
}

/// What every revision has.
const FEATURES: &[&str] = &[
    method::TOOLS_CALL,
    method::TOOLS_LIST,
    method::RESOURCES_READ,
    method::RESOURCES_LIST,
    method::RESOURCE_TEMPLATES_LIST,
    method::PROMPTS_GET,
    method::PROMPTS_LIST,
    method::COMPLETE,
];

/// What belongs to a session.
const SESSION: &[&str] =
    &[method::INITIALIZE, method::PING, method::SET_LEVEL, method::SUBSCRIBE, method::UNSUBSCRIBE];

/// One row a revision, newest first: the order in which they are offered.
const TABLE: [Row; 5] = [
    Row {
        revision: Revision::V2026_07_28,
        text: "2026-07-28",
        era: Era::Modern,
        methods: [FEATURES, &[method::DISCOVER, method::LISTEN]],
        codes: &[code::HEADER_MISMATCH, code::MISSING_CAPABILITY, code::UNSUPPORTED_VERSION],
        not_found: code::INVALID_PARAMS,
        unread_id: None,
        batches: false,
        version_header: true,
        polling: false,
        completions: true,
        progress_message: true,
        asks: Asks::Url,
        sampling_parts: true,
    },
    Row {
        revision: Revision::V2025_11_25,
        text: "2025-11-25",
        codes: &[code::RESOURCE_NOT_FOUND, code::URL_ELICITATION_REQUIRED, code::MISSING_CAPABILITY],
        unread_id: None,
        polling: true,
        asks: Asks::NumberedUrl,
        sampling_parts: true,
        ..OLDER
    },
    OLDER,
    Row {
        revision: Revision::V2025_03_26,
        text: "2025-03-26",
        batches: true,
        version_header: false,
        asks: Asks::Nothing,
        ..OLDER
    },
    Row {
        revision: Revision::V2024_11_05,
        text: "2024-11-05",
        version_header: false,
        completions: false,
        progress_message: false,
        asks: Asks::Nothing,
        ..OLDER
    },
];

/// 2025-06-18, from which the other rows of the legacy era differ.
const OLDER: Row = Row {
    revision: Revision::V2025_06_18,
    text: "2025-06-18",
    era: Era::Legacy,
    methods: [FEATURES, SESSION],
    // The revisions of this era do not know -32021, but leave the range to servers.
    codes: &[code::RESOURCE_NOT_FOUND, code::MISSING_CAPABILITY],
    not_found: code::RESOURCE_NOT_FOUND,
    unread_id: Some("null"),
    batches: false,
    version_header: true,
    polling: false,
    completions: true,
    progress_message: true,
    asks: Asks::PlainForm,
    sampling_parts: false,
};

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

    /// Every revision, newest first.
    pub fn all() -> impl Iterator<Item = Revision> + Clone {
        TABLE.iter().map(|row| row.revision)
    }

    /// Whether a server answers requests of this method.
    pub(crate) fn has_method(self, name: &str) -> bool {
        self.row().methods.iter().any(|group| group.contains(&name))
    }

    /// Whether a server may send this code, which lies between -32099 and -32000.
    pub(crate) fn has_code(self, code: i32) -> bool {
        self.row().codes.contains(&code)
    }

    /// The code for a resource that is not there.
    pub(crate) fn not_found(self) -> i32 {
        self.row().not_found
    }

    /// The id of an error for a message whose id could not be read, if it has one.
    pub(crate) fn unread_id(self) -> Option<&'static str> {
        self.row().unread_id
    }

    /// Whether several messages come as one array.
    pub(crate) fn has_batches(self) -> bool {
        self.row().batches
    }

    /// Whether clients name the revision in the header `MCP-Protocol-Version` of each request of a session.
    #[cfg(feature = "http")]
    pub(crate) fn has_version_header(self) -> bool {
        self.row().version_header
    }

    /// Whether a stream begins with an event without a message, so that the server may end it early.
    #[cfg(feature = "http")]
    pub(crate) fn has_polling(self) -> bool {
        self.row().polling
    }

    /// What is spoken where the client does not say (2025-06-18, transports, protocol version header).
    #[cfg(feature = "http")]
    pub(crate) fn unnamed() -> Self {
        Self::V2025_03_26
    }

    /// Whether the capability `completions` exists.
    pub(crate) fn has_completions(self) -> bool {
        self.row().completions
    }

    /// Whether progress has a `message`.
    pub(crate) fn has_progress_message(self) -> bool {
        self.row().progress_message
    }

    /// How far a server may ask the user.
    pub(crate) fn asks(self) -> Asks {
        self.row().asks
    }

    /// Whether clients declare `sampling.tools` and `sampling.context`.
    pub(crate) fn has_sampling_parts(self) -> bool {
        self.row().sampling_parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_enumeration() {
        for row in &TABLE {
            assert_eq!(row.revision.as_str(), row.text);
            assert_eq!(Revision::read(row.text), Some(row.revision));
        }
        assert!(Revision::all().zip(Revision::all().skip(1)).all(|(newer, older)| newer > older));
        assert_eq!(Revision::read("2026-07-28 "), None);
    }
}
