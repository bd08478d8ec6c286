//! The four lists.

use super::catalogs::Snapshot;
use super::route::{Request, Step};
use crate::catalog::List;
use crate::config::MissingScope;
use crate::jsonrpc::Outgoing;

pub(crate) fn list(request: &Request, snapshot: &Snapshot, list: List) -> Step {
    let cursor = match request.params().get("cursor") {
        None => None,
        Some(cursor) => match cursor.as_str() {
            Some(cursor) => Some(cursor),
            None => return request.invalid("params.cursor must be a string."),
        },
    };
    let hide = request.server().config.missing_scope == MissingScope::Hide;
    match snapshot.catalog.list(list, request.revision(), cursor.as_deref(), request.caller(), hide) {
        Ok(page) => {
            let result = page.as_bytes();
            Step::Reply(Outgoing::result(request.message.id(), result.len(), |out| {
                out.extend_from_slice(result);
            }))
        }
        Err(why) => request.invalid(why),
    }
}
