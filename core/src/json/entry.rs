//! What is noted of each value.

/// What a JSON value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number, kept as its token.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// One value (or member name) of a document, 16 bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// First byte of the token, quotes and brackets included.
    pub(super) start: u32,
    /// One past its last byte.
    pub(super) end: u32,
    /// Index of the first entry behind this value and all it holds.
    pub(super) next: u32,
    /// Members or elements inside (low 28 bits), escaped flag (bit 28), kind (high 3 bits).
    info: u32,
}

const COUNT_MASK: u32 = (1 << 28) - 1;
const ESCAPED: u32 = 1 << 28;

impl Entry {
    pub(super) fn new(kind: Kind, start: u32, end: u32, next: u32, escaped: bool) -> Self {
        let info = ((kind as u32) << 29) | if escaped { ESCAPED } else { 0 };
        Self { start, end, next, info }
    }

    /// An object or array that stands in the one whose entry is `outer`, and has no end yet.
    pub(super) fn opened(kind: Kind, start: u32, outer: u32) -> Self {
        Self { start, end: 0, next: outer, info: (kind as u32) << 29 }
    }

    /// Keeps what is known of an object or array while one inside of it is read: here, since there is no end yet.
    pub(super) fn suspend(&mut self, count: u32, names: u32) {
        self.end = names;
        self.info = self.info & !COUNT_MASK | count & COUNT_MASK;
    }

    /// What was kept: whether it is an object, its count, its names.
    pub(super) fn resume(self) -> (bool, u32, u32) {
        (self.kind() == Kind::Object, self.info & COUNT_MASK, self.end)
    }

    /// Notes the end of an object or array. Gives the entry of the one it stands in.
    pub(super) fn close(&mut self, end: u32, next: u32, count: u32) -> u32 {
        let outer = std::mem::replace(&mut self.next, next);
        self.end = end;
        self.info = self.info & !COUNT_MASK | count & COUNT_MASK;
        outer
    }

    /// The same value, this much further on in the text and in the list.
    #[inline]
    pub(super) fn moved(self, bytes: u32, entries: u32) -> Self {
        Self {
            start: self.start.wrapping_add(bytes),
            end: self.end.wrapping_add(bytes),
            next: self.next.wrapping_add(entries),
            ..self
        }
    }

    pub(super) fn kind(self) -> Kind {
        match self.info >> 29 {
            0 => Kind::Null,
            1 => Kind::True,
            2 => Kind::False,
            3 => Kind::Number,
            4 => Kind::String,
            5 => Kind::Array,
            _ => Kind::Object,
        }
    }

    pub(super) fn escaped(self) -> bool {
        self.info & ESCAPED != 0
    }

    pub(super) fn count(self) -> usize {
        (self.info & COUNT_MASK) as usize
    }
}
