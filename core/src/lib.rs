//! A protocol engine for the Model Context Protocol.
//!
//! It decides what a well-formed message is and refuses one that is not. It holds no tools, no domain and no policy: a
//! [`Host`] supplies the catalog, answers calls and decides who may call.
#![forbid(unsafe_code)]

mod call;
mod caller;
mod catalog;
mod config;
mod dispatch;
mod engine;
mod environment;
mod error;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
mod host;
#[cfg(feature = "http")]
pub mod http;
pub mod json;
mod jsonrpc;
mod protocol;
mod schema;
mod server;
mod state;
mod stdio;

pub use call::{Call, CallKind, CallView};
pub use caller::Caller;
pub use catalog::Builder as CatalogBuilder;
pub use config::{CacheScope, Config, Dispatch, InvalidArguments, InvalidItems, MissingScope};
pub use engine::begin::Pending;
pub use engine::connection::{Connection, Output};
pub use environment::{Environment, System};
pub use error::{Error, ErrorKind, Result};
pub use host::{CancelReason, Host};
pub use jsonrpc::check_message;
pub use protocol::{Era, LogLevel, Revision};
pub use server::Server;
#[cfg(unix)]
pub use stdio::serve_fd;
pub use stdio::serve_stdio;

/// The version of this crate, of the C library and of the packages.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
