//! Several messages that came as one (2025-03-26, base protocol, batching).

use crate::json::{Document, Node};
use crate::jsonrpc::{read, ErrorBody, Inbound, Outgoing};
use crate::protocol::wire::{code, method};

/// Messages in one batch. Each may be answered with a page of a list, so the answer is much longer than the batch.
const MOST_IN_BATCH: usize = 256;

/// The messages of a batch, each or why it is none.
///
/// # Errors
/// The refusal of the whole batch.
pub(crate) fn messages(batch: &Document) -> Result<Vec<Result<Inbound, Outgoing>>, Outgoing> {
    let invalid = |why: String| Outgoing::error(None, &ErrorBody::new(code::INVALID_REQUEST, why));
    let count = batch.root().len();
    if count == 0 || count > MOST_IN_BATCH {
        return Err(invalid(format!("A batch must hold 1 to {MOST_IN_BATCH} messages.")));
    }
    let one = |node: Node<'_>| match read(node.raw().as_bytes().to_vec()) {
        Ok(Inbound::Request(message)) if message.method() == method::INITIALIZE => {
            let why = "initialize has no place in a batch.";
            Err(message.error(&ErrorBody::new(code::INVALID_REQUEST, why)))
        }
        Ok(Inbound::Batch(_)) => Err(invalid("A batch has no place in a batch.".to_owned())),
        other => other,
    };
    Ok(batch.root().elements().map(one).collect())
}

/// How many of them are answered.
pub(crate) fn owed(messages: &[Result<Inbound, Outgoing>]) -> usize {
    messages.iter().filter(|message| matches!(message, Ok(Inbound::Request(_)) | Err(_))).count()
}
