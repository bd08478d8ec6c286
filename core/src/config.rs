//! What a server is made from.

use crate::environment::{Environment, System};
use crate::protocol::Revision;
use std::sync::Arc;

/// Where host callbacks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Dispatch {
    /// On a bounded pool of the library's threads; a slow callback holds up nobody else.
    #[default]
    Pool,
    /// On the thread that brought the request; callbacks promise not to block. The fastest.
    Inline,
    /// Only inside [`crate::Server::pump`], on the host's own thread.
    Pump,
}

/// What happens to a catalog item with a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum InvalidItems {
    /// The catalog is refused.
    #[default]
    Refuse,
    /// The item alone is left out, with a line in the log.
    Skip,
}

/// What a call with arguments that break the tool's schema is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum InvalidArguments {
    /// A tool result with `isError: true` that a model can read and correct.
    #[default]
    ToolError,
    /// The JSON-RPC error -32602.
    Reject,
}

/// What a caller without the scopes of a catalog item sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum MissingScope {
    /// The item does not exist for them.
    #[default]
    Hide,
    /// The item is listed; using it is refused with the scopes that are missing.
    Challenge,
}

/// Who may keep a list or a read result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum CacheScope {
    /// Anyone: the same for all callers.
    Public,
    /// Only the caller that asked.
    #[default]
    Private,
}

impl CacheScope {
    /// The protocol's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }
}

/// What a server is made from. Every field has a default but the name and the version.
///
/// Numbers that may be "none" take 0 for it. Everything is checked in [`crate::Server::new`].
#[derive(Clone)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "each is one independent switch with a name of its own")]
pub struct Config {
    /// The server's name, for `serverInfo`.
    pub name: String,
    /// The server's version, for `serverInfo`.
    pub version: String,
    /// More of `serverInfo` as a JSON object: `title`, `description`, `websiteUrl`, `icons`.
    pub info: Option<String>,
    /// What a model should know about the server.
    pub instructions: Option<String>,
    /// A constant catalog document: `{"tools":[…],"resources":[…],"resourceTemplates":[…],"prompts":[…]}`. What
    /// [`crate::Host::catalog`] adds comes on top.
    pub catalog: Option<String>,
    /// Where callbacks run.
    pub dispatch: Dispatch,
    /// Threads of the pool; 0: four, or as many as there are processors if that is more.
    pub pool_threads: usize,
    /// How long a call may wait for a thread of the pool before it is answered "busy", in ms; 0: for ever.
    pub pool_wait_ms: u64,
    /// Calls in flight on one connection; more wait their turn.
    pub max_calls: usize,
    /// How long a call may take, in ms; 0: for ever. An item's own `timeoutMs` wins.
    pub call_timeout_ms: u64,
    /// Items on one page of a list; 0: all.
    pub page_size: usize,
    /// The longest message that is read, in bytes.
    pub max_message_bytes: usize,
    /// The longest result that a host may give, in bytes.
    pub max_result_bytes: usize,
    /// The longest sealed `requestState`, in bytes.
    pub max_state_bytes: usize,
    /// Open subscriptions on one connection.
    pub max_subscriptions: usize,
    /// Resource URIs in one subscription.
    pub max_subscription_uris: usize,
    /// What happens to a catalog item with a fault.
    pub invalid_items: InvalidItems,
    /// What invalid arguments are answered.
    pub invalid_arguments: InvalidArguments,
    /// What a caller without an item's scopes sees.
    pub missing_scope: MissingScope,
    /// Whether stringified scalars (`"5"` where the schema wants an integer) are repaired.
    pub repair_arguments: bool,
    /// Whether `format` in schemas is checked or only told.
    pub check_formats: bool,
    /// Cache hint of lists, discovery and reads, in ms.
    pub cache_ttl_ms: u64,
    /// Cache hint of lists, discovery and reads.
    pub cache_scope: CacheScope,
    /// Keys that seal `requestState`, newest first; the first seals, all open. Empty: a random key for this process.
    pub state_keys: Vec<[u8; 32]>,
    /// How long a sealed state can be used, in ms.
    pub state_ttl_ms: u64,
    /// Whether sessions of the older revisions, which `initialize` opens, are served beside requests of 2026-07-28.
    pub legacy: bool,
    /// The revisions that are offered; empty: all.
    pub revisions: Vec<Revision>,
    /// How long a call of a session waits for what it asked of the client, in ms; 0: for ever.
    pub input_timeout_ms: u64,
    /// Whether `serverInfo` is written into every result; a session is told it when it opens in any case.
    pub identify: bool,
    /// Whether the tools list may change while the server runs.
    pub tools_list_changed: bool,
    /// Whether the resources lists may change while the server runs.
    pub resources_list_changed: bool,
    /// Whether the prompts list may change while the server runs.
    pub prompts_list_changed: bool,
    /// Whether clients can subscribe to single resources.
    pub resources_subscribe: bool,
    /// Whether the host answers completions.
    pub completions: bool,
    /// Whether the host sends log lines to clients that ask for them.
    pub logging: bool,
    /// Extensions as a JSON object of id to settings.
    pub extensions: Option<String>,
    /// Experimental capabilities as a JSON object.
    pub experimental: Option<String>,
    /// Whether a stdio line that is not JSON is answered with -32700.
    pub answer_parse_errors: bool,
    /// How long a stdio door waits for owed answers at the end of its input, in ms.
    pub drain_ms: u64,
    /// Whether [`crate::Host::event`] is called.
    pub events: bool,
    /// Time and randomness.
    pub environment: Arc<dyn Environment>,
}

impl Config {
    /// A configuration with every default.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            version: version.into(),
            info: None,
            instructions: None,
            catalog: None,
            dispatch: Dispatch::default(),
            pool_threads: 0,
            pool_wait_ms: 60_000,
            max_calls: 1024,
            call_timeout_ms: 0,
            page_size: 50,
            max_message_bytes: 16 << 20,
            max_result_bytes: 16 << 20,
            max_state_bytes: 64 << 10,
            max_subscriptions: 1024,
            max_subscription_uris: 1024,
            invalid_items: InvalidItems::default(),
            invalid_arguments: InvalidArguments::default(),
            missing_scope: MissingScope::default(),
            repair_arguments: false,
            check_formats: false,
            cache_ttl_ms: 0,
            cache_scope: CacheScope::default(),
            state_keys: Vec::new(),
            state_ttl_ms: 600_000,
            legacy: true,
            revisions: Vec::new(),
            input_timeout_ms: 600_000,
            identify: true,
            tools_list_changed: false,
            resources_list_changed: false,
            prompts_list_changed: false,
            resources_subscribe: false,
            completions: false,
            logging: false,
            extensions: None,
            experimental: None,
            answer_parse_errors: true,
            drain_ms: 5_000,
            events: false,
            environment: Arc::new(System),
        }
    }
}

impl Config {
    /// Whether anything can ever be told to a subscriber.
    pub(crate) fn offers_events(&self) -> bool {
        self.tools_list_changed
            || self.resources_list_changed
            || self.prompts_list_changed
            || self.resources_subscribe
    }
}

impl std::fmt::Debug for Config {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Keys stay out of logs.
        f.debug_struct("Config")
            .field("name", &self.name)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
