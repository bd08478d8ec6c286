//! Regular expressions of ECMA-262.

use super::budget::Budget;
use regex_automata::meta;
use std::borrow::Cow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::OnceLock;

/// What a text may take under a pattern that backtracks: backtracks, and what trying costs. Most texts need the first
/// try only, so that many of them fit into one check.
const TRIES: [(usize, u64); 3] = [(500, 2_000), (10_000, 40_000), (100_000, 400_000)];

/// A pattern that is searched for in texts.
pub(super) struct Pattern {
    /// Nothing where there is none for it.
    engine: OnceLock<Option<Engine>>,
    text: String,
}

enum Engine {
    /// Time linear in the text.
    Linear(meta::Regex),
    /// Look-around or back-references: backtracks, first a little, then more.
    Backtracking(Vec<(fancy_regex::Regex, u64)>),
}

/// The pattern as the engines write it.
fn translated(pattern: &str) -> Option<Cow<'_, str>> {
    jsonschema_regex::to_rust_regex(pattern).ok()
}

impl Engine {
    fn new(pattern: &str) -> Option<Self> {
        let translated = translated(pattern)?;
        if let Ok(regex) = meta::Regex::new(&translated) {
            return Some(Self::Linear(regex));
        }
        let tries = TRIES.into_iter().map(|(limit, steps)| {
            let regex = fancy_regex::RegexBuilder::new(&translated).backtrack_limit(limit).build();
            Some((regex.ok()?, steps))
        });
        tries.collect::<Option<_>>().map(Self::Backtracking)
    }
}

impl Pattern {
    /// Nothing if it is no regular expression, or none that can be matched.
    pub(super) fn new(pattern: &str) -> Option<Self> {
        let engine = Some(Engine::new(pattern)?);
        Some(Self { engine: OnceLock::from(engine), text: pattern.to_owned() })
    }

    /// One that is known to be a regular expression, made when it is first matched.
    pub(super) fn known(pattern: &str) -> Self {
        Self { engine: OnceLock::new(), text: pattern.to_owned() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is found in `text`. Some texts make the engine panic (rust-lang/regex#1344), some cost too much:
    /// then neither answer may decide anything, not even under `not`, and the budget is spent.
    pub(super) fn matches(&self, text: &str, budget: &Budget) -> bool {
        let tries = match self.engine.get_or_init(|| Engine::new(&self.text)) {
            Some(Engine::Linear(regex)) => {
                if !budget.draw_text(text.len()) {
                    return false;
                }
                let answer = catch_unwind(AssertUnwindSafe(|| regex.is_match(text)));
                if answer.is_err() {
                    budget.spend();
                }
                return answer.unwrap_or(false);
            }
            Some(Engine::Backtracking(tries)) => tries.as_slice(),
            None => &[],
        };
        for (regex, steps) in tries {
            if !budget.draw(steps + text.len() as u64) {
                return false;
            }
            if let Ok(Ok(answer)) = catch_unwind(AssertUnwindSafe(|| regex.is_match(text))) {
                return answer;
            }
        }
        budget.spend();
        false
    }
}
