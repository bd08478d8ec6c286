//! Values of Python from JSON and to it, without a tree between.

mod read;
mod write;

pub(crate) use read::value;
pub(crate) use write::{text, write};

use crate::error::wrong_value;
use mcpcore_engine::json::Document;
use pyo3::prelude::*;

/// Reads one JSON text, strictly: UTF-8, no member twice, at most 128 levels. Integers keep every digit.
#[pyfunction]
pub(crate) fn from_json<'py>(py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let bytes = crate::bytes::bytes_of(text)?;
    let document = Document::parse(bytes).map_err(|fault| wrong_value(format!("not JSON: {fault}")))?;
    if let Some(name) = document.duplicate() {
        return Err(wrong_value(format!("the member {name:?} stands twice in one object")));
    }
    value(py, document.root())
}

/// Reads a JSON text that the engine wrote or has checked.
pub(crate) fn from_text<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let document = Document::parse(text.as_bytes().to_vec())
        .map_err(|fault| wrong_value(format!("not JSON: {fault}")))?;
    value(py, document.root())
}

/// Writes a value as compact JSON: what JSON has, and dataclasses, pydantic models, enums, dates, paths, UUIDs, decimals
/// and sets.
#[pyfunction]
pub(crate) fn to_json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    text(value)
}
