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

/// What answers a uri.
pub(crate) enum Found<'c> {
    /// A resource of exactly this uri, and its number.
    Resource(usize, &'c Resource),
    /// A template that matches, its number, and its variables in order, decoded.
    Template(usize, &'c Template, Vec<(Box<str>, String)>),
}

impl Directory {
    pub(super) fn new(resources: Vec<Resource>, templates: Vec<Template>, settings: &Settings) -> Self {
        let templates = Table::new(templates, settings);
        let prefixes = PrefixIndex::new(
            templates
                .items()
                .iter()
                .map(|template| template.template.as_str()),
        );
        Self {
            resources: Table::new(resources, settings),
            templates,
            prefixes,
        }
    }

    /// See `Catalog::find`.
    pub(super) fn find(&self, uri: &str, caller: &Caller, hide: bool) -> Option<Found<'_>> {
        if let Some(number) = self.resources.position(uri) {
            let resource = self.resources.at(number);
            // Hidden, it still keeps templates from serving its uri: else a wide template would undo its scopes.
            return (!hide || resource.settings.allows(caller)).then_some(Found::Resource(number, resource));
        }
        self.first_match(uri, |template| !hide || template.settings.allows(caller))
    }

    fn first_match(&self, uri: &str, fits: impl Fn(&Template) -> bool) -> Option<Found<'_>> {
        let candidates = self.prefixes.candidates(uri).into_iter();
        let mut candidates = candidates.map(|number| (number, self.templates.at(number)));
        candidates.find_map(|(number, template)| {
            let variables = if fits(template) {
                template.template.matches(uri)?
            } else {
                return None;
            };
            Some(Found::Template(number, template, variables))
        })
    }

    /// The media type of what answers `uri`, if something does; whoever asks.
    pub(super) fn mime_type(&self, uri: &str) -> Option<Option<&str>> {
        if let Some(number) = self.resources.position(uri) {
            return Some(self.resources.at(number).mime_type.as_deref());
        }
        match self.first_match(uri, |_| true)? {
            Found::Resource(_, resource) => Some(resource.mime_type.as_deref()),
            Found::Template(_, template, _) => Some(template.mime_type.as_deref()),
        }
    }
}
