//! The numbers around calls.

use mcpcore_engine::{CallKind, CancelReason, LogLevel};

/// What a call asks for: mcp_call_kind.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mcp_call_kind {
    /// Run a tool: mcp_call_name is its name.
    MCP_CALL_TOOL = 1,
    /// Read a resource: mcp_call_name is its uri.
    MCP_CALL_RESOURCE = 2,
    /// Render a prompt: mcp_call_name is its name.
    MCP_CALL_PROMPT = 3,
    /// Complete an argument: mcp_call_name is the prompt's name or the uri template.
    MCP_CALL_COMPLETION = 4,
}

/// Why a call ended without its answer: mcp_call_cancelled, mcp_cancel_fn.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mcp_cancel {
    /// The client said so.
    MCP_CANCEL_CLIENT = 1,
    /// Its time was over.
    MCP_CANCEL_TIMEOUT = 2,
    /// The connection closed.
    MCP_CANCEL_CLOSED = 3,
    /// The server was stopped.
    MCP_CANCEL_STOPPED = 4,
}

/// How grave a log line is, as RFC 5424 orders them: mcp_call_log, mcp_log_fn.
///
/// Since: 0.1.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mcp_log {
    /// For whoever debugs.
    MCP_LOG_DEBUG = 0,
    /// Ordinary progress.
    MCP_LOG_INFO = 1,
    /// Ordinary but worth seeing.
    MCP_LOG_NOTICE = 2,
    /// Something to look into.
    MCP_LOG_WARNING = 3,
    /// Something failed.
    MCP_LOG_ERROR = 4,
    /// A part of the system failed.
    MCP_LOG_CRITICAL = 5,
    /// Act now.
    MCP_LOG_ALERT = 6,
    /// The system cannot be used.
    MCP_LOG_EMERGENCY = 7,
}

// The engine's enumerations are handed on as numbers.
const _: () = {
    assert!(CallKind::Tool as i32 == mcp_call_kind::MCP_CALL_TOOL as i32);
    assert!(CallKind::Resource as i32 == mcp_call_kind::MCP_CALL_RESOURCE as i32);
    assert!(CallKind::Prompt as i32 == mcp_call_kind::MCP_CALL_PROMPT as i32);
    assert!(CallKind::Completion as i32 == mcp_call_kind::MCP_CALL_COMPLETION as i32);
    assert!(CancelReason::Client as i32 == mcp_cancel::MCP_CANCEL_CLIENT as i32);
    assert!(CancelReason::Timeout as i32 == mcp_cancel::MCP_CANCEL_TIMEOUT as i32);
    assert!(CancelReason::Closed as i32 == mcp_cancel::MCP_CANCEL_CLOSED as i32);
    assert!(CancelReason::Stopped as i32 == mcp_cancel::MCP_CANCEL_STOPPED as i32);
    assert!(LogLevel::Debug as i32 == mcp_log::MCP_LOG_DEBUG as i32);
    assert!(LogLevel::Info as i32 == mcp_log::MCP_LOG_INFO as i32);
    assert!(LogLevel::Notice as i32 == mcp_log::MCP_LOG_NOTICE as i32);
    assert!(LogLevel::Warning as i32 == mcp_log::MCP_LOG_WARNING as i32);
    assert!(LogLevel::Error as i32 == mcp_log::MCP_LOG_ERROR as i32);
    assert!(LogLevel::Critical as i32 == mcp_log::MCP_LOG_CRITICAL as i32);
    assert!(LogLevel::Alert as i32 == mcp_log::MCP_LOG_ALERT as i32);
    assert!(LogLevel::Emergency as i32 == mcp_log::MCP_LOG_EMERGENCY as i32);
};
