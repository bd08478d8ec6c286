//! Who asks.

use crate::arena::Arena;
use crate::error::mcp_error;
use crate::fault::Faults;
use crate::guard::{guard, shield};
use crate::status::mcp_status;
use crate::text::{present, text, word};
use mcpcore_engine::Caller;
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// Who asks. Identity comes from here only; nothing in a request can change it.
///
/// You need not look at the statuses of its setters: a caller with a fault cannot be used, and the function that you
/// give it to says what was wrong.
///
/// Functions: mcp_caller_new, mcp_caller_new_local, mcp_caller_free, mcp_caller_set_owner_key,
/// mcp_caller_set_catalog_key, mcp_caller_add_scope, mcp_caller_set_all_scopes, mcp_caller_set_claims,
/// mcp_caller_set_expiry, mcp_caller_principal, mcp_caller_owner_key, mcp_caller_catalog_key, mcp_caller_has_scope,
/// mcp_caller_claims_json, mcp_caller_expiry.
///
/// Since: 0.1.
pub struct mcp_caller {
    caller: Arc<Caller>,
    faults: Faults,
    texts: Arena,
}

impl mcp_caller {
    pub(crate) fn new(caller: Arc<Caller>) -> Self {
        Self { caller, faults: Faults::default(), texts: Arena::default() }
    }

    /// The caller, unless setting it up failed: half an identity must not be used.
    pub(crate) fn sound(&self) -> Result<&Arc<Caller>, mcp_error> {
        match self.faults.peek() {
            None => Ok(&self.caller),
            Some(error) => Err(mcp_error::new(error.status(), &format!("caller: {}", error.message()))),
        }
    }

    /// The same for who consumes the handle.
    pub(crate) fn into_caller(self) -> Result<Caller, mcp_error> {
        self.sound()?;
        Ok(Arc::unwrap_or_clone(self.caller))
    }

    fn set(
        caller: Option<&mut Self>,
        subject: &str,
        change: impl FnOnce(Caller) -> Result<Caller, mcp_error>,
    ) -> mcp_status {
        guard(None, || {
            let handle = present(caller, "caller")?;
            // Views of the old texts end here.
            handle.texts = Arena::default();
            let changed = change(Caller::clone(&handle.caller));
            handle.caller = handle.faults.note_added(subject, changed.map(Arc::new))?;
            Ok(())
        })
    }

    fn view<'c>(
        caller: Option<&'c Self>,
        len: Option<&mut MaybeUninit<usize>>,
        read: impl FnOnce(&'c Caller) -> Option<&'c str>,
    ) -> *const c_char {
        shield(std::ptr::null(), || {
            let Some(caller) = caller else {
                return std::ptr::null();
            };
            read(&caller.caller).map_or(std::ptr::null(), |text| caller.texts.view(text, len))
        })
    }
}

/// Makes a caller with this principal id, without scopes, for the common catalog, without expiry. An empty principal is
/// the anonymous caller.
///
/// Ownership: the result is yours. Free with mcp_caller_free.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_caller_new(principal: *const c_char, len: usize) -> Option<Box<mcp_caller>> {
    shield(None, || {
        let mut faults = Faults::default();
        let principal = faults.note("principal", text(principal, len, "principal")).unwrap_or_default();
        Some(Box::new(mcp_caller { faults, ..mcp_caller::new(Arc::new(Caller::new(principal))) }))
    })
}

/// Makes the caller of this machine's own user, as on stdio: principal "local", with all scopes.
///
/// Ownership: the result is yours. Free with mcp_caller_free.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_caller_new_local() -> Option<Box<mcp_caller>> {
    shield(None, || Some(Box::new(mcp_caller::new(Arc::new(Caller::local())))))
}

/// Frees a caller; NULL does nothing. What uses it goes on with its own copy.
///
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_caller_free(caller: Option<Box<mcp_caller>>) {
    shield((), || drop(caller));
}

/// Sets the key that owns what the caller makes; without one it is the principal.
///
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_caller_set_owner_key(
    caller: Option<&mut mcp_caller>,
    key: *const c_char,
    len: usize,
) -> mcp_status {
    mcp_caller::set(caller, "owner key", |caller| Ok(caller.with_owner_key(text(key, len, "owner key")?)))
}

/// Sets which catalog the caller sees; the empty key is the common one.
///
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_caller_set_catalog_key(
    caller: Option<&mut mcp_caller>,
    key: *const c_char,
    len: usize,
) -> mcp_status {
    mcp_caller::set(caller, "catalog key", |caller| {
        Ok(caller.with_catalog_key(text(key, len, "catalog key")?))
    })
}

/// Grants one scope.
///
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_caller_add_scope(
    caller: Option<&mut mcp_caller>,
    scope: *const c_char,
    len: usize,
) -> mcp_status {
    mcp_caller::set(caller, "scope", |caller| Ok(caller.with_scope(text(scope, len, "scope")?)))
}

/// Grants every scope there is.
///
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_caller_set_all_scopes(caller: Option<&mut mcp_caller>) -> mcp_status {
    mcp_caller::set(caller, "scopes", |caller| Ok(caller.with_all_scopes()))
}

/// Sets the claims of the credential, a JSON object that your own code reads back with mcp_caller_claims_json.
///
/// Threads: one at a time.
/// Errors: MCP_STATUS_INVALID_JSON.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_caller_set_claims(
    caller: Option<&mut mcp_caller>,
    json: *const c_char,
    len: usize,
) -> mcp_status {
    mcp_caller::set(caller, "claims", |caller| Ok(caller.with_claims(text(json, len, "claims")?)?))
}

/// Sets when the credential ends, in milliseconds since 1970. What the caller has open then, ends.
///
/// Threads: one at a time.
/// Errors: MCP_STATUS_INVALID_ARGUMENT for a negative time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_caller_set_expiry(caller: Option<&mut mcp_caller>, unix_ms: i64) -> mcp_status {
    mcp_caller::set(caller, "expiry", |caller| match u64::try_from(unix_ms) {
        Ok(unix_ms) => Ok(caller.with_expiry(unix_ms)),
        Err(_) => Err(mcp_error::argument(&format!("unix_ms takes 0 or more, got {unix_ms}"))),
    })
}

/// The principal id; "" for the anonymous caller, NULL for NULL.
///
/// Ownership: valid until the caller is changed, freed, or the call that it belongs to is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_caller_principal(
    caller: Option<&mcp_caller>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_caller::view(caller, len, |caller| Some(caller.principal()))
}

/// The key that owns what the caller makes; NULL for NULL.
///
/// Ownership: as mcp_caller_principal.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_caller_owner_key(
    caller: Option<&mcp_caller>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_caller::view(caller, len, |caller| Some(caller.owner_key()))
}

/// The key of the catalog that the caller sees; "" for the common one, NULL for NULL.
///
/// Ownership: as mcp_caller_principal.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_caller_catalog_key(
    caller: Option<&mcp_caller>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_caller::view(caller, len, |caller| Some(caller.catalog_key()))
}

/// Whether the caller has a scope. One that ends in "*" is had by whoever has a scope that begins the same.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_caller_has_scope(caller: Option<&mcp_caller>, scope: *const c_char) -> bool {
    shield(false, || match (caller, word(scope, "scope")) {
        (Some(caller), Ok(scope)) => caller.caller.has_scope(scope),
        (None, _) | (_, Err(_)) => false,
    })
}

/// The claims, a JSON object; NULL if none were set.
///
/// Ownership: as mcp_caller_principal.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_caller_claims_json(
    caller: Option<&mcp_caller>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_caller::view(caller, len, Caller::claims)
}

/// When the credential ends, in milliseconds since 1970; -1 for never.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_caller_expiry(caller: Option<&mcp_caller>) -> i64 {
    shield(-1, || {
        let expiry = caller.and_then(|caller| caller.caller.expires_at());
        expiry.map_or(-1, |unix_ms| i64::try_from(unix_ms).unwrap_or(i64::MAX))
    })
}
