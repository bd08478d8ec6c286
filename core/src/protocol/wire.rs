//! Names that stand on the wire.

/// Keys of `_meta`.
pub(crate) mod key {
    pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
    pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
    pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
    pub(crate) const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
    pub(crate) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
    pub(crate) const PROGRESS_TOKEN: &str = "progressToken";
}

/// Methods of requests and notifications.
pub(crate) mod method {
    pub(crate) const DISCOVER: &str = "server/discover";
    pub(crate) const INITIALIZE: &str = "initialize";
    pub(crate) const PING: &str = "ping";
    pub(crate) const SET_LEVEL: &str = "logging/setLevel";
    pub(crate) const SUBSCRIBE: &str = "resources/subscribe";
    pub(crate) const UNSUBSCRIBE: &str = "resources/unsubscribe";
    pub(crate) const TOOLS_LIST: &str = "tools/list";
    pub(crate) const TOOLS_CALL: &str = "tools/call";
    pub(crate) const RESOURCES_LIST: &str = "resources/list";
    pub(crate) const RESOURCE_TEMPLATES_LIST: &str = "resources/templates/list";
    pub(crate) const RESOURCES_READ: &str = "resources/read";
    pub(crate) const PROMPTS_LIST: &str = "prompts/list";
    pub(crate) const PROMPTS_GET: &str = "prompts/get";
    pub(crate) const COMPLETE: &str = "completion/complete";
    pub(crate) const LISTEN: &str = "subscriptions/listen";
    pub(crate) const ELICIT: &str = "elicitation/create";
    pub(crate) const SAMPLE: &str = "sampling/createMessage";
    pub(crate) const LIST_ROOTS: &str = "roots/list";
    pub(crate) const INITIALIZED: &str = "notifications/initialized";
    pub(crate) const CANCELLED: &str = "notifications/cancelled";
    pub(crate) const PROGRESS: &str = "notifications/progress";
    pub(crate) const MESSAGE: &str = "notifications/message";
    pub(crate) const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
    pub(crate) const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
    pub(crate) const RESOURCES_CHANGED: &str = "notifications/resources/list_changed";
    pub(crate) const PROMPTS_CHANGED: &str = "notifications/prompts/list_changed";
    pub(crate) const RESOURCE_UPDATED: &str = "notifications/resources/updated";
}

/// Codes of JSON-RPC errors.
pub(crate) mod code {
    pub(crate) const PARSE_ERROR: i32 = -32700;
    pub(crate) const INVALID_REQUEST: i32 = -32600;
    pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
    pub(crate) const INVALID_PARAMS: i32 = -32602;
    pub(crate) const INTERNAL_ERROR: i32 = -32603;
    pub(crate) const HEADER_MISMATCH: i32 = -32020;
    pub(crate) const MISSING_CAPABILITY: i32 = -32021;
    pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;
    /// Not since 2026-07-28.
    pub(crate) const RESOURCE_NOT_FOUND: i32 = -32002;
    /// 2025-11-25 only.
    pub(crate) const URL_ELICITATION_REQUIRED: i32 = -32042;
}
