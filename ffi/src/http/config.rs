//! An HTTP configuration being filled.

use crate::callback::{mcp_destroy_fn, Callback, UserData};
use crate::caller::mcp_caller;
use crate::error::mcp_error;
use crate::fault::Faults;
use crate::guard::{guard, shield};
use crate::http::authorization::Asker;
use crate::http::callback::{mcp_authorize_body_fn, mcp_authorize_fn};
use crate::http::option::{Settings, TABLE};
use crate::http::session::{mcp_session_delete_fn, mcp_session_load_fn, mcp_session_save_fn, Store};
use crate::option::Entry;
use crate::status::mcp_status;
use crate::text::{present, text};
use mcpcore_engine::http::{Access, HttpConfig, ListenerConfig, Origins};
use mcpcore_engine::Caller;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// What an HTTP endpoint is made from: mcp_http_listen and mcp_endpoint_new consume it.
///
/// Two things have no default, since a wrong one would open your machine: who may use the endpoint
/// (mcp_http_config_on_authorize or mcp_http_config_allow_any_caller) and which pages in browsers may
/// (MCP_HTTP_OPTION_ORIGIN or mcp_http_config_allow_any_origin). You need not look at the statuses of its setters: who
/// consumes it fails with every fault, a line each.
///
/// Functions: mcp_http_config_new, mcp_http_config_free, mcp_http_config_set_int, mcp_http_config_set_text,
/// mcp_http_config_add_text, mcp_http_config_allow_any_caller, mcp_http_config_allow_any_origin,
/// mcp_http_config_on_authorize, mcp_http_config_on_authorize_body, mcp_http_config_session_store.
///
/// Since: 0.1.
pub struct mcp_http_config {
    settings: Settings,
    any_origin: bool,
    anyone: Option<Caller>,
    authorizer: Option<Asker>,
    faults: Faults,
}

/// What a door makes of it.
pub(crate) struct Made {
    pub(crate) http: HttpConfig,
    pub(crate) listen: ListenerConfig,
    /// What the host set wrongly, to be told with what the engine finds.
    faults: Faults,
}

impl Made {
    /// Notes something that the door does not take.
    pub(crate) fn add_fault(&mut self, message: &str) {
        let _ = self.faults.note_added("door", Err::<(), _>(mcp_error::argument(message)));
    }

    /// What `make` makes, or everything that is wrong here and for the engine.
    pub(crate) fn finish<T>(
        mut self,
        make: impl FnOnce(HttpConfig, ListenerConfig) -> mcpcore_engine::Result<T>,
    ) -> Result<T, mcp_error> {
        let outcome = make(self.http, self.listen).map_err(mcp_error::from);
        let Some(fault) = self.faults.take() else { return outcome };
        let Err(more) = outcome else { return Err(fault) };
        Err(mcp_error::new(fault.status(), &format!("{}\n{}", fault.message(), more.message())))
    }
}

impl mcp_http_config {
    fn set<T>(
        config: Option<&mut Self>,
        subject: &str,
        change: impl FnOnce(&mut Self) -> Result<T, mcp_error>,
    ) -> Result<(), mcp_error> {
        let config = present(config, "config")?;
        let outcome = change(config).map(|_| ());
        config.faults.note(subject, outcome)
    }

    pub(crate) fn into_made(self: Box<Self>) -> Made {
        let Self { settings, any_origin, anyone, authorizer, mut faults } = *self;
        let Settings { mut http, listen, origins } = settings;
        if any_origin && !origins.is_empty() {
            let both = "origins: set the option ORIGIN, or allow any origin, not both";
            let _ = faults.note_added("origins", Err::<(), _>(mcp_error::argument(both)));
        }
        http.origins = match (any_origin, origins.is_empty()) {
            (true, _) => Some(Origins::Any),
            (false, true) => None,
            (false, false) => Some(Origins::Only(origins)),
        };
        if anyone.is_some() && authorizer.is_some() {
            let both = "access: register on_authorize, or allow any caller, not both";
            let _ = faults.note_added("access", Err::<(), _>(mcp_error::argument(both)));
        }
        http.access = match (authorizer, anyone) {
            (Some(asker), _) => Some(Access::Ask(Arc::new(asker))),
            (None, Some(caller)) => Some(Access::Anyone(caller)),
            (None, None) => None,
        };
        Made { http, listen, faults }
    }
}

/// Makes an HTTP configuration with every default.
///
/// Ownership: the result is yours. Free with mcp_http_config_free, or pass to mcp_http_listen or mcp_endpoint_new, which
/// consume it.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_config_new() -> Option<Box<mcp_http_config>> {
    shield(None, || {
        Some(Box::new(mcp_http_config {
            settings: Settings::default(),
            any_origin: false,
            anyone: None,
            authorizer: None,
            faults: Faults::default(),
        }))
    })
}

/// Frees an HTTP configuration that nothing was made from; NULL does nothing.
///
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_config_free(config: Option<Box<mcp_http_config>>) {
    shield((), || drop(config));
}

/// Sets an option that is a number or a switch.
///
/// Threads: one at a time.
/// Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type, or a number out of
/// bounds.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_config_set_int(
    config: Option<&mut mcp_http_config>,
    option: i32,
    value: i64,
) -> mcp_status {
    guard(None, || {
        mcp_http_config::set(config, &format!("option {option}"), |config| {
            Entry::find_in(TABLE, option)?.set_int(&mut config.settings, value)
        })
    })
}

/// Sets an option that is a text.
///
/// Threads: one at a time.
/// Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type; MCP_STATUS_INVALID_UTF8.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_http_config_set_text(
    config: Option<&mut mcp_http_config>,
    option: i32,
    text: *const c_char,
    len: usize,
) -> mcp_status {
    guard(None, || {
        mcp_http_config::set(config, &format!("option {option}"), |config| {
            let entry = Entry::find_in(TABLE, option)?;
            let text = self::text(text, len, &format!("option {}", entry.name()))?;
            entry.set_text(&mut config.settings, text)
        })
    })
}

/// Appends to an option that is a list of texts.
///
/// Threads: one at a time.
/// Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type; MCP_STATUS_INVALID_UTF8.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_http_config_add_text(
    config: Option<&mut mcp_http_config>,
    option: i32,
    text: *const c_char,
    len: usize,
) -> mcp_status {
    guard(None, || {
        let mcp_http_config { settings, faults, .. } = present(config, "config")?;
        let outcome = Entry::find_in(TABLE, option).and_then(|entry| {
            entry.add_text(settings, self::text(text, len, &format!("option {}", entry.name()))?)
        });
        faults.note_added(&format!("option {option}"), outcome)
    })
}

/// Lets everyone use the endpoint, as this caller; NULL is the anonymous caller, without scopes.
///
/// Ownership: `caller` stays yours.
/// Threads: one at a time.
/// Errors: what was wrong with the caller.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_config_allow_any_caller(
    config: Option<&mut mcp_http_config>,
    caller: Option<&mcp_caller>,
) -> mcp_status {
    guard(None, || {
        mcp_http_config::set(config, "any caller", |config| {
            config.anyone = Some(match caller {
                Some(caller) => Caller::clone(caller.sound()?),
                None => Caller::default(),
            });
            Ok(())
        })
    })
}

/// Lets every page in every browser use the endpoint; then authorization alone protects it.
///
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_config_allow_any_origin(config: Option<&mut mcp_http_config>) -> mcp_status {
    guard(None, || {
        mcp_http_config::set(config, "any origin", |config| {
            config.any_origin = true;
            Ok(())
        })
    })
}

/// Registers the function that decides who may use the endpoint. A second registration replaces the first, whose destroy
/// runs then.
///
/// Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails; else when the listener or the
/// endpoint with its exchanges is gone and the last authorization consumed.
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_config_on_authorize(
    config: Option<&mut mcp_http_config>,
    function: mcp_authorize_fn,
    user_data: *mut c_void,
    destroy: mcp_destroy_fn,
) -> mcp_status {
    let user_data = UserData::new(user_data, destroy);
    guard(None, || {
        mcp_http_config::set(config, "on_authorize", |config| {
            let callback = Callback::new(function, user_data, "the function of on_authorize")?;
            config.authorizer = Some(Asker(Arc::new(callback)));
            Ok(())
        })
    })
}

/// Registers the function that sees each body before it is read as JSON. A second registration replaces the first, whose
/// destroy runs then.
///
/// Ownership: as mcp_http_config_on_authorize.
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_config_on_authorize_body(
    config: Option<&mut mcp_http_config>,
    function: mcp_authorize_body_fn,
    user_data: *mut c_void,
    destroy: mcp_destroy_fn,
) -> mcp_status {
    let user_data = UserData::new(user_data, destroy);
    guard(None, || {
        mcp_http_config::set(config, "on_authorize_body", |config| {
            let callback = Callback::new(function, user_data, "the function of on_authorize_body")?;
            config.settings.http.authorize_body = Some(Arc::new(move |caller: &Caller, body: &[u8]| {
                let handle = mcp_caller::new(Arc::new(caller.clone()));
                let (data, len) = (callback.data(), body.len());
                // SAFETY: the host registered the function with this data; caller and body outlive the callback.
                unsafe { (callback.function)(data, &raw const handle, body.as_ptr().cast(), len) == 0 }
            }));
            Ok(())
        })
    })
}

/// Registers the functions that keep sessions of the older revisions outside of the endpoint, so that another process can
/// go on with them. What a session is does not change: its calls, its streams and what waits to be sent stay in the
/// process that has them. Without them an endpoint keeps its sessions in its own memory. A second registration replaces
/// the first, whose destroy runs then.
///
/// Ownership: as mcp_http_config_on_authorize.
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_http_config_session_store(
    config: Option<&mut mcp_http_config>,
    save: mcp_session_save_fn,
    load: mcp_session_load_fn,
    forget: mcp_session_delete_fn,
    user_data: *mut c_void,
    destroy: mcp_destroy_fn,
) -> mcp_status {
    let user_data = UserData::new(user_data, destroy);
    guard(None, || {
        mcp_http_config::set(config, "session_store", |config| {
            let load = present(load, "the function that loads")?;
            let delete = present(forget, "the function that deletes")?;
            let save = Callback::new(save, user_data, "the function that saves")?;
            config.settings.http.session_store = Some(Arc::new(Store { save, load, delete }));
            Ok(())
        })
    })
}
