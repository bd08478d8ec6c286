//! The heads of requests (RFC 9112 sections 2 to 6).

use super::framing::Framing;
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, EXPECT, TRANSFER_ENCODING};
use http::{request, HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, Version};
use std::mem::MaybeUninit;

/// The longest head, in bytes.
pub(in super::super) const MAX_HEAD: usize = 64 << 10;
/// Header lines in one head.
const MAX_HEADERS: usize = 100;

/// Names that nearly every request of the protocol has.
static KNOWN: [HeaderName; 3] = [
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
];

/// A request's head.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) parts: request::Parts,
    /// Bytes of the head.
    pub(super) length: usize,
    pub(super) framing: Framing,
    /// Whether the client can send another request behind this one.
    pub(super) keep_alive: bool,
    /// Whether it waits to be told that its body is wanted.
    pub(super) expects: bool,
}

/// A head that cannot be served, and what its client is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    pub(super) why: &'static str,
}

const fn bad(why: &'static str) -> Refused {
    Refused { status: StatusCode::BAD_REQUEST, why }
}

/// Whether `bytes` can hold the empty line that ends a head; up to `known` they have been looked at before.
pub(super) fn may_be_complete(bytes: &[u8], known: usize) -> bool {
    let fresh = bytes.get(known.saturating_sub(3)..).unwrap_or_default();
    memchr::memchr_iter(b'\n', fresh).any(|at| {
        let behind = fresh.get(at + 1..).unwrap_or_default();
        matches!(behind, [b'\n', ..] | [b'\r', b'\n', ..])
    })
}

/// Reads the head with which `bytes` begin; `None` if it is not complete. `headers` is an empty map to be used.
pub(super) fn read(bytes: &[u8], headers: &mut HeaderMap) -> Result<Option<Head>, Refused> {
    let mut lines = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut []);
    let parsed = request.parse_with_uninit_headers(bytes, &mut lines).map_err(|error| match error {
        httparse::Error::TooManyHeaders => {
            let why = "The request has over 100 headers.";
            Refused { status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, why }
        }
        httparse::Error::Version => {
            let why = "Only HTTP/1.1, HTTP/1.0 and HTTP/2 are spoken here.";
            Refused { status: StatusCode::HTTP_VERSION_NOT_SUPPORTED, why }
        }
        httparse::Error::HeaderName
        | httparse::Error::HeaderValue
        | httparse::Error::NewLine
        | httparse::Error::Status
        | httparse::Error::Token => bad("The request's head is not HTTP."),
    })?;
    let httparse::Status::Complete(length) = parsed else {
        return if bytes.len() < MAX_HEAD { Ok(None) } else { Err(TOO_LONG) };
    };
    if length > MAX_HEAD {
        return Err(TOO_LONG);
    }
    let (Some(method), Some(target), Some(minor)) = (request.method, request.path, request.version) else {
        return Ok(None);
    };
    // Values are slices of one copy, so that the buffer can be used again.
    let copy = Copy { bytes: Bytes::copy_from_slice(bytes.get(..length).unwrap_or_default()), from: bytes };
    let uri = Uri::from_maybe_shared(copy.slice(target.as_bytes()));
    let method = Method::from_bytes(method.as_bytes());
    let (Ok(uri), Ok(method)) = (uri, method) else {
        return Err(bad("The request's target is not a URI."));
    };
    let (mut parts, ()) = Request::new(()).into_parts();
    (parts.method, parts.uri) = (method, uri);
    let is_old = minor == 0;
    parts.version = if is_old { Version::HTTP_10 } else { Version::HTTP_11 };
    parts.headers = std::mem::take(headers);
    let mut seen = Seen { is_old, keep_alive: !is_old, ..Seen::default() };
    parts.headers.reserve(request.headers.len());
    for line in request.headers.iter() {
        let name = name(line.name.as_bytes())?;
        let value = HeaderValue::from_maybe_shared(copy.slice(line.value));
        let value = value.map_err(|_| bad("A header's value has bytes that it must not have."))?;
        seen.see(&name, &value)?;
        if parts.headers.try_append(name, value).is_err() {
            return Err(TOO_LONG);
        }
    }
    let Seen { framing, keep_alive, expects, .. } = seen;
    let framing = framing.unwrap_or(Framing::NONE);
    Ok(Some(Head { parts, length, expects: expects && !framing.has_ended(), framing, keep_alive }))
}

/// The head did not come in time.
pub(super) const LATE: Refused = Refused {
    status: StatusCode::REQUEST_TIMEOUT,
    why: "The request's head took too long (option header_timeout_ms).",
};

const TOO_LONG: Refused = Refused {
    status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
    why: "The request's head is over 64 KiB.",
};

/// The bytes of a head, shared.
struct Copy<'b> {
    bytes: Bytes,
    from: &'b [u8],
}

impl Copy<'_> {
    /// The same bytes as `part`, which lies in what was copied.
    fn slice(&self, part: &[u8]) -> Bytes {
        let start = (part.as_ptr() as usize).wrapping_sub(self.from.as_ptr() as usize);
        match start.checked_add(part.len()) {
            Some(end) if end <= self.bytes.len() => self.bytes.slice(start..end),
            Some(_) | None => Bytes::copy_from_slice(part),
        }
    }
}

fn name(bytes: &[u8]) -> Result<HeaderName, Refused> {
    if matches!(bytes.first(), Some(b'm' | b'M')) {
        let known = KNOWN.iter().find(|known| known.as_str().as_bytes().eq_ignore_ascii_case(bytes));
        if let Some(known) = known {
            return Ok(known.clone());
        }
    }
    HeaderName::from_bytes(bytes).map_err(|_| bad("A header's name is not a token."))
}

/// What the connection itself has to know of the headers.
#[derive(Default)]
struct Seen {
    is_old: bool,
    framing: Option<Framing>,
    keep_alive: bool,
    expects: bool,
}

impl Seen {
    fn see(&mut self, name: &HeaderName, value: &HeaderValue) -> Result<(), Refused> {
        if *name == CONTENT_LENGTH {
            // Twice, or besides the other: who forwards the request may believe another one than who serves it.
            if self.framing.is_some() {
                return Err(TWO_LENGTHS);
            }
            self.framing =
                Some(Framing::Length(read_length(value).ok_or(bad("Content-Length is not a number."))?));
        } else if *name == TRANSFER_ENCODING {
            if self.framing.is_some() {
                return Err(TWO_LENGTHS);
            }
            if self.is_old || !value.as_bytes().eq_ignore_ascii_case(b"chunked") {
                return Err(Refused {
                    status: StatusCode::NOT_IMPLEMENTED,
                    why: "The only Transfer-Encoding is chunked, in HTTP/1.1.",
                });
            }
            self.framing = Some(Framing::CHUNKED);
        } else if *name == CONNECTION {
            for token in value.as_bytes().split(|&byte| byte == b',').map(<[u8]>::trim_ascii) {
                self.keep_alive &= !token.eq_ignore_ascii_case(b"close");
            }
        } else if *name == EXPECT {
            self.expects = !self.is_old && value.as_bytes().eq_ignore_ascii_case(b"100-continue");
        }
        Ok(())
    }
}

const TWO_LENGTHS: Refused =
    bad("The request says the length of its body twice: send Content-Length or Transfer-Encoding once.");

fn read_length(value: &HeaderValue) -> Option<u64> {
    let digits = value.as_bytes();
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // Longer than anything that is read.
    Some(std::str::from_utf8(digits).ok()?.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests;
