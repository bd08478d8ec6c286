//! The options of a configuration: one table that sets them, checks them, and words their faults and their manual.

mod table;

pub(crate) use table::{choice, number, one, switch, text, MOST_BYTES, MOST_ITEMS, TABLE, YEAR_MS};

use crate::error::mcp_error;
use mcpcore_engine::Config;
use std::fmt::Debug;

/// Options of a server: mcp_config_set_int for numbers, choices and switches (0 off, 1 on), mcp_config_set_text for
/// texts, mcp_config_add_text for lists. A text that is a JSON object is checked by mcp_server_new.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum mcp_option {
    /// Where callbacks run. Choice: MCP_DISPATCH_POOL (default), MCP_DISPATCH_INLINE, MCP_DISPATCH_PUMP.
    MCP_OPTION_DISPATCH = 1,
    /// Threads of the pool; 0: four, or as many as there are processors if that is more. Number: 0 to 1024, default 0.
    MCP_OPTION_POOL_THREADS = 2,
    /// How long a call may wait for a thread of the pool before it is answered "busy", in milliseconds; 0: for ever.
    /// Number: 0 to 31536000000, default 60000.
    MCP_OPTION_POOL_WAIT_MS = 3,
    /// Calls in flight on one connection; more wait their turn. Number: 1 to 1000000, default 1024.
    MCP_OPTION_MAX_CALLS = 4,
    /// How long a call may take, in milliseconds; 0: for ever. An item's own timeoutMs wins. Number: 0 to 31536000000,
    /// default 0.
    MCP_OPTION_CALL_TIMEOUT_MS = 5,
    /// Items on one page of a list; 0: all. Number: 0 to 1000000, default 50.
    MCP_OPTION_PAGE_SIZE = 6,
    /// The longest message that is read, in bytes. Number: 1024 to 2147483647, default 16777216.
    MCP_OPTION_MAX_MESSAGE_BYTES = 7,
    /// The longest result that you may give, in bytes. Number: 1024 to 2147483647, default 16777216.
    MCP_OPTION_MAX_RESULT_BYTES = 8,
    /// The longest sealed state of mcp_call_require_input, in bytes. Number: 1024 to 2147483647, default 65536.
    MCP_OPTION_MAX_STATE_BYTES = 9,
    /// Open subscriptions on one connection. Number: 0 to 1000000, default 1024.
    MCP_OPTION_MAX_SUBSCRIPTIONS = 10,
    /// Resource URIs in one subscription. Number: 0 to 1000000, default 1024.
    MCP_OPTION_MAX_SUBSCRIPTION_URIS = 11,
    /// What happens to a catalog item with a fault. Choice: MCP_INVALID_ITEMS_REFUSE (default), MCP_INVALID_ITEMS_SKIP.
    MCP_OPTION_INVALID_ITEMS = 12,
    /// What arguments that break a tool's schema are answered. Choice: MCP_INVALID_ARGUMENTS_TOOL_ERROR (default),
    /// MCP_INVALID_ARGUMENTS_REJECT.
    MCP_OPTION_INVALID_ARGUMENTS = 13,
    /// What a caller without the scopes of a catalog item sees. Choice: MCP_MISSING_SCOPE_HIDE (default),
    /// MCP_MISSING_SCOPE_CHALLENGE.
    MCP_OPTION_MISSING_SCOPE = 14,
    /// Whether scalars in strings ("5" where the schema wants an integer) are repaired. Switch: default 0.
    MCP_OPTION_REPAIR_ARGUMENTS = 15,
    /// Whether "format" in schemas is checked or only told. Switch: default 0.
    MCP_OPTION_CHECK_FORMATS = 16,
    /// How long clients may keep lists, discovery and reads, in milliseconds. Number: 0 to 31536000000, default 0.
    MCP_OPTION_CACHE_TTL_MS = 17,
    /// Who may keep them. Choice: MCP_CACHE_PRIVATE (default), MCP_CACHE_PUBLIC.
    MCP_OPTION_CACHE_SCOPE = 18,
    /// A key that seals the state of mcp_call_require_input: 32 bytes as base64. The first one seals, all open; without
    /// any, a random key of this process. List: mcp_config_add_text.
    MCP_OPTION_STATE_KEY = 19,
    /// How long a sealed state can be used, in milliseconds. Number: 1 to 31536000000, default 600000.
    MCP_OPTION_STATE_TTL_MS = 20,
    /// More of serverInfo as a JSON object: title, description, websiteUrl, icons. Text.
    MCP_OPTION_INFO = 21,
    /// What a model should know about the server. Text.
    MCP_OPTION_INSTRUCTIONS = 22,
    /// Whether serverInfo is written into every result. Switch: default 1.
    MCP_OPTION_IDENTIFY = 23,
    /// Whether the tools list may change while the server runs. Switch: default 0.
    MCP_OPTION_TOOLS_LIST_CHANGED = 24,
    /// Whether the resources lists may change while the server runs. Switch: default 0.
    MCP_OPTION_RESOURCES_LIST_CHANGED = 25,
    /// Whether the prompts list may change while the server runs. Switch: default 0.
    MCP_OPTION_PROMPTS_LIST_CHANGED = 26,
    /// Whether clients can subscribe to single resources. Switch: default 0.
    MCP_OPTION_RESOURCES_SUBSCRIBE = 27,
    /// Whether you answer completions. Switch: default 0.
    MCP_OPTION_COMPLETIONS = 28,
    /// Whether you send log lines (mcp_call_log) to clients that ask for them. Switch: default 0.
    MCP_OPTION_LOGGING = 29,
    /// Extensions as a JSON object of id to settings. Text.
    MCP_OPTION_EXTENSIONS = 30,
    /// Experimental capabilities as a JSON object. Text.
    MCP_OPTION_EXPERIMENTAL = 31,
    /// Whether a line on stdio that is not JSON is answered with -32700. Switch: default 1.
    MCP_OPTION_ANSWER_PARSE_ERRORS = 32,
    /// How long stdio waits for owed answers at the end of its input, in milliseconds. Number: 0 to 31536000000,
    /// default 5000.
    MCP_OPTION_DRAIN_MS = 33,
    /// Whether sessions of the revisions before 2026-07-28, which initialize opens, are served too. Switch: default 1.
    MCP_OPTION_LEGACY = 34,
    /// A revision that is offered, such as "2025-11-25"; without any, all of them. List: mcp_config_add_text.
    MCP_OPTION_REVISION = 35,
    /// How long a call of a session waits for what it asked of the client, in milliseconds; 0: for ever.
    /// Number: 0 to 31536000000, default 600000.
    MCP_OPTION_INPUT_TIMEOUT_MS = 36,
}

/// Where callbacks run: MCP_OPTION_DISPATCH.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mcp_dispatch {
    /// On a bounded pool of the library's threads; a slow callback holds up nobody else.
    MCP_DISPATCH_POOL = 0,
    /// On the thread that brought the request; callbacks promise not to block. The fastest.
    MCP_DISPATCH_INLINE = 1,
    /// Only inside mcp_server_pump, on your own thread.
    MCP_DISPATCH_PUMP = 2,
}

/// What happens to a catalog item with a fault: MCP_OPTION_INVALID_ITEMS.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mcp_invalid_items {
    /// The catalog is refused.
    MCP_INVALID_ITEMS_REFUSE = 0,
    /// The item alone is left out, with a line in the log.
    MCP_INVALID_ITEMS_SKIP = 1,
}

/// What a call with arguments that break the tool's schema is answered: MCP_OPTION_INVALID_ARGUMENTS.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mcp_invalid_arguments {
    /// A tool result with isError that a model can read and correct.
    MCP_INVALID_ARGUMENTS_TOOL_ERROR = 0,
    /// The JSON-RPC error -32602.
    MCP_INVALID_ARGUMENTS_REJECT = 1,
}

/// What a caller without the scopes of a catalog item sees: MCP_OPTION_MISSING_SCOPE.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mcp_missing_scope {
    /// The item does not exist for them.
    MCP_MISSING_SCOPE_HIDE = 0,
    /// The item is listed; using it is refused with the scopes that are missing.
    MCP_MISSING_SCOPE_CHALLENGE = 1,
}

/// Who may keep a list or a read result: MCP_OPTION_CACHE_SCOPE.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mcp_cache {
    /// Only the caller that asked.
    MCP_CACHE_PRIVATE = 0,
    /// Anyone: the same for all callers.
    MCP_CACHE_PUBLIC = 1,
}

/// The options of one kind of configuration.
pub(crate) trait Options: Copy + Debug + 'static {
    /// What all their names begin with.
    const PREFIX: &'static str;
    /// What their setters begin with.
    const SETTERS: &'static str;
}

impl Options for mcp_option {
    const PREFIX: &'static str = "MCP_OPTION_";
    const SETTERS: &'static str = "mcp_config";
}

/// One option of the configuration `C`.
pub(crate) struct Entry<O: 'static = mcp_option, C: 'static = Config> {
    pub(crate) option: O,
    /// The field of the engine's configuration that it sets.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "the tests show with it that no field is out of reach")
    )]
    pub(crate) field: &'static str,
    pub(crate) value: Value<C>,
}

/// What an option takes.
pub(crate) enum Value<C: 'static = Config> {
    /// An integer. `names` says what each number from 0 on is called, if they are choices.
    Int {
        min: i64,
        max: i64,
        names: &'static [&'static str],
        #[cfg_attr(
            not(test),
            expect(dead_code, reason = "the tests compare the defaults in the manual with it")
        )]
        get: fn(&C) -> i64,
        set: fn(&mut C, i64),
    },
    /// A text.
    Text { set: fn(&mut C, String) },
    /// Texts, added one at a time; what is wrong with one is said without its name.
    List { add: fn(&mut C, &str) -> Result<(), &'static str> },
}

impl Entry {
    /// The option of a server with this number.
    pub(crate) fn find(number: i32) -> Result<&'static Self, mcp_error> {
        Self::find_in(TABLE, number)
    }
}

impl<O: Options, C> Entry<O, C> {
    /// The option of a table with this number; they count from 1.
    pub(crate) fn find_in(table: &'static [Self], number: i32) -> Result<&'static Self, mcp_error> {
        let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        at.and_then(|at| table.get(at)).ok_or_else(|| {
            let message = format!("no option has the number {number} in mcpcore {}", mcpcore_engine::VERSION);
            mcp_error::argument(&message)
        })
    }

    /// The name without what all options share.
    pub(crate) fn name(&self) -> String {
        let name = format!("{:?}", self.option);
        name.strip_prefix(O::PREFIX).unwrap_or(&name).to_owned()
    }

    pub(crate) fn set_int(&self, config: &mut C, value: i64) -> Result<(), mcp_error> {
        match self.value {
            Value::Int { min, max, set, .. } if (min..=max).contains(&value) => {
                set(config, value);
                Ok(())
            }
            Value::Int { min, max, names, .. } => {
                let takes = if names.is_empty() { format!("{min} to {max}") } else { names.join(", ") };
                Err(mcp_error::argument(&format!("option {} takes {takes}, got {value}", self.name())))
            }
            Value::Text { .. } | Value::List { .. } => Err(self.misused()),
        }
    }

    pub(crate) fn set_text(&self, config: &mut C, text: &str) -> Result<(), mcp_error> {
        match self.value {
            Value::Text { set } => {
                set(config, text.to_owned());
                Ok(())
            }
            Value::Int { .. } | Value::List { .. } => Err(self.misused()),
        }
    }

    pub(crate) fn add_text(&self, config: &mut C, text: &str) -> Result<(), mcp_error> {
        match self.value {
            Value::List { add } => add(config, text)
                .map_err(|fault| mcp_error::argument(&format!("option {} takes {fault}", self.name()))),
            Value::Int { .. } | Value::Text { .. } => Err(self.misused()),
        }
    }

    fn misused(&self) -> mcp_error {
        let (what, setter) = match self.value {
            Value::Int { .. } => ("a number", "set_int"),
            Value::Text { .. } => ("a text", "set_text"),
            Value::List { .. } => ("a list", "add_text"),
        };
        mcp_error::argument(&format!("option {} is {what}: use {}_{setter}", self.name(), O::SETTERS))
    }
}

#[cfg(test)]
pub(crate) mod tests;
