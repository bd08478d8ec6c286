//! Finds heads that give their body's length twice, by `Content-Length` and by `Transfer-Encoding`.
//!
//! Two servers in a row that believe different ones see different requests (request smuggling, RFC 9112 section 11.2).
//! hyper drops the former header, so that a request does not show it any more. This looks at the bytes before.

const NAMES: [&[u8]; 2] = [b"content-length", b"transfer-encoding"];
/// The longer name and its colon: what must be seen of a line.
const LONGEST: usize = 18;

/// Reads everything that comes in, in pieces cut anywhere. It knows lines only, not where bodies begin: a body whose
/// lines look like such a head raises the alarm too, and nothing else does.
#[derive(Debug, Default)]
pub(super) struct LengthWatch {
    /// How the current line began, if it began in an earlier piece.
    line: Start,
    /// Which of the names the current block of lines has.
    seen: [bool; 2],
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
    /// Takes the next bytes. True from the moment on when a block of lines had both names.
    pub(super) fn see(&mut self, bytes: &[u8]) -> bool {
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
        self.found
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
        let whole = LengthWatch::default().see(text.as_bytes());
        for cut in 0..=text.len() {
            let mut watch = LengthWatch::default();
            watch.see(&text.as_bytes()[..cut]);
            assert_eq!(watch.see(&text.as_bytes()[cut..]), whole, "cut at {cut}: {text:?}");
        }
        let mut watch = LengthWatch::default();
        let bytewise = text.bytes().fold(false, |_, byte| watch.see(&[byte]));
        assert_eq!(bytewise, whole, "byte by byte: {text:?}");
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

    #[test]
    fn what_was_found_stays_found() {
        let mut watch = LengthWatch::default();
        assert!(watch.see(b"A\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"));
        assert!(watch.see(b"GET / HTTP/1.1\r\n\r\n"));
    }
}
