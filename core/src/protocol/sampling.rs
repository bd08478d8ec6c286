//! What is asked of the client's model.

use super::capability::Need;
use super::content::{self, icons, meta, text, BlockKind};
use super::shape::{self, optional, required, Checked, Fault, Field, Side};
use crate::json::Node;
use std::collections::HashSet;

/// Checks the params of `sampling/createMessage` and returns what the client must have declared for them, besides
/// sampling itself.
pub(crate) fn read(params: Node<'_>) -> Checked<Vec<Need>> {
    const FIELDS: [Field; 11] = [
        required("messages", messages),
        required("maxTokens", |node, _| match node.as_i64() {
            Some(1..) => Ok(()),
            Some(_) | None => Err(Fault::at(node, "must be an integer of at least 1")),
        }),
        optional("includeContext", |node, _| {
            word(
                node,
                &["none", "thisServer", "allServers"],
                "must be \"none\", \"thisServer\" or \"allServers\"",
            )
        }),
        optional("tools", tools),
        optional("toolChoice", tool_choice),
        optional("systemPrompt", shape::string),
        optional("temperature", shape::number),
        optional("stopSequences", shape::strings),
        optional("metadata", shape::object),
        optional("modelPreferences", model_preferences),
        optional("_meta", meta),
    ];
    let [messages, _, context, tools, tool_choice, ..] = shape::read(params, Side::Host, &FIELDS)?;
    let mut needs = Vec::new();
    if tools.is_some() || tool_choice.is_some() || messages.is_some_and(uses_tools) {
        needs.push(Need::SamplingTools);
    }
    if context.is_some_and(|context| !context.is_str("none")) {
        needs.push(Need::SamplingContext);
    }
    Ok(needs)
}

fn word(node: Node<'_>, words: &[&str], reason: &'static str) -> Checked {
    if words.iter().any(|word| node.is_str(word)) {
        Ok(())
    } else {
        Err(Fault::at(node, reason))
    }
}

fn model_preferences(node: Node<'_>, side: Side) -> Checked {
    const HINT: [Field; 1] = [optional("name", shape::string)];
    const FIELDS: [Field; 4] = [
        optional("hints", |node, side| {
            shape::each(node, side, "must be an array of hints", |hint, side| {
                shape::read(hint, side, &HINT).map(drop)
            })
        }),
        optional("costPriority", shape::share),
        optional("speedPriority", shape::share),
        optional("intelligencePriority", shape::share),
    ];
    shape::read(node, side, &FIELDS).map(drop)
}

fn tool_choice(node: Node<'_>, side: Side) -> Checked {
    const FIELDS: [Field; 1] = [optional("mode", |node, _| {
        word(node, &["auto", "required", "none"], "must be \"auto\", \"required\" or \"none\"")
    })];
    shape::read(node, side, &FIELDS).map(drop)
}

fn tools(node: Node<'_>, side: Side) -> Checked {
    const HINTS: [Field; 5] = [
        optional("title", shape::string),
        optional("readOnlyHint", shape::boolean),
        optional("destructiveHint", shape::boolean),
        optional("idempotentHint", shape::boolean),
        optional("openWorldHint", shape::boolean),
    ];
    const TOOL: [Field; 8] = [
        required("name", shape::filled),
        required("inputSchema", |node, side| {
            shape::object(node, side)?;
            match node.get("type") {
                Some(kind) if kind.is_str("object") => Ok(()),
                Some(kind) => Err(Fault::at(kind, "must be \"object\"")),
                None => Err(Fault::at(node, "needs `\"type\":\"object\"`")),
            }
        }),
        optional("outputSchema", shape::object),
        optional("title", shape::string),
        optional("description", shape::string),
        optional("annotations", |node, side| shape::read(node, side, &HINTS).map(drop)),
        optional("icons", icons),
        optional("_meta", meta),
    ];
    shape::each(node, side, "must be an array of tools", |tool, side| {
        shape::read(tool, side, &TOOL).map(drop)
    })?;
    let mut names = HashSet::new();
    for name in node.elements().filter_map(|tool| tool.get("name")) {
        if !names.insert(text(name)) {
            return Err(Fault::at(name, "names two tools"));
        }
    }
    Ok(())
}

/// The blocks of a message, whether it has one or an array of them.
fn blocks(message: Node<'_>) -> impl Iterator<Item = Node<'_>> + Clone {
    let content = message.get("content");
    let many = content.filter(|content| content.is_array()).into_iter().flat_map(Node::elements);
    content.filter(|content| !content.is_array()).into_iter().chain(many)
}

fn of_kind(message: Node<'_>, kind: BlockKind) -> impl Iterator<Item = Node<'_>> {
    blocks(message).filter(move |block| BlockKind::of(*block) == Some(kind))
}

fn uses_tools(messages: Node<'_>) -> bool {
    messages
        .elements()
        .flat_map(blocks)
        .any(|block| matches!(BlockKind::of(block), Some(BlockKind::ToolUse | BlockKind::ToolResult)))
}

fn messages(node: Node<'_>, side: Side) -> Checked {
    const MESSAGE: [Field; 3] = [
        required("role", content::role),
        required("content", content::sampling_content),
        optional("_meta", meta),
    ];
    shape::each(node, side, "must be an array of messages", |message, side| {
        shape::read(message, side, &MESSAGE).map(drop)
    })?;
    let mut open: Option<Node<'_>> = None;
    for message in node.elements() {
        answered(open, Some(message))?;
        open = Some(message);
    }
    answered(open, None)
}

/// Every tool use of an assistant is answered by the very next message, which holds nothing but such answers.
fn answered(before: Option<Node<'_>>, message: Option<Node<'_>>) -> Checked {
    let mut open = HashSet::new();
    for block in before.into_iter().flat_map(|before| of_kind(before, BlockKind::ToolUse)) {
        if !open.insert(block.get("id").map(text).unwrap_or_default()) {
            return Err(Fault::at(block, "repeats the id of another tool use"));
        }
    }
    let Some(message) = message else {
        return before.filter(|_| !open.is_empty()).map_or(Ok(()), |before| {
            Err(Fault::at(before, "uses a tool, but no message with its `tool_result` follows"))
        });
    };
    let assistant = message.get("role").is_some_and(|role| role.is_str("assistant"));
    if let Some(block) =
        of_kind(message, if assistant { BlockKind::ToolResult } else { BlockKind::ToolUse }).next()
    {
        return Err(Fault::at(block, "is in the wrong role: assistants use tools, users give results"));
    }
    let mut results = 0;
    for block in of_kind(message, BlockKind::ToolResult) {
        results += 1;
        if !open.remove(&block.get("toolUseId").map(text).unwrap_or_default()) {
            return Err(Fault::at(block, "answers no tool use of the message before"));
        }
    }
    if results > 0 && results < blocks(message).count() {
        return Err(Fault::at(message, "must hold tool results only, since it holds one"));
    }
    if let Some(id) = open.iter().next() {
        let reason =
            format!("needs the `tool_result` of `{}`, which the message before uses", shape::excerpt(id));
        return Err(Fault::at(message, reason));
    }
    Ok(())
}
