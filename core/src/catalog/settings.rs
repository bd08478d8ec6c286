//! What the configuration says about the catalog, and what an item says about itself.

use super::cursor::List;
use crate::config::{CacheScope, Config, InvalidItems};
use crate::json::{Integer, Kind, Node};
use crate::protocol::definition::{did_you_mean, shown, Checks};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the configuration says about the catalog.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Items on one page; 0: all.
    pub(crate) page_size: usize,
    /// Cache hint, in ms.
    pub(crate) cache_ttl_ms: u64,
    /// Cache hint. A catalog that only some callers get must say `Private` here.
    pub(crate) cache_scope: CacheScope,
    /// What stands before the last brace of every result: `,"_meta":{…}` or nothing.
    pub(crate) info_suffix: Arc<str>,
    /// Whether `format` in schemas is checked.
    pub(crate) check_formats: bool,
    /// What happens to an item with a fault.
    pub(crate) invalid_items: InvalidItems,
    /// The most items of all kinds together.
    pub(crate) max_items: usize,
    /// The longest definition, in bytes.
    pub(crate) max_definition_bytes: usize,
}

/// T-12: over these a catalog is taken for a mistake.
const MAX_ITEMS: usize = 1_000_000;
const MAX_DEFINITION_BYTES: usize = 4 << 20;

impl Settings {
    /// What `config` says.
    pub(crate) fn of(config: &Config, info_suffix: impl Into<Arc<str>>) -> Self {
        Self {
            page_size: config.page_size,
            cache_ttl_ms: config.cache_ttl_ms,
            cache_scope: config.cache_scope,
            info_suffix: info_suffix.into(),
            check_formats: config.check_formats,
            invalid_items: config.invalid_items,
            max_items: MAX_ITEMS,
            max_definition_bytes: MAX_DEFINITION_BYTES,
        }
    }
}

/// The member of an item that holds what is for the engine only. It is never listed.
pub(super) const MEMBER: &str = "mcpcore";

const KEYS: [&str; 6] = ["scopes", "timeoutMs", "ttlMs", "cacheScope", "asksInput", "allowTraversal"];

/// What an item says about itself to the engine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ItemSettings {
    /// What a caller needs, all of it; sorted, each once.
    pub(crate) scopes: Box<[Box<str>]>,
    /// How long a call may take; 0: for ever.
    pub(crate) timeout_ms: Option<u64>,
    /// Cache hint of a read.
    pub(crate) ttl_ms: Option<u64>,
    /// Cache hint of a read.
    pub(crate) cache_scope: Option<CacheScope>,
    /// Whether it asks the user for what is missing.
    pub(crate) asks_input: bool,
    /// Whether `..` and the like may stand in the values of a template's variables.
    pub(crate) allow_traversal: bool,
}

impl ItemSettings {
    /// Reads the reserved member of `item`, an item of `list`.
    pub(super) fn read(checks: &mut Checks, item: Node<'_>, list: List) -> Self {
        let Some(node) = checks.optional(item, MEMBER, Kind::Object) else {
            return Self::default();
        };
        checks.at(MEMBER, |checks| Self::read_members(checks, node, list))
    }

    fn read_members(checks: &mut Checks, node: Node<'_>, list: List) -> Self {
        for (key, _) in node.members() {
            checks.at(&key, |checks| check_key(checks, &key, list));
        }
        let scopes = read_scopes(checks, node);
        let cache_scope = checks.word(node, "cacheScope", &["public", "private"]).map(|word| match &*word {
            "public" => CacheScope::Public,
            _ => CacheScope::Private,
        });
        if cache_scope == Some(CacheScope::Public) && !scopes.is_empty() {
            let reason = "what needs scopes is not the same for everybody; it is sent as private";
            checks.at("cacheScope", |checks| checks.warn(reason));
        }
        Self {
            scopes,
            timeout_ms: milliseconds(checks, node, "timeoutMs"),
            ttl_ms: milliseconds(checks, node, "ttlMs"),
            cache_scope,
            asks_input: checks.boolean(node, "asksInput").unwrap_or(false),
            allow_traversal: checks.boolean(node, "allowTraversal").unwrap_or(false),
        }
    }
}

fn check_key(checks: &mut Checks, key: &str, list: List) {
    let read = matches!(list, List::Resources | List::ResourceTemplates);
    let useful = match key {
        "scopes" | "timeoutMs" | "asksInput" => true,
        "ttlMs" | "cacheScope" => read,
        "allowTraversal" => list == List::ResourceTemplates,
        unknown => {
            return checks.fault(match did_you_mean(unknown, &KEYS) {
                Some(meant) => format!("unknown key; did you mean \"{meant}\"?"),
                None => format!("unknown key; the keys are {}", KEYS.join(", ")),
            });
        }
    };
    if !useful {
        checks.warn("has no effect on an item of this kind");
    }
}

fn milliseconds(checks: &mut Checks, node: Node<'_>, name: &str) -> Option<u64> {
    let member = node.get(name)?;
    // Within what every client's numbers can hold.
    let value = member.as_number().and_then(Integer::read).and_then(|value| value.to_i64());
    let value = value.and_then(|value| u64::try_from(value).ok()).filter(|value| *value < 1 << 53);
    if value.is_none() {
        checks.at(name, |checks| {
            checks.fault("must be a whole number of milliseconds, 0 or more");
        });
    }
    value
}

fn read_scopes(checks: &mut Checks, node: Node<'_>) -> Box<[Box<str>]> {
    let Some(list) = checks.optional(node, "scopes", Kind::Array) else {
        return Box::default();
    };
    let mut scopes: BTreeSet<Box<str>> = BTreeSet::new();
    checks.at("scopes", |checks| {
        checks.each(list, |checks, scope| {
            if !checks.expect(scope, Kind::String) {
                return;
            }
            let scope = scope.as_str().unwrap_or_default();
            if !is_scope(&scope) {
                let reason =
                    format!("{} is no scope: printable ASCII without space, \" and \\", shown(&scope));
                checks.fault(reason);
            } else if !scopes.insert((&*scope).into()) {
                checks.fault(format!("{} is named twice", shown(&scope)));
            }
        });
    });
    scopes.into_iter().collect()
}

// RFC 6749, section 3.3: it stands in a challenge as it is.
fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| matches!(byte, 0x21 | 0x23..=0x5B | 0x5D..=0x7E))
}
