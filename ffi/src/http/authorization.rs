//! The question of who may use an endpoint.

use crate::arena::Arena;
use crate::callback::Callback;
use crate::caller::mcp_caller;
use crate::consumed::{Graveyard, Once};
use crate::error::mcp_error;
use crate::fork::{forked, Birth};
use crate::guard::{guard, shield};
use crate::status::mcp_status;
use crate::text::{optional_text, present, word, CText};
use mcpcore_engine::http::{Authorization, Authorizer, Refusal};
use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;

/// The head of a request that wants in. Answer it exactly once: inside mcp_authorize_fn or later, from any thread. Freed
/// without an answer, the client gets 500 and no reason; without one for 30 seconds, 503.
///
/// Reading leaves it yours; the functions that finish it consume it, and the views that it gave end. As a net for mistakes
/// the library remembers the handles that were consumed last, so that finishing one again is most often
/// MCP_STATUS_ANSWERED; do not build on it.
///
/// Functions: mcp_auth_method, mcp_auth_path, mcp_auth_header, mcp_auth_peer, mcp_auth_allow, mcp_auth_refuse,
/// mcp_auth_free.
///
/// Since: 0.1.
pub struct mcp_auth(Once<Open>);

/// What is inside an authorization that was not consumed.
struct Open {
    question: Authorization,
    texts: Arena,
    /// Behind the question in the order of dropping: a user_data goes after the last question.
    _asker: Arc<Callback<AuthorizeFn>>,
    birth: Birth,
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<Open>();
};

static CONSUMED: Graveyard<mcp_auth, 256> = Graveyard::new();

type AuthorizeFn = unsafe extern "C" fn(*mut c_void, *mut mcp_auth);

/// The engine's end of the callback.
pub(crate) struct Asker(pub(crate) Arc<Callback<AuthorizeFn>>);

impl Authorizer for Asker {
    fn authorize(&self, question: Authorization) {
        let asker = Arc::clone(&self.0);
        let open = Open { question, texts: Arena::default(), _asker: asker, birth: Birth::here() };
        let auth = Box::into_raw(Box::new(mcp_auth(Once::new(open))));
        // SAFETY: the host registered the function with this data, and the handle becomes its own.
        unsafe { (self.0.function)(self.0.data(), auth) };
    }
}

impl mcp_auth {
    unsafe fn consume(auth: *mut Self) -> Result<Open, mcp_error> {
        let handle = present(auth.as_ref(), "auth")?;
        let open = handle.0.take().ok_or_else(|| {
            mcp_error::new(mcp_status::MCP_STATUS_ANSWERED, "the authorization was finished before")
        })?;
        CONSUMED.bury(Box::from_raw(auth));
        if open.birth.is_elsewhere() {
            // The answer is the parent's to give.
            std::mem::forget(open);
            return Err(forked("authorization"));
        }
        Ok(open)
    }

    fn view(
        auth: Option<&Self>,
        len: Option<&mut MaybeUninit<usize>>,
        read: impl FnOnce(&Authorization) -> &str,
    ) -> *const c_char {
        shield(std::ptr::null(), || {
            let open = auth.and_then(|auth| auth.0.get());
            open.map_or(std::ptr::null(), |open| open.texts.view(read(&open.question), len))
        })
    }

    fn named(
        auth: Option<&Self>,
        len: Option<&mut MaybeUninit<usize>>,
        name: &str,
        make: impl FnOnce(&Authorization) -> Option<String>,
    ) -> *const c_char {
        let Some(open) = auth.and_then(|auth| auth.0.get()) else {
            return std::ptr::null();
        };
        open.texts.view_named(name, || make(&open.question).map(|text| CText::new(&text)), len)
    }
}

/// The HTTP method; NULL for NULL.
///
/// Ownership: valid until the authorization is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_auth_method(auth: Option<&mcp_auth>) -> *const c_char {
    mcp_auth::view(auth, None, Authorization::method)
}

/// The path as the client wrote it, without the query; NULL for NULL.
///
/// Ownership: valid until the authorization is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_auth_path(
    auth: Option<&mcp_auth>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_auth::view(auth, len, Authorization::path)
}

/// A header, whatever the case of `name`; several values are joined with ", ". NULL if it is absent.
///
/// Ownership: valid until the authorization is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_auth_header(
    auth: Option<&mcp_auth>,
    name: *const c_char,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    shield(std::ptr::null(), || {
        let Ok(name) = word(name, "name") else {
            return std::ptr::null();
        };
        mcp_auth::named(auth, len, name, |question| Some(question.header(name)?.into_owned()))
    })
}

/// Where the request comes from: "192.0.2.1:50000", "[::1]:50000", "unix:1000" with the user id of the peer, "unix", or ""
/// where nobody knows. NULL for NULL.
///
/// Ownership: valid until the authorization is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_auth_peer(auth: Option<&mcp_auth>) -> *const c_char {
    // No header has an empty name.
    shield(std::ptr::null(), || mcp_auth::named(auth, None, "", |question| Some(question.peer().to_string())))
}

/// Lets a request in as `caller`.
///
/// Ownership: consumes `auth` and `caller`, also on failure; the client gets 500 then.
/// Threads: any; also inside callbacks.
/// Errors: what was wrong with the caller; MCP_STATUS_ANSWERED.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_auth_allow(
    auth: *mut mcp_auth,
    caller: Option<Box<mcp_caller>>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let open = mcp_auth::consume(auth);
        let caller = present(caller, "caller").and_then(|caller| (*caller).into_caller());
        let Open { question, .. } = open?;
        question.allow(caller?);
        Ok(())
    })
}

/// Keeps a request out, with `status` 401 (who are you?) or 403 (not you), and a Bearer challenge that says why.
///
/// Each text ends at its NUL and may be NULL. `scope`: the scopes that would do, separated by spaces. `error_code`: a code
/// of RFC 6750, such as "invalid_token". `description`: for people, told to the client. `reason`: for the log only.
///
/// Ownership: consumes `auth`, also on failure; the client gets 500 then.
/// Threads: any; also inside callbacks.
/// Errors: MCP_STATUS_INVALID_ARGUMENT for another status; MCP_STATUS_INVALID_UTF8, MCP_STATUS_ANSWERED.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_auth_refuse(
    auth: *mut mcp_auth,
    status: i32,
    scope: *const c_char,
    error_code: *const c_char,
    description: *const c_char,
    reason: *const c_char,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || {
        let Open { question, .. } = mcp_auth::consume(auth)?;
        let mut refusal = Refusal::default();
        refusal.status = match status {
            401 => 401,
            403 => 403,
            other => return Err(mcp_error::argument(&format!("status takes 401 or 403, got {other}"))),
        };
        let text = |text, name| Ok::<_, mcp_error>(optional_text(text, usize::MAX, name)?.map(str::to_owned));
        refusal.scope = text(scope, "scope")?;
        refusal.error = text(error_code, "error_code")?;
        refusal.description = text(description, "description")?;
        refusal.reason = text(reason, "reason")?;
        question.refuse(&refusal);
        Ok(())
    })
}

/// Gives an authorization up; NULL does nothing. The client gets 500, the log a line.
///
/// Threads: any; also inside callbacks.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_auth_free(auth: *mut mcp_auth) {
    shield((), || drop(mcp_auth::consume(auth)));
}
