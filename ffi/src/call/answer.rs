//! Finishing a call.

use super::{mcp_call, Open};
use crate::error::mcp_error;
use crate::guard::{guard, shield};
use crate::status::mcp_status;
use crate::text::{blob, optional_text, text};
use mcpcore_engine::{Call, Result};
use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;

impl mcp_call {
    /// Consumes the call and, if the arguments can be read, answers it. If not, it is dropped: the client gets -32603.
    unsafe fn answer(
        call: *mut Self,
        error: Option<&mut MaybeUninit<*mut mcp_error>>,
        answer: impl FnOnce(Call) -> Result<Result<()>, mcp_error>,
    ) -> mcp_status {
        guard(error, || {
            let Open { call, texts, caller, birth: _ } = Self::consume(call)?;
            let outcome = answer(call);
            // The text to answer with may be a view of this very call.
            drop((texts, caller));
            Ok(outcome??)
        })
    }
}

/// Answers with a text: a tool's text block, a resource's text, a prompt's one user message, a completion's values (a
/// line each).
///
/// Ownership: consumes `call`, also on failure.
/// Threads: any.
/// Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_UTF8.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_complete_text(
    call: *mut mcp_call,
    text: *const c_char,
    len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    mcp_call::answer(call, error, |call| Ok(call.complete_text(self::text(text, len, "text")?)))
}

/// Answers with bytes: a resource's blob, or a tool's image or audio block, which `mime_type` tells apart.
///
/// `mime_type` may be NULL for a resource: its own is used. `len` is always the length.
///
/// Ownership: consumes `call`, also on failure.
/// Threads: any.
/// Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_ARGUMENT.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_complete_blob(
    call: *mut mcp_call,
    data: *const c_void,
    len: usize,
    mime_type: *const c_char,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    mcp_call::answer(call, error, |call| {
        let mime_type = optional_text(mime_type, usize::MAX, "mime_type")?;
        Ok(call.complete_blob(blob(data, len, "data")?, mime_type))
    })
}

/// Answers with a whole result in the protocol's own shape: {"content":[…],"structuredContent":…} of a tool,
/// {"contents":[…]} of a resource, {"messages":[…]} of a prompt, {"completion":{"values":[…]}}.
///
/// Ownership: consumes `call`, also on failure.
/// Threads: any.
/// Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_complete_json(
    call: *mut mcp_call,
    result: *const c_char,
    len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    mcp_call::answer(call, error, |call| Ok(call.complete_json(text(result, len, "result")?)))
}

/// Tells the model that it failed, in words that it can act on: a tool result with isError. Other kinds of call answer
/// the error -32603.
///
/// Ownership: consumes `call`, also on failure.
/// Threads: any.
/// Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_UTF8.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_fail(
    call: *mut mcp_call,
    message: *const c_char,
    len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    mcp_call::answer(call, error, |call| Ok(call.fail(text(message, len, "message")?)))
}

/// Refuses with a JSON-RPC error.
///
/// `data_json` is any JSON value, or NULL.
///
/// Ownership: consumes `call`, also on failure.
/// Threads: any.
/// Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_reject(
    call: *mut mcp_call,
    code: i32,
    message: *const c_char,
    len: usize,
    data_json: *const c_char,
    data_len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    mcp_call::answer(call, error, |call| {
        let data = optional_text(data_json, data_len, "data_json")?;
        Ok(call.reject(code, text(message, len, "message")?, data))
    })
}

/// Asks the user, the client's model or its roots first. The call comes again with the answers, as a new handle, in
/// another mcp_call_fn, from the top: what was done before the question is done again. That is so in every revision; in a
/// session the client is asked while its request waits.
///
/// `requests_json` is {"your key":{"method":"elicitation/create","params":{…}},…}. `state` is a text that comes back
/// with mcp_call_state, or NULL; clients carry it sealed. Ask mcp_call_client_supports before.
///
/// Ownership: consumes `call`, also on failure.
/// Threads: any.
/// Errors: MCP_STATUS_ANSWERED, MCP_STATUS_GONE, MCP_STATUS_INVALID_UTF8, MCP_STATUS_INVALID_JSON.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_require_input(
    call: *mut mcp_call,
    requests_json: *const c_char,
    len: usize,
    state: *const c_char,
    state_len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    mcp_call::answer(call, error, |call| {
        let state = optional_text(state, state_len, "state")?;
        Ok(call.require_input(text(requests_json, len, "requests_json")?, state))
    })
}

/// Frees a call; NULL does nothing. The client gets the error -32603.
///
/// Ownership: consumes `call`.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_free(call: *mut mcp_call) {
    shield((), || drop(mcp_call::consume(call)));
}
