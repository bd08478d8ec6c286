//! One row an option.

use super::{mcp_option as Key, Entry, Value};
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::Engine;
use mcpcore_engine::{CacheScope, Config, Dispatch, InvalidArguments, InvalidItems, MissingScope, Revision};

pub(crate) const YEAR_MS: i64 = 365 * 24 * 60 * 60 * 1000;
/// More bytes than one buffer should have; a text's offsets are 32 bits.
pub(crate) const MOST_BYTES: i64 = 0x7fff_ffff;
pub(crate) const MOST_ITEMS: i64 = 1_000_000;

/// Counts.
pub(crate) const fn one(_: &str) -> i64 {
    1
}

// The rows of every table are made by these; a table calls its own enumeration `Key`.

/// A number in a field of any unsigned type.
macro_rules! number {
    ($option:ident, $($field:ident).+, $min:expr, $max:expr) => {
        Entry {
            option: Key::$option,
            field: stringify!($($field).+),
            value: Value::Int {
                min: $min,
                max: $max,
                names: &[],
                get: |config| i64::try_from(config.$($field).+).unwrap_or(i64::MAX),
                set: |config, value| config.$($field).+ = value.try_into().unwrap_or_default(),
            },
        }
    };
}

/// One of several; the number counts them, the first is the default.
macro_rules! choice {
    ($option:ident, $($field:ident).+, [$($name:literal: $value:expr),+]) => {
        Entry {
            option: Key::$option,
            field: stringify!($($field).+),
            value: Value::Int {
                min: 0,
                max: -1 $(+ one($name))+,
                names: &[$($name),+],
                get: |config| [$($value),+].iter().zip(0..).find(|(value, _)| **value == config.$($field).+).map_or(-1, |(_, at)| at),
                set: |config, value| {
                    if let Some((value, _)) = [$($value),+].into_iter().zip(0..).find(|(_, at)| *at == value) {
                        config.$($field).+ = value;
                    }
                },
            },
        }
    };
}

/// On or off.
macro_rules! switch {
    ($option:ident, $($field:ident).+) => {
        Entry {
            option: Key::$option,
            field: stringify!($($field).+),
            value: Value::Int {
                min: 0,
                max: 1,
                names: &["0", "1"],
                get: |config| i64::from(config.$($field).+),
                set: |config, value| config.$($field).+ = value == 1,
            },
        }
    };
}

/// A text in an optional field.
macro_rules! text {
    ($option:ident, $($field:ident).+) => {
        Entry {
            option: Key::$option,
            field: stringify!($($field).+),
            value: Value::Text { set: |config, text| config.$($field).+ = Some(text) },
        }
    };
}

pub(crate) use {choice, number, switch, text};

/// Every option, in the order of their numbers.
pub(crate) static TABLE: &[Entry] = &[
    choice!(MCP_OPTION_DISPATCH, dispatch, [
        "MCP_DISPATCH_POOL": Dispatch::Pool,
        "MCP_DISPATCH_INLINE": Dispatch::Inline,
        "MCP_DISPATCH_PUMP": Dispatch::Pump
    ]),
    number!(MCP_OPTION_POOL_THREADS, pool_threads, 0, 1024),
    number!(MCP_OPTION_POOL_WAIT_MS, pool_wait_ms, 0, YEAR_MS),
    number!(MCP_OPTION_MAX_CALLS, max_calls, 1, MOST_ITEMS),
    number!(MCP_OPTION_CALL_TIMEOUT_MS, call_timeout_ms, 0, YEAR_MS),
    number!(MCP_OPTION_PAGE_SIZE, page_size, 0, MOST_ITEMS),
    number!(MCP_OPTION_MAX_MESSAGE_BYTES, max_message_bytes, 1024, MOST_BYTES),
    number!(MCP_OPTION_MAX_RESULT_BYTES, max_result_bytes, 1024, MOST_BYTES),
    number!(MCP_OPTION_MAX_STATE_BYTES, max_state_bytes, 1024, MOST_BYTES),
    number!(MCP_OPTION_MAX_SUBSCRIPTIONS, max_subscriptions, 0, MOST_ITEMS),
    number!(MCP_OPTION_MAX_SUBSCRIPTION_URIS, max_subscription_uris, 0, MOST_ITEMS),
    choice!(MCP_OPTION_INVALID_ITEMS, invalid_items, [
        "MCP_INVALID_ITEMS_REFUSE": InvalidItems::Refuse,
        "MCP_INVALID_ITEMS_SKIP": InvalidItems::Skip
    ]),
    choice!(MCP_OPTION_INVALID_ARGUMENTS, invalid_arguments, [
        "MCP_INVALID_ARGUMENTS_TOOL_ERROR": InvalidArguments::ToolError,
        "MCP_INVALID_ARGUMENTS_REJECT": InvalidArguments::Reject
    ]),
    choice!(MCP_OPTION_MISSING_SCOPE, missing_scope, [
        "MCP_MISSING_SCOPE_HIDE": MissingScope::Hide,
        "MCP_MISSING_SCOPE_CHALLENGE": MissingScope::Challenge
    ]),
    switch!(MCP_OPTION_REPAIR_ARGUMENTS, repair_arguments),
    switch!(MCP_OPTION_CHECK_FORMATS, check_formats),
    number!(MCP_OPTION_CACHE_TTL_MS, cache_ttl_ms, 0, YEAR_MS),
    choice!(MCP_OPTION_CACHE_SCOPE, cache_scope, [
        "MCP_CACHE_PRIVATE": CacheScope::Private,
        "MCP_CACHE_PUBLIC": CacheScope::Public
    ]),
    Entry {
        option: Key::MCP_OPTION_STATE_KEY,
        field: "state_keys",
        value: Value::List { add: add_state_key },
    },
    number!(MCP_OPTION_STATE_TTL_MS, state_ttl_ms, 1, YEAR_MS),
    text!(MCP_OPTION_INFO, info),
    text!(MCP_OPTION_INSTRUCTIONS, instructions),
    switch!(MCP_OPTION_IDENTIFY, identify),
    switch!(MCP_OPTION_TOOLS_LIST_CHANGED, tools_list_changed),
    switch!(MCP_OPTION_RESOURCES_LIST_CHANGED, resources_list_changed),
    switch!(MCP_OPTION_PROMPTS_LIST_CHANGED, prompts_list_changed),
    switch!(MCP_OPTION_RESOURCES_SUBSCRIBE, resources_subscribe),
    switch!(MCP_OPTION_COMPLETIONS, completions),
    switch!(MCP_OPTION_LOGGING, logging),
    text!(MCP_OPTION_EXTENSIONS, extensions),
    text!(MCP_OPTION_EXPERIMENTAL, experimental),
    switch!(MCP_OPTION_ANSWER_PARSE_ERRORS, answer_parse_errors),
    number!(MCP_OPTION_DRAIN_MS, drain_ms, 0, YEAR_MS),
    switch!(MCP_OPTION_LEGACY, legacy),
    Entry { option: Key::MCP_OPTION_REVISION, field: "revisions", value: Value::List { add: add_revision } },
    number!(MCP_OPTION_INPUT_TIMEOUT_MS, input_timeout_ms, 0, YEAR_MS),
];

fn add_revision(config: &mut Config, text: &str) -> Result<(), &'static str> {
    let revision = Revision::read(text).ok_or("the date of a revision, such as 2025-11-25")?;
    config.revisions.push(revision);
    Ok(())
}

/// Keys are pasted from many tools; some leave the padding away.
const KEY_TEXT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

// The message does not repeat what was given: it may be most of a key.
fn add_state_key(config: &mut Config, text: &str) -> Result<(), &'static str> {
    let bytes = KEY_TEXT.decode(text).map_err(|_| "32 bytes as base64; this is not base64")?;
    let key = bytes.try_into().map_err(|_| "32 bytes as base64; these are more or fewer")?;
    config.state_keys.push(key);
    Ok(())
}
