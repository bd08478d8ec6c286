//! Results as a host gives them, before the engine completes them.

use super::content::{self, meta};
use super::shape::{self, optional, required, Checked, Fault, Field, ShapeFault, Side};
use crate::config::CacheScope;
use crate::json::{push_compact, push_quoted, Node};

/// A checked result of a tool. The engine writes what is missing and leaves the rest as it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolResultView<'d> {
    /// The blocks; `None` only if there is structured content.
    pub(crate) content: Option<Node<'d>>,
    /// The structured content, which may be `null`.
    pub(crate) structured: Option<Node<'d>>,
    pub(crate) is_error: bool,
    pub(crate) meta: Option<Node<'d>>,
    /// `"complete"` if the host wrote it.
    pub(crate) result_type: Option<Node<'d>>,
}

/// Checks a result of `tools/call`.
pub(crate) fn check_tool_result(node: Node<'_>) -> Result<ToolResultView<'_>, ShapeFault> {
    const FIELDS: [Field; 5] = [
        optional("content", content::blocks),
        shape::nullable("structuredContent"),
        optional("isError", shape::boolean),
        optional("_meta", meta),
        optional("resultType", complete),
    ];
    let view = || -> Checked<ToolResultView<'_>> {
        let [content, structured, is_error, meta, result_type] = shape::read(node, Side::Host, &FIELDS)?;
        if content.is_none() && structured.is_none() {
            return Err(Fault::at(node, "needs `content`, an array of blocks, or `structuredContent`"));
        }
        let is_error = is_error.and_then(Node::as_bool).unwrap_or(false);
        Ok(ToolResultView { content, structured, is_error, meta, result_type })
    };
    view().map_err(|fault| fault.locate(node))
}

fn complete(node: Node<'_>, _: Side) -> Checked {
    if node.is_str("complete") {
        Ok(())
    } else {
        Err(Fault::at(node, "is the engine's to write; leave it out"))
    }
}

/// A checked result of a read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadResultView<'d> {
    /// How long the host lets this result be kept, in ms.
    pub(crate) ttl_ms: Option<u64>,
    pub(crate) cache_scope: Option<CacheScope>,
    pub(crate) meta: Option<Node<'d>>,
    /// `"complete"` if the host wrote it.
    pub(crate) result_type: Option<Node<'d>>,
}

/// Checks a result of `resources/read`.
pub(crate) fn check_read_result(node: Node<'_>) -> Result<ReadResultView<'_>, ShapeFault> {
    const FIELDS: [Field; 5] = [
        required("contents", |node, side| {
            shape::each(node, side, "must be an array of contents", content::resource)?;
            // An empty list would look like success for something that is not there.
            if node.is_empty() {
                return Err(Fault::at(
                    node,
                    "must not be empty; reject the call if there is no such resource",
                ));
            }
            Ok(())
        }),
        optional("ttlMs", shape::count),
        optional("cacheScope", cache_scope),
        optional("_meta", meta),
        optional("resultType", complete),
    ];
    let view = || -> Checked<ReadResultView<'_>> {
        let [_, ttl_ms, cache_scope, meta, result_type] = shape::read(node, Side::Host, &FIELDS)?;
        Ok(ReadResultView {
            // Required, so always there.
            ttl_ms: ttl_ms.and_then(Node::as_i64).and_then(|value| u64::try_from(value).ok()),
            cache_scope: cache_scope.and_then(read_scope),
            meta,
            result_type,
        })
    };
    view().map_err(|fault| fault.locate(node))
}

fn read_scope(node: Node<'_>) -> Option<CacheScope> {
    [CacheScope::Public, CacheScope::Private].into_iter().find(|scope| node.is_str(scope.as_str()))
}

fn cache_scope(node: Node<'_>, _: Side) -> Checked {
    match read_scope(node) {
        Some(_) => Ok(()),
        None => Err(Fault::at(node, "must be \"public\" or \"private\"")),
    }
}

/// A checked prompt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PromptResultView<'d> {
    pub(crate) meta: Option<Node<'d>>,
    /// `"complete"` if the host wrote it.
    pub(crate) result_type: Option<Node<'d>>,
}

/// Checks a result of `prompts/get`.
pub(crate) fn check_prompt_result(node: Node<'_>) -> Result<PromptResultView<'_>, ShapeFault> {
    const MESSAGE: [Field; 2] = [required("role", content::role), required("content", content::block)];
    const FIELDS: [Field; 4] = [
        required("messages", |node, side| {
            shape::each(node, side, "must be an array of messages", |message, side| {
                shape::read(message, side, &MESSAGE).map(drop)
            })
        }),
        optional("description", shape::string),
        optional("_meta", meta),
        optional("resultType", complete),
    ];
    let [_, _, meta, result_type] =
        shape::read(node, Side::Host, &FIELDS).map_err(|fault| fault.locate(node))?;
    Ok(PromptResultView { meta, result_type })
}

/// How many values a completion may carry (2026-07-28, completion results).
pub(crate) const MAX_COMPLETION_VALUES: usize = 100;

/// A checked completion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CompletionResultView<'d> {
    /// The object with the values; [`write_completion`] takes it.
    pub(crate) completion: Node<'d>,
    pub(crate) meta: Option<Node<'d>>,
    /// `"complete"` if the host wrote it.
    pub(crate) result_type: Option<Node<'d>>,
}

/// Checks a result of `completion/complete`; any number of values will do.
pub(crate) fn check_completion_result(node: Node<'_>) -> Result<CompletionResultView<'_>, ShapeFault> {
    const COMPLETION: [Field; 3] = [
        required("values", shape::strings),
        optional("total", shape::count),
        optional("hasMore", shape::boolean),
    ];
    const FIELDS: [Field; 3] = [
        required("completion", |node, side| shape::read(node, side, &COMPLETION).map(drop)),
        optional("_meta", meta),
        optional("resultType", complete),
    ];
    let [completion, meta, result_type] =
        shape::read(node, Side::Host, &FIELDS).map_err(|fault| fault.locate(node))?;
    let completion = completion.unwrap_or(node);
    Ok(CompletionResultView { completion, meta, result_type })
}

/// Writes the `completion` object with at most 100 values; if some are left out, `total` and `hasMore` say so.
pub(crate) fn write_completion(out: &mut Vec<u8>, completion: Node<'_>) {
    let given = completion.get("values").map_or(0, Node::len);
    if given <= MAX_COMPLETION_VALUES {
        push_compact(out, completion);
        return;
    }
    out.extend_from_slice(b"{\"values\":[");
    let values = completion.get("values").into_iter().flat_map(Node::elements);
    for (n, value) in values.take(MAX_COMPLETION_VALUES).enumerate() {
        if n > 0 {
            out.push(b',');
        }
        push_compact(out, value);
    }
    let said = completion.get("total").and_then(Node::as_i64).and_then(|total| usize::try_from(total).ok());
    let total = said.unwrap_or(0).max(given);
    out.extend_from_slice(format!("],\"total\":{total},\"hasMore\":true").as_bytes());
    for (name, value) in completion.members() {
        if !matches!(&*name, "values" | "total" | "hasMore") {
            out.push(b',');
            push_quoted(out, &name);
            out.push(b':');
            push_compact(out, value);
        }
    }
    out.push(b'}');
}
