//! Copies of a request's parts outside its body, and the rows of the ladder that compare them.

use crate::json::Node;
use crate::jsonrpc::ErrorBody;
use crate::schema::HeaderParam;

/// What a door knows of a request besides its message: HTTP headers that repeat parts of it. Other doors have none.
pub(crate) trait Mirror {
    /// Compares the revision that `_meta` names (row 11).
    ///
    /// # Errors
    /// -32020.
    fn version(&self, named: &str) -> Result<(), ErrorBody>;

    /// Compares the method and what it is about (row 13).
    ///
    /// # Errors
    /// -32020.
    fn names(&self, method: &str, params: Node<'_>) -> Result<(), ErrorBody>;

    /// Compares the annotated arguments of a tool (row 18).
    ///
    /// # Errors
    /// -32020.
    fn params(&self, table: &[HeaderParam], arguments: Option<Node<'_>>) -> Result<(), ErrorBody>;
}

/// A copy that is missing or says something else.
#[cfg(feature = "http")]
pub(crate) fn mismatch(why: impl Into<std::borrow::Cow<'static, str>>) -> ErrorBody {
    ErrorBody::new(crate::protocol::wire::code::HEADER_MISMATCH, why)
}
