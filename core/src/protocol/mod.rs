//! The protocol's own vocabulary: revisions, levels, capabilities, and the shapes that every text is checked against.

mod answer;
mod capability;
mod content;
pub(crate) mod definition;
mod elicitation;
mod form;
mod format;
mod input;
mod level;
mod meta;
pub(crate) mod meta_key;
mod refusal;
mod result;
mod revision;
mod sampling;
mod shape;
pub(crate) mod wire;

#[cfg(test)]
mod tests;

pub(crate) use answer::check_answer;
pub(crate) use capability::ClientCapabilities;
pub(crate) use input::{check_input_requests, Asked, InputFault, InputKind};
pub use level::LogLevel;
pub(crate) use meta::check_request_meta;
pub(crate) use refusal::{check_error_code, check_error_data};
pub(crate) use result::{
    check_completion_result, check_prompt_result, check_read_result, check_tool_result, write_completion,
    ReadResultView,
};
pub(crate) use revision::{edition, Asks, Offered};
pub use revision::{Era, Revision};
