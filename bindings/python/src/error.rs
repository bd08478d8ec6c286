//! The engine's errors as Python exceptions.

use mcpcore_engine::{Error, ErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The exception class of a kind, in `mcpcore.errors`.
fn class(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidArgument | ErrorKind::InvalidUtf8 => "InvalidArgumentError",
        ErrorKind::InvalidJson => "InvalidJsonError",
        ErrorKind::Catalog => "CatalogError",
        ErrorKind::Answered => "AnsweredError",
        ErrorKind::Gone => "GoneError",
        ErrorKind::Closed => "ClosedError",
        ErrorKind::Io => "ConnectionLostError",
        ErrorKind::Timeout => "CallTimeoutError",
        ErrorKind::Busy => "BusyError",
        // The enum may grow; what is not known here is no fault of the host.
        _ => "InternalError",
    }
}

/// Turns an error of the engine into its exception.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let mut message = error.to_string();
    if let Some(cause) = std::error::Error::source(error) {
        message = format!("{message}: {cause}");
    }
    let name = class(error.kind());
    match py.import("mcpcore.errors").and_then(|module| module.getattr(name)) {
        Ok(class) => match class.call1((message,)) {
            Ok(exception) => PyErr::from_value(exception),
            Err(error) => error,
        },
        Err(error) => error,
    }
}

/// A `TypeError`.
pub(crate) fn wrong_type(message: String) -> PyErr {
    pyo3::exceptions::PyTypeError::new_err(message)
}

/// A `ValueError`.
pub(crate) fn wrong_value(message: impl Into<String>) -> PyErr {
    pyo3::exceptions::PyValueError::new_err(message.into())
}

/// The name of a value's type, for messages.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    let class: Bound<'_, PyType> = value.get_type();
    class.name().map_or_else(|_| "?".to_owned(), |name| name.to_string())
}
