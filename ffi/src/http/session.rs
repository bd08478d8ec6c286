//! Sessions kept by the host.

use crate::callback::Callback;
use crate::guard::guard;
use crate::status::mcp_status;
use crate::text::{present, text, CText};
use mcpcore_engine::http::SessionStore;
use std::ffi::{c_char, c_void};

/// Keeps a session of an older revision under `id`, instead of what was there. `session` is a JSON text that means
/// nothing to you; it holds whose session it is, so keep it where nobody else reads. You may forget it when it was not
/// saved again for `ttl_ms` milliseconds (0: never); a session that is in use is saved again in time. 0 if it is kept,
/// any other number if not: then `initialize` is answered 503.
///
/// It may block, and so may mcp_session_load_fn and mcp_session_delete_fn. MCP_DISPATCH_POOL: they run on the pool, several
/// at once. MCP_DISPATCH_INLINE: on a thread of the endpoint that does nothing else. MCP_DISPATCH_PUMP: inside
/// mcp_server_pump.
///
/// Ownership: `id` and `session` are valid until the function returns; a NUL follows each.
/// Threads: callback.
/// Since: 0.1.
pub type mcp_session_save_fn = Option<
    unsafe extern "C" fn(
        user_data: *mut c_void,
        id: *const c_char,
        session: *const c_char,
        len: usize,
        ttl_ms: u64,
    ) -> i32,
>;

/// Looks for what was saved under `id` last, and gives it to mcp_session_found. 0 if it was found or is not there, any
/// other number if you cannot tell: then the client gets 503.
///
/// Ownership: `id` and `session` are valid until the function returns; a NUL follows the id.
/// Threads: callback.
/// Since: 0.1.
pub type mcp_session_load_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, id: *const c_char, session: *mut mcp_session) -> i32>;

/// Forgets what was saved under `id`, if there is anything. 0 if it is gone, any other number if not.
///
/// Ownership: `id` is valid until the function returns; a NUL follows it.
/// Threads: callback.
/// Since: 0.1.
pub type mcp_session_delete_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, id: *const c_char) -> i32>;

/// A session that is looked for, inside mcp_session_load_fn.
///
/// Functions: mcp_session_found.
///
/// Since: 0.1.
pub struct mcp_session {
    found: Option<String>,
}

/// Gives what mcp_session_save_fn was given for this session last.
///
/// Threads: callback.
/// Errors: MCP_STATUS_INVALID_UTF8.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_session_found(
    session: Option<&mut mcp_session>,
    text: *const c_char,
    len: usize,
) -> mcp_status {
    guard(None, || {
        present(session, "session")?.found = Some(self::text(text, len, "text")?.to_owned());
        Ok(())
    })
}

type SaveFn = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char, usize, u64) -> i32;
type LoadFn = unsafe extern "C" fn(*mut c_void, *const c_char, *mut mcp_session) -> i32;
type DeleteFn = unsafe extern "C" fn(*mut c_void, *const c_char) -> i32;

/// The engine's end of the three functions.
pub(crate) struct Store {
    pub(crate) save: Callback<SaveFn>,
    pub(crate) load: LoadFn,
    pub(crate) delete: DeleteFn,
}

fn outcome(number: i32) -> Result<(), String> {
    match number {
        0 => Ok(()),
        number => Err(format!("its function returned {number}")),
    }
}

impl SessionStore for Store {
    fn save(&self, id: &str, session: &str, ttl_ms: u64) -> Result<(), String> {
        let (id, session) = (CText::new(id), CText::new(session));
        let (data, len) = (self.save.data(), session.as_str().len());
        // SAFETY: the host registered the function with this data; the texts outlive the callback.
        outcome(unsafe { (self.save.function)(data, id.as_ptr(), session.as_ptr(), len, ttl_ms) })
    }

    fn load(&self, id: &str) -> Result<Option<String>, String> {
        let id = CText::new(id);
        let mut session = mcp_session { found: None };
        // SAFETY: the host registered the function with this data; text and handle outlive the callback.
        outcome(unsafe { (self.load)(self.save.data(), id.as_ptr(), &raw mut session) })?;
        Ok(session.found)
    }

    fn delete(&self, id: &str) -> Result<(), String> {
        let id = CText::new(id);
        // SAFETY: the host registered the function with this data; the text outlives the callback.
        outcome(unsafe { (self.delete)(self.save.data(), id.as_ptr()) })
    }
}
