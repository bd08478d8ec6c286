//! Where a request's body ends (RFC 9112 sections 6 and 7).

/// What chunk extensions and trailers may take of a body's transfer, in bytes: nobody here reads them.
const MOST_UNUSED: usize = 16 << 10;

/// How the rest of a body is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// So many bytes.
    Length(u64),
    Chunked(Chunked),
}

/// Where in a chunked body the next byte stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chunked {
    at: At,
    /// Bytes of extensions and trailers so far.
    unused: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// In a chunk's size, of which so many digits have been read.
    Size {
        size: u64,
        digits: u32,
    },
    /// Behind the size and white space.
    SizeEnd {
        size: u64,
    },
    Extension {
        size: u64,
    },
    SizeLine {
        size: u64,
    },
    Data {
        left: u64,
    },
    DataEnd,
    DataLine,
    /// In a line behind the last chunk; an empty one is the end.
    Trailer {
        empty: bool,
    },
    TrailerLine {
        empty: bool,
    },
    End,
}

/// The body breaks its framing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broken;

/// What to do about bytes that have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// Pass over so many bytes first,
    pub(super) skip: usize,
    /// then take so many as the body's.
    pub(super) data: usize,
}

impl Framing {
    pub(super) const NONE: Self = Self::Length(0);
    pub(super) const CHUNKED: Self =
        Self::Chunked(Chunked { at: At::Size { size: 0, digits: 0 }, unused: 0 });

    pub(super) fn has_ended(&self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunked(Chunked { at: At::End, .. }))
    }

    /// How many bytes are left, where that was said.
    pub(super) fn left(&self) -> Option<u64> {
        match self {
            Self::Length(left) => Some(*left),
            Self::Chunked(_) => None,
        }
    }

    /// So many bytes of a body whose length was said have been taken.
    pub(super) fn took(&mut self, count: usize) {
        if let Self::Length(left) = self {
            *left = left.saturating_sub(count as u64);
        }
    }

    /// What the next bytes are. Where nothing is to be done, more of them are needed or the body has ended.
    pub(super) fn step(&mut self, bytes: &[u8]) -> Result<Step, Broken> {
        match self {
            Self::Length(left) => {
                let data = bytes.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= data as u64;
                Ok(Step { skip: 0, data })
            }
            Self::Chunked(chunked) => chunked.step(bytes),
        }
    }
}

impl Chunked {
    fn step(&mut self, bytes: &[u8]) -> Result<Step, Broken> {
        let mut skip = 0;
        loop {
            if let At::Data { left } = &mut self.at {
                let rest = bytes.len() - skip;
                let data = rest.min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= data as u64;
                if *left == 0 {
                    self.at = At::DataEnd;
                }
                if data > 0 || rest == 0 {
                    return Ok(Step { skip, data });
                }
            }
            let Some(&byte) = bytes.get(skip) else {
                return Ok(Step { skip, data: 0 });
            };
            if self.at == At::End {
                return Ok(Step { skip, data: 0 });
            }
            self.at = self.next(byte)?;
            skip += 1;
        }
    }

    /// Where the byte behind `byte` stands. A bare line feed ends a line for some and not for others, so that they
    /// would see different bodies: it is taken nowhere.
    fn next(&mut self, byte: u8) -> Result<At, Broken> {
        let at = match self.at {
            At::Size { size, digits } if byte.is_ascii_hexdigit() && digits < 15 => {
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                Some(At::Size { size: size << 4 | u64::from(digit), digits: digits + 1 })
            }
            At::Size { digits: 0, .. } | At::Data { .. } => None,
            At::Size { size, .. } | At::SizeEnd { size } => match byte {
                b' ' | b'\t' => self.pass(At::SizeEnd { size }),
                b';' => self.pass(At::Extension { size }),
                b'\r' => Some(At::SizeLine { size }),
                _ => None,
            },
            At::Extension { size } => match byte {
                b'\r' => Some(At::SizeLine { size }),
                b'\n' => None,
                _ => self.pass(At::Extension { size }),
            },
            At::SizeLine { size: 0 } | At::TrailerLine { empty: false } => {
                (byte == b'\n').then_some(At::Trailer { empty: true })
            }
            At::SizeLine { size } => (byte == b'\n').then_some(At::Data { left: size }),
            At::DataEnd => (byte == b'\r').then_some(At::DataLine),
            At::DataLine => (byte == b'\n').then_some(At::Size { size: 0, digits: 0 }),
            At::Trailer { empty } => match byte {
                b'\r' => Some(At::TrailerLine { empty }),
                b'\n' => None,
                _ => self.pass(At::Trailer { empty: false }),
            },
            At::TrailerLine { empty: true } => (byte == b'\n').then_some(At::End),
            At::End => Some(At::End),
        };
        at.ok_or(Broken)
    }

    /// Counts a byte that nobody reads.
    fn pass(&mut self, at: At) -> Option<At> {
        self.unused += 1;
        (self.unused <= MOST_UNUSED).then_some(at)
    }
}

#[cfg(test)]
mod tests {
    //! HTTP-25, B-104.

    use super::*;

    /// The body, and what is behind it; the text comes in pieces of `size`.
    fn read(text: &str, size: usize) -> Result<Option<(String, String)>, Broken> {
        let (mut framing, mut body, mut bytes, mut come) = (Framing::CHUNKED, Vec::new(), text.as_bytes(), 0);
        loop {
            let Step { skip, data } = framing.step(&bytes[..come])?;
            body.extend_from_slice(&bytes[skip..skip + data]);
            bytes = &bytes[skip + data..];
            come -= skip + data;
            if framing.has_ended() {
                let rest = String::from_utf8(bytes.to_vec()).unwrap();
                return Ok(Some((String::from_utf8(body).unwrap(), rest)));
            }
            if skip + data == 0 {
                if come == bytes.len() {
                    return Ok(None);
                }
                come = (come + size).min(bytes.len());
            }
        }
    }

    #[test]
    fn http_25_chunks_are_joined_however_they_are_cut() {
        for (text, body, rest) in [
            ("0\r\n\r\n", "", ""),
            ("5\r\nhello\r\n0\r\n\r\nPOST", "hello", "POST"),
            ("005\r\nhello\r\n000\r\n\r\n", "hello", ""),
            ("1\r\na\r\nA\r\n0123456789\r\n0\r\n\r\n", "a0123456789", ""),
            ("b;x=\"y;z\";w\r\nhello\r\n0\r\n0\r\n0\r\n\r\n", "hello\r\n0\r\n0", ""),
            ("2 \t;x\r\n{}\r\n0 \r\n\r\n", "{}", ""),
            ("2\r\n{}\r\n0\r\nX-Sum: 1\r\nY: \r\n\r\nnext", "{}", "next"),
        ] {
            for size in 1..=text.len() {
                let read = read(text, size);
                assert_eq!(read, Ok(Some((body.to_owned(), rest.to_owned()))), "{text:?} by {size}");
            }
        }
    }

    #[test]
    fn b_104_what_is_no_chunk_is_broken() {
        for text in [
            "\r\n",
            "x\r\n",
            "-1\r\n",
            "0x5\r\n",
            "+5\r\n",
            " 5\r\nhello",
            "5\nhello\r\n0\r\n\r\n",
            "5\r\nhello0\r\n\r\n",
            "5\r\nhello\n0\r\n\r\n",
            "5\r\nhello!\r\n0\r\n\r\n",
            "5;x\nhello\r\n0\r\n\r\n",
            "5 5\r\nhello\r\n0\r\n\r\n",
            "5\rhello\r\n0\r\n\r\n",
            "0\r\nX: 1\n\r\n",
            "0\r\n\rX",
            "0\r\nX: 1\rY",
            "1000000000000000\r\n",
            "ffffffffffffffffffff\r\n",
        ] {
            for size in 1..=text.len() {
                assert_eq!(read(text, size), Err(Broken), "{text:?} by {size}");
            }
        }
    }

    #[test]
    fn b_104_what_is_not_read_is_bounded() {
        let filler = "x".repeat(MOST_UNUSED + 1);
        for text in [
            format!("1;{filler}\r\na\r\n0\r\n\r\n"),
            format!("0\r\nX: {filler}\r\n\r\n"),
            format!("1{}", " ".repeat(MOST_UNUSED + 1)),
        ] {
            assert_eq!(read(&text, 1000), Err(Broken));
        }
        // Of all chunks together.
        assert_eq!(read(&"1;xxxx\r\na\r\n".repeat(MOST_UNUSED / 4), 1000), Err(Broken));
    }

    #[test]
    fn http_25_an_unfinished_body_waits() {
        let text = "5;x\r\nhello\r\n0\r\nX: 1\r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(read(&text[..end], 3), Ok(None), "{end}");
        }
    }

    #[test]
    fn http_25_a_length_is_counted_down() {
        let mut framing = Framing::Length(5);
        assert_eq!(framing.step(b"abc"), Ok(Step { skip: 0, data: 3 }));
        assert_eq!(framing.step(b""), Ok(Step { skip: 0, data: 0 }));
        assert_eq!(framing.step(b"defg"), Ok(Step { skip: 0, data: 2 }));
        assert!(framing.has_ended() && framing.step(b"x") == Ok(Step { skip: 0, data: 0 }));
    }
}
