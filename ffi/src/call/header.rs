//! Headers of the request that brought a call.

use super::{mcp_call, CText};
use crate::guard::shield;
use crate::text::word;
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// A header of the request, whatever the case of `name`; several values are joined with ", ". NULL if the request has none,
/// MCP_HTTP_OPTION_CALL_HEADER does not name it, or the call did not come over HTTP.
///
/// Ownership: valid until the call is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_header(
    call: Option<&mcp_call>,
    name: *const c_char,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    shield(std::ptr::null(), || {
        let (Some(open), Ok(name)) = (call.and_then(|call| call.open().ok()), word(name, "name")) else {
            return std::ptr::null();
        };
        open.texts.view_named(name, || Some(CText::new(&open.call.header(name)?)), len)
    })
}
