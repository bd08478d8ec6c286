//! `server/discover`: what this server is and can do.

use super::catalogs::{Offers, Snapshot};
use super::route::{Request, Step};
use crate::json::push_quoted;
use crate::jsonrpc::Outgoing;
use crate::protocol::Revision;
use crate::server::Inner;

pub(crate) fn discover(request: &Request, snapshot: &Snapshot) -> Step {
    let result = &snapshot.discover;
    Step::Reply(Outgoing::result(request.message.id(), result.len(), |out| {
        out.extend_from_slice(result);
    }))
}

/// The result, rendered once a snapshot.
pub(crate) fn render(server: &Inner, offers: Offers) -> Vec<u8> {
    let config = &server.config;
    let versions: Vec<String> =
        server.offered.iter().map(|revision| format!("\"{}\"", revision.as_str())).collect();
    let mut out = format!(
        "{{\"supportedVersions\":[{}],\"capabilities\":{}",
        versions.join(","),
        capabilities(server, offers, Revision::LATEST, true)
    )
    .into_bytes();
    if let Some(instructions) = &config.instructions {
        out.extend_from_slice(b",\"instructions\":");
        push_quoted(&mut out, instructions);
    }
    let hints = format!(
        ",\"resultType\":\"complete\",\"ttlMs\":{},\"cacheScope\":\"{}\"{}}}",
        config.cache_ttl_ms,
        config.cache_scope.as_str(),
        server.info_suffix
    );
    out.extend_from_slice(hints.as_bytes());
    out
}

/// What the server can do, a JSON object, as a client of the revision is told. `tells`: whether it can be told something
/// later.
pub(crate) fn capabilities(server: &Inner, offers: Offers, revision: Revision, tells: bool) -> String {
    let config = &server.config;
    let changed = |on: bool| if on && tells { "\"listChanged\":true" } else { "" };
    let mut capabilities = Vec::new();
    if offers.tools {
        capabilities.push(format!("\"tools\":{{{}}}", changed(config.tools_list_changed)));
    }
    if offers.resources {
        let subscribe = if config.resources_subscribe && tells { "\"subscribe\":true" } else { "" };
        let members = [subscribe, changed(config.resources_list_changed)];
        let members: Vec<&str> = members.into_iter().filter(|member| !member.is_empty()).collect();
        capabilities.push(format!("\"resources\":{{{}}}", members.join(",")));
    }
    if offers.prompts {
        capabilities.push(format!("\"prompts\":{{{}}}", changed(config.prompts_list_changed)));
    }
    if config.completions && revision.has_completions() {
        capabilities.push("\"completions\":{}".to_owned());
    }
    if config.logging {
        capabilities.push("\"logging\":{}".to_owned());
    }
    // Both were checked to be objects when the server was made.
    for (name, map) in [("extensions", &config.extensions), ("experimental", &config.experimental)] {
        if let Some(map) = map {
            capabilities.push(format!("\"{name}\":{}", map.trim()));
        }
    }
    format!("{{{}}}", capabilities.join(","))
}
