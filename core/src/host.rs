//! The seam: what a host program supplies.

use crate::call::Call;

use crate::catalog::Builder;
use crate::error::Error;
use crate::protocol::LogLevel;
use std::fmt;
use std::io::Write;

/// What a host program supplies. Implemented once by each binding; a Rust program implements it itself.
///
/// Callbacks run where [`crate::Dispatch`] says, possibly several at once, and never under a lock of the library.
pub trait Host: Send + Sync + 'static {
    /// Fills the catalog for callers whose catalog key is `key` (empty: the common catalog). Runs at start and after
    /// [`crate::Server::catalog_changed`]; what it adds comes on top of [`crate::Config::catalog`].
    ///
    /// # Errors
    /// A host that cannot say what it offers returns why; at start the server is refused, later the old catalog stays.
    fn catalog(&self, key: &str, catalog: &mut Builder) -> Result<(), Error> {
        let _ = (key, catalog);
        Ok(())
    }

    /// Answers one call, now or later, from any thread, exactly once.
    fn call(&self, call: Call);

    /// Whether [`Host::call`] can answer anything. A host that cannot must offer nothing: at start that is a fault.
    fn answers_calls(&self) -> bool {
        true
    }

    /// A call ended without its answer.
    fn cancelled(&self, number: u64, reason: CancelReason) {
        let _ = (number, reason);
    }

    /// The library's own log. Without one, warnings and worse go to standard error.
    fn log(&self, level: LogLevel, text: &str) {
        if level >= LogLevel::Warning {
            // A broken standard error is no reason to fail.
            let _ = writeln!(std::io::stderr(), "mcpcore: {level}: {text}");
        }
    }

    /// What happened, as one JSON object; asked for with [`crate::Config::events`]. There is one kind of event so far, the
    /// end of a call: `{"event":"call","kind":"tool","name":"echo","number":7,"outcome":"complete"}`, where `kind` is
    /// `tool`, `resource`, `prompt` or `completion` and `outcome` one of `complete`, `fail` (told to the model), `reject`,
    /// `input`, `invalid` (the answer may not be sent), `dropped` (unanswered), `late` (the exchange was over).
    fn event(&self, json: &str) {
        let _ = json;
    }
}

/// Why a call ended without its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum CancelReason {
    /// The client said so.
    Client = 1,
    /// Its time was over.
    Timeout = 2,
    /// The connection closed.
    Closed = 3,
    /// The server was stopped.
    Stopped = 4,
}

impl fmt::Display for CancelReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Client => "cancelled by the client",
            Self::Timeout => "out of time",
            Self::Closed => "the connection closed",
            Self::Stopped => "the server was stopped",
        })
    }
}
