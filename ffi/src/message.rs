//! Small tools around messages that need no server.

use crate::bytes::mcp_bytes;
use crate::error::mcp_error;
use crate::guard::guard;
use crate::status::mcp_status;
use crate::text::{bytes, cleared, text};
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// Checks that a text is one well-formed JSON-RPC message as this library reads it; for gateways.
///
/// Threads: any.
/// Errors: MCP_STATUS_INVALID_JSON; the message says what is wrong and where.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_check_message(
    message: *const c_char,
    len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || Ok(mcpcore_engine::check_message(bytes(message, len, "message")?)?))
}

/// Writes a text as a JSON string literal, quotes included.
///
/// Ownership: *out is yours. Free with mcp_bytes_free.
/// Threads: any.
/// Errors: MCP_STATUS_INVALID_UTF8.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_json_quote(
    text: *const c_char,
    len: usize,
    out: Option<&mut MaybeUninit<*mut mcp_bytes>>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let out = cleared(out, "out")?;
        let quoted = mcpcore_engine::json::quote(self::text(text, len, "text")?);
        out.write(mcp_bytes::handle(quoted.into_bytes()));
        Ok(())
    })
}
