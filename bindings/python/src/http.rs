//! Options of the HTTP doors, by name.

use crate::authorization::Gatekeeper;
use crate::caller::Caller;
use crate::error::{wrong_type, wrong_value};
use crate::host::Shared;
use crate::store::Store;
use mcpcore_engine::http::{Access, HttpConfig, ListenerConfig, Origins, Sessions};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Reads the options. `authorize` is a caller, as whom everyone comes in, or the number of a function
/// that is to be asked and whether it runs on a thread.
pub(crate) fn read(
    options: &Bound<'_, PyDict>,
    shared: &Arc<Shared>,
) -> PyResult<(HttpConfig, ListenerConfig)> {
    let mut http = HttpConfig::default();
    let mut listener = ListenerConfig::new("127.0.0.1:0");
    for (key, value) in options {
        let key: String = key.extract()?;
        set(&mut http, &mut listener, &key, &value, shared).map_err(|error| {
            let py = options.py();
            let text = format!("{key}: {}", error.value(py));
            if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) {
                wrong_type(text)
            } else {
                wrong_value(text)
            }
        })?;
    }
    Ok((http, listener))
}

fn set(
    http: &mut HttpConfig,
    listener: &mut ListenerConfig,
    key: &str,
    value: &Bound<'_, PyAny>,
    shared: &Arc<Shared>,
) -> PyResult<()> {
    match key {
        "path" => http.path = value.extract()?,
        "allowed_origins" => {
            http.origins = Some(match value.extract::<String>() {
                Ok(word) if word == "any" => Origins::Any,
                Ok(other) => {
                    return Err(wrong_value(format!("must be \"any\" or a list of origins, not {other:?}")))
                }
                Err(_) => Origins::Only(value.extract()?),
            });
        }
        "authorize" => {
            http.access = Some(match value.cast::<Caller>() {
                Ok(caller) => Access::Anyone((*caller.get().inner).clone()),
                Err(_) => Access::Ask(Arc::new(Gatekeeper::new(shared, value.extract()?))),
            });
        }
        "allowed_hosts" => http.hosts = value.extract()?,
        "max_body_bytes" => http.max_body_bytes = value.extract()?,
        "body_timeout_ms" => http.body_timeout_ms = value.extract()?,
        "byte_budget" => http.byte_budget = value.extract()?,
        "max_calls" => http.max_calls = value.extract()?,
        "max_streams" => http.max_streams = value.extract()?,
        "max_stream_ms" => http.max_stream_ms = value.extract()?,
        "stream_queue_bytes" => http.stream_queue_bytes = value.extract()?,
        "keep_alive_ms" => http.keep_alive_ms = value.extract()?,
        "reauthorize_ms" => http.reauthorize_ms = value.extract()?,
        "reauthorize_on_delivery" => http.reauthorize_on_delivery = value.extract()?,
        "resource_metadata" => http.resource_metadata = value.extract()?,
        "realm" => http.realm = value.extract()?,
        "call_headers" => http.call_headers = value.extract()?,
        "sessions" => {
            http.sessions = match value.extract::<String>()?.as_str() {
                "kept" => Sessions::Kept,
                "stateless" => Sessions::Stateless,
                other => {
                    return Err(wrong_value(format!("must be \"kept\" or \"stateless\", not {other:?}")))
                }
            }
        }
        "max_sessions" => http.max_sessions = value.extract()?,
        "session_idle_ms" => http.session_idle_ms = value.extract()?,
        "session_replay_bytes" => http.session_replay_bytes = value.extract()?,
        "retry_ms" => http.retry_ms = value.extract()?,
        "sse_path" => http.sse_path = value.extract()?,
        "session_store" => http.session_store = Some(Arc::new(Store::new(value.clone().unbind()))),
        "unix_principal" => http.unix_principal = value.extract()?,
        "addresses" => listener.addresses = value.extract()?,
        "io_threads" => listener.threads = value.extract()?,
        "max_connections" => listener.max_connections = value.extract()?,
        "header_timeout_ms" => listener.header_timeout_ms = value.extract()?,
        "idle_ms" => listener.idle_ms = value.extract()?,
        "drain_ms" => listener.drain_ms = value.extract()?,
        _ => return Err(wrong_type("no such option".to_owned())),
    }
    Ok(())
}
