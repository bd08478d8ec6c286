//! The dialects of JSON Schema.

use super::explain::{cut, show};
use crate::json::Node;
use jsonschema::meta::MetaValidator;
use jsonschema::Draft;

/// A dialect that is enforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
        match Draft::from_schema_uri(&name) {
            Draft::Draft4 => Ok(Self::Draft04),
            Draft::Draft6 => Ok(Self::Draft06),
            Draft::Draft7 => Ok(Self::Draft07),
            Draft::Draft201909 => Ok(Self::Draft201909),
            Draft::Draft202012 => Ok(Self::Draft202012),
            _ => Err(format!(
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

    pub(super) fn draft(self) -> Draft {
        match self {
            Self::Draft04 => Draft::Draft4,
            Self::Draft06 => Draft::Draft6,
            Self::Draft07 => Draft::Draft7,
            Self::Draft201909 => Draft::Draft201909,
            Self::Draft202012 => Draft::Draft202012,
        }
    }

    /// The validator of schemas.
    pub(super) fn meta(self) -> MetaValidator<'static> {
        match self {
            Self::Draft04 => jsonschema::draft4::meta::validator(),
            Self::Draft06 => jsonschema::draft6::meta::validator(),
            Self::Draft07 => jsonschema::draft7::meta::validator(),
            Self::Draft201909 => jsonschema::draft201909::meta::validator(),
            Self::Draft202012 => jsonschema::draft202012::meta::validator(),
        }
    }
}
