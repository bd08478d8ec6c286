//! Is this one well-formed message? For gateways, which pass messages on and serve none.

use super::{read, refuse_batch, Inbound};
use crate::error::{Error, ErrorKind, Result};

/// Checks that `message` is one well-formed JSON-RPC request, notification or response: UTF-8, JSON at most
/// [`crate::json::MAX_DEPTH`] deep, no member twice, the members that the kind has. Methods and params are not looked at.
///
/// # Errors
/// [`ErrorKind::InvalidJson`] with what is wrong.
pub fn check_message(message: &[u8]) -> Result<()> {
    match read(message.to_vec()) {
        Ok(Inbound::Request(_) | Inbound::Notification(_)) => Ok(()),
        Ok(Inbound::Response(document)) => {
            let root = document.root();
            let wrong = |why: &str| Err(Error::new(ErrorKind::InvalidJson, why.to_owned()));
            match (root.get("result"), root.get("error")) {
                (Some(_), Some(_)) => wrong("A response has \"result\" or \"error\", not both."),
                (Some(result), None) if !result.is_object() => {
                    wrong("The member \"result\" must be an object.")
                }
                (None, Some(error)) => {
                    let code = error.get("code").is_some_and(|code| code.as_i64().is_some());
                    if code && error.get("message").is_some_and(crate::json::Node::is_string) {
                        Ok(())
                    } else {
                        wrong("The member \"error\" must have an integer \"code\" and a string \"message\".")
                    }
                }
                (Some(_), None) => Ok(()),
                (None, None) => wrong("A response has \"result\" or \"error\"."),
            }
        }
        Ok(Inbound::Batch(_)) => Err(Error::new(ErrorKind::InvalidJson, refuse_batch().message)),
        Err(refusal) => Err(Error::new(ErrorKind::InvalidJson, refusal.message)),
    }
}
