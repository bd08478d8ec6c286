//! From values to JSON text.

use crate::error::{type_name, wrong_type, wrong_value};
use mcpcore_engine::json::{quote, MAX_DEPTH};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// The JSON text of `value`.
pub(crate) fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut out = Vec::with_capacity(256);
    write(value, &mut out, 0)?;
    String::from_utf8(out).map_err(|error| wrong_value(error.to_string()))
}

/// Writes `value`; `depth` is how many arrays and objects it stands in.
pub(crate) fn write(value: &Bound<'_, PyAny>, out: &mut Vec<u8>, depth: usize) -> PyResult<()> {
    if depth > MAX_DEPTH {
        return Err(wrong_value(format!("nested over {MAX_DEPTH} levels, or a value that holds itself")));
    }
    if let Ok(string) = value.cast::<PyString>() {
        return write_string(string, out);
    }
    if value.is_none() {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    if let Ok(boolean) = value.cast::<PyBool>() {
        out.extend_from_slice(if boolean.is_true() { b"true" } else { b"false" });
        return Ok(());
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return write_object(dict, out, depth);
    }
    if let Ok(list) = value.cast::<PyList>() {
        return write_array(list.iter(), out, depth);
    }
    if let Ok(integer) = value.cast::<PyInt>() {
        return write_integer(integer, out);
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        return write_float(float.value(), out);
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return write_array(tuple.iter(), out, depth);
    }
    write_other(value, out, depth)
}

fn write_string(string: &Bound<'_, PyString>, out: &mut Vec<u8>) -> PyResult<()> {
    if let Ok(text) = string.to_str() {
        out.extend_from_slice(quote(text).as_bytes());
        return Ok(());
    }
    // Half a surrogate pair: written as an escape, so that the engine says so in its log and sends U+FFFD.
    let units = string.call_method1("encode", ("utf-16-le", "surrogatepass"))?;
    let units = units.cast_into::<PyBytes>()?;
    out.push(b'"');
    for unit in units.as_bytes().chunks_exact(2) {
        let unit = u16::from_le_bytes([unit[0], unit[1]]);
        out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
    }
    out.push(b'"');
    Ok(())
}

fn write_integer(integer: &Bound<'_, PyInt>, out: &mut Vec<u8>) -> PyResult<()> {
    if let Ok(small) = integer.extract::<i64>() {
        out.extend_from_slice(small.to_string().as_bytes());
    } else {
        // An enum of integers has a text of its own; the number's is asked for.
        let text = integer.py().get_type::<PyInt>().getattr("__repr__")?.call1((integer,))?;
        out.extend_from_slice(text.cast::<PyString>()?.to_str()?.as_bytes());
    }
    Ok(())
}

fn write_float(double: f64, out: &mut Vec<u8>) -> PyResult<()> {
    if !double.is_finite() {
        return Err(wrong_value(format!("JSON has no number {double}")));
    }
    out.extend_from_slice(format!("{double:?}").as_bytes());
    Ok(())
}

fn write_array<'py>(
    elements: impl Iterator<Item = Bound<'py, PyAny>>,
    out: &mut Vec<u8>,
    depth: usize,
) -> PyResult<()> {
    out.push(b'[');
    let start = out.len();
    for element in elements {
        if out.len() > start {
            out.push(b',');
        }
        write(&element, out, depth + 1)?;
    }
    out.push(b']');
    Ok(())
}

fn write_object(dict: &Bound<'_, PyDict>, out: &mut Vec<u8>, depth: usize) -> PyResult<()> {
    out.push(b'{');
    let start = out.len();
    for (name, member) in dict {
        if out.len() > start {
            out.push(b',');
        }
        write_name(&name, out)?;
        out.push(b':');
        write(&member, out, depth + 1)?;
    }
    out.push(b'}');
    Ok(())
}

/// A member name; numbers, booleans and `None` become texts, as Python's own `json` does it.
fn write_name(name: &Bound<'_, PyAny>, out: &mut Vec<u8>) -> PyResult<()> {
    if let Ok(string) = name.cast::<PyString>() {
        return write_string(string, out);
    }
    let plain = name.is_none() || name.is_instance_of::<PyInt>() || name.is_instance_of::<PyFloat>();
    if !plain {
        return Err(wrong_type(format!("the keys of a JSON object are texts, not {}", type_name(name))));
    }
    out.push(b'"');
    write(name, out, MAX_DEPTH)?;
    out.push(b'"');
    Ok(())
}

/// What JSON does not have: `mcpcore.plain` turns it into what it has.
fn write_other(value: &Bound<'_, PyAny>, out: &mut Vec<u8>, depth: usize) -> PyResult<()> {
    static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let plain = PLAIN.get_or_try_init(py, || {
        py.import("mcpcore.plain").and_then(|module| module.getattr("plain")).map(Bound::unbind)
    })?;
    write(&plain.bind(py).call1((value,))?, out, depth + 1)
}
