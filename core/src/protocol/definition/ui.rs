//! `_meta.ui`, the Apps extension (`io.modelcontextprotocol/ui`).

use super::checks::Checks;
use crate::json::{Kind, Node};

/// The scheme that is reserved for pages.
pub(crate) const SCHEME: &str = "ui://";

/// What a page is written in.
pub(crate) const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// Checks the members that the extension gives tools (`resourceUri`, `visibility`) and pages (`csp`, `permissions`,
/// `domain`, `prefersBorder`). Whether the linked page exists is for the catalog to say.
pub(super) fn check(checks: &mut Checks, node: Node<'_>) {
    if !checks.expect(node, Kind::Object) {
        return;
    }
    if let Some(uri) = checks.string(node, "resourceUri") {
        if !uri.starts_with(SCHEME) {
            checks.at("resourceUri", |checks| {
                checks.fault("must be a uri that begins with ui://");
            });
        }
    }
    if let Some(visibility) = checks.optional(node, "visibility", Kind::Array) {
        checks.at("visibility", |checks| {
            checks.each(visibility, |checks, who| {
                checks.one_of(who, &["model", "app"]);
            });
        });
    }
    if let Some(csp) = checks.optional(node, "csp", Kind::Object) {
        checks.at("csp", |checks| {
            for name in ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"] {
                domains(checks, csp, name);
            }
        });
    }
    if let Some(permissions) = checks.optional(node, "permissions", Kind::Object) {
        checks.at("permissions", |checks| {
            for name in ["camera", "microphone", "geolocation", "clipboardWrite"] {
                checks.optional(permissions, name, Kind::Object);
            }
        });
    }
    checks.string(node, "domain");
    checks.boolean(node, "prefersBorder");
}

fn domains(checks: &mut Checks, csp: Node<'_>, name: &str) {
    if let Some(list) = checks.optional(csp, name, Kind::Array) {
        checks.at(name, |checks| {
            checks.each(list, |checks, domain| {
                checks.expect(domain, Kind::String);
            });
        });
    }
}
