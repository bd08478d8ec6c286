//! What stands behind a backslash.

use super::scan::plain_run;
use super::{Fault, FaultKind};

/// The end of the escape that starts at `at`, and whether it names half of a surrogate pair.
pub(super) fn pass(bytes: &[u8], at: usize) -> Result<(usize, bool), Fault> {
    let at = at + 1;
    let syntax = |at, what| Err(Fault::new(FaultKind::Syntax, at, what));
    match bytes.get(at) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok((at + 1, false)),
        Some(b'u') => {
            let at = at + 1;
            let rest = bytes.get(at..).unwrap_or_default();
            match hex4(rest) {
                Some(0xD800..=0xDBFF) => {
                    let low = rest.get(4..).and_then(|rest| hex4(rest.strip_prefix(b"\\u")?));
                    let paired = matches!(low, Some(0xDC00..=0xDFFF));
                    Ok((if paired { at + 10 } else { at + 4 }, !paired))
                }
                Some(0xDC00..=0xDFFF) => Ok((at + 4, true)),
                Some(_) => Ok((at + 4, false)),
                None => syntax(at, "\\u needs four hexadecimal digits"),
            }
        }
        Some(_) | None => syntax(at, "an unknown escape"),
    }
}

fn hex4(bytes: &[u8]) -> Option<u16> {
    bytes.get(..4)?.iter().try_fold(0_u16, |unit, &byte| {
        let digit = char::from(byte).to_digit(16)?;
        Some(unit << 4 | u16::try_from(digit).ok()?)
    })
}

/// The text behind the escapes of an already checked string; a lone surrogate becomes U+FFFD.
pub(super) fn unescape(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    loop {
        // Only backslashes end a run here: the string has been checked.
        let at = plain_run(rest.as_bytes());
        if at == rest.len() {
            break;
        }
        out.push_str(&rest[..at]);
        let bytes = &rest.as_bytes()[at..];
        let mut used = 2;
        out.push(match bytes.get(1) {
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                used = 6;
                let high = hex4(&bytes[2..]).unwrap_or(0xFFFD);
                let low = bytes.get(6..).and_then(|rest| hex4(rest.strip_prefix(b"\\u")?));
                match (high, low) {
                    (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
                        used = 12;
                        let code = 0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
                        char::from_u32(code).unwrap_or('\u{FFFD}')
                    }
                    _ => char::from_u32(u32::from(high)).unwrap_or('\u{FFFD}'),
                }
            }
            Some(&other) => char::from(other),
            None => break,
        });
        rest = &rest[at + used..];
    }
    out.push_str(rest);
    out
}
