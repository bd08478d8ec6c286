//! What went wrong, as a handle.

use crate::guard::shield;
use crate::status::mcp_status;
use crate::text::{store_view, CText};
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// What went wrong: a status for programs and a message for people.
///
/// The message is one short sentence that says what was wrong, where, and what to do; for a catalog or a
/// configuration it is one line for each fault.
///
/// Functions: mcp_error_status, mcp_error_message, mcp_error_free.
///
/// Since: 0.1.
#[derive(Debug)]
pub struct mcp_error {
    status: mcp_status,
    message: CText,
}

impl mcp_error {
    pub(crate) fn new(status: mcp_status, message: &str) -> Self {
        Self { status, message: CText::new(message) }
    }

    /// A value that the function cannot take.
    pub(crate) fn argument(message: &str) -> Self {
        Self::new(mcp_status::MCP_STATUS_INVALID_ARGUMENT, message)
    }

    /// A pointer that must not be NULL.
    pub(crate) fn null(name: &str) -> Self {
        Self::argument(&format!("{name} is NULL"))
    }

    pub(crate) fn status(&self) -> mcp_status {
        self.status
    }

    pub(crate) fn message(&self) -> &str {
        self.message.as_str()
    }
}

impl From<mcpcore_engine::Error> for mcp_error {
    fn from(error: mcpcore_engine::Error) -> Self {
        Self::new(error.kind().into(), error.message())
    }
}

/// The status of an error; MCP_STATUS_OK for NULL.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_error_status(error: Option<&mcp_error>) -> mcp_status {
    error.map_or(mcp_status::MCP_STATUS_OK, mcp_error::status)
}

/// The message of an error; "no error" for NULL, so that it can always be printed.
///
/// Ownership: valid until the error is freed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_error_message(
    error: Option<&mcp_error>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    match error {
        Some(error) => error.message.view(len),
        None => store_view(c"no error", len),
    }
}

/// Frees an error; NULL does nothing.
///
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_error_free(error: Option<Box<mcp_error>>) {
    shield((), || drop(error));
}
