//! What is wrong with a value, for a model to read and correct.

use crate::json::{self, Kind, Node};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonTypeSet, ValidationError};
use serde_json::Value;
use std::fmt;

/// Violations that are told.
const TOLD: usize = 16;
/// Characters of a value that are shown.
const SHOWN: usize = 80;
/// Characters of an expectation or a path that are shown.
const SHOWN_TEXT: usize = 240;
/// Alternatives that are listed.
const ALTERNATIVES: usize = 12;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    /// JSON pointer to the value, or to where one is missing; `""` is the whole.
    pub(crate) path: String,
    /// What the schema wants there: `integer`, `one of "a", "b"`.
    pub(crate) expected: String,
    /// What stands there, shortened: `"x"`, `nothing`.
    pub(crate) came: String,
}

/// Everything that is wrong with a value, at least one thing. It displays as one line, every entry as
/// `/a: expected integer, got "x"`, separated by semicolons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violations {
    /// The first violations, in the order of the schema.
    pub(crate) entries: Vec<Violation>,
    /// How many more there are.
    pub(crate) more: usize,
}

impl Violations {
    /// The check ran out of its budget.
    pub(super) fn too_costly() -> Self {
        Self::whole("a value that can be checked within the limits", "one that costs too much to check")
    }

    /// The value is wrong, but saying where would cost too much.
    pub(super) fn too_many() -> Self {
        Self::whole("a value that matches the schema", "one with too many faults to list")
    }

    fn whole(expected: &str, came: &str) -> Self {
        let entry = Violation { path: String::new(), expected: expected.to_owned(), came: came.to_owned() };
        Self { entries: vec![entry], more: 0 }
    }

    /// What `errors` say about `instance`.
    pub(super) fn of(errors: &[ValidationError<'_>], instance: Node<'_>) -> Self {
        let mut entries: Vec<Violation> = Vec::new();
        let mut more = 0;
        for error in errors {
            if entries.len() == TOLD {
                more += 1;
                continue;
            }
            let mut told = Vec::new();
            describe(error, &|path| instance.pointer(path).map(show), &mut told);
            for entry in told {
                if entries.len() == TOLD {
                    more += 1;
                } else if !entries.contains(&entry) {
                    entries.push(entry);
                }
            }
        }
        if entries.is_empty() {
            return Self::too_many();
        }
        Self { entries, more }
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, Violation { path, expected, came }) in self.entries.iter().enumerate() {
            let separator = if n > 0 { "; " } else { "" };
            let path = if path.is_empty() { "(root)" } else { path };
            write!(f, "{separator}{path}: expected {expected}, got {came}")?;
        }
        if self.more > 0 {
            write!(f, "; and {} more", self.more)?;
        }
        Ok(())
    }
}

/// Adds what `error` says; `look` shows the value at a path.
fn describe(error: &ValidationError<'_>, look: &dyn Fn(&str) -> Option<String>, out: &mut Vec<Violation>) {
    let path = error.instance_path().as_str();
    let mut at = |path: &str, expected: String, came: Option<String>| {
        out.push(Violation {
            path: cut(path, SHOWN_TEXT),
            expected: cut(&expected, SHOWN_TEXT),
            came: came.unwrap_or_else(|| "nothing".to_owned()),
        });
    };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            at(&below(path, name), "a value (required)".to_owned(), None);
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            for name in unexpected {
                let path = below(path, name);
                let came = look(&path);
                at(&path, "no property of this name".to_owned(), came);
            }
        }
        ValidationErrorKind::PropertyNames { error } => {
            let name = error.instance();
            at(path, format!("property names that are {}", expectation(error)), Some(show_value(name)));
        }
        _ => at(path, expectation(error), look(path)),
    }
}

/// What the schema wants at the error's place.
pub(super) fn expectation(error: &ValidationError<'_>) -> String {
    use ValidationErrorKind as K;
    match error.kind() {
        K::Type { kind: TypeKind::Single(kind) } => kind.to_string(),
        K::Type { kind: TypeKind::Multiple(kinds) } => types(*kinds),
        K::AnyOf { context } | K::OneOfNotValid { context } => alternatives(context, error),
        K::OneOfMultipleValid { .. } => "a value that fits exactly one of the alternatives".to_owned(),
        K::Constant { expected_value } => cut(&expected_value.to_string(), SHOWN),
        K::Enum { options } => one_of(options.as_array().into_iter().flatten().map(Value::to_string)),
        K::Minimum { limit } => format!("a number of at least {limit}"),
        K::Maximum { limit } => format!("a number of at most {limit}"),
        K::ExclusiveMinimum { limit } => format!("a number above {limit}"),
        K::ExclusiveMaximum { limit } => format!("a number below {limit}"),
        K::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        K::MinLength { limit } => format!("a string of at least {}", counted(*limit, "character")),
        K::MaxLength { limit } => format!("a string of at most {}", counted(*limit, "character")),
        K::MinItems { limit } => format!("an array of at least {}", counted(*limit, "item")),
        K::MaxItems { limit } => format!("an array of at most {}", counted(*limit, "item")),
        K::AdditionalItems { limit } => format!("an array of at most {}", counted(*limit as u64, "item")),
        K::MinProperties { limit } => match limit {
            1 => "an object of at least 1 property".to_owned(),
            _ => format!("an object of at least {limit} properties"),
        },
        K::MaxProperties { limit } => match limit {
            1 => "an object of at most 1 property".to_owned(),
            _ => format!("an object of at most {limit} properties"),
        },
        K::UniqueItems => "items that all differ".to_owned(),
        K::UnevaluatedItems { .. } => "no further items".to_owned(),
        K::Contains => "an array with an item that \"contains\" describes".to_owned(),
        K::Pattern { pattern } => matching(pattern),
        K::BacktrackLimitExceeded { .. } | K::RegexEngineFailure { .. } => {
            "a text whose pattern can be matched within the limits".to_owned()
        }
        K::Format { format } => format!("a string of format {format}"),
        K::ContentEncoding { content_encoding } => format!("text encoded as {content_encoding}"),
        K::ContentMediaType { content_media_type } => format!("text of type {content_media_type}"),
        K::FromUtf8 { .. } => "text encoded as UTF-8".to_owned(),
        K::FalseSchema => "no value here".to_owned(),
        K::Not { schema } => format!("a value that does not match {}", cut(&schema.to_string(), SHOWN)),
        K::PropertyNames { error } => format!("property names that are {}", expectation(error)),
        K::AdditionalProperties { .. } | K::UnevaluatedProperties { .. } => {
            "no further properties".to_owned()
        }
        K::Required { property } => format!("an object with {property}"),
        K::Custom { message, .. } => message.clone(),
        K::Referencing(error) => error.to_string(),
    }
}

/// `string or null` where every branch fails for the type alone, else each branch by its first fault.
fn alternatives(context: &[Vec<ValidationError<'_>>], parent: &ValidationError<'_>) -> String {
    let own = parent.instance_path().as_str();
    let mut told: Vec<String> = Vec::new();
    for error in context.iter().filter_map(|branch| branch.first()) {
        let path = error.instance_path().as_str();
        let what = expectation(error);
        let text = match path.strip_prefix(own) {
            Some("") | None => what,
            Some(deeper) => format!("{what} at {deeper}"),
        };
        if !told.contains(&text) {
            told.push(text);
        }
    }
    let dropped = told.len().saturating_sub(ALTERNATIVES);
    told.truncate(ALTERNATIVES);
    if dropped > 0 {
        told.push(format!("{dropped} more"));
    }
    told.join(" or ")
}

/// `one of "a", "b"`, or the value alone if it is one.
pub(super) fn one_of<T: AsRef<str>>(mut values: impl Iterator<Item = T>) -> String {
    let mut told: Vec<String> =
        values.by_ref().take(ALTERNATIVES).map(|value| cut(value.as_ref(), SHOWN)).collect();
    let dropped = values.count();
    if dropped > 0 {
        told.push(format!("{dropped} more"));
    }
    match told.len() {
        1 => told.join(""),
        _ => format!("one of {}", told.join(", ")),
    }
}

pub(super) fn matching(pattern: &str) -> String {
    format!("a string that matches {}", cut(&json::quote(pattern), SHOWN_TEXT))
}

fn types(kinds: JsonTypeSet) -> String {
    let names: Vec<&str> = kinds.iter().map(jsonschema::JsonType::as_str).collect();
    names.join(" or ")
}

fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The pointer to member `name` of what `path` points to.
pub(super) fn below(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// A value as it was written, shortened; what is too long is counted instead.
pub(super) fn show(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Array if node.raw().len() > SHOWN => {
            format!("an array of {}", counted(node.len() as u64, "item"))
        }
        Kind::Object if node.raw().len() > SHOWN => {
            format!("an object of {} {}", node.len(), if node.len() == 1 { "property" } else { "properties" })
        }
        Kind::Array | Kind::Object => {
            let mut text = Vec::new();
            json::push_compact(&mut text, node);
            String::from_utf8_lossy(&text).into_owned()
        }
        Kind::Null | Kind::True | Kind::False | Kind::Number | Kind::String => cut(node.raw(), SHOWN),
    }
}

/// The same for a value that was made.
pub(super) fn show_value(value: &Value) -> String {
    cut(&value.to_string(), SHOWN)
}

/// At most `limit` characters, cut between characters.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
