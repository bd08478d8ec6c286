//! Takes standard input and output away from the rest of the process.

use crate::error::{Error, ErrorKind, Result};
use nix::sys::stat::fstat;
use nix::unistd::{dup2_stdin, dup2_stdout};
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a door has taken them. Never taken back: what C's buffers still hold would reach the wire (decision 37).
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Private, close-on-exec descriptors of what was standard input and output.
#[derive(Debug)]
pub(super) struct Wire {
    pub(super) input: OwnedFd,
    pub(super) output: OwnedFd,
}

/// Takes both, once in the life of the process. From then on descriptor 0 reads the null device and 1 writes to where 2
/// does, or to the null device if that is the wire itself; for child processes too (R105).
pub(super) fn take() -> Result<Wire> {
    if TAKEN.swap(true, Ordering::AcqRel) {
        return Err(Error::new(
            ErrorKind::Closed,
            "standard input and output were taken by an earlier serve_stdio",
        ));
    }
    let prepared = prepare();
    if prepared.is_err() {
        // Nothing was changed yet.
        TAKEN.store(false, Ordering::Release);
    }
    let (wire, null, stray_is_wire) = prepared?;
    dup2_stdin(&null).map_err(|error| fault("standard input could not be redirected", error.into()))?;
    if stray_is_wire { dup2_stdout(&null) } else { dup2_stdout(io::stderr()) }
        .map_err(|error| fault("standard output could not be redirected", error.into()))?;
    Ok(wire)
}

/// The wire, the null device, and whether stray output must go to the latter.
fn prepare() -> Result<(Wire, OwnedFd, bool)> {
    // The copies get numbers above 2, which the standard library promises for none but its own use; see the test.
    let input = io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map_err(|error| fault("standard input is not open", error))?;
    let output = io::stdout()
        .as_fd()
        .try_clone_to_owned()
        .map_err(|error| fault("standard output is not open", error))?;
    let null = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")
        .map_err(|error| fault("the null device could not be opened", error))?;
    let stray_is_wire = match (fstat(io::stderr()), fstat(&output)) {
        (Ok(stray), Ok(wire)) => (stray.st_dev, stray.st_ino) == (wire.st_dev, wire.st_ino),
        (Err(_), _) | (_, Err(_)) => true,
    };
    Ok((Wire { input, output }, null.into(), stray_is_wire))
}

fn fault(message: &str, error: io::Error) -> Error {
    Error::new(ErrorKind::Io, message).with_source(error)
}
