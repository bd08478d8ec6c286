//! One request that the host answers once.

pub mod answer;
pub mod argument;
pub mod header;
pub mod number;

use crate::arena::Arena;
use crate::caller::mcp_caller;
use crate::consumed::{Graveyard, Once};
use crate::error::mcp_error;
use crate::fork::{forked, Birth};
use crate::guard::{guard, shield};
use crate::status::mcp_status;
use crate::text::{optional_text, present, slice, text, word, CText};
use mcpcore_engine::{Call, LogLevel};
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::{Arc, OnceLock};

/// One request that you answer exactly once: inside mcp_call_fn or later, from any thread. Freed without an answer, the
/// client gets the error -32603.
///
/// Reading and acting leave the call yours; the functions that finish it consume it, and the views that it gave end.
/// It may outlive its connection and its server. As a net for mistakes the library remembers the handles that were
/// consumed last, so that finishing one again is most often MCP_STATUS_ANSWERED; do not build on it.
///
/// Read: mcp_call_kind, mcp_call_number, mcp_call_name, mcp_call_arguments, mcp_call_argument_text,
/// mcp_call_argument_int, mcp_call_argument_double, mcp_call_argument_bool, mcp_call_argument_count,
/// mcp_call_argument_json, mcp_call_variable, mcp_call_template, mcp_call_meta_json, mcp_call_answers_json,
/// mcp_call_answer_text, mcp_call_answer_json, mcp_call_state, mcp_call_round, mcp_call_caller,
/// mcp_call_client_supports, mcp_call_protocol_version, mcp_call_header, mcp_call_cancelled. Act: mcp_call_progress, mcp_call_log,
/// mcp_call_close_stream. Finish:
/// mcp_call_complete_text, mcp_call_complete_blob, mcp_call_complete_json, mcp_call_fail, mcp_call_reject, mcp_call_require_input, mcp_call_free.
///
/// Since: 0.1.
pub struct mcp_call(Once<Open>);

/// What is inside a call that was not consumed. The call holds its server, and so the host's callbacks.
struct Open {
    call: Call,
    texts: Arena,
    caller: OnceLock<Box<mcp_caller>>,
    /// The process that the server belongs to.
    birth: Birth,
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Open>();
};

static CONSUMED: Graveyard<mcp_call, 128> = Graveyard::new();

impl mcp_call {
    pub(crate) fn new(call: Call, birth: Birth) -> *mut Self {
        let open = Open { call, texts: Arena::default(), caller: OnceLock::new(), birth };
        Box::into_raw(Box::new(Self(Once::new(open))))
    }

    fn open(&self) -> Result<&Open, mcp_error> {
        self.0.get().ok_or_else(finished)
    }

    /// Takes the call out of its handle, for good.
    unsafe fn consume(call: *mut Self) -> Result<Open, mcp_error> {
        let handle = present(call.as_ref(), "call")?;
        let open = handle.0.take().ok_or_else(finished)?;
        CONSUMED.bury(Box::from_raw(call));
        if open.birth.is_elsewhere() {
            // The answer is the parent's to give; here it must neither be written nor awaited.
            std::mem::forget(open);
            return Err(forked("call"));
        }
        Ok(open)
    }

    /// A text of the call as a view that ends with a NUL.
    fn view<'c>(
        call: Option<&'c Self>,
        len: Option<&mut MaybeUninit<usize>>,
        read: impl FnOnce(&'c Call) -> Option<&'c str>,
    ) -> *const c_char {
        shield(std::ptr::null(), || {
            let Some(open) = call.and_then(|call| call.open().ok()) else {
                return std::ptr::null();
            };
            read(&open.call).map_or(std::ptr::null(), |text| open.texts.view(text, len))
        })
    }

    /// A JSON text of the call as it stands.
    fn json<'c>(
        call: Option<&'c Self>,
        len: Option<&mut MaybeUninit<usize>>,
        read: impl FnOnce(&'c Call) -> Option<&'c str>,
    ) -> *const c_char {
        shield(std::ptr::null(), || {
            let json = call.and_then(|call| call.open().ok()).and_then(|open| read(&open.call));
            json.map_or(std::ptr::null(), |json| slice(json, len))
        })
    }

    /// Something of the call that is no text.
    fn read<T>(call: Option<&Self>, fallback: T, read: impl FnOnce(&Call) -> T) -> T
    where
        T: Copy,
    {
        shield(fallback, || call.and_then(|call| call.open().ok()).map_or(fallback, |open| read(&open.call)))
    }
}

fn finished() -> mcp_error {
    mcp_error::new(mcp_status::MCP_STATUS_ANSWERED, "the call was finished before")
}

/// What the call asks for, MCP_CALL_*; 0 for NULL.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_kind(call: Option<&mcp_call>) -> i32 {
    mcp_call::read(call, 0, |call| call.kind() as i32)
}

/// A number that no other call of the server has; mcp_cancel_fn names the call with it. 0 for NULL.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_number(call: Option<&mcp_call>) -> u64 {
    mcp_call::read(call, 0, Call::number)
}

/// The tool's or prompt's name, the resource's uri, or for a completion the prompt's name or the uri template.
///
/// Ownership: valid until the call is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_name(
    call: Option<&mcp_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_call::view(call, len, |call| Some(call.name()))
}

/// A variable of the uri template that matched, decoded; NULL if the template has none of that name or the uri leaves it
/// out.
///
/// Ownership: valid until the call is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_variable(
    call: Option<&mcp_call>,
    name: *const c_char,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_call::view(call, len, |call| call.variable(word(name, "name").ok()?))
}

/// The uri template that matched; NULL if the resource stands in the catalog itself.
///
/// Ownership: valid until the call is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_template(
    call: Option<&mcp_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_call::view(call, len, Call::template)
}

/// The request's _meta, a JSON object. In a session, the revision and what the client said of itself when it opened the
/// session stand there too, under the same keys as in a request of 2026-07-28.
///
/// Ownership: valid until the call is consumed; no NUL follows it.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_meta_json(
    call: Option<&mcp_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_call::json(call, len, |call| Some(call.meta()))
}

/// All answers to input requests so far, a JSON object from your keys to the answers; {} in the first round.
///
/// Ownership: valid until the call is consumed; no NUL follows it.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_answers_json(
    call: Option<&mcp_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_call::json(call, len, |call| Some(call.answers()))
}

/// What you kept with mcp_call_require_input in the round before; NULL if nothing.
///
/// Ownership: valid until the call is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_state(
    call: Option<&mcp_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_call::view(call, len, Call::state)
}

/// Which round of mcp_call_require_input this is; 0 is the first.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_round(call: Option<&mcp_call>) -> u32 {
    mcp_call::read(call, 0, Call::round)
}

/// Who asks; NULL for NULL.
///
/// Ownership: the call's; do not free it. Valid until the call is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_caller(call: Option<&mcp_call>) -> *const mcp_caller {
    shield(std::ptr::null(), || {
        let Some(open) = call.and_then(|call| call.open().ok()) else {
            return std::ptr::null();
        };
        let caller = open.caller.get_or_init(|| Box::new(mcp_caller::new(Arc::clone(open.call.caller()))));
        &raw const **caller
    })
}

/// Whether the client declared a capability: "sampling", "sampling.tools", "elicitation.url", "roots",
/// "extensions.<id>" and so on.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_client_supports(
    call: Option<&mcp_call>,
    capability: *const c_char,
) -> bool {
    mcp_call::read(call, false, |call| {
        word(capability, "capability").is_ok_and(|name| call.client_supports(name))
    })
}

/// The protocol revision that the request is served under, such as "2026-07-28"; in a session the session's.
///
/// Ownership: valid until the call is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_protocol_version(call: Option<&mcp_call>) -> *const c_char {
    mcp_call::view(call, None, |call| Some(call.revision().as_str()))
}

/// Why the call ended without its answer, MCP_CANCEL_*; 0 while somebody still waits for it.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_cancelled(call: Option<&mcp_call>) -> i32 {
    mcp_call::read(call, 0, |call| call.cancelled().map_or(0, |reason| reason as i32))
}

/// Reports progress. It is dropped silently unless the client asked for it and `progress` grew.
///
/// `total` below 0 or not a number: unknown. `message` may be NULL.
///
/// Threads: any.
/// Errors: MCP_STATUS_GONE.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_progress(
    call: Option<&mcp_call>,
    progress: f64,
    total: f64,
    message: *const c_char,
    len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let open = present(call, "call")?.open()?;
        let total = (total >= 0.0).then_some(total);
        Ok(open.call.progress(progress, total, optional_text(message, len, "message")?)?)
    })
}

/// Sends a log line to the client. It is dropped silently below the level that the request asked for; in a session below
/// the one that the client set last, at first MCP_LOG_INFO.
///
/// `level` is MCP_LOG_*, `logger` a name or NULL, `data_json` any JSON value: mcp_json_quote makes one of a text.
///
/// Threads: any.
/// Errors: MCP_STATUS_INVALID_JSON, MCP_STATUS_GONE; MCP_STATUS_INVALID_ARGUMENT without MCP_OPTION_LOGGING.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_log(
    call: Option<&mcp_call>,
    level: i32,
    logger: *const c_char,
    data_json: *const c_char,
    len: usize,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let open = present(call, "call")?.open()?;
        let logger = optional_text(logger, usize::MAX, "logger")?;
        Ok(open.call.log(log_level(level)?, logger, text(data_json, len, "data_json")?)?)
    })
}

/// Ends the stream on which the call is to be answered, so that no connection is held for a call that takes long: the
/// client comes back for the rest after `retry_ms` milliseconds (0: what MCP_HTTP_OPTION_RETRY_MS says). It does nothing
/// where clients cannot come back: in requests of 2026-07-28, in sessions before 2025-11-25, without HTTP.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_close_stream(call: Option<&mcp_call>, retry_ms: u64) -> mcp_status {
    guard(None, || {
        present(call, "call")?.open()?.call.close_stream(retry_ms);
        Ok(())
    })
}

fn log_level(level: i32) -> Result<LogLevel, mcp_error> {
    let known = usize::try_from(level).ok().and_then(|level| LogLevel::ALL.get(level));
    known.copied().ok_or_else(|| mcp_error::argument(&format!("level takes 0 to 7 (MCP_LOG_*), got {level}")))
}
