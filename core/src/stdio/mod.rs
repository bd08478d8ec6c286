//! The stdio door: lines over a pair of descriptors.

#[cfg(not(unix))]
compile_error!("the stdio door is written for Unix descriptors; a port has to supply this module");

mod driver;
mod guard;
pub(crate) mod lines;
mod output;
mod port;
#[cfg(test)]
mod tests;

use crate::caller::Caller;
use crate::dispatch::sigpipe;
use crate::engine::connection::Connection;
use crate::error::{Error, ErrorKind, Result};
use crate::server::Server;
use driver::{Alarm, Driver};
use output::Outlet;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A door that is told once its server has stopped, so that its thread can leave.
pub(crate) trait Stop: Send + Sync {
    fn stop(&self);
}

/// Serves this process's standard input and output until the input ends, the output's reader goes away, or the server
/// is stopped. The calling thread reads; only one call in the life of the process can do this.
///
/// At once and for good, descriptor 0 becomes the null device and descriptor 1 a copy of descriptor 2 (or the null
/// device, if 2 is closed or is the same file as 1), so that neither stray output of the host nor its child processes
/// touch the protocol. At the end of input, answers that are owed are waited for as long as
/// [`crate::Config::drain_ms`] says, and then once more as long for the client to read them.
///
/// # Errors
/// `Closed` the second time; `Io` if descriptor 0 or 1 is not open, reading fails, or nobody reads the output.
pub fn serve_stdio(server: &Server) -> Result<()> {
    let wire = guard::take()?;
    serve(server, wire.input.as_fd(), wire.output.as_fd())
}

/// Serves a pair of descriptors (a socket twice, two pipes) until the input ends, the output's reader goes away, or the
/// server is stopped. The calling thread reads. The descriptors stay the caller's and keep their flags; a SIGPIPE that
/// a write would raise is kept from the process.
///
/// # Errors
/// `Io` if reading fails or nobody reads the output.
pub fn serve_fd(server: &Server, input: BorrowedFd<'_>, output: BorrowedFd<'_>) -> Result<()> {
    serve(server, input, output)
}

fn serve(server: &Server, input: BorrowedFd<'_>, output: BorrowedFd<'_>) -> Result<()> {
    let _quiet = sigpipe::Blocked::new().map_err(|error| unprepared(error.into()))?;
    let alarm = Arc::new(Alarm::new().map_err(unprepared)?);
    server.inner.on_stop(Arc::downgrade(&alarm) as Weak<dyn Stop>);
    let outlet = Outlet::new(output, Arc::clone(&alarm.bell)).map_err(unprepared)?;
    let connection = Connection::new(server, Arc::new(Caller::local()), Box::new(outlet.clone()))?;
    let drain = Duration::from_millis(server.inner.config.drain_ms);
    Driver { connection, input, output, outlet, alarm, drain }.run()
}

fn unprepared(error: io::Error) -> Error {
    Error::new(ErrorKind::Io, "the descriptors could not be prepared for serving").with_source(error)
}
