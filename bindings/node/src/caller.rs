//! Who asks, in both directions.

use crate::error::{invalid, thrown, Result};
use mcpcore_engine::json::quote;
use mcpcore_engine::Caller;
use napi_derive::napi;
use std::fmt::Write;
use std::sync::Arc;

/// Who asks, as a door is told. Identity comes from here only; nothing in a request can change it.
#[napi(object)]
#[derive(Default)]
pub struct CallerInit {
    /// The principal id; empty or absent: the anonymous caller.
    pub principal: Option<String>,
    /// The key that owns what the caller makes; the principal unless given.
    pub owner_key: Option<String>,
    /// Which catalog the caller sees; absent or empty: the common one.
    pub catalog_key: Option<String>,
    /// Granted scopes; `'*'` alone grants every scope there is.
    #[napi(ts_type = "string[] | '*'")]
    pub scopes: Option<Vec<String>>,
    /// Claims of the credential, which your own code reads back as `call.caller.claims`.
    #[napi(ts_type = "Record<string, unknown>")]
    pub claims: Option<String>,
    /// When the credential ends, in ms since 1970.
    pub expires_at: Option<f64>,
}

/// The engine's caller; the local one where none is given.
///
/// # Errors
/// Claims that are no JSON object, an expiry that is no time.
pub(crate) fn read(given: Option<CallerInit>) -> Result<Arc<Caller>> {
    let Some(given) = given else { return Ok(Arc::new(Caller::local())) };
    let mut caller = Caller::new(given.principal.unwrap_or_default());
    if let Some(key) = given.owner_key {
        caller = caller.with_owner_key(key);
    }
    if let Some(key) = given.catalog_key {
        caller = caller.with_catalog_key(key);
    }
    for scope in given.scopes.unwrap_or_default() {
        caller = if scope == "*" { caller.with_all_scopes() } else { caller.with_scope(scope) };
    }
    if let Some(claims) = given.claims {
        caller = caller.with_claims(&claims).map_err(|error| thrown(&error))?;
    }
    if let Some(expiry) = given.expires_at {
        if !(0.0..9_007_199_254_740_992.0).contains(&expiry) {
            return Err(invalid("caller.expiresAt: must be a time in ms since 1970"));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded above")]
        let expiry = expiry as u64;
        caller = caller.with_expiry(expiry);
    }
    Ok(Arc::new(caller))
}

/// The caller as JSON for `call.caller`.
pub(crate) fn write(caller: &Caller) -> String {
    let mut out = format!(
        "{{\"principal\":{},\"ownerKey\":{},\"catalogKey\":{},\"scopes\":[",
        quote(caller.principal()),
        quote(caller.owner_key()),
        quote(caller.catalog_key()),
    );
    let scopes: &[String] = if caller.has_all_scopes() { &["*".to_owned()] } else { caller.scopes() };
    for (index, scope) in scopes.iter().enumerate() {
        out.push_str(if index > 0 { "," } else { "" });
        out.push_str(&quote(scope));
    }
    out.push(']');
    if let Some(claims) = caller.claims() {
        out.push_str(",\"claims\":");
        out.push_str(claims);
    }
    if let Some(expiry) = caller.expires_at() {
        // Writing into a text does not fail.
        let _ = write!(out, ",\"expiresAt\":{expiry}");
    }
    out.push('}');
    out
}
