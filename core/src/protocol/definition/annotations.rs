//! What a definition or a content block says about itself.

use super::checks::{shown, Checks};
use crate::json::{Kind, Node};
use crate::protocol::format;

/// Checks the annotations of a resource, a template or a content block: `{audience?, priority?, lastModified?}`.
pub(crate) fn annotations(checks: &mut Checks, node: Node<'_>) {
    if !checks.expect(node, Kind::Object) {
        return;
    }
    if let Some(audience) = checks.optional(node, "audience", Kind::Array) {
        checks.at("audience", |checks| {
            checks.each(audience, |checks, role| {
                checks.one_of(role, &["user", "assistant"]);
            });
        });
    }
    if let Some(priority) = checks.optional(node, "priority", Kind::Number) {
        if !priority.as_f64().is_some_and(|value| (0.0..=1.0).contains(&value)) {
            checks.at("priority", |checks| checks.fault("must lie between 0 and 1"));
        }
    }
    if let Some(time) = checks.string(node, "lastModified") {
        if !format::is_date_time(&time) {
            let reason =
                format!("must be a date and time such as \"2026-07-28T15:00:58Z\", not {}", shown(&time));
            checks.at("lastModified", |checks| checks.fault(reason));
        }
    }
}

/// Checks the annotations of a tool: a title and hints.
pub(crate) fn hints(checks: &mut Checks, node: Node<'_>) {
    if !checks.expect(node, Kind::Object) {
        return;
    }
    checks.string(node, "title");
    for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
        checks.boolean(node, hint);
    }
}
