//! From a JSON-RPC answer to its HTTP status.

use crate::jsonrpc::{About, Outgoing};
use crate::protocol::wire::code;
use http::StatusCode;

/// The status of a response, host-made errors included: 400 for what is wrong with the message, its headers or its
/// `_meta`, 404 for a method, 403 for scopes, 503 where there is no room, 200 for the rest.
pub(super) fn of(outgoing: &Outgoing) -> StatusCode {
    match (outgoing.code, &outgoing.about) {
        (_, About::Busy) => StatusCode::SERVICE_UNAVAILABLE,
        (_, About::Scopes(_)) => StatusCode::FORBIDDEN,
        (
            Some(
                code::PARSE_ERROR
                | code::INVALID_REQUEST
                | code::HEADER_MISMATCH
                | code::MISSING_CAPABILITY
                | code::UNSUPPORTED_VERSION,
            ),
            About::Code | About::Meta,
        )
        | (Some(code::INVALID_PARAMS), About::Meta) => StatusCode::BAD_REQUEST,
        (Some(code::METHOD_NOT_FOUND), About::Code | About::Meta) => StatusCode::NOT_FOUND,
        (_, About::Code | About::Meta) => StatusCode::OK,
    }
}
