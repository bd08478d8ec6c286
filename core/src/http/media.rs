//! Media types by their grammar (RFC 9110 section 8.3.1 and 12.5.1), not compared as text.

use http::header::ACCEPT;
use http::HeaderMap;

/// Whether a `Content-Type` says `application/json`. Parameters are allowed, but a `charset` other than UTF-8 is not:
/// the body would be read as something that it is not.
pub(crate) fn content_type_is_json(value: impl AsRef<[u8]>) -> bool {
    // As nearly everybody writes it.
    value.as_ref() == b"application/json" || is_json(Text(value.as_ref()))
}

fn is_json(mut text: Text<'_>) -> bool {
    text.skip_space();
    let Some((kind, subtype)) = text.media_range() else {
        return false;
    };
    if !kind.eq_ignore_ascii_case(b"application") || !subtype.eq_ignore_ascii_case(b"json") {
        return false;
    }
    loop {
        match text.parameter() {
            Parameter::Is { name, value } if name.eq_ignore_ascii_case(b"charset") => {
                if !value.is(b"utf-8") && !value.is(b"us-ascii") {
                    return false;
                }
            }
            Parameter::Is { .. } | Parameter::Empty => {}
            Parameter::None => return text.0.is_empty(),
            Parameter::Malformed => return false,
        }
    }
}

/// What an `Accept` header takes of what this server can send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accepts {
    pub(crate) json: bool,
    pub(crate) event_stream: bool,
}

impl Accepts {
    /// All `Accept` headers together; without one, everything is taken. A member that breaks the grammar counts as
    /// not there.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let mut values = headers.get_all(ACCEPT).iter().peekable();
        let Some(first) = values.peek() else {
            return Self { json: true, event_stream: true };
        };
        // As nearly everybody writes it. More headers can only add to it.
        if *first == "application/json, text/event-stream" {
            return Self { json: true, event_stream: true };
        }
        let (mut json, mut event_stream) = (Best::default(), Best::default());
        for value in values {
            let mut text = Text(value.as_bytes());
            while text.next_member() {
                let Some(range) = text.weighted_range() else {
                    continue;
                };
                json.see(&range, b"application", b"json");
                event_stream.see(&range, b"text", b"event-stream");
            }
        }
        Self { json: json.taken, event_stream: event_stream.taken }
    }
}

/// A member of `Accept`.
struct Range<'t> {
    kind: &'t [u8],
    subtype: &'t [u8],
    has_parameters: bool,
    taken: bool,
}

/// What the most specific range so far says of one type.
#[derive(Default)]
struct Best {
    specificity: u8,
    taken: bool,
}

impl Best {
    fn see(&mut self, range: &Range<'_>, kind: &[u8], subtype: &[u8]) {
        let specificity = match (range.kind, range.subtype) {
            (b"*", b"*") => 1,
            (k, b"*") if k.eq_ignore_ascii_case(kind) => 2,
            // Ranges with parameters ask for a variant (`charset=utf-8`): they can only add what is sent.
            (k, s) if k.eq_ignore_ascii_case(kind) && s.eq_ignore_ascii_case(subtype) => {
                if range.has_parameters && !range.taken {
                    return;
                }
                3
            }
            _ => return,
        };
        if specificity > self.specificity {
            *self = Self { specificity, taken: range.taken };
        } else if specificity == self.specificity {
            self.taken |= range.taken;
        }
    }
}

enum Parameter<'t> {
    Is {
        name: &'t [u8],
        value: Value<'t>,
    },
    /// A semicolon with nothing behind it, which the grammar allows.
    Empty,
    None,
    Malformed,
}

enum Value<'t> {
    Token(&'t [u8]),
    /// What stands between the quotation marks, escapes included.
    Quoted(&'t [u8]),
}

impl Value<'_> {
    fn is(&self, expected: &[u8]) -> bool {
        match self {
            Self::Token(text) => text.eq_ignore_ascii_case(expected),
            Self::Quoted(text) => {
                let mut bytes = text.iter();
                let unescaped = std::iter::from_fn(|| match bytes.next()? {
                    b'\\' => bytes.next(),
                    byte => Some(byte),
                });
                unescaped.map(u8::to_ascii_lowercase).eq(expected.iter().copied())
            }
        }
    }
}

/// What is left to read.
struct Text<'t>(&'t [u8]);

impl<'t> Text<'t> {
    fn take_while(&mut self, matches: impl Fn(u8) -> bool) -> &'t [u8] {
        let end = self.0.iter().position(|&byte| !matches(byte)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(end);
        self.0 = rest;
        taken
    }

    fn skip_space(&mut self) {
        self.take_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    fn eat(&mut self, byte: u8) -> bool {
        match self.0.split_first() {
            Some((&first, rest)) if first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn token(&mut self) -> Option<&'t [u8]> {
        Some(self.take_while(is_token)).filter(|token| !token.is_empty())
    }

    /// `type/subtype`; `*` is a token like another.
    fn media_range(&mut self) -> Option<(&'t [u8], &'t [u8])> {
        let kind = self.token()?;
        if !self.eat(b'/') {
            return None;
        }
        Some((kind, self.token()?))
    }

    /// The next `OWS ";" OWS [ name "=" value ]`.
    fn parameter(&mut self) -> Parameter<'t> {
        self.skip_space();
        if !self.eat(b';') {
            return Parameter::None;
        }
        self.skip_space();
        let Some(name) = self.token() else {
            return Parameter::Empty;
        };
        if !self.eat(b'=') {
            return Parameter::Malformed;
        }
        let value =
            if self.eat(b'"') { self.quoted().map(Value::Quoted) } else { self.token().map(Value::Token) };
        match value {
            Some(value) => Parameter::Is { name, value },
            None => Parameter::Malformed,
        }
    }

    /// A quoted string behind its first quotation mark. One that does not end takes everything.
    fn quoted(&mut self) -> Option<&'t [u8]> {
        let text = std::mem::take(&mut self.0);
        let mut at = 0;
        loop {
            match *text.get(at)? {
                b'"' => break,
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        self.0 = text.get(at + 1..).unwrap_or_default();
        text.get(..at)
    }

    /// Goes to the next member of a comma-separated list; whatever is left of the last one is passed over.
    fn next_member(&mut self) -> bool {
        loop {
            self.take_while(|byte| matches!(byte, b' ' | b'\t' | b','));
            match self.0.first() {
                None => return false,
                Some(&byte) if is_token(byte) => return true,
                Some(_) => self.skip_member(),
            }
        }
    }

    fn skip_member(&mut self) {
        loop {
            self.take_while(|byte| byte != b',' && byte != b'"');
            if !self.eat(b'"') {
                return;
            }
            self.quoted();
        }
    }

    /// A media range with its parameters and weight. `None` if it breaks the grammar; the rest of it is passed over.
    fn weighted_range(&mut self) -> Option<Range<'t>> {
        let range = self.read_range();
        if range.is_none() {
            self.skip_member();
        }
        range
    }

    fn read_range(&mut self) -> Option<Range<'t>> {
        let (kind, subtype) = self.media_range()?;
        if kind == b"*" && subtype != b"*" {
            return None;
        }
        let mut range = Range { kind, subtype, has_parameters: false, taken: true };
        loop {
            match self.parameter() {
                Parameter::Is { name: b"q" | b"Q", value } => match value {
                    Value::Token(weight) => range.taken = is_positive(weight)?,
                    Value::Quoted(_) => return None,
                },
                Parameter::Is { .. } => range.has_parameters = true,
                Parameter::Empty => {}
                Parameter::None => break,
                Parameter::Malformed => return None,
            }
        }
        matches!(self.0.first(), None | Some(b',')).then_some(range)
    }
}

/// Whether a `qvalue` is more than 0: `0` or `1`, and at most three digits behind the point.
fn is_positive(weight: &[u8]) -> Option<bool> {
    let (&whole, rest) = weight.split_first()?;
    let digits = match rest.split_first() {
        None => rest,
        Some((b'.', digits)) if digits.len() <= 3 => digits,
        Some(_) => return None,
    };
    match whole {
        b'1' if digits.iter().all(|&digit| digit == b'0') => Some(true),
        b'0' if digits.iter().all(u8::is_ascii_digit) => Some(digits.iter().any(|&digit| digit != b'0')),
        _ => None,
    }
}

/// A byte of a token (RFC 9110 section 5.6.2).
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests;
