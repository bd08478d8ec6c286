//! `_meta` of a definition.

use super::checks::Checks;
use super::ui;
use crate::json::{Kind, Node};
use crate::protocol::meta_key;

/// Keys under a reserved prefix that a specification gives a meaning, in whatever place.
const DEFINED: [&str; 10] = [
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientInfo",
    "io.modelcontextprotocol/clientCapabilities",
    "io.modelcontextprotocol/logLevel",
    "io.modelcontextprotocol/serverInfo",
    "io.modelcontextprotocol/subscriptionId",
    "io.modelcontextprotocol/related-task",
    "io.modelcontextprotocol/tasks",
    "io.modelcontextprotocol/ui",
    "io.modelcontextprotocol/skills",
];

/// The member of older drafts that linked a tool to its page.
const OLD_LINK: &str = "ui/resourceUri";

/// Checks the `_meta` of whatever a host writes: an object whose keys follow the grammar, none of them reserved without
/// a definition. `ui` has the shape of the Apps extension.
pub(crate) fn meta(checks: &mut Checks, node: Node<'_>) {
    if !checks.expect(node, Kind::Object) {
        return;
    }
    for (key, value) in node.members() {
        checks.at(&key, |checks| {
            if let Err(reason) = meta_key::check(&key) {
                checks.fault(reason);
            } else if meta_key::is_reserved(&key) && !DEFINED.contains(&&*key) {
                checks.fault(
                    "the protocol reserves this prefix and defines no such key; use a prefix of your own",
                );
            } else if key == "ui" {
                ui::check(checks, value);
            } else if key == OLD_LINK {
                checks.warn("is deprecated; write _meta.ui.resourceUri");
            }
        });
    }
}
