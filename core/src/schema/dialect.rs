//! The dialects of JSON Schema.

use super::explain::{cut, show};
use crate::json::Node;

/// A dialect that is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Dialect {
    Draft04,
    Draft06,
    Draft07,
    Draft201909,
    Draft202012,
}

impl Dialect {
    /// The dialect that the value of `$schema` names.
    pub(super) fn named(schema: Node<'_>) -> Result<Self, String> {
        let name = schema.as_str().ok_or_else(|| "$schema must be a URI".to_owned())?;
        let version = name
            .strip_prefix("https://json-schema.org/")
            .or_else(|| name.strip_prefix("http://json-schema.org/"))
            .map(|version| version.trim_end_matches('#'));
        match version {
            Some("draft-04/schema") => Ok(Self::Draft04),
            Some("draft-06/schema") => Ok(Self::Draft06),
            Some("draft-07/schema") => Ok(Self::Draft07),
            Some("draft/2019-09/schema") => Ok(Self::Draft201909),
            // Without a version it is the current one.
            Some("draft/2020-12/schema" | "schema") => Ok(Self::Draft202012),
            Some(_) | None => Err(format!(
                "dialect {} is not supported; use 2020-12, 2019-09, draft-07, draft-06 or draft-04",
                cut(&show(schema), 100)
            )),
        }
    }

    /// The dialect of a whole schema.
    pub(super) fn of(root: Node<'_>) -> Result<Self, String> {
        // 2026-07-28, JSON Schema usage: without `$schema` it is 2020-12.
        root.get("$schema").map_or(Ok(Self::Draft202012), Self::named)
    }

    pub(super) fn id_keyword(self) -> &'static str {
        match self {
            Self::Draft04 => "id",
            Self::Draft06 | Self::Draft07 | Self::Draft201909 | Self::Draft202012 => "$id",
        }
    }

    /// Whether `$ref` makes everything beside it void.
    pub(super) fn reference_alone(self) -> bool {
        self < Self::Draft201909
    }

    /// The schema of its schemas, where more than one document all in one.
    pub(super) fn meta(self) -> &'static str {
        match self {
            Self::Draft04 => include_str!("meta/draft-04.json"),
            Self::Draft06 => include_str!("meta/draft-06.json"),
            Self::Draft07 => include_str!("meta/draft-07.json"),
            Self::Draft201909 => include_str!("meta/2019-09.json"),
            Self::Draft202012 => include_str!("meta/2020-12.json"),
        }
    }
}
