//! What of a text a legacy revision knows: members and blocks that came later are left out, the rest stays as it was
//! written (decided for lists, results and questions alike).
//!
//! A table a kind of object names the members that did not come with the first revision, or that hold such members.
//! Members that no table names are let through: nobody knows what they are.

use super::super::content::{text, BlockKind};
use super::super::wire::key;
use super::{Asks, Revision};
use crate::json::{push_compact, push_quoted, Node};

/// Writes a value as the revision knows it; false if it knows none such, which leaves the member out.
type Write = fn(&mut Vec<u8>, Node<'_>, Revision) -> bool;

/// One member of a kind of object.
pub(crate) struct Member {
    name: &'static str,
    /// The first revision that has it.
    since: Revision,
    write: Write,
}

/// A kind of object.
pub(crate) type Shape = &'static [Member];

const FIRST: Revision = Revision::V2024_11_05;
const MARCH: Revision = Revision::V2025_03_26;
const JUNE: Revision = Revision::V2025_06_18;
const NOVEMBER: Revision = Revision::V2025_11_25;
const MODERN: Revision = Revision::V2026_07_28;

const fn since(revision: Revision, name: &'static str) -> Member {
    Member { name, since: revision, write: whole }
}

const fn inside(revision: Revision, name: &'static str, write: Write) -> Member {
    Member { name, since: revision, write }
}

pub(crate) const TOOL: Shape = &[
    since(JUNE, "title"),
    inside(FIRST, "inputSchema", |out, node, revision| push(out, node, revision, SCHEMA)),
    inside(JUNE, "outputSchema", |out, node, revision| {
        // Only of an object before 2026-07-28.
        let object = node.get("type").is_some_and(|kind| kind.is_str("object"));
        (object || revision >= MODERN) && push(out, node, revision, SCHEMA)
    }),
    since(MARCH, "annotations"),
    since(NOVEMBER, "icons"),
    // In 2025-11-25 it is about its experimental tasks, which are not offered.
    since(MODERN, "execution"),
    since(JUNE, "_meta"),
];

const SCHEMA: Shape = &[since(NOVEMBER, "$schema")];

/// A resource, a template or a link.
pub(crate) const RESOURCE: Shape = &[
    since(JUNE, "title"),
    inside(FIRST, "annotations", |out, node, revision| push(out, node, revision, ANNOTATIONS)),
    since(NOVEMBER, "icons"),
    since(JUNE, "_meta"),
];

pub(crate) const PROMPT: Shape = &[
    since(JUNE, "title"),
    inside(FIRST, "arguments", |out, node, revision| each(out, node, revision, ARGUMENT)),
    since(NOVEMBER, "icons"),
    since(JUNE, "_meta"),
];

const ARGUMENT: Shape = &[since(JUNE, "title")];

const ANNOTATIONS: Shape = &[since(JUNE, "lastModified")];

/// `serverInfo`.
pub(crate) const IMPLEMENTATION: Shape = &[
    since(JUNE, "title"),
    since(NOVEMBER, "description"),
    since(NOVEMBER, "websiteUrl"),
    since(NOVEMBER, "icons"),
];

/// The result of a tool.
pub(crate) const TOOL_RESULT: Shape = &[
    inside(FIRST, "content", blocks),
    inside(JUNE, "structuredContent", |out, node, revision| {
        // Only an object before 2026-07-28; whoever reads text has it in `content`.
        (node.is_object() || revision >= MODERN) && whole(out, node, revision)
    }),
    inside(FIRST, "_meta", result_meta),
    since(MODERN, "resultType"),
];

/// The result of a read.
pub(crate) const READ_RESULT: Shape = &[
    inside(FIRST, "contents", |out, node, revision| each(out, node, revision, CONTENTS)),
    inside(FIRST, "_meta", result_meta),
    since(MODERN, "resultType"),
    since(MODERN, "ttlMs"),
    since(MODERN, "cacheScope"),
];

const CONTENTS: Shape = &[since(JUNE, "_meta")];

/// A prompt, filled in.
pub(crate) const PROMPT_RESULT: Shape = &[
    inside(FIRST, "messages", |out, node, revision| each(out, node, revision, MESSAGE)),
    inside(FIRST, "_meta", result_meta),
    since(MODERN, "resultType"),
];

const MESSAGE: Shape = &[inside(FIRST, "content", block)];

/// A completion; its `completion` is written by others.
pub(crate) const COMPLETION_RESULT: Shape =
    &[inside(FIRST, "_meta", result_meta), since(MODERN, "resultType"), since(MODERN, "completion")];

const RESULT_META: Shape = &[since(MODERN, key::SERVER_INFO)];

const BLOCK: Shape = &[
    inside(FIRST, "annotations", |out, node, revision| push(out, node, revision, ANNOTATIONS)),
    inside(FIRST, "resource", |out, node, revision| push(out, node, revision, CONTENTS)),
    since(NOVEMBER, "icons"),
    since(JUNE, "_meta"),
];

/// The params of `elicitation/create` with a form.
const FORM_PARAMS: Shape = &[
    since(NOVEMBER, "mode"),
    inside(JUNE, "requestedSchema", |out, node, revision| push(out, node, revision, FORM)),
];

const FORM: Shape = &[
    since(NOVEMBER, "$schema"),
    inside(JUNE, "properties", |out, node, revision| {
        object(out, node, |out, _, field| {
            if revision.asks() == Asks::PlainForm {
                plain_field(out, field);
            } else {
                push_compact(out, field);
            }
            true
        })
    }),
];

/// The params of `sampling/createMessage`.
const SAMPLE_PARAMS: Shape =
    &[since(NOVEMBER, "tools"), since(NOVEMBER, "toolChoice"), inside(FIRST, "messages", sampling_messages)];

const SAMPLING_MESSAGE: Shape = &[inside(FIRST, "content", block), since(NOVEMBER, "_meta")];

/// Appends the params of a question as the revision knows them.
pub(crate) fn push_form_params(out: &mut Vec<u8>, params: Node<'_>, revision: Revision) {
    push(out, params, revision, FORM_PARAMS);
}

/// Appends the params of a sampling as the revision knows them.
pub(crate) fn push_sample_params(out: &mut Vec<u8>, params: Node<'_>, revision: Revision) {
    push(out, params, revision, SAMPLE_PARAMS);
}

/// Whether a form can be put to a client of the revision: before 2025-11-25 nobody can choose several values.
pub(crate) fn has_form(schema: Node<'_>, revision: Revision) -> bool {
    match revision.asks() {
        Asks::Nothing => false,
        Asks::PlainForm => {
            let mut fields = schema.get("properties").into_iter().flat_map(Node::members);
            !fields.any(|(_, field)| field.get("type").is_some_and(|kind| kind.is_str("array")))
        }
        Asks::NumberedUrl | Asks::Url => true,
    }
}

/// Appends an object as the revision knows it.
pub(crate) fn push(out: &mut Vec<u8>, node: Node<'_>, revision: Revision, shape: Shape) -> bool {
    object(out, node, |out, name, value| match shape.iter().find(|member| name.is_str(member.name)) {
        None => whole(out, value, revision),
        Some(member) => revision >= member.since && (member.write)(out, value, revision),
    })
}

/// Appends an object whose values `write` writes; what it refuses is left out. Other values stay as they are.
fn object(
    out: &mut Vec<u8>,
    node: Node<'_>,
    mut write: impl FnMut(&mut Vec<u8>, Node<'_>, Node<'_>) -> bool,
) -> bool {
    if !node.is_object() {
        push_compact(out, node);
        return true;
    }
    out.push(b'{');
    let start = out.len();
    let mut members = node.members();
    while let Some((name, value)) = members.next_nodes() {
        let mark = out.len();
        if mark > start {
            out.push(b',');
        }
        push_compact(out, name);
        out.push(b':');
        if !write(out, name, value) {
            out.truncate(mark);
        }
    }
    out.push(b'}');
    true
}

fn whole(out: &mut Vec<u8>, node: Node<'_>, _: Revision) -> bool {
    push_compact(out, node);
    true
}

fn array<'d>(
    out: &mut Vec<u8>,
    elements: impl Iterator<Item = Node<'d>>,
    mut write: impl FnMut(&mut Vec<u8>, Node<'d>),
) -> bool {
    out.push(b'[');
    for (number, element) in elements.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write(out, element);
    }
    out.push(b']');
    true
}

fn each(out: &mut Vec<u8>, node: Node<'_>, revision: Revision, shape: Shape) -> bool {
    array(out, node.elements(), |out, element| {
        push(out, element, revision, shape);
    })
}

fn blocks(out: &mut Vec<u8>, node: Node<'_>, revision: Revision) -> bool {
    array(out, node.elements(), |out, element| {
        block(out, element, revision);
    })
}

/// A block of content. One of a kind that came later is told in words, since a block may be all that there is.
fn block(out: &mut Vec<u8>, node: Node<'_>, revision: Revision) -> bool {
    let member = |name: &str| node.get(name).map(text).unwrap_or_default();
    let words = match BlockKind::of(node) {
        Some(BlockKind::Audio) if revision < MARCH => {
            format!("(audio of type {}, which this client cannot take)", member("mimeType"))
        }
        Some(BlockKind::ResourceLink) if revision < JUNE => format!("{}: {}", member("name"), member("uri")),
        Some(
            BlockKind::Text
            | BlockKind::Image
            | BlockKind::Audio
            | BlockKind::ResourceLink
            | BlockKind::Resource
            | BlockKind::ToolUse
            | BlockKind::ToolResult,
        )
        | None => return push(out, node, revision, BLOCK),
    };
    out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
    push_quoted(out, &words);
    out.push(b'}');
    true
}

fn result_meta(out: &mut Vec<u8>, node: Node<'_>, revision: Revision) -> bool {
    push(out, node, revision, RESULT_META)
}

/// Before 2025-11-25 a message has one block, so one with several becomes as many messages.
fn sampling_messages(out: &mut Vec<u8>, node: Node<'_>, revision: Revision) -> bool {
    if revision >= NOVEMBER {
        return whole(out, node, revision);
    }
    let parts = node.elements().flat_map(|message| {
        let content = message.get("content");
        let many = content.filter(|content| content.is_array()).into_iter().flat_map(Node::elements);
        let one = content.filter(|content| !content.is_array());
        many.chain(one).map(move |block| (message, block))
    });
    out.push(b'[');
    for (number, (message, part)) in parts.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        object(out, message, |out, name, value| {
            if name.is_str("content") {
                return block(out, part, revision);
            }
            let member = SAMPLING_MESSAGE.iter().find(|member| name.is_str(member.name));
            member.is_none_or(|member| revision >= member.since) && whole(out, value, revision)
        });
    }
    out.push(b']');
    true
}

/// A field of a form before 2025-11-25: titles of choices stand in `enumNames`, and only a boolean has a default.
fn plain_field(out: &mut Vec<u8>, node: Node<'_>) {
    let boolean = node.get("type").is_some_and(|kind| kind.is_str("boolean"));
    out.push(b'{');
    let start = out.len();
    let mut members = node.members();
    while let Some((name, value)) = members.next_nodes() {
        if name.is_str("default") && !boolean {
            continue;
        }
        if out.len() > start {
            out.push(b',');
        }
        if name.is_str("oneOf") {
            choices(out, value);
        } else {
            push_compact(out, name);
            out.push(b':');
            push_compact(out, value);
        }
    }
    out.push(b'}');
}

fn choices(out: &mut Vec<u8>, options: Node<'_>) {
    let part = |name: &'static str| options.elements().filter_map(move |option| option.get(name));
    out.extend_from_slice(b"\"enum\":");
    array(out, part("const"), push_compact);
    out.extend_from_slice(b",\"enumNames\":");
    array(out, part("title"), push_compact);
}

#[cfg(test)]
mod tests;
