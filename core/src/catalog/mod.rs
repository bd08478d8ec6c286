//! What is on offer: validated, immutable, replaced whole.

mod builder;
pub(crate) mod cursor;
mod uri_template;

pub use builder::Builder;
pub(crate) use uri_template::{check_uri, UriTemplate};
