//! What is on offer: validated, immutable, replaced whole.

mod builder;
pub(crate) mod cursor;
mod directory;
mod edition;
mod fault;
mod item;
mod listing;
mod page;
mod prefix;
mod review;
mod settings;
mod snapshot;
mod table;
pub(crate) mod uri_template;
mod visibility;

#[cfg(test)]
mod tests;

pub use builder::Builder;
pub(crate) use cursor::List;
pub(crate) use fault::error_of;
pub(crate) use item::Prompt;
pub(crate) use settings::{ItemSettings, Settings};
pub(crate) use snapshot::{Catalog, Changes, Found};
pub(crate) use uri_template::check_uri;
