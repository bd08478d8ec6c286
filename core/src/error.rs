//! The one error type of the crate.

use std::fmt;

/// What kind of thing went wrong. Every binding maps each kind to its own status or exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A value that the function cannot take; the message names it.
    InvalidArgument,
    /// Text that is not UTF-8.
    InvalidUtf8,
    /// Text that is not JSON, or JSON of the wrong shape; the message says where.
    InvalidJson,
    /// The catalog has faults; the message lists every one, a line each.
    Catalog,
    /// The call was answered before.
    Answered,
    /// The call was cancelled, timed out or its connection closed; nothing was sent.
    Gone,
    /// The server was stopped.
    Closed,
    /// Reading or writing failed.
    Io,
    /// Nobody answered in time.
    Timeout,
    /// A limit on work in flight was reached.
    Busy,
    /// A fault of this library.
    Internal,
}

impl ErrorKind {
    /// Every kind, in the order of declaration.
    pub const ALL: &'static [ErrorKind] = &[
        ErrorKind::InvalidArgument,
        ErrorKind::InvalidUtf8,
        ErrorKind::InvalidJson,
        ErrorKind::Catalog,
        ErrorKind::Answered,
        ErrorKind::Gone,
        ErrorKind::Closed,
        ErrorKind::Io,
        ErrorKind::Timeout,
        ErrorKind::Busy,
        ErrorKind::Internal,
    ];
}

/// What went wrong: a kind for programs, a message for people, and the cause if there is one.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of `kind` that says `message`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// The same error with its cause.
    pub fn with_source(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What was wrong, where, and what to do.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.source {
            Some(source) => Some(source.as_ref()),
            None => None,
        }
    }
}

/// What this crate's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;
