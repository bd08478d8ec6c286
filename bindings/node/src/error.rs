//! Errors as JavaScript gets them: an `Error` whose `code` is a stable word.

use mcpcore_engine::{Error, ErrorKind};

/// The `code` of an error.
#[derive(Debug, Clone, Copy)]
pub struct Code(&'static str);

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        self.0
    }
}

impl From<napi::Status> for Code {
    fn from(_: napi::Status) -> Self {
        Self("INVALID_ARGUMENT")
    }
}

/// What native functions return.
pub(crate) type Result<T> = napi::Result<T, Code>;

/// The word for a kind of error.
pub(crate) fn word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::InvalidArgument => "INVALID_ARGUMENT",
        ErrorKind::InvalidUtf8 => "INVALID_UTF8",
        ErrorKind::InvalidJson => "INVALID_JSON",
        ErrorKind::Catalog => "CATALOG",
        ErrorKind::Answered => "ANSWERED",
        ErrorKind::Gone => "GONE",
        ErrorKind::Closed => "CLOSED",
        ErrorKind::Io => "IO",
        ErrorKind::Timeout => "TIMEOUT",
        ErrorKind::Busy => "BUSY",
        // Kinds to come are faults of this library until they have a word.
        _ => "INTERNAL",
    }
}

/// The error, its cause told too.
pub(crate) fn thrown(error: &Error) -> napi::Error<Code> {
    napi::Error::new(Code(word(error.kind())), told(error))
}

/// What the error says, its cause too.
pub(crate) fn told(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// An argument that cannot be taken.
pub(crate) fn invalid(message: impl Into<String>) -> napi::Error<Code> {
    napi::Error::new(Code("INVALID_ARGUMENT"), message.into())
}

/// Something that is over.
pub(crate) fn closed(message: &str) -> napi::Error<Code> {
    napi::Error::new(Code("CLOSED"), message)
}
