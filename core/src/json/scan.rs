//! The one pass: grammar, depth, repeated member names.

use super::entry::{Entry, Kind};
use super::{escape, known, names, Fault, FaultKind, MAX_DEPTH};
use std::cell::Cell;

pub(super) struct Scanned {
    pub(super) entries: Vec<Entry>,
    pub(super) duplicate: Option<u32>,
    pub(super) spaced: bool,
    pub(super) surrogates: bool,
    pub(super) recalled: Option<(u32, known::Mark)>,
}

/// The object or array whose end has not been seen. What holds it waits in its own entry, see [`Entry::suspend`].
#[derive(Clone, Copy)]
struct Open {
    entry: u32,
    object: bool,
    count: u32,
    names: names::Filter,
}

/// Outside of all objects and arrays.
const OUTSIDE: Open = Open { entry: u32::MAX, object: false, count: 0, names: names::Filter::EMPTY };

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    out: Scanned,
    lenient: bool,
}

/// Longer strings are no names, as a rule: they are passed faster, without what tells names apart.
const LONG: usize = 64;

/// A spare list may hold so many entries.
const MOST_SPARE: usize = 1024;

thread_local! {
    /// The list of the document that this thread dropped last, for the next one.
    static SPARE: Cell<Vec<Entry>> = const { Cell::new(Vec::new()) };
}

/// Keeps a list that is no longer needed.
pub(super) fn keep(mut entries: Vec<Entry>) {
    if entries.capacity() <= MOST_SPARE {
        entries.clear();
        // A thread that ends keeps nothing.
        let _ = SPARE.try_with(|spare| spare.set(entries));
    }
}

pub(super) fn scan(text: &str, lenient: bool) -> Result<Scanned, Fault> {
    if text.len() >= (1 << 32) - 1 {
        return Err(Fault::new(FaultKind::Length, text.len(), "longer than 4 GiB"));
    }
    let mut entries = SPARE.take();
    // About an entry every eight bytes, as messages are; a huge text may well be one string.
    entries.reserve(16 + (text.len() / 8).min(4096));
    let out = Scanned { entries, duplicate: None, spaced: false, surrogates: false, recalled: None };
    let mut scanner = Scanner { text, bytes: text.as_bytes(), out, lenient };
    scanner.document()?;
    Ok(scanner.out)
}

// Positions are below 4 GiB: `scan` refuses longer texts.
#[expect(clippy::cast_possible_truncation, reason = "positions are below 4 GiB, checked in scan")]
fn narrow(position: usize) -> u32 {
    position as u32
}

#[cold]
fn syntax<T>(at: usize, what: &'static str) -> Result<T, Fault> {
    Err(Fault::new(FaultKind::Syntax, at, what))
}

/// The end of a string, and for a name what tells it from others; see [`names::Filter::meet`].
type Ended = (usize, Option<u64>);

// Positions are handed from function to function, so that they stay in registers.
impl Scanner<'_> {
    /// The byte at `at`; NUL, which means nothing outside of strings, where the text ends.
    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// Passes over white space.
    #[inline]
    fn space(&mut self, at: usize) -> usize {
        if self.byte(at) > b' ' {
            at
        } else {
            self.spaces(at)
        }
    }

    #[cold]
    fn spaces(&mut self, at: usize) -> usize {
        let mut end = at;
        while matches!(self.byte(end), b' ' | b'\n' | b'\r' | b'\t') {
            end += 1;
        }
        self.out.spaced |= end > at;
        end
    }

    fn document(&mut self) -> Result<(), Fault> {
        let mut open = OUTSIDE;
        let mut depth = 0;
        let mut at = self.space(0);
        loop {
            if open.object {
                at = self.name(at, &mut open)?;
            }
            let first = self.byte(at);
            if first == b'"' {
                at = self.string(at)?.0;
            } else if let Some(end) = self.known(first, depth, at) {
                at = end;
            } else if matches!(first, b'{' | b'[') {
                if depth == MAX_DEPTH {
                    return Err(Fault::new(FaultKind::Depth, at + 1, "nested more than 128 levels deep"));
                }
                depth += 1;
                open = self.open(open, first == b'{', at);
                at = self.space(at + 1);
                if self.byte(at) != closing(open) {
                    continue;
                }
                at += 1;
                depth -= 1;
                open = self.close(open, at);
            } else {
                at = self.word(first, at)?;
            }
            // A value has ended: what may follow depends on what it stands in.
            loop {
                at = self.space(at);
                if depth == 0 {
                    return if at == self.bytes.len() { Ok(()) } else { syntax(at, "text after the value") };
                }
                open.count += 1;
                let next = self.byte(at);
                if next == b',' {
                    at = self.space(at + 1);
                    break;
                }
                if next != closing(open) {
                    return syntax(
                        at,
                        if open.object { "expected ',' or '}'" } else { "expected ',' or ']'" },
                    );
                }
                at += 1;
                depth -= 1;
                open = self.close(open, at);
            }
        }
    }

    #[inline]
    fn push(&mut self, kind: Kind, start: usize, end: usize, escaped: bool) {
        let next = narrow(self.out.entries.len()) + 1;
        self.out.entries.push(Entry::new(kind, narrow(start), narrow(end), next, escaped));
    }

    #[inline]
    fn open(&mut self, outer: Open, object: bool, start: usize) -> Open {
        if let Some(entry) = self.out.entries.get_mut(outer.entry as usize) {
            entry.suspend(outer.count, outer.names.bits());
        }
        let entry = narrow(self.out.entries.len());
        let kind = if object { Kind::Object } else { Kind::Array };
        self.out.entries.push(Entry::opened(kind, narrow(start), outer.entry));
        Open { entry, object, ..OUTSIDE }
    }

    /// The end of the object at `at` if it was read before. Only a `_meta` of params is looked at.
    #[inline]
    fn known(&mut self, first: u8, depth: usize, at: usize) -> Option<usize> {
        if first != b'{' || depth != 2 {
            return None;
        }
        let (before, rest) = self.bytes.split_at_checked(at)?;
        if !before.trim_ascii_end().ends_with(b"\"_meta\":") {
            return None;
        }
        let index = narrow(self.out.entries.len());
        let (length, mark, spaced) = known::recall(rest, narrow(at), &mut self.out.entries)?;
        self.out.recalled = Some((index, mark));
        self.out.spaced |= spaced;
        Some(at + length)
    }

    /// Gives what the closed one stands in.
    #[inline]
    fn close(&mut self, open: Open, end: usize) -> Open {
        let next = narrow(self.out.entries.len());
        let Some(entry) = self.out.entries.get_mut(open.entry as usize) else {
            return OUTSIDE;
        };
        let outer = entry.close(narrow(end), next, open.count);
        if open.names.is_unsure() && self.out.duplicate.is_none() {
            self.out.duplicate = names::repeated(self.text, &self.out.entries, open.entry);
        }
        match self.out.entries.get(outer as usize) {
            Some(entry) => {
                let (object, count, bits) = entry.resume();
                Open { entry: outer, object, count, names: names::Filter::of(bits) }
            }
            None => OUTSIDE,
        }
    }

    /// Reads a member name and its colon. Gives where the value starts.
    #[inline]
    fn name(&mut self, at: usize, open: &mut Open) -> Result<usize, Fault> {
        if self.byte(at) != b'"' {
            return syntax(at, "expected a member name in double quotes");
        }
        let (end, digest) = self.string(at)?;
        open.names.meet(digest);
        let colon = self.space(end);
        if self.byte(colon) != b':' {
            return syntax(colon, "expected ':'");
        }
        Ok(self.space(colon + 1))
    }

    /// Reads the string that starts at `start`.
    #[inline]
    fn string(&mut self, start: usize) -> Result<Ended, Fault> {
        let mut at = start + 1;
        let mut digest = 0_u64;
        let mut rest = self.bytes.get(at..).unwrap_or_default();
        while let Some((word, behind)) = rest.split_first_chunk::<8>() {
            if at - start > LONG {
                break;
            }
            let word = u64::from_le_bytes(*word);
            let hit = special(word);
            if hit != 0 {
                let bits = hit.trailing_zeros() & !7;
                at += bits as usize / 8;
                if (word >> bits) & 0xFF == u64::from(b'"') {
                    self.push(Kind::String, start, at + 1, false);
                    let last = word & ((1 << bits) - 1);
                    return Ok((at + 1, Some(names::digest(digest, last))));
                }
                break;
            }
            digest = names::digest(digest, word);
            at += 8;
            rest = behind;
        }
        self.rest_of_string(start, at)
    }

    /// The same from `at` on, where there is an escape, the end of the text is near, or the string is long.
    #[inline(never)]
    fn rest_of_string(&mut self, start: usize, mut at: usize) -> Result<Ended, Fault> {
        let mut escaped = false;
        loop {
            at += plain_run(self.bytes.get(at..).unwrap_or_default());
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    let (end, lone) = escape::pass(self.bytes, at)?;
                    if lone && !self.lenient {
                        return Err(Fault::new(FaultKind::Surrogate, end, "half of a surrogate pair"));
                    }
                    self.out.surrogates |= lone;
                    at = end;
                }
                Some(_) => return syntax(at, "a control character in a string must be escaped"),
                None => return syntax(at, "the text ends inside a string"),
            }
        }
        self.push(Kind::String, start, at + 1, escaped);
        Ok((at + 1, None))
    }

    /// Reads a number or a literal.
    #[inline(never)]
    fn word(&mut self, first: u8, start: usize) -> Result<usize, Fault> {
        let (kind, end) = match first {
            b'-' | b'0'..=b'9' => (Kind::Number, self.number(start)?),
            b't' => (Kind::True, self.literal(start, "true")?),
            b'f' => (Kind::False, self.literal(start, "false")?),
            b'n' => (Kind::Null, self.literal(start, "null")?),
            _ if start < self.bytes.len() => return syntax(start, "expected a JSON value"),
            _ if start == 0 => return syntax(start, "empty text"),
            _ => return syntax(start, "the text ends too early"),
        };
        self.push(kind, start, end, false);
        Ok(end)
    }

    fn literal(&self, start: usize, word: &'static str) -> Result<usize, Fault> {
        if self.bytes[start..].starts_with(word.as_bytes()) {
            Ok(start + word.len())
        } else {
            syntax(start, "expected a JSON value")
        }
    }

    fn number(&self, start: usize) -> Result<usize, Fault> {
        let mut at = start;
        if self.byte(at) == b'-' {
            at += 1;
        }
        match self.byte(at) {
            b'0' if self.byte(at + 1).is_ascii_digit() => {
                return syntax(at + 1, "a number may not start with 0");
            }
            b'0'..=b'9' => at = self.digits(at),
            _ => return syntax(at, "expected a digit"),
        }
        if self.byte(at) == b'.' {
            at += 1;
            if !self.byte(at).is_ascii_digit() {
                return syntax(at, "expected a digit after '.'");
            }
            at = self.digits(at);
        }
        if matches!(self.byte(at), b'e' | b'E') {
            at += 1;
            if matches!(self.byte(at), b'+' | b'-') {
                at += 1;
            }
            if !self.byte(at).is_ascii_digit() {
                return syntax(at, "expected a digit in the exponent");
            }
            at = self.digits(at);
        }
        Ok(at)
    }

    /// The end of the digits that start at `at`.
    fn digits(&self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    }
}

fn closing(open: Open) -> u8 {
    if open.object {
        b'}'
    } else {
        b']'
    }
}

/// Marks the bytes that end a plain run: a quote, a backslash, a control character. The high bit of a byte is set; above
/// the lowest mark others may be wrong.
#[inline]
fn special(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // Turning one bit over exchanges the quote and the space, so that one comparison finds quotes and control characters.
    let quote_or_control = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * u64::from(b'\\'))).wrapping_sub(ONES);
    (quote_or_control | backslash) & !word & HIGHS
}

/// How many leading bytes are neither a quote, nor a backslash, nor a control character.
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    let mut length = 0;
    let mut rest = bytes;
    // Without branches, so that long runs are passed at the speed of the memory.
    while let Some((block, behind)) = rest.split_first_chunk::<64>() {
        if block.iter().fold(0, |any, &byte| any | u8::from(is_special(byte))) != 0 {
            break;
        }
        length += 64;
        rest = behind;
    }
    while let Some((word, behind)) = rest.split_first_chunk::<8>() {
        let hit = special(u64::from_le_bytes(*word));
        if hit != 0 {
            return length + (hit.trailing_zeros() / 8) as usize;
        }
        length += 8;
        rest = behind;
    }
    length + rest.iter().take_while(|&&byte| !is_special(byte)).count()
}

#[expect(clippy::needless_bitwise_bool, reason = "lazy operators are branches, which keep the loop scalar")]
fn is_special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}
