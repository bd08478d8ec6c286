//! A configuration being filled.

use crate::callback::{
    mcp_call_fn, mcp_cancel_fn, mcp_catalog_fn, mcp_destroy_fn, mcp_event_fn, mcp_log_fn, Callback, UserData,
};
use crate::error::mcp_error;
use crate::fault::Faults;
use crate::guard::{guard, shield};
use crate::host::{Bridge, Callbacks};
use crate::option::Entry;
use crate::status::mcp_status;
use crate::text::{present, text, word};
use mcpcore_engine::{Config, Server};
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// What a server is made from: mcp_server_new consumes it.
///
/// You need not look at the statuses of its setters: mcp_server_new fails with every fault, a line each.
///
/// Functions: mcp_config_new, mcp_config_free, mcp_config_set_int, mcp_config_set_text, mcp_config_add_text,
/// mcp_config_set_catalog, mcp_config_on_catalog, mcp_config_on_call, mcp_config_on_cancel, mcp_config_on_log,
/// mcp_config_on_event.
///
/// Since: 0.1.
pub struct mcp_config {
    config: Config,
    callbacks: Callbacks,
    faults: Faults,
}

impl mcp_config {
    fn set<T>(
        config: Option<&mut Self>,
        subject: &str,
        change: impl FnOnce(&mut Config, &mut Callbacks) -> Result<T, mcp_error>,
    ) -> Result<(), mcp_error> {
        let Self { config, callbacks, faults } = present(config, "config")?;
        let outcome = change(config, callbacks);
        faults.note(subject, outcome).map(|_| ())
    }

    /// The server; else what was wrong here and what is wrong for the engine, all at once.
    pub(crate) fn into_server(self: Box<Self>) -> Result<Server, mcp_error> {
        let Self { config, mut callbacks, mut faults } = *self;
        // The server belongs to this process, whichever one filled the configuration.
        callbacks.birth = crate::fork::Birth::here();
        let made = Server::new(config, Arc::new(Bridge(Arc::new(callbacks)))).map_err(mcp_error::from);
        let Some(fault) = faults.take() else { return made };
        let Err(more) = made else { return Err(fault) };
        Err(mcp_error::new(fault.status(), &format!("{}\n{}", fault.message(), more.message())))
    }
}

/// Makes a configuration with every default. Name and version are what clients see in serverInfo.
///
/// Ownership: the result is yours. Free with mcp_config_free, or pass to mcp_server_new, which consumes it.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_config_new(
    name: *const c_char,
    version: *const c_char,
) -> Option<Box<mcp_config>> {
    shield(None, || {
        let mut faults = Faults::default();
        let name = faults.note("name", word(name, "name")).unwrap_or_default();
        let version = faults.note("version", word(version, "version")).unwrap_or_default();
        Some(Box::new(mcp_config { config: Config::new(name, version), callbacks: Callbacks::new(), faults }))
    })
}

/// Frees a configuration that no server was made from; NULL does nothing.
///
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_config_free(config: Option<Box<mcp_config>>) {
    shield((), || drop(config));
}

/// Sets an option that is a number, a choice or a switch.
///
/// Threads: one at a time.
/// Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type, or a number out of
/// bounds.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_config_set_int(config: Option<&mut mcp_config>, option: i32, value: i64) -> mcp_status {
    guard(None, || {
        let subject = format!("option {option}");
        mcp_config::set(config, &subject, |config, _| Entry::find(option)?.set_int(config, value))
    })
}

/// Sets an option that is a text.
///
/// Threads: one at a time.
/// Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type; MCP_STATUS_INVALID_UTF8.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_config_set_text(
    config: Option<&mut mcp_config>,
    option: i32,
    text: *const c_char,
    len: usize,
) -> mcp_status {
    guard(None, || {
        let subject = format!("option {option}");
        mcp_config::set(config, &subject, |config, _| {
            let entry = Entry::find(option)?;
            entry.set_text(config, self::text(text, len, &format!("option {}", entry.name()))?)
        })
    })
}

/// Appends to an option that is a list of texts.
///
/// Threads: one at a time.
/// Errors: MCP_STATUS_INVALID_ARGUMENT for an option that does not exist or is of another type, or a text that the
/// option does not take; MCP_STATUS_INVALID_UTF8.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_config_add_text(
    config: Option<&mut mcp_config>,
    option: i32,
    text: *const c_char,
    len: usize,
) -> mcp_status {
    guard(None, || {
        let mcp_config { config, faults, .. } = present(config, "config")?;
        let outcome = Entry::find(option).and_then(|entry| {
            entry.add_text(config, self::text(text, len, &format!("option {}", entry.name()))?)
        });
        faults.note_added(&format!("option {option}"), outcome)
    })
}

/// Sets a constant catalog: {"tools":[…],"resources":[…],"resourceTemplates":[…],"prompts":[…]}, each key optional. What
/// mcp_catalog_fn adds comes on top.
///
/// Threads: one at a time.
/// Errors: MCP_STATUS_INVALID_UTF8. The rest is checked by mcp_server_new.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_config_set_catalog(
    config: Option<&mut mcp_config>,
    json: *const c_char,
    len: usize,
) -> mcp_status {
    guard(None, || {
        mcp_config::set(config, "catalog", |config, _| {
            config.catalog = Some(text(json, len, "the catalog")?.to_owned());
            Ok(())
        })
    })
}

/// Registers the function that fills catalogs. A second registration replaces the first, whose destroy runs then.
///
/// Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails.
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_config_on_catalog(
    config: Option<&mut mcp_config>,
    function: mcp_catalog_fn,
    user_data: *mut c_void,
    destroy: mcp_destroy_fn,
) -> mcp_status {
    let user_data = UserData::new(user_data, destroy);
    guard(None, || {
        mcp_config::set(config, "on_catalog", |_, callbacks| {
            callbacks.catalog = Some(Callback::new(function, user_data, "the function of on_catalog")?);
            Ok(())
        })
    })
}

/// Registers the function that answers calls; needed as soon as the catalog offers anything. A second registration replaces the first, whose destroy runs then.
///
/// Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails.
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_config_on_call(
    config: Option<&mut mcp_config>,
    function: mcp_call_fn,
    user_data: *mut c_void,
    destroy: mcp_destroy_fn,
) -> mcp_status {
    let user_data = UserData::new(user_data, destroy);
    guard(None, || {
        mcp_config::set(config, "on_call", |_, callbacks| {
            callbacks.call = Some(Callback::new(function, user_data, "the function of on_call")?);
            Ok(())
        })
    })
}

/// Registers the function that learns of cancelled calls. A second registration replaces the first, whose destroy runs
/// then.
///
/// Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails.
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_config_on_cancel(
    config: Option<&mut mcp_config>,
    function: mcp_cancel_fn,
    user_data: *mut c_void,
    destroy: mcp_destroy_fn,
) -> mcp_status {
    let user_data = UserData::new(user_data, destroy);
    guard(None, || {
        mcp_config::set(config, "on_cancel", |_, callbacks| {
            callbacks.cancel = Some(Callback::new(function, user_data, "the function of on_cancel")?);
            Ok(())
        })
    })
}

/// Registers the function that takes the library's own log; without one, warnings and worse go to standard error. A
/// second registration replaces the first, whose destroy runs then.
///
/// Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails.
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_config_on_log(
    config: Option<&mut mcp_config>,
    function: mcp_log_fn,
    user_data: *mut c_void,
    destroy: mcp_destroy_fn,
) -> mcp_status {
    let user_data = UserData::new(user_data, destroy);
    guard(None, || {
        mcp_config::set(config, "on_log", |_, callbacks| {
            callbacks.log = Some(Callback::new(function, user_data, "the function of on_log")?);
            Ok(())
        })
    })
}

/// Registers the function that takes events. A second registration replaces the first, whose destroy runs then.
///
/// Ownership: `destroy`, if not NULL, runs once for `user_data`, also when this fails.
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_config_on_event(
    config: Option<&mut mcp_config>,
    function: mcp_event_fn,
    user_data: *mut c_void,
    destroy: mcp_destroy_fn,
) -> mcp_status {
    let user_data = UserData::new(user_data, destroy);
    guard(None, || {
        mcp_config::set(config, "on_event", |config, callbacks| {
            callbacks.event = Some(Callback::new(function, user_data, "the function of on_event")?);
            config.events = true;
            Ok(())
        })
    })
}
