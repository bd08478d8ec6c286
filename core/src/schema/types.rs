//! The types that `type` names.

use super::number;
use crate::json::{Kind, Node};

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u8);

const NAMES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];

impl Types {
    const NULL: u8 = 1;
    const BOOLEAN: u8 = 1 << 1;
    const INTEGER: u8 = 1 << 2;
    const NUMBER: u8 = 1 << 3;
    const STRING: u8 = 1 << 4;
    const ARRAY: u8 = 1 << 5;
    const OBJECT: u8 = 1 << 6;
    /// Draft-04 alone goes by the spelling: 1.0 is no integer.
    const SPELLED: u8 = 1 << 7;

    /// What a `type` keyword holds: a name, or an array of names.
    pub(super) fn read(keyword: Node<'_>, spelled: bool) -> Self {
        let mut set = if spelled { Self::SPELLED } else { 0 };
        let mut add = |node: Node<'_>| {
            for (bit, name) in NAMES.iter().enumerate() {
                if node.is_str(name) {
                    set |= 1 << bit;
                }
            }
        };
        if keyword.is_array() {
            keyword.elements().for_each(&mut add);
        } else {
            add(keyword);
        }
        Self(set)
    }

    fn has(self, bits: u8) -> bool {
        self.0 & bits != 0
    }

    #[inline]
    pub(super) fn hold(self, node: Node<'_>) -> bool {
        match node.kind() {
            Kind::Null => self.has(Self::NULL),
            Kind::True | Kind::False => self.has(Self::BOOLEAN),
            Kind::Number => self.has(Self::NUMBER) || self.has(Self::INTEGER) && self.is_integer(node.raw()),
            Kind::String => self.has(Self::STRING),
            Kind::Array => self.has(Self::ARRAY),
            Kind::Object => self.has(Self::OBJECT),
        }
    }

    fn is_integer(self, token: &str) -> bool {
        if self.has(Self::SPELLED) {
            number::is_spelled_integer(token)
        } else {
            number::is_integer(token)
        }
    }

    /// Whether no JSON writer gives a number of these types so: with an exponent, or an integer with a fraction.
    pub(super) fn is_unlike_writers(self, token: &str) -> bool {
        token.contains(['e', 'E']) || !self.has(Self::NUMBER) && token.contains('.')
    }

    pub(super) fn expected(self) -> String {
        let names = NAMES.iter().enumerate().filter(|(bit, _)| self.0 & 1 << bit != 0);
        names.map(|(_, &name)| name).collect::<Vec<_>>().join(" or ")
    }
}
