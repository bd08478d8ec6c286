//! Results of the four list requests.

use super::cursor;
use super::item::Item;
use crate::config::CacheScope;
use crate::json::push_quoted;
use std::sync::Arc;

/// The text of a whole result object.
#[derive(Debug, Clone)]
pub(crate) enum PageText {
    /// Rendered when the catalog was published.
    Whole(Arc<[u8]>),
    /// Rendered for this caller.
    Gathered(Vec<u8>),
}

impl PageText {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Whole(text) => text,
            Self::Gathered(text) => text,
        }
    }
}

/// What every page of a list ends with.
pub(super) fn tail(ttl_ms: u64, scope: CacheScope, info_suffix: &str) -> Box<[u8]> {
    let scope = scope.as_str();
    format!(r#","resultType":"complete","ttlMs":{ttl_ms},"cacheScope":"{scope}"{info_suffix}}}"#)
        .into_bytes()
        .into()
}

/// A page of items with their texts; if there are `more`, with the cursor of the next one.
pub(super) fn render<'i, T: Item + 'i>(
    items: impl Iterator<Item = (&'i T, &'i [u8])> + Clone,
    more: bool,
    tail: &[u8],
) -> Vec<u8> {
    const REST: usize = 64;
    let last = if more { items.clone().last() } else { None };
    let next = last.map(|(item, _)| cursor::encode(T::LIST, item.key()));
    let length: usize = items.clone().map(|(_, text)| text.len() + 1).sum();
    let mut out = Vec::with_capacity(length + tail.len() + next.as_ref().map_or(0, String::len) + REST);
    out.push(b'{');
    push_quoted(&mut out, T::LIST.member());
    out.extend_from_slice(b":[");
    for (number, (_, text)) in items.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        out.extend_from_slice(text);
    }
    out.push(b']');
    if let Some(next) = next {
        out.extend_from_slice(b",\"nextCursor\":");
        push_quoted(&mut out, &next);
    }
    out.extend_from_slice(tail);
    out
}
