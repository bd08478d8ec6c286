//! Options of a server, by name.

use crate::error::{wrong_type, wrong_value};
use mcpcore_engine::{CacheScope, Config, Dispatch, InvalidArguments, InvalidItems, MissingScope, Revision};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

/// What only the binding knows: threads of the pool, and how long a call may wait for one.
pub(crate) struct Threads {
    pub(crate) limit: usize,
    pub(crate) wait_ms: u64,
}

/// Reads the options.
pub(crate) fn read(name: &str, version: &str, options: &Bound<'_, PyDict>) -> PyResult<(Config, Threads)> {
    let mut config = Config::new(name, version);
    // The engine's threads put calls into queues, which never takes long.
    config.dispatch = Dispatch::Inline;
    let mut threads = Threads { limit: default_threads(), wait_ms: config.pool_wait_ms };
    for (key, value) in options {
        let key: String = key.extract()?;
        set(&mut config, &mut threads, &key, &value).map_err(|error| named(options.py(), &key, &error))?;
    }
    Ok((config, threads))
}

/// Threads mostly wait for something else than the processor.
fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(8, |count| count.get() + 4).min(32)
}

/// The error with the option's name before it.
fn named(py: Python<'_>, key: &str, error: &PyErr) -> PyErr {
    let text = format!("{key}: {}", error.value(py));
    if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) {
        wrong_type(text)
    } else {
        wrong_value(text)
    }
}

fn set(config: &mut Config, threads: &mut Threads, key: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    match key {
        "info" => config.info = value.extract()?,
        "instructions" => config.instructions = value.extract()?,
        "extensions" => config.extensions = value.extract()?,
        "experimental" => config.experimental = value.extract()?,
        "threads" => threads.limit = value.extract::<usize>()?.max(1),
        "thread_wait_ms" => threads.wait_ms = value.extract()?,
        "max_calls" => config.max_calls = value.extract()?,
        "call_timeout_ms" => config.call_timeout_ms = value.extract()?,
        "page_size" => config.page_size = value.extract()?,
        "max_message_bytes" => config.max_message_bytes = value.extract()?,
        "max_result_bytes" => config.max_result_bytes = value.extract()?,
        "max_state_bytes" => config.max_state_bytes = value.extract()?,
        "max_subscriptions" => config.max_subscriptions = value.extract()?,
        "max_subscription_uris" => config.max_subscription_uris = value.extract()?,
        "invalid_items" => {
            let words = [("refuse", InvalidItems::Refuse), ("skip", InvalidItems::Skip)];
            config.invalid_items = word(value, words)?;
        }
        "invalid_arguments" => {
            let words = [("tool_error", InvalidArguments::ToolError), ("reject", InvalidArguments::Reject)];
            config.invalid_arguments = word(value, words)?;
        }
        "missing_scope" => {
            let words = [("hide", MissingScope::Hide), ("challenge", MissingScope::Challenge)];
            config.missing_scope = word(value, words)?;
        }
        "cache_scope" => {
            let words = [("public", CacheScope::Public), ("private", CacheScope::Private)];
            config.cache_scope = word(value, words)?;
        }
        "repair_arguments" => config.repair_arguments = value.extract()?,
        "check_formats" => config.check_formats = value.extract()?,
        "cache_ttl_ms" => config.cache_ttl_ms = value.extract()?,
        "state_keys" => config.state_keys = state_keys(value)?,
        "state_ttl_ms" => config.state_ttl_ms = value.extract()?,
        "identify" => config.identify = value.extract()?,
        "tools_list_changed" => config.tools_list_changed = value.extract()?,
        "resources_list_changed" => config.resources_list_changed = value.extract()?,
        "prompts_list_changed" => config.prompts_list_changed = value.extract()?,
        "subscribe" => config.resources_subscribe = value.extract()?,
        "completions" => config.completions = value.extract()?,
        "logging" => config.logging = value.extract()?,
        "answer_parse_errors" => config.answer_parse_errors = value.extract()?,
        "drain_ms" => config.drain_ms = value.extract()?,
        "legacy" => config.legacy = value.extract()?,
        "revisions" => config.revisions = revisions(value)?,
        "input_timeout_ms" => config.input_timeout_ms = value.extract()?,
        _ => return Err(wrong_type("no such option".to_owned())),
    }
    Ok(())
}

fn word<T: Copy, const N: usize>(value: &Bound<'_, PyAny>, words: [(&str, T); N]) -> PyResult<T> {
    let given: String = value.extract()?;
    words.iter().find(|(known, _)| *known == given).map(|(_, meant)| *meant).ok_or_else(|| {
        let known = words.map(|(known, _)| known).join(" or ");
        wrong_value(format!("must be {known}, not {given:?}"))
    })
}

fn revisions(value: &Bound<'_, PyAny>) -> PyResult<Vec<Revision>> {
    let dates: Vec<String> = value.extract()?;
    let read = |date: &String| {
        Revision::read(date).ok_or_else(|| wrong_value(format!("there is no revision {date:?}")))
    };
    dates.iter().map(read).collect()
}

fn state_keys(value: &Bound<'_, PyAny>) -> PyResult<Vec<[u8; 32]>> {
    let list = value.cast::<PyList>()?;
    let read = |key: Bound<'_, PyAny>| {
        let bytes = key.cast::<PyBytes>()?.as_bytes();
        <[u8; 32]>::try_from(bytes)
            .map_err(|_| wrong_value(format!("a key has 32 bytes, not {}", bytes.len())))
    };
    list.iter().map(read).collect()
}
