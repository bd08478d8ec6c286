//! The catalog that requests are served from.

pub(crate) use super::directory::Found;

use super::cursor::List;
use super::directory::Directory;
use super::fault::Fault;
use super::item::{Prompt, Resource, Template, Tool};
use super::page::PageText;
use super::settings::{ItemSettings, Settings};
use super::table::Table;
use crate::caller::Caller;
use crate::config::CacheScope;
use crate::protocol::Revision;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A validated catalog. It never changes; a new one takes its place.
///
/// Look-ups give numbers that are good for this very snapshot: keep them with its `Arc`.
pub(crate) struct Catalog {
    tools: Table<Tool>,
    prompts: Table<Prompt>,
    directory: Directory,
    warnings: Vec<Fault>,
    ttl_ms: u64,
    scope: CacheScope,
    digest: String,
}

/// Which lists differ between two snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Changes {
    pub(crate) tools: bool,
    /// Resources or templates.
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
}

impl Catalog {
    pub(super) fn new(
        tools: Vec<Tool>,
        directory: Directory,
        prompts: Vec<Prompt>,
        warnings: Vec<Fault>,
        settings: &Settings,
    ) -> Self {
        let (tools, prompts) = (Table::new(tools, settings), Table::new(prompts, settings));
        let mut hash = Sha256::new();
        for part in
            [tools.digest(), directory.resources.digest(), directory.templates.digest(), prompts.digest()]
        {
            hash.update(part);
        }
        let digest = hash.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        Self {
            tools,
            prompts,
            directory,
            warnings,
            ttl_ms: settings.cache_ttl_ms,
            scope: settings.cache_scope,
            digest,
        }
    }

    /// The number of a tool.
    pub(crate) fn tool(&self, name: &str) -> Option<usize> {
        self.tools.position(name)
    }

    /// The tool of a number that this snapshot gave out.
    pub(crate) fn tool_at(&self, number: usize) -> &Tool {
        self.tools.at(number)
    }

    /// The number of a prompt.
    pub(crate) fn prompt(&self, name: &str) -> Option<usize> {
        self.prompts.position(name)
    }

    /// The prompt of a number that this snapshot gave out.
    pub(crate) fn prompt_at(&self, number: usize) -> &Prompt {
        self.prompts.at(number)
    }

    /// The number of the resource with exactly this uri.
    pub(crate) fn resource(&self, uri: &str) -> Option<usize> {
        self.directory.resources.position(uri)
    }

    /// The resource of a number that this snapshot gave out.
    pub(crate) fn resource_at(&self, number: usize) -> &Resource {
        self.directory.resources.at(number)
    }

    /// The number of the template with exactly this text.
    pub(crate) fn template(&self, text: &str) -> Option<usize> {
        self.directory.templates.position(text)
    }

    /// The template of a number that this snapshot gave out.
    pub(crate) fn template_at(&self, number: usize) -> &Template {
        self.directory.templates.at(number)
    }

    /// What answers a read of `uri`: the resource with exactly this uri, else the first template, in sorted order, that
    /// matches. Under `hide`, templates that the caller may not use are passed over, and a resource that the caller may
    /// not use is not found.
    pub(crate) fn find(&self, uri: &str, caller: &Caller, hide: bool) -> Option<Found<'_>> {
        self.directory.find(uri, caller, hide)
    }

    /// The whole result of a list request of the revision.
    ///
    /// # Errors
    /// What is wrong with the cursor.
    pub(crate) fn list(
        &self,
        list: List,
        revision: Revision,
        cursor: Option<&str>,
        caller: &Caller,
        hide: bool,
    ) -> Result<PageText, String> {
        match list {
            List::Tools => self.tools.list(revision, cursor, caller, hide),
            List::Resources => self.directory.resources.list(revision, cursor, caller, hide),
            List::ResourceTemplates => self.directory.templates.list(revision, cursor, caller, hide),
            List::Prompts => self.prompts.list(revision, cursor, caller, hide),
        }
    }

    /// How many items a list has.
    pub(crate) fn count(&self, list: List) -> usize {
        match list {
            List::Tools => self.tools.items().len(),
            List::Resources => self.directory.resources.items().len(),
            List::ResourceTemplates => self.directory.templates.items().len(),
            List::Prompts => self.prompts.items().len(),
        }
    }

    /// The cache hint of a read of an item, unless the read's own result says otherwise.
    pub(crate) fn read_hint(&self, settings: &ItemSettings) -> (u64, CacheScope) {
        let scope = settings.cache_scope.unwrap_or(self.scope);
        // CACHE-06: what needs scopes is not the same for everybody.
        let scope = if settings.scopes.is_empty() { scope } else { CacheScope::Private };
        (settings.ttl_ms.unwrap_or(self.ttl_ms), scope)
    }

    /// What is odd but allowed, for the log.
    pub(crate) fn warnings(&self) -> &[Fault] {
        &self.warnings
    }

    /// SHA-256 in hexadecimal digits: the same for the same items and scopes, in whatever order they were added.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// Which lists `other` shows differently, to some caller at least.
    pub(crate) fn changes(&self, other: &Self) -> Changes {
        let (ours, theirs) = (&self.directory, &other.directory);
        Changes {
            tools: self.tools.digest() != other.tools.digest(),
            resources: ours.resources.digest() != theirs.resources.digest()
                || ours.templates.digest() != theirs.templates.digest(),
            prompts: self.prompts.digest() != other.prompts.digest(),
        }
    }

    /// Roughly the bytes that the snapshot holds.
    pub(crate) fn size(&self) -> usize {
        let warning =
            |fault: &Fault| size_of::<Fault>() + fault.item.len() + fault.pointer.len() + fault.reason.len();
        size_of::<Self>()
            + self.tools.size()
            + self.prompts.size()
            + self.directory.resources.size()
            + self.directory.templates.size()
            + self.warnings.iter().map(warning).sum::<usize>()
    }
}
