//! Request ids: echoed as the token that came in, compared by value.

use crate::json::{Integer, Kind, Node};
use std::sync::Arc;

/// The longest integer that counts as an id, in digits.
const MAX_DIGITS: usize = 40;

/// What makes two ids the same: their type and value (`1`, `1.0` and `1e0` are one id, `"1"` is another).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct IdKey(Arc<str>);

impl IdKey {
    /// Whether the value can be an id: only strings, and integers of at most 40 digits.
    pub(crate) fn can_be(id: Node<'_>) -> bool {
        match id.kind() {
            Kind::String => true,
            Kind::Number => is_plain(id.raw()) || integer(id.raw()).is_some(),
            Kind::Null | Kind::True | Kind::False | Kind::Array | Kind::Object => false,
        }
    }

    /// The key of an id, or `None` if the value cannot be one.
    pub(crate) fn of(id: Node<'_>) -> Option<Self> {
        match id.kind() {
            Kind::String => {
                let text = id.as_str()?;
                let mut key = String::with_capacity(text.len() + 1);
                key.push('"');
                key.push_str(&text);
                Some(Self(key.into()))
            }
            Kind::Number if is_plain(id.raw()) => Some(Self(id.raw().into())),
            Kind::Number => Some(Self(integer(id.raw())?.to_text().into())),
            Kind::Null | Kind::True | Kind::False | Kind::Array | Kind::Object => None,
        }
    }
}

/// Whether a number's token is its own canonical form.
fn is_plain(token: &str) -> bool {
    token.len() <= MAX_DIGITS
        && token != "-0"
        && token.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

fn integer(token: &str) -> Option<Integer> {
    Integer::read(token).filter(|integer| integer.len() <= MAX_DIGITS)
}
