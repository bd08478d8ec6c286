//! Who a program is.

use super::checks::{shown, Checks};
use super::icons::icons;
use crate::catalog::check_uri;
use crate::json::{Kind, Node};

/// Checks what a host adds to its `serverInfo`: `{title?, description?, websiteUrl?, icons?}`. The name and the version
/// come from elsewhere, so they are faults here.
pub(crate) fn implementation(checks: &mut Checks, node: Node<'_>) {
    if !checks.expect(node, Kind::Object) {
        return;
    }
    for name in ["name", "version"] {
        if node.get(name).is_some() {
            checks.at(name, |checks| {
                checks.fault("is set with the server's name and version, leave it out here");
            });
        }
    }
    checks.string(node, "title");
    checks.string(node, "description");
    if let Some(url) = checks.string(node, "websiteUrl") {
        if let Err(reason) = check_uri(&url) {
            checks.at("websiteUrl", |checks| {
                checks.fault(format!("{}: {reason}", shown(&url)));
            });
        }
    }
    if let Some(list) = node.get("icons") {
        checks.at("icons", |checks| icons(checks, list));
    }
}
