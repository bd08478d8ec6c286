//! Member names that stand twice in one object.

use super::entry::Entry;
use super::escape;
use std::borrow::Cow;
use std::collections::HashSet;

/// Which names an object may have, as far as 32 bits can tell: a name that was met sets its bit. Most objects have no two
/// names with one bit, and need no further look.
#[derive(Clone, Copy)]
pub(super) struct Filter(u32);

impl Filter {
    pub(super) const EMPTY: Self = Self(0);
    /// Some name may have been met twice.
    pub(super) const UNSURE: Self = Self(u32::MAX);
    /// Odd, and such that the names that MCP puts into one object have bits of their own.
    const FACTOR: u64 = 0x78E5_1061_7311_D8A3;

    pub(super) fn of(bits: u32) -> Self {
        Self(bits)
    }

    pub(super) fn bits(self) -> u32 {
        self.0
    }

    /// Notes a name by its digest; without one, nothing is known of it.
    #[inline]
    pub(super) fn meet(&mut self, digest: Option<u64>) {
        let Some(digest) = digest else {
            *self = Self::UNSURE;
            return;
        };
        let bit = 1 << (digest.wrapping_mul(Self::FACTOR) >> 59);
        *self = if self.0 & bit == 0 { Self(self.0 | bit) } else { Self::UNSURE };
    }

    pub(super) fn is_unsure(self) -> bool {
        self.0 == Self::UNSURE.0
    }
}

/// The digest of a name that goes on with these eight bytes or fewer.
#[inline]
pub(super) fn digest(digest: u64, bytes: u64) -> u64 {
    digest.rotate_left(5) ^ bytes
}

/// The same for names that are written the same: up to eight bytes, and the length.
fn summary(text: &str, name: Entry) -> u64 {
    let name = text.as_bytes().get(name.start as usize + 1..name.end as usize - 1).unwrap_or_default();
    let head = name.iter().take(8).rev().fold(0, |head, &byte| head << 8 | u64::from(byte));
    head.wrapping_add((name.len() as u64) << 56)
}

/// The entry of the first name that stands twice in the object whose entry is `object`.
#[cold]
pub(super) fn repeated(text: &str, entries: &[Entry], object: u32) -> Option<u32> {
    // Up to this many names a comparison each with each beats hashing.
    const PAIRWISE: usize = 16;
    let object = object as usize;
    let (first, next) = (object + 1, entries[object].next as usize);
    let names = |next: usize| {
        let mut index = first;
        std::iter::from_fn(move || {
            let name = (index < next).then_some(index)?;
            index = entries[index + 1].next as usize;
            Some(name)
        })
    };
    let resolved = |name: usize| resolved(text, entries[name]);
    let narrow = |name: Option<usize>| name.and_then(|name| u32::try_from(name).ok());
    if entries[object].count() > PAIRWISE {
        let mut seen = HashSet::with_capacity(entries[object].count());
        return narrow(names(next).find(|&name| !seen.insert(resolved(name))));
    }
    let mut summaries = [0_u64; PAIRWISE];
    // A name may be written in another way than its equal.
    let mut escaped = false;
    narrow(names(next).enumerate().find_map(|(n, name)| {
        let entry = entries[name];
        let summary = summary(text, entry);
        escaped |= entry.escaped();
        // Most names differ in their summaries, so the texts are seldom looked at. All are compared: that takes no
        // branch, and they are few.
        let mut alike = escaped;
        for &other in summaries.iter().take(n) {
            alike |= other == summary;
        }
        summaries[n % PAIRWISE] = summary;
        (alike && names(name).any(|other| resolved(other) == resolved(name))).then_some(name)
    }))
}

fn resolved(text: &str, name: Entry) -> Cow<'_, str> {
    let inner = &text[name.start as usize + 1..name.end as usize - 1];
    if name.escaped() {
        Cow::Owned(escape::unescape(inner))
    } else {
        Cow::Borrowed(inner)
    }
}
