//! One digest for all spellings of the same JSON value, since clients write what they read anew.

use crate::json::{self, Kind, Node};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// SHA-256 over the value's canonical text: no white space, members sorted by name, one spelling for each string and
/// number. Numbers count by their exact decimal value, at any size.
pub(crate) fn digest_arguments(node: Node<'_>) -> [u8; 32] {
    let mut canonical = Canonical { hash: Sha256::new(), scratch: Vec::new() };
    canonical.value(node);
    canonical.hash.finalize().into()
}

struct Canonical {
    hash: Sha256,
    scratch: Vec<u8>,
}

impl Canonical {
    // Recursion is bounded: a document is at most MAX_DEPTH deep.
    fn value(&mut self, node: Node<'_>) {
        match node.kind() {
            Kind::Null | Kind::True | Kind::False => self.hash.update(node.raw()),
            Kind::Number => self.hash.update(number(node.raw())),
            Kind::String => self.string(&node.as_str().unwrap_or_default()),
            Kind::Array => {
                self.hash.update(b"[");
                for (n, element) in node.elements().enumerate() {
                    if n > 0 {
                        self.hash.update(b",");
                    }
                    self.value(element);
                }
                self.hash.update(b"]");
            }
            Kind::Object => {
                let mut members: Vec<(Cow<'_, str>, Node<'_>)> = node.members().collect();
                members.sort_by(|(a, _), (b, _)| a.cmp(b));
                self.hash.update(b"{");
                for (n, (name, value)) in members.iter().enumerate() {
                    if n > 0 {
                        self.hash.update(b",");
                    }
                    self.string(name);
                    self.hash.update(b":");
                    self.value(*value);
                }
                self.hash.update(b"}");
            }
        }
    }

    fn string(&mut self, text: &str) {
        self.scratch.clear();
        json::push_quoted(&mut self.scratch, text);
        self.hash.update(&self.scratch);
    }
}

/// A JSON number token in its one canonical spelling: `0`, or sign, significant digits without zeros at either end,
/// `e`, exponent.
fn number(token: &str) -> String {
    let (sign, rest) = match token.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", token),
    };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let shift = i128::try_from(all.len() - digits.len()).unwrap_or_default()
        - i128::try_from(fraction.len()).unwrap_or_default();
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return "0".to_owned();
    }
    format!("{sign}{digits}e{}", shifted(exponent, shift))
}

/// `exponent + shift`, for an exponent of any length; `shift` is below 2^40 in size.
fn shifted(exponent: &str, shift: i128) -> String {
    let (negative, magnitude) = match exponent.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, exponent.strip_prefix('+').unwrap_or(exponent)),
    };
    let magnitude = magnitude.trim_start_matches('0');
    if magnitude.len() <= 36 {
        let value = magnitude.parse::<i128>().unwrap_or_default();
        return (if negative { shift - value } else { shift + value }).to_string();
    }
    // So long that the shift changes neither the sign nor the number of leading digits to less than one.
    let mut digits = magnitude.as_bytes().to_vec();
    let mut carry = if negative { -shift } else { shift };
    for digit in digits.iter_mut().rev() {
        carry += i128::from(*digit - b'0');
        *digit = b'0' + u8::try_from(carry.rem_euclid(10)).unwrap_or_default();
        carry = carry.div_euclid(10);
    }
    let text = String::from_utf8(digits).unwrap_or_default();
    let sign = if negative { "-" } else { "" };
    // A carry out of the first digit can only be 1; after borrowing the first digit can be 0.
    let text = if carry > 0 { format!("{carry}{text}") } else { text.trim_start_matches('0').to_owned() };
    format!("{sign}{text}")
}

#[cfg(test)]
mod tests;
