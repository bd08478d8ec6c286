//! What has a uri: resources and templates.

use super::item::{Resource, Template};
use super::prefix::PrefixIndex;
use super::settings::Settings;
use super::table::Table;
use crate::caller::Caller;

/// Resources and templates, looked up together.
pub(super) struct Directory {
    pub(super) resources: Table<Resource>,
    pub(super) templates: Table<Template>,
    prefixes: PrefixIndex,
}

/// Names and decoded values of a template's variables, in order.
pub(crate) type Variables = Vec<(Box<str>, String)>;

/// What answers a uri.
pub(crate) enum Found<'c> {
    /// A resource of exactly this uri, and its number.
    Resource(usize, &'c Resource),
    /// A template that matches, its number, and its variables.
    Template(usize, &'c Template, Variables),
}

impl Directory {
    pub(super) fn new(resources: Vec<Resource>, templates: Vec<Template>, settings: &Settings) -> Self {
        let templates = Table::new(templates, settings);
        let prefixes = PrefixIndex::new(templates.items().iter().map(|template| template.pattern.as_str()));
        Self { resources: Table::new(resources, settings), templates, prefixes }
    }

    /// See `Catalog::find`.
    pub(super) fn find(&self, uri: &str, caller: &Caller, hide: bool) -> Option<Found<'_>> {
        if let Some(number) = self.resources.position(uri) {
            let resource = self.resources.at(number);
            // Hidden, it still keeps templates from serving its uri: else a wide template would undo its scopes.
            return (!hide || resource.settings.allows(caller)).then_some(Found::Resource(number, resource));
        }
        let (number, template, variables) =
            self.first_match(uri, |template| !hide || template.settings.allows(caller))?;
        Some(Found::Template(number, template, variables))
    }

    fn first_match(
        &self,
        uri: &str,
        fits: impl Fn(&Template) -> bool,
    ) -> Option<(usize, &Template, Variables)> {
        self.prefixes.candidates(uri).into_iter().find_map(|number| {
            let template = self.templates.at(number);
            let variables = if fits(template) {
                template.pattern.matches(uri)?
            } else {
                return None;
            };
            Some((number, template, variables))
        })
    }

    /// The media type of what answers `uri`, whoever asks; empty if that has none, nothing if nothing answers.
    pub(super) fn mime_type(&self, uri: &str) -> Option<&str> {
        let mime_type = match self.resources.position(uri) {
            Some(number) => &self.resources.at(number).mime_type,
            None => &self.first_match(uri, |_| true)?.1.mime_type,
        };
        Some(mime_type.as_deref().unwrap_or_default())
    }
}
