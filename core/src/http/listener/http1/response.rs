//! The heads of responses, and the chunks behind them.

use http::header::{CONNECTION, CONTENT_LENGTH};
use http::response::Parts;
use http::StatusCode;
use std::cell::Cell;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// What stands behind a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    /// So many bytes.
    Bytes(usize),
    Chunks,
    /// Whatever comes until the connection ends, for a client that knows no chunks.
    Rest,
    /// Nothing, but what a head says of the answer to another method.
    Nothing,
}

/// Appends a head. `close` says that the connection ends behind it. Returns whether it does: the head may say so itself.
pub(super) fn write_head(out: &mut Vec<u8>, head: &Parts, behind: Behind, mut close: bool) -> bool {
    out.extend_from_slice(b"HTTP/1.1 ");
    out.extend_from_slice(head.status.as_str().as_bytes());
    out.push(b' ');
    out.extend_from_slice(head.status.canonical_reason().unwrap_or_default().as_bytes());
    out.extend_from_slice(b"\r\n");
    let (mut has_length, mut says_close) = (false, false);
    for (name, value) in &head.headers {
        has_length |= *name == CONTENT_LENGTH;
        says_close |= *name == CONNECTION;
        out.extend_from_slice(name.as_str().as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value.as_bytes());
        out.extend_from_slice(b"\r\n");
    }
    // The only thing that an exchange says about the connection is that it ends.
    close |= says_close;
    if close && !says_close {
        out.extend_from_slice(b"connection: close\r\n");
    }
    match behind {
        Behind::Bytes(length) if !has_length && head.status != StatusCode::NO_CONTENT => {
            out.extend_from_slice(b"content-length: ");
            push_number(out, length);
            out.extend_from_slice(b"\r\n");
        }
        Behind::Chunks => out.extend_from_slice(b"transfer-encoding: chunked\r\n"),
        Behind::Bytes(_) | Behind::Rest | Behind::Nothing => {}
    }
    push_date(out);
    out.extend_from_slice(b"\r\n");
    close
}

/// Appends a chunk. An empty one would end the body.
pub(super) fn write_chunk(out: &mut Vec<u8>, bytes: &[u8]) {
    if !bytes.is_empty() {
        // Writing to memory does not fail.
        let _ = write!(out, "{:x}\r\n", bytes.len());
        out.extend_from_slice(bytes);
        out.extend_from_slice(b"\r\n");
    }
}

/// Ends a body of chunks.
pub(super) const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

fn push_number(out: &mut Vec<u8>, number: usize) {
    let mut digits = [0; 20];
    let (mut rest, mut length) = (number, 0);
    for place in digits.iter_mut().rev() {
        *place = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        length += 1;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len() - length..).unwrap_or_default());
}

/// `date: Tue, 01 Dec 2026 00:00:00 GMT` and a line's end.
const DATE: usize = 37;

thread_local! {
    /// The second that the line was made for.
    static NOW: Cell<(u64, [u8; DATE])> = const { Cell::new((u64::MAX, [0; DATE])) };
}

fn push_date(out: &mut Vec<u8>) {
    let now = SystemTime::now();
    let second = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (known, mut line) = NOW.get();
    if known != second {
        let text = format!("date: {}\r\n", httpdate::fmt_http_date(now));
        // A year of five digits is the only date of another length.
        let Ok(fresh) = <[u8; DATE]>::try_from(text.as_bytes()) else { return };
        line = fresh;
        NOW.set((second, line));
    }
    out.extend_from_slice(&line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderValue, Response};

    fn head(
        status: u16,
        headers: &[(&'static str, &'static str)],
        behind: Behind,
        close: bool,
    ) -> (String, bool) {
        let (mut parts, ()) = Response::new(()).into_parts();
        parts.status = StatusCode::from_u16(status).unwrap();
        for (name, value) in headers {
            parts.headers.append(*name, HeaderValue::from_static(value));
        }
        let mut out = Vec::new();
        let closes = write_head(&mut out, &parts, behind, close);
        let text = String::from_utf8(out).unwrap();
        let (start, date) = text.split_once("date: ").unwrap();
        assert!(date.ends_with(" GMT\r\n\r\n") && date.len() == DATE - 4, "{date:?}");
        (start.to_owned(), closes)
    }

    #[test]
    fn heads_say_what_is_behind_them() {
        for (behind, line) in [
            (Behind::Bytes(0), "content-length: 0\r\n"),
            (Behind::Bytes(usize::MAX), "content-length: 18446744073709551615\r\n"),
            (Behind::Chunks, "transfer-encoding: chunked\r\n"),
            (Behind::Rest, ""),
            (Behind::Nothing, ""),
        ] {
            assert_eq!(head(200, &[], behind, false), (format!("HTTP/1.1 200 OK\r\n{line}"), false));
        }
        assert_eq!(head(204, &[], Behind::Bytes(0), false).0, "HTTP/1.1 204 No Content\r\n");
        let own =
            head(200, &[("content-length", "7"), ("x-a", "1"), ("x-a", "2")], Behind::Bytes(7), false).0;
        assert_eq!(own, "HTTP/1.1 200 OK\r\ncontent-length: 7\r\nx-a: 1\r\nx-a: 2\r\n");
    }

    #[test]
    fn the_end_of_the_connection_is_said_once() {
        let line = "HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\ncontent-length: 0\r\n";
        assert_eq!(head(405, &[], Behind::Bytes(0), true), (line.to_owned(), true));
        for close in [false, true] {
            assert_eq!(
                head(405, &[("connection", "close")], Behind::Bytes(0), close),
                (line.to_owned(), true)
            );
        }
    }

    #[test]
    fn chunks_are_framed() {
        let mut out = Vec::new();
        write_chunk(&mut out, b"");
        write_chunk(&mut out, b"0123456789abcdef");
        out.extend_from_slice(LAST_CHUNK);
        assert_eq!(out, b"10\r\n0123456789abcdef\r\n0\r\n\r\n");
    }
}
