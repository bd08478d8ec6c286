//! The settings of a server, from JavaScript's to the engine's.

use crate::error::{invalid, Result};
use mcpcore_engine::{
    CacheScope, Config, Dispatch, InvalidArguments, InvalidItems, LogLevel, MissingScope, Revision,
};
use napi::bindgen_prelude::Buffer;
use napi_derive::napi;
use std::fmt::Write;

/// Settings of a server. Every one has a default; numbers that may be "none" take 0 for it.
#[napi(object)]
#[derive(Default)]
pub struct ServerSettings {
    /// What a model should know about the server.
    pub instructions: Option<String>,
    /// Calls in flight on one connection; more wait their turn. Default 1024.
    pub max_calls: Option<f64>,
    /// How long a call may take, in ms; 0: for ever (the default). An item's own `timeoutMs` wins.
    pub call_timeout_ms: Option<f64>,
    /// Items on one page of a list; 0: all. Default 50.
    pub page_size: Option<f64>,
    /// The longest message that is read, in bytes. Default 16 MiB.
    pub max_message_bytes: Option<f64>,
    /// The longest result that a handler may give, in bytes. Default 16 MiB.
    pub max_result_bytes: Option<f64>,
    /// The longest sealed `requestState`, in bytes. Default 64 KiB.
    pub max_state_bytes: Option<f64>,
    /// Open subscriptions on one connection. Default 1024.
    pub max_subscriptions: Option<f64>,
    /// Resource URIs in one subscription. Default 1024.
    pub max_subscription_uris: Option<f64>,
    /// What happens to a catalog item with a fault: the catalog is refused (the default), or the item alone is left out
    /// with a line in the log.
    #[napi(ts_type = "'refuse' | 'skip'")]
    pub invalid_items: Option<String>,
    /// What arguments that break a tool's schema are answered: a tool result with `isError` that a model can read and
    /// correct (the default), or the JSON-RPC error -32602.
    #[napi(ts_type = "'toolError' | 'reject'")]
    pub invalid_arguments: Option<String>,
    /// What a caller without the scopes of an item sees: nothing (the default), or the item, and a challenge when it is
    /// used.
    #[napi(ts_type = "'hide' | 'challenge'")]
    pub missing_scope: Option<String>,
    /// Whether scalars in strings (`"5"` where the schema wants an integer) are repaired. Default false.
    pub repair_arguments: Option<bool>,
    /// Whether `format` in schemas is checked or only told. Default false.
    pub check_formats: Option<bool>,
    /// How long clients may keep lists, discovery and reads, in ms. Default 0.
    pub cache_ttl_ms: Option<f64>,
    /// Who may keep them. Default `private`.
    #[napi(ts_type = "'public' | 'private'")]
    pub cache_scope: Option<String>,
    /// Keys that seal `requestState`, 32 bytes each (as base64 if they are text), newest first: the first seals, all
    /// open. Without any, a random key of this process.
    #[napi(ts_type = "(Uint8Array | string)[]")]
    pub state_keys: Option<Vec<Buffer>>,
    /// How long a sealed state can be used, in ms. Default 10 minutes.
    pub state_ttl_ms: Option<f64>,
    /// Whether `serverInfo` is written into every result. Default true.
    pub identify: Option<bool>,
    /// Whether a line on stdio that is not JSON is answered with -32700. Default true.
    pub answer_parse_errors: Option<bool>,
    /// How long a door waits for owed answers at the end of its input, in ms. Default 5000.
    pub drain_ms: Option<f64>,
    /// Whether sessions of the revisions before 2026-07-28, which `initialize` opens, are served too. Default true.
    pub legacy: Option<bool>,
    /// The revisions that are offered, such as `2025-11-25`. Default all.
    pub revisions: Option<Vec<String>>,
    /// How long a call of a session waits for what it asked of the client, in ms; 0: for ever. Default 10 minutes.
    pub input_timeout_ms: Option<f64>,
}

/// What the JavaScript side works out by itself.
#[napi(object)]
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent switch with a name of its own")]
pub struct Features {
    /// More of `serverInfo`, a JSON object.
    pub info: Option<String>,
    /// Extensions, a JSON object.
    pub extensions: Option<String>,
    /// Experimental capabilities, a JSON object.
    pub experimental: Option<String>,
    /// Whether the tools list may change.
    pub tools_list_changed: bool,
    /// Whether the resources lists may change.
    pub resources_list_changed: bool,
    /// Whether the prompts list may change.
    pub prompts_list_changed: bool,
    /// Whether clients can subscribe to single resources.
    pub subscribe: bool,
    /// Whether completions are answered.
    pub completions: bool,
    /// Whether log lines are sent to clients.
    pub logging: bool,
    /// Whether events are told.
    pub events: bool,
    /// From which level on the log is wanted; none: warnings go to standard error.
    pub log_level: Option<String>,
    /// Whether anything answers calls.
    pub calls: bool,
}

/// A year, in ms: more is a mistake.
const LONGEST_MS: f64 = 31_536_000_000.0;
const MOST_BYTES: f64 = 2_147_483_647.0;
const MOST_ITEMS: f64 = 1_000_000.0;

/// Reads settings and notes every fault.
#[derive(Default)]
pub(crate) struct Reader {
    faults: String,
}

impl Reader {
    fn fault(&mut self, fault: std::fmt::Arguments<'_>) {
        let separator = if self.faults.is_empty() { "" } else { "\n" };
        // Writing into a text does not fail.
        let _ = write!(self.faults, "{separator}{fault}");
    }

    /// A whole number from `least` to `most`.
    fn whole(&mut self, name: &str, value: Option<f64>, (least, most): (f64, f64)) -> Option<u64> {
        let value = value?;
        if value.fract() != 0.0 || value < least || value > most {
            self.fault(format_args!("{name}: must be a whole number from {least} to {most}, not {value}"));
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number within the bounds above"
        )]
        Some(value as u64)
    }

    pub(crate) fn bytes(&mut self, name: &str, value: Option<f64>, field: &mut usize) {
        self.size(name, value, (1024.0, MOST_BYTES), field);
    }

    pub(crate) fn count(&mut self, name: &str, value: Option<f64>, least: f64, field: &mut usize) {
        self.size(name, value, (least, MOST_ITEMS), field);
    }

    fn size(&mut self, name: &str, value: Option<f64>, bounds: (f64, f64), field: &mut usize) {
        let value = self.whole(name, value, bounds);
        if let Some(value) = value.and_then(|value| usize::try_from(value).ok()) {
            *field = value;
        }
    }

    pub(crate) fn time(&mut self, name: &str, value: Option<f64>, least: f64, field: &mut u64) {
        if let Some(value) = self.whole(name, value, (least, LONGEST_MS)) {
            *field = value;
        }
    }

    fn choice<T: Copy>(&mut self, name: &str, value: Option<&str>, choices: [(&str, T); 2], field: &mut T) {
        let Some(value) = value else { return };
        if let Some((_, choice)) = choices.iter().find(|(word, _)| *word == value) {
            *field = *choice;
        } else {
            let [(one, _), (two, _)] = choices;
            self.fault(format_args!("{name}: must be \"{one}\" or \"{two}\", not {value:?}"));
        }
    }

    /// # Errors
    /// Every fault, a line each.
    pub(crate) fn end(self) -> Result<()> {
        if self.faults.is_empty() {
            Ok(())
        } else {
            Err(invalid(self.faults))
        }
    }

    fn revisions(&mut self, dates: &[String], field: &mut Vec<Revision>) {
        for (index, date) in dates.iter().enumerate() {
            if let Some(revision) = Revision::read(date) {
                field.push(revision);
            } else {
                self.fault(format_args!("revisions[{index}]: there is no revision {date:?}"));
            }
        }
    }

    fn keys(&mut self, keys: &[Buffer], field: &mut Vec<[u8; 32]>) {
        for (index, key) in keys.iter().enumerate() {
            if let Ok(key) = <[u8; 32]>::try_from(&**key) {
                field.push(key);
            } else {
                let length = key.len();
                self.fault(format_args!("stateKeys[{index}]: must have 32 bytes, not {length}"));
            }
        }
    }
}

pub(crate) fn switch(value: Option<bool>, field: &mut bool) {
    if let Some(value) = value {
        *field = value;
    }
}

/// The engine's configuration.
///
/// # Errors
/// Every setting that cannot be, a line each.
pub(crate) fn config(
    name: String,
    version: String,
    given: ServerSettings,
    features: Features,
) -> Result<Config> {
    let mut config = Config::new(name, version);
    let mut reader = Reader::default();
    // Callbacks only put into the inbox: they never block.
    config.dispatch = Dispatch::Inline;
    config.instructions = given.instructions;
    reader.count("maxCalls", given.max_calls, 1.0, &mut config.max_calls);
    reader.time("callTimeoutMs", given.call_timeout_ms, 0.0, &mut config.call_timeout_ms);
    reader.count("pageSize", given.page_size, 0.0, &mut config.page_size);
    reader.bytes("maxMessageBytes", given.max_message_bytes, &mut config.max_message_bytes);
    reader.bytes("maxResultBytes", given.max_result_bytes, &mut config.max_result_bytes);
    reader.bytes("maxStateBytes", given.max_state_bytes, &mut config.max_state_bytes);
    reader.count("maxSubscriptions", given.max_subscriptions, 0.0, &mut config.max_subscriptions);
    reader.count("maxSubscriptionUris", given.max_subscription_uris, 0.0, &mut config.max_subscription_uris);
    let items = [("refuse", InvalidItems::Refuse), ("skip", InvalidItems::Skip)];
    reader.choice("invalidItems", given.invalid_items.as_deref(), items, &mut config.invalid_items);
    let arguments = [("toolError", InvalidArguments::ToolError), ("reject", InvalidArguments::Reject)];
    let chosen = given.invalid_arguments.as_deref();
    reader.choice("invalidArguments", chosen, arguments, &mut config.invalid_arguments);
    let scopes = [("hide", MissingScope::Hide), ("challenge", MissingScope::Challenge)];
    reader.choice("missingScope", given.missing_scope.as_deref(), scopes, &mut config.missing_scope);
    let caches = [("public", CacheScope::Public), ("private", CacheScope::Private)];
    reader.choice("cacheScope", given.cache_scope.as_deref(), caches, &mut config.cache_scope);
    switch(given.repair_arguments, &mut config.repair_arguments);
    switch(given.check_formats, &mut config.check_formats);
    reader.time("cacheTtlMs", given.cache_ttl_ms, 0.0, &mut config.cache_ttl_ms);
    reader.keys(given.state_keys.as_deref().unwrap_or_default(), &mut config.state_keys);
    reader.time("stateTtlMs", given.state_ttl_ms, 1.0, &mut config.state_ttl_ms);
    switch(given.identify, &mut config.identify);
    switch(given.answer_parse_errors, &mut config.answer_parse_errors);
    reader.time("drainMs", given.drain_ms, 0.0, &mut config.drain_ms);
    switch(given.legacy, &mut config.legacy);
    reader.revisions(given.revisions.as_deref().unwrap_or_default(), &mut config.revisions);
    reader.time("inputTimeoutMs", given.input_timeout_ms, 0.0, &mut config.input_timeout_ms);
    offer(&mut config, features);
    reader.end().map(|()| config)
}

fn offer(config: &mut Config, features: Features) {
    config.info = features.info;
    config.extensions = features.extensions;
    config.experimental = features.experimental;
    config.tools_list_changed = features.tools_list_changed;
    config.resources_list_changed = features.resources_list_changed;
    config.prompts_list_changed = features.prompts_list_changed;
    config.resources_subscribe = features.subscribe;
    config.completions = features.completions;
    config.logging = features.logging;
    config.events = features.events;
}

/// The level of the log that is wanted, if it is.
///
/// # Errors
/// A word that is no level.
pub(crate) fn log_level(word: Option<&str>) -> Result<Option<LogLevel>> {
    let Some(word) = word else { return Ok(None) };
    if let Some(level) = LogLevel::read(word) {
        return Ok(Some(level));
    }
    let words = LogLevel::ALL.map(LogLevel::as_str).join(", ");
    Err(invalid(format!("logLevel: must be one of {words}, not {word:?}")))
}
