//! The protocol's own vocabulary: revisions, levels, capabilities, and the shapes that every text is checked against.

mod level;
pub(crate) mod meta_key;
mod revision;

pub use level::LogLevel;
pub use revision::{Era, Revision};
