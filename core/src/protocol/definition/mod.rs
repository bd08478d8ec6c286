//! Checks of what a host declares: tools, resources, templates, prompts and what stands inside them.
//!
//! Each check walks one value and notes every fault that it finds in a [`Checks`], with the JSON pointer of the place.
//! Members that the protocol does not know are let through, since a newer revision may.

mod annotations;
mod checks;
mod icons;
mod implementation;
mod item;
mod meta;
mod suggestion;
mod ui;

#[cfg(test)]
mod tests;

pub(crate) use checks::{escape, kind_word, shown, shown_within, Checks, Found};
pub(crate) use implementation::implementation;
pub(crate) use item::{prompt, resource, template, tool};
pub(crate) use suggestion::did_you_mean;
pub(crate) use ui::{MIME_TYPE as UI_MIME_TYPE, SCHEME as UI_SCHEME};
