//! The one pass: grammar, depth, escapes, repeated member names.

use super::document::{Entry, Kind};
use super::MAX_DEPTH;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

/// What is wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Not UTF-8.
    Utf8,
    /// Not JSON.
    Syntax,
    /// An escape that names half of a surrogate pair.
    Surrogate,
    /// Nested deeper than [`MAX_DEPTH`].
    Depth,
    /// Longer than positions can count (4 GiB).
    Length,
}

/// A text that was refused, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    kind: FaultKind,
    offset: usize,
    what: &'static str,
}

impl Fault {
    pub(super) fn utf8(offset: usize) -> Self {
        Self { kind: FaultKind::Utf8, offset, what: "not UTF-8" }
    }

    /// What is wrong.
    pub fn kind(&self) -> FaultKind {
        self.kind
    }

    /// The byte at which it was noticed.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.offset)
    }
}

impl std::error::Error for Fault {}

pub(super) struct Scanned {
    pub(super) entries: Vec<Entry>,
    pub(super) duplicate: Option<u32>,
    pub(super) spaced: bool,
    pub(super) surrogates: bool,
}

/// An object or array whose end has not been seen.
#[derive(Clone, Copy, Default)]
struct Open {
    entry: u32,
    count: u32,
    object: bool,
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    out: Scanned,
    lenient: bool,
}

pub(super) fn scan(text: &str, lenient: bool) -> Result<Scanned, Fault> {
    if text.len() >= (1 << 32) - 1 {
        return Err(Fault { kind: FaultKind::Length, offset: text.len(), what: "longer than 4 GiB" });
    }
    // About an entry every eight bytes, as messages are; a huge text may well be one string.
    let entries = Vec::with_capacity(16 + (text.len() / 8).min(4096));
    let out = Scanned { entries, duplicate: None, spaced: false, surrogates: false };
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0, out, lenient };
    scanner.document()?;
    Ok(scanner.out)
}

// Positions are below 4 GiB: `scan` refuses longer texts.
#[expect(clippy::cast_possible_truncation, reason = "positions are below 4 GiB, checked in scan")]
fn narrow(position: usize) -> u32 {
    position as u32
}

impl Scanner<'_> {
    fn fault<T>(&self, what: &'static str) -> Result<T, Fault> {
        Err(Fault { kind: FaultKind::Syntax, offset: self.at, what })
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Passes over white space. Gives the byte behind it.
    #[inline]
    fn space(&mut self) -> Option<u8> {
        let next = self.peek();
        match next {
            Some(b' ' | b'\n' | b'\r' | b'\t') => self.spaces(),
            Some(_) | None => next,
        }
    }

    #[cold]
    fn spaces(&mut self) -> Option<u8> {
        self.out.spaced = true;
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
        self.peek()
    }

    fn document(&mut self) -> Result<(), Fault> {
        let mut stack = [Open::default(); MAX_DEPTH];
        let mut depth = 0;
        'value: loop {
            let first = self.space();
            if let Some(open) = self.value(first)? {
                if depth == MAX_DEPTH {
                    let what = "nested more than 128 levels deep";
                    return Err(Fault { kind: FaultKind::Depth, offset: self.at, what });
                }
                stack[depth] = open;
                depth += 1;
                let close = if open.object { b'}' } else { b']' };
                if self.space() == Some(close) {
                    self.at += 1;
                    depth -= 1;
                    self.close(stack[depth]);
                } else {
                    if open.object {
                        self.name()?;
                    }
                    continue 'value;
                }
            }
            // A value has ended: what may follow depends on what it stands in.
            loop {
                let next = self.space();
                let Some(open) = depth.checked_sub(1).and_then(|top| stack.get_mut(top)) else {
                    return if self.at == self.bytes.len() {
                        Ok(())
                    } else {
                        self.fault("text after the value")
                    };
                };
                open.count += 1;
                match (next, open.object) {
                    (Some(b','), true) => {
                        self.at += 1;
                        self.space();
                        self.name()?;
                        continue 'value;
                    }
                    (Some(b','), false) => {
                        self.at += 1;
                        continue 'value;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        self.at += 1;
                        depth -= 1;
                        self.close(stack[depth]);
                    }
                    (_, true) => return self.fault("expected ',' or '}'"),
                    (_, false) => return self.fault("expected ',' or ']'"),
                }
            }
        }
    }

    fn close(&mut self, open: Open) {
        let next = narrow(self.out.entries.len());
        let end = narrow(self.at);
        self.out.entries[open.entry as usize].close(end, next, open.count);
        if open.object && open.count > 1 && self.out.duplicate.is_none() {
            self.out.duplicate = self.repeated(open.entry + 1, next, open.count as usize);
        }
    }

    fn push(&mut self, kind: Kind, start: usize, escaped: bool) {
        let next = narrow(self.out.entries.len()) + 1;
        self.out.entries.push(Entry::new(kind, narrow(start), narrow(self.at), next, escaped));
    }

    /// Reads a scalar, or the opening of a container, which is returned.
    #[inline]
    fn value(&mut self, first: Option<u8>) -> Result<Option<Open>, Fault> {
        let start = self.at;
        match first {
            Some(b'"') => self.string()?,
            Some(b'{') => return Ok(Some(self.open(Kind::Object))),
            Some(b'[') => return Ok(Some(self.open(Kind::Array))),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Kind::True)?,
            Some(b'f') => self.word("false", Kind::False)?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(_) => return self.fault("expected a JSON value"),
            None if start == 0 => return self.fault("empty text"),
            None => return self.fault("the text ends too early"),
        }
        Ok(None)
    }

    fn open(&mut self, kind: Kind) -> Open {
        let entry = narrow(self.out.entries.len());
        let start = self.at;
        self.at += 1;
        self.push(kind, start, false);
        Open { entry, count: 0, object: kind == Kind::Object }
    }

    fn word(&mut self, word: &'static str, kind: Kind) -> Result<(), Fault> {
        let start = self.at;
        if !self.bytes[start..].starts_with(word.as_bytes()) {
            return self.fault("expected a JSON value");
        }
        self.at += word.len();
        self.push(kind, start, false);
        Ok(())
    }

    fn name(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return self.fault("expected a member name in double quotes");
        }
        self.string()?;
        // Most texts have no space here.
        if self.peek() != Some(b':') {
            self.space();
            if self.peek() != Some(b':') {
                return self.fault("expected ':'");
            }
        }
        self.at += 1;
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => {
                self.at += 1;
                if matches!(self.peek(), Some(b'0'..=b'9')) {
                    return self.fault("a number may not start with 0");
                }
            }
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.fault("expected a digit"),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.fault("expected a digit after '.'");
            }
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.fault("expected a digit in the exponent");
            }
            self.digits();
        }
        self.push(Kind::Number, start, false);
        Ok(())
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        // A local position stays in a register over the bytes of the string.
        let mut at = start + 1;
        let mut escaped = false;
        loop {
            at += plain_run(self.bytes.get(at..).unwrap_or_default());
            match self.bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at = at;
                    self.escape()?;
                    at = self.at;
                }
                Some(_) => {
                    self.at = at;
                    return self.fault("a control character in a string must be escaped");
                }
                None => {
                    self.at = at;
                    return self.fault("the text ends inside a string");
                }
            }
        }
        self.at = at + 1;
        self.push(Kind::String, start, escaped);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Fault> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 1;
                Ok(())
            }
            Some(b'u') => {
                self.at += 1;
                let lone = match self.hex()? {
                    0xD800..=0xDBFF => {
                        let paired = self.bytes[self.at..].starts_with(b"\\u")
                            && matches!(hex4(&self.bytes[self.at + 2..]), Some(0xDC00..=0xDFFF));
                        if paired {
                            self.at += 6;
                        }
                        !paired
                    }
                    0xDC00..=0xDFFF => true,
                    _ => false,
                };
                if lone && !self.lenient {
                    let what = "half of a surrogate pair";
                    return Err(Fault { kind: FaultKind::Surrogate, offset: self.at, what });
                }
                self.out.surrogates |= lone;
                Ok(())
            }
            _ => self.fault("an unknown escape"),
        }
    }

    fn hex(&mut self) -> Result<u16, Fault> {
        match hex4(&self.bytes[self.at..]) {
            Some(unit) => {
                self.at += 4;
                Ok(unit)
            }
            None => self.fault("\\u needs four hexadecimal digits"),
        }
    }

    /// The entry of the first name that stands twice between `first` and `next`.
    fn repeated(&self, first: u32, next: u32, count: usize) -> Option<u32> {
        // Up to this many names a comparison each with each beats hashing.
        const PAIRWISE: usize = 16;
        if count > PAIRWISE {
            let mut seen = HashSet::with_capacity(count);
            return self
                .names(first, next)
                .find(|&index| !seen.insert(self.resolved(self.out.entries[index as usize])));
        }
        let mut digests = [0_u64; PAIRWISE];
        // A name may be written in another way than its equal.
        let mut escaped = false;
        let (mut index, mut n) = (first, 0);
        while index < next {
            let name = self.out.entries[index as usize];
            let digest = self.digest(name);
            escaped |= name.escaped();
            // Most names differ in their digests, so the texts are seldom looked at. All are compared: that takes no
            // branch, and they are few.
            let mut alike = escaped;
            for &other in digests.iter().take(n) {
                alike |= other == digest;
            }
            let same = |other: u32| self.resolved(self.out.entries[other as usize]) == self.resolved(name);
            if alike && self.names(first, index).any(same) {
                return Some(index);
            }
            digests[n % PAIRWISE] = digest;
            n += 1;
            index = self.out.entries[index as usize + 1].next;
        }
        None
    }

    /// The entries of the member names between `first` and `next`.
    fn names(&self, first: u32, next: u32) -> impl Iterator<Item = u32> + '_ {
        let mut index = first;
        std::iter::from_fn(move || {
            let name = (index < next).then_some(index)?;
            index = self.out.entries[index as usize + 1].next;
            Some(name)
        })
    }

    /// The same for names that are written the same: up to eight bytes, and the length.
    fn digest(&self, name: Entry) -> u64 {
        let (start, end) = (name.start as usize + 1, name.end as usize - 1);
        let length = end - start;
        let head = match self.bytes.get(start..).and_then(<[u8]>::first_chunk::<8>) {
            Some(bytes) if length >= 8 => u64::from_le_bytes(*bytes),
            Some(bytes) => u64::from_le_bytes(*bytes) & ((1 << (8 * length)) - 1),
            // Among the last bytes of the text, read to the same effect.
            None => self.bytes[start..end].iter().rev().fold(0, |head, &byte| head << 8 | u64::from(byte)),
        };
        head.wrapping_add((length as u64) << 56)
    }

    fn resolved(&self, name: Entry) -> Cow<'_, str> {
        let inner = &self.text[name.start as usize + 1..name.end as usize - 1];
        if name.escaped() {
            Cow::Owned(unescape(inner))
        } else {
            Cow::Borrowed(inner)
        }
    }
}

/// How many leading bytes are neither a quote, nor a backslash, nor a control character; eight at a time.
#[inline]
fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut length = 0;
    let mut rest = bytes;
    while let Some((chunk, behind)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * u64::from(b'"'));
        let slash = word ^ (ONES * u64::from(b'\\'));
        // A byte of `word` is below 0x20 where subtracting borrows and its own high bit was clear.
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let hit =
            ((quote.wrapping_sub(ONES) & !quote) | (slash.wrapping_sub(ONES) & !slash) | control) & HIGHS;
        if hit != 0 {
            return length + (hit.trailing_zeros() / 8) as usize;
        }
        length += 8;
        rest = behind;
    }
    length + rest.iter().take_while(|&&byte| byte != b'"' && byte != b'\\' && byte >= 0x20).count()
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
    while let Some(at) = rest.find('\\') {
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
