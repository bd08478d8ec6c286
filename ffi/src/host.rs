//! The engine's host, made of callbacks.

use crate::call::mcp_call;
use crate::callback::Callback;
use crate::catalog::mcp_catalog;
use crate::fork::Birth;
use crate::text::CText;
use mcpcore_engine::{Call, CancelReason, CatalogBuilder, Error, Host, LogLevel};
use std::ffi::{c_char, c_void};
use std::io::Write;
use std::sync::Arc;

type CatalogFn = unsafe extern "C" fn(*mut c_void, *const c_char, usize, *mut mcp_catalog);
type CallFn = unsafe extern "C" fn(*mut c_void, *mut mcp_call);
type CancelFn = unsafe extern "C" fn(*mut c_void, u64, i32);
type LogFn = unsafe extern "C" fn(*mut c_void, i32, *const c_char, usize);
type EventFn = unsafe extern "C" fn(*mut c_void, *const c_char, usize);

/// Everything that a host registered. Every call holds its server, and so this, so that a user_data outlives the last of
/// them.
pub(crate) struct Callbacks {
    pub(crate) catalog: Option<Callback<CatalogFn>>,
    pub(crate) call: Option<Callback<CallFn>>,
    pub(crate) cancel: Option<Callback<CancelFn>>,
    pub(crate) log: Option<Callback<LogFn>>,
    pub(crate) event: Option<Callback<EventFn>>,
    /// The process that the server belongs to.
    pub(crate) birth: Birth,
}

impl Callbacks {
    pub(crate) fn new() -> Self {
        Self { catalog: None, call: None, cancel: None, log: None, event: None, birth: Birth::here() }
    }
}

/// The engine's end of the callbacks.
pub(crate) struct Bridge(pub(crate) Arc<Callbacks>);

impl Host for Bridge {
    fn catalog(&self, key: &str, builder: &mut CatalogBuilder) -> Result<(), Error> {
        let Some(on_catalog) = &self.0.catalog else {
            return Ok(());
        };
        let key = CText::new(key);
        let (data, len) = (on_catalog.data(), key.as_str().len());
        let mut catalog = mcp_catalog::new(builder);
        // SAFETY: the host registered the function with this data; key and catalog outlive the callback.
        unsafe { (on_catalog.function)(data, key.as_ptr(), len, &raw mut catalog) };
        Ok(())
    }

    fn call(&self, call: Call) {
        // Without the callback there is nobody to answer: dropped, the client gets -32603.
        let Some(on_call) = &self.0.call else { return };
        let call = mcp_call::new(call, self.0.birth);
        // SAFETY: the host registered the function with this data, and the handle becomes its own.
        unsafe { (on_call.function)(on_call.data(), call) };
    }

    fn answers_calls(&self) -> bool {
        self.0.call.is_some()
    }

    fn cancelled(&self, number: u64, reason: CancelReason) {
        let Some(on_cancel) = &self.0.cancel else { return };
        // SAFETY: the host registered the function with this data.
        unsafe { (on_cancel.function)(on_cancel.data(), number, reason as i32) };
    }

    fn log(&self, level: LogLevel, text: &str) {
        if let Some(on_log) = &self.0.log {
            let text = CText::new(text);
            // SAFETY: the host registered the function with this data; the text outlives the callback.
            unsafe { (on_log.function)(on_log.data(), level as i32, text.as_ptr(), text.as_str().len()) };
        } else if level >= LogLevel::Warning {
            // Standard error may be closed; then there is nobody to tell.
            let _ = writeln!(std::io::stderr(), "mcpcore: {level}: {text}");
        }
    }

    fn event(&self, json: &str) {
        let Some(on_event) = &self.0.event else { return };
        // SAFETY: the host registered the function with this data; the text outlives the callback.
        unsafe { (on_event.function)(on_event.data(), json.as_ptr().cast(), json.len()) };
    }
}
