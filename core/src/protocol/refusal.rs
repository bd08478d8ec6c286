//! The error codes that a host may choose.

use super::revision::Revision;
use super::shape::{Fault, ShapeFault};
use super::wire::code;
use crate::json::Node;

/// The code that goes on the wire, and why it is not the one that the host chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ErrorCode {
    pub(crate) code: i32,
    /// For the log.
    pub(crate) rewritten: Option<&'static str>,
}

/// Decides what becomes of a code that a host rejects with.
///
/// Codes outside -32768…-32000 are the host's own. Inside, only the protocol's codes are sent, each in its revisions.
pub(crate) fn check_error_code(chosen: i32, revision: Revision) -> ErrorCode {
    let instead = |code, why| ErrorCode { code, rewritten: Some(why) };
    match chosen {
        code::INVALID_REQUEST | code::METHOD_NOT_FOUND | code::INVALID_PARAMS | code::INTERNAL_ERROR => {
            ErrorCode { code: chosen, rewritten: None }
        }
        -32099..=-32000 if revision.has_code(chosen) => ErrorCode { code: chosen, rewritten: None },
        code::RESOURCE_NOT_FOUND => instead(
            code::INVALID_PARAMS,
            "-32002 is not sent since 2026-07-28; an unknown resource is -32602",
        ),
        code::URL_ELICITATION_REQUIRED => {
            instead(code::INTERNAL_ERROR, "-32042 belongs to 2025-11-25 alone; ask for input instead")
        }
        -32768..=-32000 => {
            instead(code::INTERNAL_ERROR, "the protocol reserves -32768 to -32000; choose a code outside")
        }
        _ => ErrorCode { code: chosen, rewritten: None },
    }
}

/// Checks the `data` that a protocol code promises.
pub(crate) fn check_error_data(code: i32, data: Option<Node<'_>>) -> Result<(), ShapeFault> {
    let whole = |reason: &'static str| Err(ShapeFault { pointer: String::new(), reason: reason.to_owned() });
    match code {
        code::MISSING_CAPABILITY => {
            match data.and_then(|data| Some((data, data.get("requiredCapabilities")?))) {
                Some((_, required)) if required.is_object() => Ok(()),
                Some((data, required)) => Err(Fault::at(required, "must be an object").locate(data)),
                None => whole("must be an object with `requiredCapabilities`"),
            }
        }
        code::UNSUPPORTED_VERSION => {
            let named = data.is_some_and(|data| {
                data.get("supported").is_some_and(Node::is_array)
                    && data.get("requested").is_some_and(Node::is_string)
            });
            if named {
                Ok(())
            } else {
                whole("must be an object with `supported`, an array, and `requested`, a string")
            }
        }
        code::URL_ELICITATION_REQUIRED => {
            let pages = data.and_then(|data| data.get("elicitations")).filter(|pages| !pages.is_empty());
            let named = |page: Node<'_>| {
                page.get("mode").is_some_and(|mode| mode.is_str("url"))
                    && ["message", "url", "elicitationId"]
                        .iter()
                        .all(|name| page.get(name).is_some_and(Node::is_string))
            };
            if pages.is_some_and(|pages| pages.is_array() && pages.elements().all(named)) {
                Ok(())
            } else {
                whole("must be an object with `elicitations`: an array of {mode: \"url\", message, url, elicitationId}")
            }
        }
        _ => Ok(()),
    }
}
