//! Icons: pictures that a client may show.

use super::checks::{shown, Checks};
use crate::catalog::check_uri;
use crate::json::{Kind, Node};
use crate::protocol::format;

/// Checks an array of icons: `{src, mimeType?, sizes?, theme?}` each.
pub(crate) fn icons(checks: &mut Checks, node: Node<'_>) {
    if checks.expect(node, Kind::Array) {
        checks.each(node, icon);
    }
}

fn icon(checks: &mut Checks, node: Node<'_>) {
    if !checks.expect(node, Kind::Object) {
        return;
    }
    if let Some(src) = checks.required_string(node, "src") {
        if let Err(reason) = check_src(&src) {
            checks.at("src", |checks| checks.fault(reason));
        }
    }
    checks.string(node, "mimeType");
    checks.word(node, "theme", &["light", "dark"]);
    let Some(sizes) = checks.optional(node, "sizes", Kind::Array) else {
        return;
    };
    checks.at("sizes", |checks| {
        checks.each(sizes, |checks, size| {
            if checks.expect(size, Kind::String)
                && !size.as_str().is_some_and(|size| format::is_icon_size(&size))
            {
                checks.fault("must be \"any\" or a size such as \"48x48\"");
            }
        });
    });
}

fn check_src(src: &str) -> Result<(), String> {
    check_uri(src)?;
    if format::is_icon_source(src) {
        return Ok(());
    }
    Err(format!("must be an http, https or data URI, not {}", shown(src)))
}
