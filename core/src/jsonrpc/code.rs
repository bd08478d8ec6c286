//! Error codes and what each means.

/// The codes that the engine itself sends under 2026-07-28.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Code {
    /// The text is not JSON.
    Parse = -32700,
    /// It is JSON, but no request.
    InvalidRequest = -32600,
    /// No such method, or its capability is not offered.
    MethodNotFound = -32601,
    /// The method exists, its parameters are wrong.
    InvalidParams = -32602,
    /// The server or its host failed.
    Internal = -32603,
    /// The client did not declare a capability that the request needs.
    MissingCapability = -32021,
    /// The revision is not served.
    UnsupportedVersion = -32022,
}
