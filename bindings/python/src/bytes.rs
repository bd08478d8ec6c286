//! Bytes that Python gives.

use crate::error::{type_name, wrong_type};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

/// The bytes of a text or of a bytes-like object.
pub(crate) fn bytes_of(given: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(text.to_str()?.as_bytes().to_vec());
    }
    if given.is_instance_of::<PyByteArray>() || given.is_instance_of::<PyMemoryView>() {
        let bytes = given.py().get_type::<PyBytes>().call1((given,))?;
        return Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec());
    }
    Err(wrong_type(format!("a text or bytes are wanted, not {}", type_name(given))))
}
