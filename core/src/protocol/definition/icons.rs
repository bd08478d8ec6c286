//! Icons: pictures that a client may show.

use super::checks::{shown, Checks};
use crate::catalog::check_uri;
use crate::json::{Kind, Node};

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
            if checks.expect(size, Kind::String) && !size.as_str().is_some_and(|size| is_size(&size)) {
                checks.fault("must be \"any\" or a size such as \"48x48\"");
            }
        });
    });
}

fn is_size(text: &str) -> bool {
    let side =
        |side: &str| !side.is_empty() && !side.starts_with('0') && side.bytes().all(|b| b.is_ascii_digit());
    text == "any" || text.split_once('x').is_some_and(|(width, height)| side(width) && side(height))
}

// 2026-07-28, Icon: `src` is an HTTP(S) URL or a data URI. Anything else could run code or read files in the client.
fn check_src(src: &str) -> Result<(), String> {
    check_uri(src)?;
    let (scheme, rest) = src.split_once(':').unwrap_or_default();
    let fits = if scheme.eq_ignore_ascii_case("data") {
        rest.contains(',')
    } else {
        let web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        web && rest.strip_prefix("//").is_some_and(|rest| !rest.starts_with('/') && !rest.is_empty())
    };
    if fits {
        return Ok(());
    }
    Err(format!("must be an http, https or data URI, not {}", shown(src)))
}
