//! The host's functions and what they are called with.

use crate::call::mcp_call;
use crate::catalog::mcp_catalog;
use crate::error::mcp_error;
use std::ffi::{c_char, c_void};

/// Ends the life of a user_data.
///
/// It runs exactly once: after the last callback with that user_data returned and the last call of the server was
/// consumed, on whatever thread that happens; also when the registration or mcp_server_new fails.
/// MCP_DISPATCH_PUMP: only inside a function that you called.
///
/// Threads: callback.
/// Since: 0.1.
pub type mcp_destroy_fn = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// Fills a catalog for the callers whose catalog key is `key`; the empty key is the common catalog.
///
/// It runs in mcp_server_new, after mcp_server_catalog_changed, and when the first caller with a new key comes.
///
/// Ownership: `key` and `catalog` are valid until the function returns.
/// Threads: callback.
/// Since: 0.1.
pub type mcp_catalog_fn = Option<
    unsafe extern "C" fn(user_data: *mut c_void, key: *const c_char, len: usize, catalog: *mut mcp_catalog),
>;

/// Answers a call, now or later, from any thread.
///
/// Ownership: `call` is yours. Finish it with an mcp_call_complete, _fail, _reject or _require_input function, which
/// consume it, or give it up with mcp_call_free.
/// Threads: callback.
/// Since: 0.1.
pub type mcp_call_fn = Option<unsafe extern "C" fn(user_data: *mut c_void, call: *mut mcp_call)>;

/// Learns that a call ended without its answer: which one (mcp_call_number) and why (MCP_CANCEL_*).
///
/// The handle of the call stays valid and is still yours to consume; what you answer is dropped.
///
/// Threads: callback.
/// Since: 0.1.
pub type mcp_cancel_fn = Option<unsafe extern "C" fn(user_data: *mut c_void, call_number: u64, reason: i32)>;

/// Takes a line of the library's own log; `level` is MCP_LOG_*.
///
/// Ownership: `text` is valid until the function returns; a NUL follows it.
/// Threads: callback.
/// Since: 0.1.
pub type mcp_log_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, level: i32, text: *const c_char, len: usize)>;

/// Takes an event, one JSON object: what the server did, for metrics and audit.
///
/// Ownership: `event_json` is valid until the function returns; no NUL follows it.
/// Threads: callback.
/// Since: 0.1.
pub type mcp_event_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, event_json: *const c_char, len: usize)>;

/// Takes one or more whole messages of a connection, in order; a newline ends each, and none has one inside.
///
/// Write them to a byte stream as they are, or cut them at the newlines for a transport that has frames. The function
/// must take everything. It is called by one thread at a time.
///
/// Ownership: `messages` is valid until the function returns; no NUL follows it.
/// Threads: callback.
/// Since: 0.1.
pub type mcp_output_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, messages: *const c_char, len: usize)>;

/// A user_data and the duty to destroy it once. It is made first thing in a registration, so that the duty is kept
/// however the registration ends.
pub(crate) struct UserData {
    data: *mut c_void,
    destroy: mcp_destroy_fn,
}

// SAFETY: the header says that callbacks and destroy may run on any thread, several callbacks at once; the pointer is
// only handed back to the host, never followed.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    pub(crate) fn new(data: *mut c_void, destroy: mcp_destroy_fn) -> Self {
        Self { data, destroy }
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(destroy) = self.destroy {
            // SAFETY: the host registered the pair, and this is the one time that it meets.
            unsafe { destroy(self.data) };
        }
    }
}

/// A registered function with its user_data.
pub(crate) struct Callback<F> {
    pub(crate) function: F,
    user_data: UserData,
}

impl<F: Copy> Callback<F> {
    /// Pairs them, unless the function is NULL.
    pub(crate) fn new(function: Option<F>, user_data: UserData, name: &str) -> Result<Self, mcp_error> {
        match function {
            Some(function) => Ok(Self { function, user_data }),
            None => Err(mcp_error::null(name)),
        }
    }

    /// The first argument of every callback.
    pub(crate) fn data(&self) -> *mut c_void {
        self.user_data.data
    }
}
