//! The doors that own the reading and writing.

use crate::error::mcp_error;
use crate::guard::guard;
use crate::server::mcp_server;
use crate::status::mcp_status;
use crate::text::present;
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// Serves this process's standard input and output until the input ends.
///
/// It takes private copies of descriptors 0 and 1 and points 0 at the null device and 1 at standard error, for the rest
/// of the process, so that stray prints and child processes cannot touch the protocol. So it can be called once. At the
/// end of the input it waits for owed answers, at most MCP_OPTION_DRAIN_MS.
///
/// Threads: any. It blocks its thread; mcp_server_stop on another ends it.
/// Errors: MCP_STATUS_IO if a descriptor is not open or nobody reads the output; MCP_STATUS_CLOSED the second time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_serve_stdio(
    server: Option<&mcp_server>,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || Ok(mcpcore_engine::serve_stdio(present(server, "server")?.running()?)?))
}

/// Serves a pair of descriptors (two pipes, or a socket twice) until the input ends, as stdio is served.
///
/// Ownership: the descriptors stay yours, and must stay open until the function returns.
/// Threads: any. It blocks its thread; mcp_server_stop on another ends it.
/// Errors: MCP_STATUS_IO if nobody reads the output; MCP_STATUS_INVALID_ARGUMENT for a descriptor below 0.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_serve_fd(
    server: Option<&mcp_server>,
    in_fd: c_int,
    out_fd: c_int,
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
) -> mcp_status {
    guard(error, || serve_fd(present(server, "server")?, in_fd, out_fd))
}

#[cfg(unix)]
unsafe fn serve_fd(server: &mcp_server, in_fd: c_int, out_fd: c_int) -> Result<(), mcp_error> {
    use std::os::fd::BorrowedFd;
    let server = server.running()?;
    for (fd, name) in [(in_fd, "in_fd"), (out_fd, "out_fd")] {
        if fd < 0 {
            return Err(mcp_error::argument(&format!("{name} takes an open descriptor, got {fd}")));
        }
    }
    let (input, output) = (BorrowedFd::borrow_raw(in_fd), BorrowedFd::borrow_raw(out_fd));
    Ok(mcpcore_engine::serve_fd(server, input, output)?)
}

#[cfg(not(unix))]
unsafe fn serve_fd(server: &mcp_server, _: c_int, _: c_int) -> Result<(), mcp_error> {
    server.running()?;
    Err(mcp_error::argument("this system has no descriptors to serve; use mcp_connection_new"))
}
