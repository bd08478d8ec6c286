//! The host's functions of the HTTP door.

use crate::caller::mcp_caller;
use crate::http::authorization::mcp_auth;
use std::ffi::{c_char, c_void};

/// Decides who may use an endpoint, now or later, from any thread. It runs before a byte of the body is read.
///
/// Ownership: `auth` is yours. Finish it with mcp_auth_allow or mcp_auth_refuse, which consume it, or give it up with
/// mcp_auth_free.
/// Threads: callback; where MCP_OPTION_DISPATCH says, before calls that wait.
/// Since: 0.1.
pub type mcp_authorize_fn = Option<unsafe extern "C" fn(user_data: *mut c_void, auth: *mut mcp_auth)>;

/// Sees the exact bytes of a body before they are read as JSON, for signatures and filters. 0 lets it in; with any other
/// number the client gets 403 and no reason.
///
/// Ownership: `caller` and `body` are valid until the function returns; no NUL follows the body.
/// Threads: callback; where MCP_OPTION_DISPATCH says.
/// Since: 0.1.
pub type mcp_authorize_body_fn = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        caller: *const mcp_caller,
        body: *const c_char,
        len: usize,
    ) -> i32,
>;

/// Asks for the body of a request: hand it over with mcp_http_body, here or later. It comes at most once and before the
/// head; a request that is refused before its body is read has none, so leave the body alone until then.
///
/// `max_bytes` is the longest body that is taken; what is longer is answered 413 as soon as one byte more comes. Where
/// the client waits for it (Expect: 100-continue), tell it now to go on.
///
/// Threads: callback; one at a time for an exchange.
/// Since: 0.1.
pub type mcp_http_want_body_fn = Option<unsafe extern "C" fn(user_data: *mut c_void, max_bytes: u64)>;

/// Takes status and headers of the answer, each header as "Name: value" and CR LF. It comes once.
///
/// "connection: close" is among them where the body was not read: close the connection behind the answer. The data has
/// a length of its own only in its "content-length", if there is one; else send it in chunks and flush each.
///
/// Ownership: `headers` is valid until the function returns; a NUL follows it.
/// Threads: callback; one at a time for an exchange.
/// Since: 0.1.
pub type mcp_http_head_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, status: i32, headers: *const c_char, len: usize)>;

/// Takes data of the answer, in order: send and flush it. `last` is true exactly once, at the end of every answer; then
/// `len` may be 0.
///
/// A host that cannot write now keeps the data and calls mcp_http_pause.
///
/// Ownership: `data` is valid until the function returns; no NUL follows it.
/// Threads: callback; one at a time for an exchange.
/// Since: 0.1.
pub type mcp_http_data_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, data: *const c_char, len: usize, last: bool)>;
