//! Request ids: echoed as the token that came in, compared by value.

use crate::json::{Integer, Kind, Node};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The longest integer that counts as an id, in digits.
const MAX_DIGITS: usize = 40;

/// Keys up to this many bytes are kept in place.
const SHORT: usize = 22;

/// What makes two ids the same: their type and value (`1`, `1.0` and `1e0` are one id, `"1"` is another).
#[derive(Debug, Clone)]
pub(crate) struct IdKey(Text);

#[derive(Debug, Clone)]
enum Text {
    Short { length: u8, bytes: [u8; SHORT] },
    Long(Arc<[u8]>),
}

impl IdKey {
    /// The key of an id, or `None` if the value cannot be one: only strings, and integers of at most 40 digits, can.
    pub(crate) fn of(id: Node<'_>) -> Option<Self> {
        match id.kind() {
            // The quote in front tells it from a number.
            Kind::String => Some(Self::new(b"\"", id.as_str()?.as_bytes())),
            Kind::Number if is_plain(id.raw()) => Some(Self::new(b"", id.raw().as_bytes())),
            Kind::Number => Some(Self::new(b"", integer(id.raw())?.to_text().as_bytes())),
            Kind::Null | Kind::True | Kind::False | Kind::Array | Kind::Object => None,
        }
    }

    fn new(mark: &[u8], text: &[u8]) -> Self {
        let mut bytes = [0; SHORT];
        let total = mark.len() + text.len();
        match (bytes.get_mut(..total), u8::try_from(total)) {
            (Some(place), Ok(length)) => {
                let (front, rest) = place.split_at_mut(mark.len());
                front.copy_from_slice(mark);
                rest.copy_from_slice(text);
                Self(Text::Short { length, bytes })
            }
            (_, _) => Self(Text::Long([mark, text].concat().into())),
        }
    }

    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Text::Short { length, bytes } => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Text::Long(bytes) => bytes,
        }
    }
}

impl PartialEq for IdKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for IdKey {}

impl Hash for IdKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write(self.bytes());
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
