//! Content blocks, resource contents, annotations, icons and `_meta` objects.

use super::format;
use super::meta_key;
use super::shape::{self, optional, required, Checked, Fault, Field, Side};
use super::wire::key;
use crate::json::Node;
use std::borrow::Cow;

/// Keys under the protocol's own prefix that a host may write.
const HOST_KEYS: [&str; 2] = [key::SERVER_INFO, key::RELATED_TASK];

/// The string behind a node, empty for other kinds.
pub(crate) fn text(node: Node<'_>) -> Cow<'_, str> {
    node.as_str().unwrap_or_default()
}

/// A `_meta` object: its keys follow the grammar, and a host writes no key that the protocol keeps for itself.
pub(crate) fn meta(node: Node<'_>, side: Side) -> Checked {
    shape::object(node, side)?;
    let mut members = node.members();
    while let Some((name, value)) = members.next_nodes() {
        let name = text(name);
        if let Err(reason) = meta_key::check(&name) {
            return Err(Fault::at(value, format!("has a bad key: {}", shape::shorten(&reason, 90))));
        }
        if side == Side::Host && meta_key::is_reserved(&name) && !HOST_KEYS.contains(&&*name) {
            return Err(Fault::at(
                value,
                "is under a prefix that the protocol reserves; use one of your own",
            ));
        }
    }
    Ok(())
}

pub(crate) fn role(node: Node<'_>, _: Side) -> Checked {
    if node.is_str("user") || node.is_str("assistant") {
        Ok(())
    } else {
        Err(Fault::at(node, "must be \"user\" or \"assistant\""))
    }
}

pub(crate) fn annotations(node: Node<'_>, side: Side) -> Checked {
    const FIELDS: [Field; 3] = [
        optional("audience", |node, side| shape::each(node, side, "must be an array of roles", role)),
        optional("priority", shape::share),
        optional("lastModified", moment),
    ];
    shape::read(node, side, &FIELDS).map(drop)
}

// Clients of the TypeScript kind refuse anything but a full date-time with its offset.
fn moment(node: Node<'_>, side: Side) -> Checked {
    shape::string(node, side)?;
    if side == Side::Client || format::is_date_time(&text(node)) {
        Ok(())
    } else {
        Err(Fault::at(node, "must be a date and time like 2025-01-12T15:00:58Z"))
    }
}

pub(crate) fn icons(node: Node<'_>, side: Side) -> Checked {
    const FIELDS: [Field; 4] = [
        required("src", icon_source),
        optional("mimeType", shape::string),
        optional("sizes", |node, side| shape::each(node, side, "must be an array of sizes", icon_size)),
        optional("theme", |node, _| {
            if node.is_str("light") || node.is_str("dark") {
                Ok(())
            } else {
                Err(Fault::at(node, "must be \"light\" or \"dark\""))
            }
        }),
    ];
    shape::each(node, side, "must be an array of icons", |icon, side| {
        shape::read(icon, side, &FIELDS).map(drop)
    })
}

fn icon_source(node: Node<'_>, side: Side) -> Checked {
    shape::string(node, side)?;
    if format::is_icon_source(&text(node)) {
        Ok(())
    } else {
        Err(Fault::at(node, "must be an http, https or data URI"))
    }
}

fn icon_size(node: Node<'_>, side: Side) -> Checked {
    shape::string(node, side)?;
    if format::is_icon_size(&text(node)) {
        Ok(())
    } else {
        Err(Fault::at(node, "must be a size like \"48x48\", or \"any\""))
    }
}

pub(crate) fn uri(node: Node<'_>, side: Side) -> Checked {
    shape::string(node, side)?;
    if format::is_absolute(&text(node)) {
        Ok(())
    } else {
        Err(Fault::at(node, "must be a URI that starts with its scheme"))
    }
}

fn base64(node: Node<'_>, side: Side) -> Checked {
    shape::string(node, side)?;
    if format::is_base64(&text(node)) {
        Ok(())
    } else {
        Err(Fault::at(node, "must be base64 in the standard alphabet with padding"))
    }
}

/// What a resource holds: a uri, and exactly one of text and bytes.
pub(crate) fn resource(node: Node<'_>, side: Side) -> Checked {
    const FIELDS: [Field; 5] = [
        required("uri", uri),
        optional("mimeType", shape::string),
        optional("text", shape::string),
        optional("blob", base64),
        optional("_meta", meta),
    ];
    let [_, _, text, blob, _] = shape::read(node, side, &FIELDS)?;
    match (text, blob) {
        (Some(_), None) | (None, Some(_)) => Ok(()),
        (None, None) => Err(Fault::at(node, "needs `text` or `blob`")),
        (Some(_), Some(_)) => Err(Fault::at(node, "must have `text` or `blob`, not both")),
    }
}

/// The kinds of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Text,
    Image,
    Audio,
    ResourceLink,
    Resource,
    ToolUse,
    ToolResult,
}

impl BlockKind {
    const ALL: [(BlockKind, &'static str); 7] = [
        (BlockKind::Text, "text"),
        (BlockKind::Image, "image"),
        (BlockKind::Audio, "audio"),
        (BlockKind::ResourceLink, "resource_link"),
        (BlockKind::Resource, "resource"),
        (BlockKind::ToolUse, "tool_use"),
        (BlockKind::ToolResult, "tool_result"),
    ];

    /// Which kind an object says it is.
    pub(crate) fn of(node: Node<'_>) -> Option<Self> {
        let word = node.get("type")?;
        Self::ALL.into_iter().find(|(_, name)| word.is_str(name)).map(|(kind, _)| kind)
    }

    fn check(self, node: Node<'_>, side: Side) -> Checked {
        match self {
            Self::Text => shape::read(node, side, &TEXT).map(drop),
            Self::Image | Self::Audio => shape::read(node, side, &MEDIA).map(drop),
            Self::ResourceLink => shape::read(node, side, &LINK).map(drop),
            Self::Resource => shape::read(node, side, &EMBEDDED).map(drop),
            Self::ToolUse => shape::read(node, side, &TOOL_USE).map(drop),
            Self::ToolResult => shape::read(node, side, &TOOL_RESULT).map(drop),
        }
    }
}

const TEXT: [Field; 3] =
    [required("text", shape::string), optional("annotations", annotations), optional("_meta", meta)];

const MEDIA: [Field; 4] = [
    required("data", base64),
    required("mimeType", shape::filled),
    optional("annotations", annotations),
    optional("_meta", meta),
];

const LINK: [Field; 9] = [
    required("uri", uri),
    required("name", shape::string),
    optional("title", shape::string),
    optional("description", shape::string),
    optional("mimeType", shape::string),
    optional("size", shape::count),
    optional("icons", icons),
    optional("annotations", annotations),
    optional("_meta", meta),
];

const EMBEDDED: [Field; 3] =
    [required("resource", resource), optional("annotations", annotations), optional("_meta", meta)];

const TOOL_USE: [Field; 4] = [
    required("id", shape::string),
    required("name", shape::string),
    required("input", shape::object),
    optional("_meta", meta),
];

const TOOL_RESULT: [Field; 5] = [
    required("toolUseId", shape::string),
    required("content", blocks),
    optional("isError", shape::boolean),
    shape::nullable("structuredContent"),
    optional("_meta", meta),
];

/// One block of a tool's result or of a prompt's message.
pub(crate) fn block(node: Node<'_>, side: Side) -> Checked {
    shape::object(node, side)?;
    match BlockKind::of(node) {
        Some(BlockKind::ToolUse | BlockKind::ToolResult) | None => {
            wrong_kind(node, "must be \"text\", \"image\", \"audio\", \"resource_link\" or \"resource\"")
        }
        Some(kind) => kind.check(node, side),
    }
}

/// Blocks of a tool's result.
pub(crate) fn blocks(node: Node<'_>, side: Side) -> Checked {
    shape::each(node, side, "must be an array of content blocks", block)
}

/// One block of a sampling message.
pub(crate) fn sampling_block(node: Node<'_>, side: Side) -> Checked {
    shape::object(node, side)?;
    match BlockKind::of(node) {
        Some(BlockKind::ResourceLink | BlockKind::Resource) | None => {
            wrong_kind(node, "must be \"text\", \"image\", \"audio\", \"tool_use\" or \"tool_result\"")
        }
        Some(kind) => kind.check(node, side),
    }
}

/// One block of a sampling message, or an array of them.
pub(crate) fn sampling_content(node: Node<'_>, side: Side) -> Checked {
    if node.is_array() {
        node.elements().try_for_each(|element| sampling_block(element, side))
    } else {
        sampling_block(node, side)
    }
}

fn wrong_kind(node: Node<'_>, reason: &'static str) -> Checked {
    Err(node.get("type").map_or_else(|| Fault::at(node, "needs `type`"), |word| Fault::at(word, reason)))
}
