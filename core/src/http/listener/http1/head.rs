//! The heads of requests (RFC 9112 sections 2 to 6).

use super::framing::Framing;
use crate::protocol::wire::method::TOOLS_CALL;
use bytes::Bytes;
use http::header::{
    ACCEPT, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, TRANSFER_ENCODING, USER_AGENT,
};
use http::{request, HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, Version};
use std::mem::MaybeUninit;

/// The longest head, in bytes.
pub(in super::super) const MAX_HEAD: usize = 64 << 10;
/// Header lines in one head.
const MAX_HEADERS: usize = 100;

/// Names of the protocol.
static NAMES: [HeaderName; 4] = [
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
    HeaderName::from_static("mcp-session-id"),
];

/// What nearly every client says needs no second look.
static VALUES: [HeaderValue; 4] = [
    HeaderValue::from_static("application/json"),
    HeaderValue::from_static("application/json, text/event-stream"),
    HeaderValue::from_static("2026-07-28"),
    HeaderValue::from_static(TOOLS_CALL),
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
    check_lines(bytes.get(..length).unwrap_or_default(), method, request.headers)?;
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
        let value = value(&copy, line.value)?;
        seen.see(&name, &value)?;
        if parts.headers.try_append(name, value).is_err() {
            return Err(TOO_LONG);
        }
    }
    if seen.hosts > 1 || (seen.hosts == 0 && !is_old) {
        return Err(bad("A request of HTTP/1.1 has one Host header."));
    }
    let Seen { framing, keep_alive, expects, .. } = seen;
    let framing = framing.unwrap_or(Framing::NONE);
    Ok(Some(Head { parts, length, expects: expects && !framing.has_ended(), framing, keep_alive }))
}

/// Every line ends with CR and LF. Some take a bare LF for an end and some do not: they would see different headers.
fn check_lines(head: &[u8], method: &str, headers: &[httparse::Header<'_>]) -> Result<(), Refused> {
    let begins_behind = |line: &str, end: &[u8]| {
        let start = (line.as_ptr() as usize).wrapping_sub(head.as_ptr() as usize);
        head.get(..start).is_some_and(|before| before.ends_with(end))
    };
    let is_whole = method.as_ptr() == head.as_ptr()
        && headers.iter().all(|header| begins_behind(header.name, b"\r\n"))
        && head.ends_with(b"\r\n\r\n");
    if is_whole {
        Ok(())
    } else {
        Err(bad("A line of the request's head does not end with CR and LF."))
    }
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
    // As most clients write them.
    match bytes {
        b"Host" | b"host" => return Ok(HOST),
        b"Accept" | b"accept" => return Ok(ACCEPT),
        b"Content-Type" | b"content-type" => return Ok(CONTENT_TYPE),
        b"Content-Length" | b"content-length" => return Ok(CONTENT_LENGTH),
        b"User-Agent" | b"user-agent" => return Ok(USER_AGENT),
        [b'm' | b'M', ..] => {
            let known = NAMES.iter().find(|known| known.as_str().as_bytes().eq_ignore_ascii_case(bytes));
            if let Some(known) = known {
                return Ok(known.clone());
            }
        }
        _ => {}
    }
    HeaderName::from_bytes(bytes).map_err(|_| bad("A header's name is not a token."))
}

fn value(copy: &Copy<'_>, bytes: &[u8]) -> Result<HeaderValue, Refused> {
    if let Some(known) = VALUES.iter().find(|known| known.as_bytes() == bytes) {
        return Ok(known.clone());
    }
    HeaderValue::from_maybe_shared(copy.slice(bytes))
        .map_err(|_| bad("A header's value has bytes that it must not have."))
}

/// What the connection itself has to know of the headers.
#[derive(Default)]
struct Seen {
    is_old: bool,
    hosts: usize,
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
        } else if *name == HOST {
            self.hosts += 1;
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
    if digits.is_empty() {
        return None;
    }
    // The largest is longer than anything that is read.
    digits.iter().try_fold(0_u64, |length, digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        Some(length.saturating_mul(10).saturating_add(digit))
    })
}

#[cfg(test)]
mod tests;
