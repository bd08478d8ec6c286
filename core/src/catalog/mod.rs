//! What is on offer: validated, immutable, replaced whole.

mod builder;

pub use builder::Builder;
