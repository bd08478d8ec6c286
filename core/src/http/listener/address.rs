//! Addresses, and the sockets that are bound to them.

use crate::error::{Error, ErrorKind, Result};
use crate::protocol::definition::shown;
use nix::sys::socket::{listen, Backlog};
use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Connections that the system holds until they are accepted; the system has a limit of its own.
const BACKLOG: i32 = 1024;

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Address {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl Address {
    /// Reads `ip:port`, `[ip]:port` or `unix:/path`.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            if !path.starts_with('/') || path.contains('\0') {
                return Err(format!("addresses: {} needs an absolute path", shown(text)));
            }
            return Ok(Self::Unix(path.into()));
        }
        text.parse().map(Self::Tcp).map_err(|_| {
            format!("addresses: {} is not an address: write ip:port, [ip]:port or unix:/path", shown(text))
        })
    }

    /// Whether only this machine can reach it over the network; `None` for a Unix socket.
    pub(super) fn is_loopback(&self) -> Option<bool> {
        match self {
            Self::Tcp(address) => Some(address.ip().is_loopback()),
            Self::Unix(_) => None,
        }
    }

    pub(super) fn bind(&self) -> Result<Bound> {
        match self {
            Self::Tcp(address) => bind_tcp(*address).map_err(|error| failed(&address.to_string(), error)),
            Self::Unix(path) => {
                bind_unix(path).map_err(|error| failed(&format!("unix:{}", path.display()), error))
            }
        }
    }
}

/// A socket that listens and does not block.
#[derive(Debug)]
pub(super) enum Bound {
    Tcp(TcpListener, SocketAddr),
    Unix(UnixListener, SocketFile),
}

impl Bound {
    pub(super) fn port(&self) -> Option<u16> {
        match self {
            Self::Tcp(_, address) => Some(address.port()),
            Self::Unix(..) => None,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(_, address) => address.fmt(f),
            Self::Unix(_, file) => write!(f, "unix:{}", file.path.display()),
        }
    }
}

fn bind_tcp(address: SocketAddr) -> io::Result<Bound> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    // A second time, since the first one has the standard library's short queue.
    listen(&listener, Backlog::new(BACKLOG)?)?;
    let address = listener.local_addr()?;
    Ok(Bound::Tcp(listener, address))
}

fn bind_unix(path: &Path) -> io::Result<Bound> {
    let listener = match UnixListener::bind(path) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_stale(path) => {
            std::fs::remove_file(path)?;
            UnixListener::bind(path)?
        }
        bound => bound?,
    };
    listener.set_nonblocking(true)?;
    Ok(Bound::Unix(listener, SocketFile::new(path)?))
}

/// Whether the file is a socket that nobody listens on.
fn is_stale(path: &Path) -> bool {
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    is_socket
        && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

fn failed(address: &str, error: io::Error) -> Error {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => "somebody listens there already",
        io::ErrorKind::PermissionDenied => "that is not permitted",
        io::ErrorKind::AddrNotAvailable => "this machine does not have the address",
        _ => "the system refuses",
    };
    Error::new(ErrorKind::Io, format!("cannot listen on {address}: {why}")).with_source(error)
}

/// The file of a Unix socket. It is removed when this is dropped, unless another one has taken its place.
#[derive(Debug)]
pub(super) struct SocketFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl SocketFile {
    fn new(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), identity: identity(path)? })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if identity(&self.path).is_ok_and(|identity| identity == self.identity) {
            // Gone already is as good.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    std::fs::symlink_metadata(path).map(|file| (file.dev(), file.ino()))
}
