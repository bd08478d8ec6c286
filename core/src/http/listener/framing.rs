//! Finds heads that give their body's length twice, by `Content-Length` and by `Transfer-Encoding`.
//!
//! Two servers in a row that believe different ones see different requests (request smuggling, RFC 9112 section 11.2).
//! hyper drops the former header, so that a request does not show it any more. This looks at the bytes before.

const NAMES: [&[u8]; 2] = [b"content-length", b"transfer-encoding"];
/// The longer name and its colon: what must be seen of a line.
const LONGEST: usize = 18;

/// What came in on a connection, and what was found in it.
///
/// Bytes are kept unread while they are few, and forgotten once the requests that they made up have been served: only a
/// request with `Transfer-Encoding` has them read. So nearly no connection pays for this.
#[derive(Debug, Default)]
pub(super) struct Lengths {
    watch: LengthWatch,
    unread: Vec<u8>,
}

/// So many bytes are kept; more are read at once.
const MOST_UNREAD: usize = 8 << 10;

impl Lengths {
    /// Takes the next bytes. `ended` is the length of the body of the last request, where that has been answered and
    /// nothing came since.
    pub(super) fn take(&mut self, bytes: &[u8], ended: Option<u64>) {
        if ended.is_some_and(|body| self.is_one_request(body)) {
            *self = Self { watch: LengthWatch::default(), unread: std::mem::take(&mut self.unread) };
            self.unread.clear();
        }
        if self.unread.len() + bytes.len() > MOST_UNREAD {
            self.read();
            self.watch.see(bytes);
        } else {
            self.unread.extend_from_slice(bytes);
        }
    }

    /// Whether a head had both lengths.
    pub(super) fn are_ambiguous(&mut self) -> bool {
        self.read();
        self.watch.found
    }

    fn read(&mut self) {
        self.watch.see(&std::mem::take(&mut self.unread));
    }

    /// Whether what is kept ends with a head's empty line and `body` bytes more: then the next byte begins a request.
    /// Who forges that in a body is served as hyper does it, which RFC 9112 section 6.3 allows.
    fn is_one_request(&self, body: u64) -> bool {
        let head = usize::try_from(body).ok().and_then(|body| self.unread.len().checked_sub(body));
        let head = head.and_then(|end| self.unread.get(..end)).unwrap_or_default();
        !self.watch.found && (head.ends_with(b"\n\r\n") || head.ends_with(b"\n\n"))
    }
}

/// Reads everything that comes in, in pieces cut anywhere. It knows lines only, not where bodies begin: a body whose
/// lines look like such a head raises the alarm too, and nothing else does.
#[derive(Debug, Default)]
struct LengthWatch {
    /// How the current line began, if it began in an earlier piece.
    line: Start,
    /// Which of the names the current block of lines has.
    seen: [bool; 2],
    /// A block of lines had both.
    found: bool,
}

/// The first bytes of a line; as many as it takes to know it by are enough.
#[derive(Debug, Default)]
struct Start {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Start {
    fn put(&mut self, piece: &[u8]) {
        for (place, byte) in self.bytes.iter_mut().skip(self.len).zip(piece) {
            *place = *byte;
            self.len += 1;
        }
    }
}

impl LengthWatch {
    /// Reads on.
    fn see(&mut self, bytes: &[u8]) {
        let mut begin = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            let line = bytes.get(begin..end).unwrap_or_default();
            begin = end + 1;
            if self.line.len == 0 {
                self.see_line(line);
            } else {
                self.line.put(line);
                let Start { bytes, len } = std::mem::take(&mut self.line);
                self.see_line(bytes.get(..len).unwrap_or_default());
            }
        }
        self.line.put(bytes.get(begin..).unwrap_or_default());
    }

    /// A line without its end, or as much of it as is enough to know it.
    fn see_line(&mut self, line: &[u8]) {
        match line {
            [] | [b'\r'] => {
                self.found |= self.seen == [true, true];
                self.seen = [false, false];
            }
            // Most lines end here.
            [b'c' | b'C' | b't' | b'T', ..] => {
                for (seen, name) in self.seen.iter_mut().zip(NAMES) {
                    *seen |= line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                        && line.get(name.len()) == Some(&b':');
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    //! Decision 54.

    use super::*;

    fn finds(text: &str) -> bool {
        let bytes = text.as_bytes();
        let found = |pieces: &[&[u8]]| {
            let mut lengths = Lengths::default();
            for piece in pieces {
                lengths.take(piece, None);
            }
            lengths.are_ambiguous()
        };
        let whole = found(&[bytes]);
        for cut in 0..=bytes.len() {
            assert_eq!(found(&[&bytes[..cut], &bytes[cut..]]), whole, "cut at {cut}: {text:?}");
        }
        assert_eq!(found(&bytes.chunks(1).collect::<Vec<_>>()), whole, "byte by byte: {text:?}");
        // Behind more than is kept.
        let long = format!("POST / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(2 * MOST_UNREAD));
        assert_eq!(found(&[long.as_bytes(), bytes]), whole, "behind much: {text:?}");
        whole
    }

    #[test]
    fn a_head_with_both_lengths_is_found() {
        for text in [
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\ntransfer-encoding:chunked\r\nHost: a\r\nCONTENT-LENGTH:3\r\n\r\n",
            "POST / HTTP/1.1\nContent-Length: 3\nTransfer-Encoding: chunked\n\n",
            "POST / HTTP/1.1\nContent-Length: 3\nTransfer-Encoding: chunked\n\r\n",
            // Behind a body without a line's end.
            "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
            // Behind a chunked body.
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert!(finds(text), "{text:?}");
        }
    }

    #[test]
    fn one_length_a_head_is_fine() {
        for text in [
            "",
            "\n\n",
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nX: Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nX-Content-Length: 3\r\nContent-Lengths: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding-And-More: 3\r\nContent-Length: 3\r\n\r\n",
            "POST /?Content-Length:1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ] {
            assert!(!finds(text), "{text:?}");
        }
    }

    const BOTH: &[u8] = b"A\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n";

    #[test]
    fn what_was_found_stays_found() {
        let mut lengths = Lengths::default();
        lengths.take(BOTH, None);
        assert!(lengths.are_ambiguous());
        lengths.take(b"GET / HTTP/1.1\r\n\r\n", Some(0));
        assert!(lengths.are_ambiguous());
    }

    #[test]
    fn requests_that_were_served_are_forgotten() {
        let mut lengths = Lengths::default();
        let request = b"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n[\n0]";
        for _ in 0..10 * MOST_UNREAD / request.len() {
            lengths.take(&request[..20], Some(4));
            lengths.take(&request[20..], None);
            assert_eq!(lengths.unread.len(), request.len());
        }
        assert!(!lengths.are_ambiguous());
    }

    #[test]
    fn a_head_that_began_behind_a_request_is_not_forgotten() {
        let (start, rest) = BOTH.split_at(20);
        let mut lengths = Lengths::default();
        lengths.take(&[b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", start].concat(), None);
        lengths.take(rest, Some(2));
        assert!(lengths.are_ambiguous());
    }
}
