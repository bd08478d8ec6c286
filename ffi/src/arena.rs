//! Texts that live as long as their handle.

use crate::text::CText;
use std::ffi::c_char;
use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

/// Keeps the texts that a handle showed, each ended by a NUL, until the handle goes. The same source is kept once, so
/// a host that asks again and again costs nothing more.
#[derive(Default)]
pub(crate) struct Arena {
    texts: Mutex<Texts>,
    /// Texts whose source does not last, by name.
    named: Mutex<Vec<(Box<str>, CText)>>,
}

#[derive(Default)]
struct Texts {
    /// Most handles show one text.
    first: Option<(Source, CText)>,
    /// Sorted by where the source stands.
    others: Vec<(Source, CText)>,
}

/// Address and length of the source; it must neither move nor change while the arena lives.
type Source = (usize, usize);

impl Arena {
    /// A view of `text`.
    pub(crate) fn view(&self, text: &str, len: Option<&mut MaybeUninit<usize>>) -> *const c_char {
        self.view_of(text, || CText::new(text), len)
    }

    /// A view of what `make` makes out of `source`.
    pub(crate) fn view_of(
        &self,
        source: &str,
        make: impl FnOnce() -> CText,
        len: Option<&mut MaybeUninit<usize>>,
    ) -> *const c_char {
        let key = (source.as_ptr().addr(), source.len());
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let Texts { first, others } = &mut *texts;
        match first {
            Some((source, text)) if *source == key => return text.view(len),
            Some(_) => {}
            None => return first.insert((key, make())).1.view(len),
        }
        let at = match others.binary_search_by_key(&key, |(source, _)| *source) {
            Ok(at) => at,
            Err(at) => {
                others.insert(at, (key, make()));
                at
            }
        };
        // The text is boxed: it stays where it is while the list moves.
        others.get(at).map_or(std::ptr::null(), |(_, text)| text.view(len))
    }

    /// A view of what `make` makes under a name (case aside); NULL if it makes nothing.
    pub(crate) fn view_named(
        &self,
        name: &str,
        make: impl FnOnce() -> Option<CText>,
        len: Option<&mut MaybeUninit<usize>>,
    ) -> *const c_char {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, text)) = named.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            return text.view(len);
        }
        let Some(text) = make() else {
            return std::ptr::null();
        };
        let view = text.view(len);
        named.push((name.into(), text));
        view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_once_and_stays() {
        let arena = Arena::default();
        let source: Vec<String> = (0..100).map(|n| format!("text {n}")).collect();
        let first: Vec<_> = source.iter().rev().map(|text| arena.view(text, None)).collect();
        let again: Vec<_> = source.iter().rev().map(|text| arena.view(text, None)).collect();
        assert_eq!(first, again);
        let mut len = MaybeUninit::uninit();
        let part = arena.view(&source[0][..4], Some(&mut len));
        assert_ne!(part, arena.view(&source[0], None));
        // SAFETY: `view` wrote the length and gave a text that ends with a NUL.
        assert_eq!(unsafe { len.assume_init() }, 4);
        // SAFETY: as above.
        assert_eq!(unsafe { std::ffi::CStr::from_ptr(part) }, c"text");
    }

    #[test]
    fn a_named_text_is_made_once() {
        let arena = Arena::default();
        let first = arena.view_named("Name", || Some(CText::new("one")), None);
        assert_eq!(arena.view_named("name", || Some(CText::new("two")), None), first);
        assert!(arena.view_named("other", || None, None).is_null());
        // SAFETY: the arena gave a text that ends with a NUL.
        assert_eq!(unsafe { std::ffi::CStr::from_ptr(first) }, c"one");
    }
}
