//! Keywords of our own in place of the validator's: numbers are compared by their digits, and a pattern that backtracks
//! draws on the budget.

use super::adapter::{Budget, Cursor, Tape};
use super::compare;
use crate::json::{Decimal, Document, Kind, Node};
use jsonschema::paths::Location;
use jsonschema::{Keyword, PatternOptions, ValidationError, ValidationOptions, Validator};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

type Boxed = Box<dyn for<'i> Keyword<'i, Tape>>;
type Options = ValidationOptions<'static, Arc<dyn jsonschema::Retrieve>, Tape>;

/// What the numbers in a schema were written as, where `serde_json` could not keep them: by the address of the value
/// that holds them. The validator borrows the schema while it compiles, so addresses stay.
pub(super) type Written = Arc<HashMap<usize, String>>;

pub(super) fn address(value: &Value) -> usize {
    std::ptr::from_ref(value) as usize
}

fn written(value: &Value, table: &Written) -> String {
    table.get(&address(value)).cloned().unwrap_or_else(|| value.to_string())
}

/// Takes over the keywords that compare numbers.
pub(super) fn with_numbers(mut options: Options, table: &Written) -> Options {
    let bounds = [
        ("minimum", Relation::AtLeast),
        ("maximum", Relation::AtMost),
        ("exclusiveMinimum", Relation::Above),
        ("exclusiveMaximum", Relation::Below),
        ("multipleOf", Relation::MultipleOf),
    ];
    for (keyword, relation) in bounds {
        let table = Arc::clone(table);
        options = options.with_keyword(keyword, move |parent, value, _| {
            let exclusive = |name| parent.get(name) == Some(&Value::Bool(true));
            // In draft-04 the exclusive forms are switches beside the bound.
            let relation = match relation {
                Relation::AtLeast if exclusive("exclusiveMinimum") => Relation::Above,
                Relation::AtMost if exclusive("exclusiveMaximum") => Relation::Below,
                other => other,
            };
            Ok(match value {
                Value::Number(_) => Box::new(Bound::new(relation, written(value, &table))) as Boxed,
                _ => Box::new(Anything),
            })
        });
    }
    options
}

/// Takes over `const` and `enum`, for schemas that have numbers in them.
pub(super) fn with_values(mut options: Options, table: &Written) -> Options {
    for keyword in ["const", "enum"] {
        let table = Arc::clone(table);
        options = options.with_keyword(keyword, move |_: &Map<String, Value>, value: &Value, _: Location| {
            let text = written(value, &table);
            let list = if keyword == "enum" { text } else { format!("[{text}]") };
            let values = Document::parse_host(list.into_bytes())
                .map_err(|fault| ValidationError::schema(fault.to_string()))?;
            Ok(Box::new(Listed { values }) as Boxed)
        });
    }
    options
}

/// Takes over `pattern`, for schemas with a pattern that only backtracking can match.
pub(super) fn with_patterns(options: Options) -> Options {
    options.with_keyword("pattern", |_, value: &Value, _| {
        let Some(pattern) = value.as_str() else {
            return Ok(Box::new(Anything) as Boxed);
        };
        match Pattern::new(pattern) {
            Some(compiled) => Ok(Box::new(compiled)),
            None => Err(ValidationError::schema("is not a regular expression that can be matched")),
        }
    })
}

/// A keyword that says nothing.
struct Anything;

impl<'i> Keyword<'i, Tape> for Anything {
    fn validate(&self, _: Cursor<'i>) -> Result<(), ValidationError<'i>> {
        Ok(())
    }

    fn is_valid(&self, _: Cursor<'i>) -> bool {
        true
    }
}

#[derive(Clone, Copy)]
enum Relation {
    AtLeast,
    AtMost,
    Above,
    Below,
    MultipleOf,
}

/// `minimum` and its kin.
struct Bound {
    relation: Relation,
    limit: String,
    /// The limit as a word, for the common case.
    word: Option<i64>,
}

impl Bound {
    fn new(relation: Relation, limit: String) -> Self {
        let word = word(&limit);
        Self { relation, limit, word }
    }

    fn holds(&self, token: &str, budget: &Budget) -> bool {
        if let (Some(value), Some(limit)) = (word(token), self.word) {
            return match self.relation {
                Relation::AtLeast => value >= limit,
                Relation::AtMost => value <= limit,
                Relation::Above => value > limit,
                Relation::Below => value < limit,
                Relation::MultipleOf => limit != 0 && value % limit == 0,
            };
        }
        let (value, limit) = (Decimal::read(token), Decimal::read(&self.limit));
        match self.relation {
            Relation::AtLeast => value >= limit,
            Relation::AtMost => value <= limit,
            Relation::Above => value > limit,
            Relation::Below => value < limit,
            Relation::MultipleOf => {
                let answer = budget.draw(token.len() as u64).then(|| value.is_multiple_of(&limit)).flatten();
                if answer.is_none() {
                    budget.spend();
                }
                answer.unwrap_or(false)
            }
        }
    }

    fn expected(&self) -> String {
        let limit = &self.limit;
        match self.relation {
            Relation::AtLeast => format!("a number of at least {limit}"),
            Relation::AtMost => format!("a number of at most {limit}"),
            Relation::Above => format!("a number above {limit}"),
            Relation::Below => format!("a number below {limit}"),
            Relation::MultipleOf => format!("a multiple of {limit}"),
        }
    }
}

/// A short token without fraction or exponent.
fn word(token: &str) -> Option<i64> {
    (token.len() <= 18).then(|| token.parse().ok()).flatten()
}

impl<'i> Keyword<'i, Tape> for Bound {
    fn validate(&self, instance: Cursor<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            Ok(())
        } else {
            Err(ValidationError::custom(self.expected()))
        }
    }

    fn is_valid(&self, instance: Cursor<'i>) -> bool {
        let Some(token) = instance.node.as_number() else {
            return true;
        };
        instance.budget.draw(1 + token.len() as u64 / 32) && self.holds(token, instance.budget)
    }
}

/// `const` and `enum`.
struct Listed {
    values: Document,
}

impl<'i> Keyword<'i, Tape> for Listed {
    fn validate(&self, instance: Cursor<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        let values = self.values.root().elements().map(Node::raw);
        Err(ValidationError::custom(super::explain::one_of(values)))
    }

    fn is_valid(&self, instance: Cursor<'i>) -> bool {
        let mut values = self.values.root().elements();
        values.any(|value| compare::equal(value, instance.node, instance.budget))
    }
}

/// What a text may take under a pattern that backtracks: backtracks, and what trying costs. Most texts need the first
/// try only, so that many of them fit into one check.
const TRIES: [(usize, u64); 3] = [(500, 2_000), (10_000, 40_000), (100_000, 400_000)];

/// `pattern`. The validator brings the translation from ECMA-262, so a pattern is a small validator of its own.
enum Pattern {
    /// Time linear in the text.
    Linear(Validator<Tape>),
    /// Backtracks, first a little, then more.
    Backtracking { tries: Vec<(fancy_regex::Regex, u64)>, pattern: String },
}

/// Whether `pattern` needs look-around or back-references, which only backtracking can match.
pub(super) fn backtracks(pattern: &str) -> bool {
    // Nearly all patterns are told apart by their text; for the rest the linear engine says whether it takes them.
    let suspicious = ["(?=", "(?!", "(?<", "\\k"].iter().any(|mark| pattern.contains(mark))
        || pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && pair[1].is_ascii_digit());
    if !suspicious {
        return false;
    }
    let schema = Value::Object(Map::from_iter([("pattern".to_owned(), pattern.into())]));
    jsonschema::options_for::<Tape>()
        .offline()
        .with_pattern_options(PatternOptions::regex())
        .build(&schema)
        .is_err()
}

impl Pattern {
    fn new(pattern: &str) -> Option<Self> {
        let schema = Value::Object(Map::from_iter([("pattern".to_owned(), pattern.into())]));
        if !backtracks(pattern) {
            return jsonschema::options_for::<Tape>().offline().build(&schema).ok().map(Self::Linear);
        }
        let translated = jsonschema_regex::to_rust_regex(pattern).ok()?;
        let build = |(limit, steps)| {
            let regex = fancy_regex::RegexBuilder::new(&translated).backtrack_limit(limit).build();
            Some((regex.ok()?, steps))
        };
        Some(Self::Backtracking {
            tries: TRIES.into_iter().map(build).collect::<Option<_>>()?,
            pattern: pattern.to_owned(),
        })
    }
}

impl<'i> Keyword<'i, Tape> for Pattern {
    fn validate(&self, instance: Cursor<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        match self {
            Self::Linear(validator) => validator.validate(instance).map_err(ValidationError::to_owned),
            Self::Backtracking { pattern, .. } => {
                Err(ValidationError::custom(super::explain::matching(pattern)))
            }
        }
    }

    fn is_valid(&self, instance: Cursor<'i>) -> bool {
        let tries = match self {
            Self::Linear(validator) => return validator.is_valid(instance),
            Self::Backtracking { tries, .. } => tries,
        };
        if instance.node.kind() != Kind::String {
            return true;
        }
        let budget = instance.budget;
        let length = instance.node.raw().len() as u64;
        let text = instance.node.as_str().unwrap_or_default();
        for (regex, steps) in tries {
            if !budget.draw(steps + length) {
                return false;
            }
            // Some texts make the engine panic (rust-lang/regex#1344); that is as good as no answer.
            if let Ok(Ok(answer)) = catch_unwind(AssertUnwindSafe(|| regex.is_match(&*text))) {
                return answer;
            }
        }
        // Neither answer may decide anything, not even under `not`; so the whole check is refused.
        budget.spend();
        false
    }
}
