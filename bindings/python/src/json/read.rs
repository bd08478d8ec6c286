//! From nodes to values.

use mcpcore_engine::json::{Kind, Node};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// The value that `node` stands for.
pub(crate) fn value<'py>(py: Python<'py>, node: Node<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match node.kind() {
        Kind::Null => py.None().into_bound(py),
        Kind::True => PyBool::new(py, true).to_owned().into_any(),
        Kind::False => PyBool::new(py, false).to_owned().into_any(),
        Kind::Number => number(py, node)?,
        Kind::String => PyString::new(py, &node.as_str().unwrap_or_default()).into_any(),
        Kind::Array => {
            let list = PyList::empty(py);
            for element in node.elements() {
                list.append(value(py, element)?)?;
            }
            list.into_any()
        }
        Kind::Object => {
            let dict = PyDict::new(py);
            for (name, member) in node.members() {
                dict.set_item(PyString::new(py, &name), value(py, member)?)?;
            }
            dict.into_any()
        }
    })
}

fn number<'py>(py: Python<'py>, node: Node<'_>) -> PyResult<Bound<'py, PyAny>> {
    let token = node.as_number().unwrap_or_default();
    if token.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return match token.parse::<i64>() {
            Ok(small) => Ok(PyInt::new(py, small).into_any()),
            // `int` takes any number of digits, or says that it does not.
            Err(_) => py.get_type::<PyInt>().call1((token,)),
        };
    }
    let double = node.as_f64().unwrap_or_else(|| token.parse().unwrap_or(f64::INFINITY));
    Ok(PyFloat::new(py, double).into_any())
}
