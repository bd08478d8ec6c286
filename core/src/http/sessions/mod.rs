//! Sessions of the older revisions over HTTP.

mod store;

pub use store::{MemoryStore, SessionStore};
