//! A list as the clients of one revision see it.

use super::item::Item;
use super::page;
use crate::json::Document;
use crate::protocol::{edition, Revision};
use std::sync::Arc;

/// The texts and pages of one list for one revision.
pub(super) struct Edition {
    /// The items' texts where they are not their definitions; empty where they all are.
    texts: Box<[Option<Box<[u8]>>]>,
    /// The pages for whoever sees everything; at least one.
    pages: Box<[Arc<[u8]>]>,
    /// What every page ends with.
    tail: Box<[u8]>,
}

impl Edition {
    /// The list as it was written.
    pub(super) fn newest<T: Item>(items: &[T], page_size: usize, tail: Box<[u8]>) -> Self {
        Self::new(items, Box::default(), page_size, tail)
    }

    /// The list without what came after the revision.
    pub(super) fn older<T: Item>(items: &[T], page_size: usize, revision: Revision) -> Self {
        let texts = items.iter().map(|item| {
            // It was read when the catalog was made.
            let definition = Document::parse_host(item.definition().to_vec()).ok()?;
            let mut text = Vec::with_capacity(item.definition().len());
            edition::push(&mut text, definition.root(), revision, T::SHAPE);
            (text != item.definition()).then(|| text.into())
        });
        Self::new(items, texts.collect(), page_size, b"}".as_slice().into())
    }

    fn new<T: Item>(items: &[T], texts: Box<[Option<Box<[u8]>>]>, page_size: usize, tail: Box<[u8]>) -> Self {
        let mut edition = Self { texts, pages: Box::default(), tail };
        let all: Vec<(&T, &[u8])> = items
            .iter()
            .enumerate()
            .map(|(number, item)| (item, edition.text(number).unwrap_or(item.definition())))
            .collect();
        let count = all.len().div_ceil(page_size).max(1);
        let pages = (0..count).map(|number| {
            let rest = all.get(number * page_size..).unwrap_or_default();
            let page = rest.get(..page_size).unwrap_or(rest);
            page::render(page.iter().copied(), number + 1 < count, &edition.tail).into()
        });
        edition.pages = pages.collect();
        edition
    }

    /// The text of an item, if it is not its definition.
    pub(super) fn text(&self, number: usize) -> Option<&[u8]> {
        self.texts.get(number)?.as_deref()
    }

    pub(super) fn page(&self, number: usize) -> Option<&Arc<[u8]>> {
        self.pages.get(number)
    }

    pub(super) fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Roughly the bytes that it holds.
    pub(super) fn size(&self) -> usize {
        let texts = self.texts.iter().flatten().map(|text| text.len()).sum::<usize>();
        texts + self.pages.iter().map(|page| page.len()).sum::<usize>()
    }
}
