//! What a function says about itself.

use mcpcore_engine::ErrorKind;

/// What became of a function call: 0 is success. A number keeps its meaning for ever; new ones may be added.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mcp_status {
    /// Done.
    MCP_STATUS_OK = 0,
    /// A value that the function cannot take: NULL, a bad number, a handle in the wrong state. The message names it.
    MCP_STATUS_INVALID_ARGUMENT = 1,
    /// A text is not UTF-8.
    MCP_STATUS_INVALID_UTF8 = 2,
    /// A text is not JSON, or JSON of the wrong shape. The message says where.
    MCP_STATUS_INVALID_JSON = 3,
    /// The catalog has faults. The message lists every one, a line each: item, JSON pointer, reason.
    MCP_STATUS_CATALOG = 4,
    /// The call was answered before.
    MCP_STATUS_ANSWERED = 5,
    /// The call was cancelled, ran out of time or lost its connection. Nothing was sent.
    MCP_STATUS_GONE = 6,
    /// The server was stopped, the connection closed, or the process is a fork of the one that made the handle.
    MCP_STATUS_CLOSED = 7,
    /// Reading or writing failed.
    MCP_STATUS_IO = 8,
    /// Nobody answered in time.
    MCP_STATUS_TIMEOUT = 9,
    /// A limit on work in flight was reached. Try again later.
    MCP_STATUS_BUSY = 10,
    /// The library failed inside and stopped there. Please report it with the message.
    MCP_STATUS_PANIC = 98,
    /// A fault of the library. Please report it with the message.
    MCP_STATUS_INTERNAL = 99,
}

impl From<ErrorKind> for mcp_status {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::InvalidArgument => Self::MCP_STATUS_INVALID_ARGUMENT,
            ErrorKind::InvalidUtf8 => Self::MCP_STATUS_INVALID_UTF8,
            ErrorKind::InvalidJson => Self::MCP_STATUS_INVALID_JSON,
            ErrorKind::Catalog => Self::MCP_STATUS_CATALOG,
            ErrorKind::Answered => Self::MCP_STATUS_ANSWERED,
            ErrorKind::Gone => Self::MCP_STATUS_GONE,
            ErrorKind::Closed => Self::MCP_STATUS_CLOSED,
            ErrorKind::Io => Self::MCP_STATUS_IO,
            ErrorKind::Timeout => Self::MCP_STATUS_TIMEOUT,
            ErrorKind::Busy => Self::MCP_STATUS_BUSY,
            // A kind that this layer does not know; tests/status.rs walks all of them, so it cannot stay unknown.
            _ => Self::MCP_STATUS_INTERNAL,
        }
    }
}
