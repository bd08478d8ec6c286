//! Literals and variables in a row, matched in time that grows with the text and not with the ways to read it.

use super::Found;

/// What ends a `{v}` before a query.
pub(super) const SEGMENT: &[u8] = b"/?#";
/// What ends a variable of `{a,b}` before a query.
pub(super) const LISTED: &[u8] = b",/?#";
/// What ends a `{v}` in a query.
pub(super) const MEMBER: &[u8] = b"&#";
/// What ends a variable of `{a,b}` in a query.
pub(super) const LISTED_MEMBER: &[u8] = b",&#";

#[derive(Debug)]
pub(super) enum Part {
    /// Text in the spelling that `normalize` gives.
    Literal(Box<str>),
    /// One or more bytes, none of `stops`.
    Value { name: Box<str>, stops: &'static [u8] },
    /// Nothing, or `/` and any number of bytes of one segment.
    Slash { name: Box<str> },
}

#[derive(Debug, Default)]
pub(super) struct Pattern {
    parts: Vec<Part>,
}

impl Pattern {
    pub(super) fn push(&mut self, part: Part) {
        self.parts.push(part);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether `c` stands in a literal.
    pub(super) fn has(&self, c: char) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Literal(literal) if literal.contains(c)))
    }

    /// What a query member starts with, up to its `=`; `None` if a variable has a part in it.
    pub(super) fn key(&self) -> Option<&str> {
        let Some(Part::Literal(literal)) = self.parts.first() else {
            return None;
        };
        match literal.split_once('=') {
            Some((key, _)) => Some(key),
            None => (self.parts.len() == 1).then_some(literal),
        }
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Literal(_) => None,
            Part::Value { name, .. } | Part::Slash { name } => Some(&**name),
        })
    }

    /// A cheap look that rules most URIs out, also before they are normalized.
    pub(super) fn may_start(&self, uri: &str) -> bool {
        match self.parts.first() {
            Some(Part::Literal(literal)) => {
                // Beyond an escape the two may be spelled differently.
                let plain = literal.split('%').next().unwrap_or_default();
                uri.starts_with(plain)
            }
            Some(Part::Value { .. } | Part::Slash { .. }) | None => true,
        }
    }

    /// Matches all of `text` and adds what the variables took. Nothing is added where it fails.
    pub(super) fn find<'p, 't>(&'p self, text: &'t str, found: &mut Vec<Found<'p, 't>>) -> bool {
        let edge = |part: Option<&'p Part>| match part {
            Some(Part::Literal(literal)) => &**literal,
            Some(Part::Value { .. } | Part::Slash { .. }) | None => "",
        };
        if !text.starts_with(edge(self.parts.first())) || !text.ends_with(edge(self.parts.last())) {
            return false;
        }
        // Row n holds the positions from which parts n and up match the rest of the text; filled from the last part
        // back, so that the way forward never has to turn round.
        let width = text.len() + 1;
        let mut rows = vec![false; width * (self.parts.len() + 1)];
        if let Some(end) = rows.last_mut() {
            *end = true;
        }
        for (n, part) in self.parts.iter().enumerate().rev() {
            let (head, behind) = rows.split_at_mut(width * (n + 1));
            part.fill(text.as_bytes(), &behind[..width], &mut head[width * n..]);
        }
        if !rows[0] {
            return false;
        }
        let mut at = 0;
        for (n, part) in self.parts.iter().enumerate() {
            at = part.walk(text, at, &rows[width * (n + 1)..width * (n + 2)], found);
        }
        true
    }
}

impl Part {
    /// Marks in `row` where this part can start, given where (`after`) the next one can.
    fn fill(&self, text: &[u8], after: &[bool], row: &mut [bool]) {
        match self {
            Self::Literal(literal) => {
                let literal = literal.as_bytes();
                for start in 0..=text.len().saturating_sub(literal.len()) {
                    row[start] =
                        after.get(start + literal.len()) == Some(&true) && text[start..].starts_with(literal);
                }
            }
            Self::Value { stops, .. } => {
                // Whether a value that has begun can be ended at or behind the position.
                let mut ends = after[text.len()];
                for start in (0..text.len()).rev() {
                    row[start] = ends && !stops.contains(&text[start]);
                    ends = row[start] || (after[start] && whole(text, start));
                }
            }
            Self::Slash { .. } => {
                row[text.len()] = after[text.len()];
                let mut ends = after[text.len()];
                for start in (0..text.len()).rev() {
                    row[start] = after[start] || (text[start] == b'/' && ends);
                    ends = (ends && !SEGMENT.contains(&text[start])) || (after[start] && whole(text, start));
                }
            }
        }
    }

    /// Takes this part at `at`, where it is known to match, as far as it goes, and tells where it ends.
    fn walk<'p, 't>(
        &'p self,
        text: &'t str,
        at: usize,
        after: &[bool],
        found: &mut Vec<Found<'p, 't>>,
    ) -> usize {
        let (name, start, stops, least) = match self {
            Self::Literal(literal) => return at + literal.len(),
            Self::Value { name, stops } => (name, at, *stops, at + 1),
            Self::Slash { name } => {
                if text.as_bytes().get(at) != Some(&b'/') {
                    return at;
                }
                (name, at + 1, SEGMENT, at + 1)
            }
        };
        let bytes = text.as_bytes();
        let limit =
            bytes[start..].iter().position(|byte| stops.contains(byte)).map_or(bytes.len(), |n| start + n);
        // A `/` that only the next part can use leaves no end here.
        let Some(end) = (least..=limit).rev().find(|&end| after[end] && whole(bytes, end)) else {
            return at;
        };
        found.push((name, text.get(start..end).unwrap_or_default()));
        end
    }
}

/// Whether `at` does not stand inside an escape.
fn whole(text: &[u8], at: usize) -> bool {
    !(1..=2).any(|back| at.checked_sub(back).and_then(|n| text.get(n)) == Some(&b'%'))
}
