//! The items of one list, in order.

use super::cursor;
use super::edition::Edition;
use super::item::Item;
use super::page::{self, PageText};
use super::settings::Settings;
use crate::caller::Caller;
use crate::config::CacheScope;
use crate::protocol::{Era, Revision};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The items of one list, sorted by their keys, and the pages that show them.
pub(super) struct Table<T> {
    items: Box<[T]>,
    positions: HashMap<Arc<str>, usize, foldhash::quality::RandomState>,
    /// Every scope that some item needs, each once.
    scopes: Box<[Box<str>]>,
    /// As the newest revision has it.
    newest: Edition,
    /// As each older revision has it, made when the first of its clients asks: most servers see few of them, and all
    /// together would be most of a catalog's memory.
    older: [OnceLock<Edition>; Revision::LATEST as usize],
    /// Items on a page, at least 1.
    page_size: usize,
    digest: [u8; 32],
}

impl<T: Item> Table<T> {
    pub(super) fn new(mut items: Vec<T>, settings: &Settings) -> Self {
        items.sort_by(|a, b| a.key().cmp(b.key()));
        let positions = items.iter().enumerate().map(|(at, item)| (item.key().clone(), at)).collect();
        let mut scopes: Vec<Box<str>> =
            items.iter().flat_map(|item| item.settings().scopes.iter().cloned()).collect();
        scopes.sort_unstable();
        scopes.dedup();
        // CACHE-04, CACHE-06: one hint for all pages, and what depends on the caller is no one else's.
        let scope = if scopes.is_empty() { settings.cache_scope } else { CacheScope::Private };
        let tail = page::tail(settings.cache_ttl_ms, scope, &settings.info_suffix);
        let page_size = if settings.page_size == 0 { usize::MAX } else { settings.page_size };
        Self {
            newest: Edition::newest(&items, page_size, tail),
            older: Default::default(),
            digest: digest(&items),
            items: items.into(),
            positions,
            scopes: scopes.into(),
            page_size,
        }
    }

    pub(super) fn items(&self) -> &[T] {
        &self.items
    }

    /// Where the item called `key` stands.
    pub(super) fn position(&self, key: &str) -> Option<usize> {
        self.positions.get(key).copied()
    }

    /// The item at a position that this table gave out.
    pub(super) fn at(&self, position: usize) -> &T {
        &self.items[position]
    }

    /// Of the items and what they need of callers.
    pub(super) fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// Roughly the bytes that the table holds.
    pub(super) fn size(&self) -> usize {
        let entry = size_of::<(Arc<str>, usize)>() * 2;
        let item = |item: &T| item.weight() + item.key().len() + item.definition().len() + entry;
        let older = self.older.iter().filter_map(OnceLock::get).map(Edition::size);
        self.items.iter().map(item).sum::<usize>() + self.newest.size() + older.sum::<usize>()
    }

    fn edition(&self, revision: Revision) -> &Edition {
        match (revision.era(), self.older.get(revision as usize)) {
            (Era::Modern, _) | (Era::Legacy, None) => &self.newest,
            (Era::Legacy, Some(older)) => {
                older.get_or_init(|| Edition::older(&self.items, self.page_size, revision))
            }
        }
    }

    /// The page behind `cursor`, as `caller` sees it; under `hide` without the items that the caller may not use.
    pub(super) fn list(
        &self,
        revision: Revision,
        cursor: Option<&str>,
        caller: &Caller,
        hide: bool,
    ) -> Result<PageText, String> {
        let edition = self.edition(revision);
        let start = match cursor {
            Some(cursor) => self.behind(&cursor::decode(cursor, T::LIST)?),
            None => 0,
        };
        if !hide || self.scopes.iter().all(|scope| caller.has_scope(scope)) {
            let whole = start % self.page_size == 0;
            if let Some(page) = edition.page(start / self.page_size).filter(|_| whole) {
                return Ok(PageText::Whole(Arc::clone(page)));
            }
        }
        let rest = self.items.iter().enumerate().skip(start);
        let mut visible = rest.filter(|(_, item)| !hide || item.settings().allows(caller));
        let page: Vec<(&T, &[u8])> = visible
            .by_ref()
            .take(self.page_size)
            .map(|(number, item)| (item, edition.text(number).unwrap_or(item.definition())))
            .collect();
        let more = visible.next().is_some();
        Ok(PageText::Gathered(page::render(page.into_iter(), more, edition.tail())))
    }

    /// Where the items behind `key` begin, whether or not it is still there (B-54).
    fn behind(&self, key: &str) -> usize {
        match self.position(key) {
            Some(position) => position + 1,
            None => self.items.partition_point(|item| **item.key() <= *key),
        }
    }
}

fn digest<T: Item>(items: &[T]) -> [u8; 32] {
    let mut hash = Sha256::new();
    // Lengths before texts, so that no two lists run together to the same bytes.
    let mut part = |text: &[u8]| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    part(T::LIST.member().as_bytes());
    for item in items {
        part(item.definition());
        part(&(item.settings().scopes.len() as u64).to_le_bytes());
        for scope in &item.settings().scopes {
            part(scope.as_bytes());
        }
    }
    hash.finalize().into()
}
