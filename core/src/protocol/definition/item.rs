//! The items of a catalog: required members and types. Schemas, templates and links are for the catalog to check.

use super::annotations::{annotations, hints};
use super::checks::{shown, Checks};
use super::icons::icons;
use super::meta::meta;
use super::suggestion::same_letters;
use crate::catalog::check_uri;
use crate::json::{Integer, Kind, Node};
use std::collections::HashSet;

const COMMON: [&str; 6] = ["name", "title", "description", "icons", "annotations", "_meta"];

/// Checks a tool, its schemas excepted.
pub(crate) fn tool(checks: &mut Checks, node: Node<'_>) {
    if !checks.expect(node, Kind::Object) {
        return;
    }
    if let Some(name) = checks.required_string(node, "name") {
        // 2026-07-28, tools, tool names: SHOULD, so others are served.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        if name.len() > 128 || !name.bytes().all(plain) {
            checks.at("name", |checks| {
                checks.warn("should be 1 to 128 of A-Z a-z 0-9 _ . -; some clients refuse others");
            });
        }
    }
    described(checks, node);
    if let Some(found) = node.get("annotations") {
        checks.at("annotations", |checks| hints(checks, found));
    }
    misspelt(checks, node, &["inputSchema", "outputSchema"]);
}

/// Checks a resource, as it is listed or linked.
pub(crate) fn resource(checks: &mut Checks, node: Node<'_>) {
    if !checks.expect(node, Kind::Object) {
        return;
    }
    if node.get("uri").is_none() && node.get("uriTemplate").is_some() {
        checks.at("uriTemplate", |checks| {
            checks.fault("belongs to a resource template, a resource has a uri");
        });
    } else if let Some(uri) = checks.required_string(node, "uri") {
        if let Err(reason) = check_uri(&uri) {
            checks.at("uri", |checks| checks.fault(format!("{}: {reason}", shown(&uri))));
        }
    }
    located(checks, node);
    if let Some(size) = checks.optional(node, "size", Kind::Number) {
        let integer = size.as_number().and_then(Integer::read);
        if integer.is_none_or(|integer| integer.to_text().starts_with('-')) {
            checks.at("size", |checks| {
                checks.fault("must be a whole number of bytes, 0 or more");
            });
        }
    }
    misspelt(checks, node, &["uri", "mimeType", "size"]);
}

/// Checks a resource template, its grammar excepted.
pub(crate) fn template(checks: &mut Checks, node: Node<'_>) {
    if !checks.expect(node, Kind::Object) {
        return;
    }
    if node.get("uri").is_some() {
        checks.at("uri", |checks| {
            checks.fault("belongs to a resource, a template has a uriTemplate");
        });
    }
    checks.required_string(node, "uriTemplate");
    located(checks, node);
    misspelt(checks, node, &["uriTemplate", "mimeType"]);
}

/// Checks a prompt.
pub(crate) fn prompt(checks: &mut Checks, node: Node<'_>) {
    if !checks.expect(node, Kind::Object) {
        return;
    }
    checks.required_string(node, "name");
    described(checks, node);
    misspelt(checks, node, &["arguments"]);
    let Some(arguments) = checks.optional(node, "arguments", Kind::Array) else {
        return;
    };
    let mut names = HashSet::new();
    checks.at("arguments", |checks| {
        checks.each(arguments, |checks, argument| {
            if !checks.expect(argument, Kind::Object) {
                return;
            }
            if let Some(name) = checks.required_string(argument, "name") {
                if !names.insert(name.clone()) {
                    let reason = format!("{} is the name of an earlier argument", shown(&name));
                    checks.at("name", |checks| checks.fault(reason));
                }
            }
            checks.string(argument, "title");
            checks.string(argument, "description");
            checks.boolean(argument, "required");
        });
    });
}

/// What resources and templates share.
fn located(checks: &mut Checks, node: Node<'_>) {
    checks.required_string(node, "name");
    described(checks, node);
    checks.string(node, "mimeType");
    if let Some(found) = node.get("annotations") {
        checks.at("annotations", |checks| annotations(checks, found));
    }
}

/// What all items share.
fn described(checks: &mut Checks, node: Node<'_>) {
    checks.string(node, "title");
    checks.string(node, "description");
    if let Some(found) = node.get("icons") {
        checks.at("icons", |checks| icons(checks, found));
    }
    if let Some(found) = node.get("_meta") {
        checks.at("_meta", |checks| meta(checks, found));
    }
}

/// Warns of an unknown member that differs from a known one in case or punctuation only: `input_schema` would be listed
/// and mean nothing (R081).
fn misspelt(checks: &mut Checks, node: Node<'_>, own: &[&str]) {
    for (name, _) in node.members() {
        let mut known = COMMON.iter().chain(own);
        if let Some(meant) = known.find(|known| **known != name && same_letters(known, &name)) {
            checks.at(&name, |checks| {
                checks.warn(format!("means nothing here; did you mean \"{meant}\"?"));
            });
        }
    }
}
