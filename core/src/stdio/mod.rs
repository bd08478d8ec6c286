//! The stdio door: lines over a pair of descriptors.

use crate::error::Result;
use crate::server::Server;

/// Serves this process's standard input and output until the input ends. See the crate documentation for what happens
/// to descriptors 0 and 1.
pub fn serve_stdio(server: &Server) -> Result<()> {
    let _ = server;
    todo!()
}

/// Serves a pair of descriptors (a socket, two pipes) until the input ends. They stay the caller's.
#[cfg(unix)]
pub fn serve_fd(
    server: &Server,
    input: std::os::fd::BorrowedFd<'_>,
    output: std::os::fd::BorrowedFd<'_>,
) -> Result<()> {
    let _ = (server, input, output);
    todo!()
}
