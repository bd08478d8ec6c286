//! From a host's answer to the response text.

use super::route::{Item, Prepared};
use super::tools::error_result;
use crate::call::CallKind;
use crate::catalog::ItemSettings;
use crate::config::CacheScope;
use crate::json::{push_compact, push_quoted, Document, Node, Parsed};
use crate::jsonrpc::{ErrorBody, Outgoing};
use crate::protocol::wire::code;
use crate::protocol::wire::key::SERVER_INFO;
use crate::protocol::{
    check_completion_result, check_prompt_result, check_read_result, check_tool_result, edition,
    write_completion, ReadResultView, Revision,
};
use base64::engine::general_purpose::STANDARD;
use base64::Engine;

/// What a host said, short of input requests.
pub(crate) enum Answer<'a> {
    Text(&'a str),
    Blob(&'a [u8], Option<&'a str>),
    Json(Node<'a>),
    Fail(&'a str),
}

/// The response, or why the answer is not one that may be sent.
pub(crate) type Answered = Result<Outgoing, String>;

/// A member of results that the engine writes itself.
const RESULT_TYPE: &str = "resultType";

impl Answer<'_> {
    /// Renders the response to `call`.
    ///
    /// # Errors
    /// What is wrong with the answer, for the host's author.
    pub(crate) fn render(&self, call: &Prepared) -> Answered {
        match (call.kind, self) {
            (CallKind::Tool, Answer::Text(text)) => tool_text(call, text),
            (CallKind::Tool, Answer::Blob(data, mime)) => tool_blob(call, data, *mime),
            (CallKind::Tool, Answer::Json(node)) => tool_json(call, *node),
            (CallKind::Tool, Answer::Fail(text)) => Ok(error_result(&call.request, text)),
            (CallKind::Resource, Answer::Text(text)) => {
                Ok(read(call, None, text.len(), |out| member_text(out, "text", text)))
            }
            (CallKind::Resource, Answer::Blob(data, mime)) => {
                Ok(read(call, *mime, data.len() / 3 * 4, |out| {
                    member_base64(out, "blob", data);
                }))
            }
            (CallKind::Resource, Answer::Json(node)) => read_json(call, *node),
            (CallKind::Prompt, Answer::Text(text)) => Ok(close(call, text.len() + 128, "", |out| {
                out.extend_from_slice(b"\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",");
                member_text(out, "text", text);
                out.extend_from_slice(b"}}]");
            })),
            (CallKind::Prompt, Answer::Json(node)) => {
                let view = check_prompt_result(*node).map_err(|fault| fault.to_string())?;
                let shape = edition::PROMPT_RESULT;
                let own = Own { meta: view.meta, result_type: view.result_type, shape };
                Ok(splice(call, *node, own, &[], ""))
            }
            (CallKind::Completion, Answer::Text(text)) => Ok(completion_lines(call, text)),
            (CallKind::Completion, Answer::Json(node)) => {
                let view = check_completion_result(*node).map_err(|fault| fault.to_string())?;
                let mut completion = b",\"completion\":".to_vec();
                write_completion(&mut completion, view.completion);
                let shape = edition::COMPLETION_RESULT;
                let own = Own { meta: view.meta, result_type: view.result_type, shape };
                Ok(splice(call, *node, own, &["completion"], &String::from_utf8_lossy(&completion)))
            }
            (CallKind::Prompt | CallKind::Completion, Answer::Blob(..)) => {
                Err("only tools and resources are answered with bytes".to_owned())
            }
            (CallKind::Resource | CallKind::Prompt | CallKind::Completion, Answer::Fail(text)) => {
                Ok(call.request.message.error(&ErrorBody::new(code::INTERNAL_ERROR, (*text).to_owned())))
            }
        }
    }
}

/// A name that has nothing to escape.
fn member(out: &mut Vec<u8>, name: &str) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}

fn member_text(out: &mut Vec<u8>, name: &str, text: &str) {
    member(out, name);
    push_quoted(out, text);
}

fn member_base64(out: &mut Vec<u8>, name: &str, data: &[u8]) {
    member(out, name);
    out.push(b'"');
    let start = out.len();
    out.resize(start + data.len().div_ceil(3) * 4, 0);
    // The space is exact, so this never fails.
    let written = STANDARD.encode_slice(data, &mut out[start..]).unwrap_or(0);
    out.truncate(start + written);
    out.push(b'"');
}

/// A result that the engine writes whole: `body` writes its members.
fn close(call: &Prepared, hint: usize, extra: &str, body: impl FnOnce(&mut Vec<u8>)) -> Outgoing {
    let info = &call.request.server().info_suffix;
    Outgoing::result(call.request.message.id(), hint + extra.len() + info.len() + 32, |out| {
        out.push(b'{');
        body(out);
        if call.request.session.is_some() {
            out.extend_from_slice(extra.as_bytes());
        } else {
            out.extend_from_slice(b",\"resultType\":\"complete\"");
            out.extend_from_slice(extra.as_bytes());
            out.extend_from_slice(info.as_bytes());
        }
        out.push(b'}');
    })
}

/// The members of a host's result that the engine completes or writes itself.
#[derive(Clone, Copy)]
struct Own<'d> {
    meta: Option<Node<'d>>,
    result_type: Option<Node<'d>>,
    /// What of it a session knows.
    shape: edition::Shape,
}

/// A result that the host wrote: its own members, then the engine's. `replaced` names members that are left out since
/// `extra` writes them.
fn splice(call: &Prepared, node: Node<'_>, own: Own<'_>, replaced: &[&str], extra: &str) -> Outgoing {
    let server = call.request.server();
    let Own { meta, result_type, shape } = own;
    if let Some(session) = &call.request.session {
        return edit(call, node, session.revision(), shape, extra);
    }
    let plain =
        meta.is_none() && result_type.is_none() && replaced.iter().all(|name| node.get(name).is_none());
    if plain {
        return close(call, node.raw().len(), extra, |out| {
            // `close` has opened the object and will close it: the host's own braces go.
            out.pop();
            push_compact(out, node);
            out.pop();
        });
    }
    let identified = meta.is_some_and(|meta| meta.get(SERVER_INFO).is_some());
    let hint = node.raw().len() + extra.len() + server.info_suffix.len() + 32;
    Outgoing::result(call.request.message.id(), hint, |out| {
        out.push(b'{');
        let mut members = node.members();
        while let Some((name, value)) = members.next_nodes() {
            if name.is_str("_meta")
                || name.is_str(RESULT_TYPE)
                || replaced.iter().any(|other| name.is_str(other))
            {
                continue;
            }
            push_compact(out, name);
            out.push(b':');
            push_compact(out, value);
            out.push(b',');
        }
        out.extend_from_slice(b"\"resultType\":\"complete\"");
        out.extend_from_slice(extra.as_bytes());
        match meta {
            None => out.extend_from_slice(server.info_suffix.as_bytes()),
            Some(meta) => {
                out.extend_from_slice(b",\"_meta\":");
                push_compact(out, meta);
                if !identified && !server.info.is_empty() {
                    out.pop();
                    let comma = if meta.is_empty() { "" } else { "," };
                    out.extend_from_slice(format!("{comma}\"{SERVER_INFO}\":{}}}", server.info).as_bytes());
                }
            }
        }
        out.push(b'}');
    })
}

/// A result that the host wrote, as the revision of a session knows it.
fn edit(call: &Prepared, node: Node<'_>, revision: Revision, shape: edition::Shape, extra: &str) -> Outgoing {
    let hint = node.raw().len() + extra.len() + 8;
    Outgoing::result(call.request.message.id(), hint, |out| {
        let start = out.len() + 1;
        edition::push(out, node, revision, shape);
        if let Some((_, first)) = extra.split_at_checked(1) {
            // The members come before the last brace, behind a comma if they are not the first.
            out.pop();
            if out.len() > start {
                out.push(b',');
            }
            out.extend_from_slice(first.as_bytes());
            out.push(b'}');
        }
    })
}

fn tool_text(call: &Prepared, text: &str) -> Answered {
    require_structured(call)?;
    Ok(close(call, text.len() + 64, "", |out| {
        out.extend_from_slice(b"\"content\":[{\"type\":\"text\",");
        member_text(out, "text", text);
        out.extend_from_slice(b"}]");
    }))
}

fn tool_blob(call: &Prepared, data: &[u8], mime: Option<&str>) -> Answered {
    require_structured(call)?;
    let mime = mime.unwrap_or_default();
    let kind = match mime.split('/').next() {
        Some("image") => "image",
        Some("audio") => "audio",
        Some(_) | None => {
            return Err(format!("a tool answers bytes of type image/… or audio/…, not {mime:?}"))
        }
    };
    let body = |out: &mut Vec<u8>| {
        out.extend_from_slice(format!("\"content\":[{{\"type\":\"{kind}\",").as_bytes());
        member_base64(out, "data", data);
        out.push(b',');
        member_text(out, "mimeType", mime);
        out.extend_from_slice(b"}]");
    };
    let Some(session) = call.request.session.as_ref().filter(|_| kind == "audio") else {
        return Ok(close(call, data.len() / 3 * 4 + 128, "", body));
    };
    let mut whole = b"{".to_vec();
    body(&mut whole);
    whole.push(b'}');
    let whole = Document::parse_host(whole).map_err(|fault| fault.to_string())?;
    Ok(edit(call, whole.root(), session.revision(), edition::TOOL_RESULT, ""))
}

/// A tool with an `outputSchema` owes structured content, which text and bytes are not.
fn require_structured(call: &Prepared) -> Result<(), String> {
    match output_schema(call) {
        Some(_) => Err("the tool has an outputSchema: answer a result with structuredContent".to_owned()),
        None => Ok(()),
    }
}

fn output_schema(call: &Prepared) -> Option<&crate::schema::Schema> {
    match call.item {
        Item::Tool(index) => call.snapshot.catalog.tool_at(index).output.as_ref(),
        Item::Resource(_) | Item::Template(_) | Item::Prompt(_) => None,
    }
}

fn tool_json(call: &Prepared, node: Node<'_>) -> Answered {
    let view = check_tool_result(node).map_err(|fault| fault.to_string())?;
    if let (Some(schema), false) = (output_schema(call), view.is_error) {
        let structured =
            view.structured.ok_or("the tool has an outputSchema, but structuredContent is missing")?;
        schema
            .check(structured)
            .map_err(|why| format!("structuredContent breaks the outputSchema: {why}"))?;
    }
    let own = Own { meta: view.meta, result_type: view.result_type, shape: edition::TOOL_RESULT };
    let Some(structured) = view.structured.filter(|_| view.content.is_none()) else {
        return Ok(splice(call, node, own, &[], ""));
    };
    // For clients that read text only, the value is there as text too.
    let mut text = Vec::new();
    push_compact(&mut text, structured);
    let mut content = b",\"content\":[{\"type\":\"text\",\"text\":".to_vec();
    push_quoted(&mut content, &String::from_utf8_lossy(&text));
    content.extend_from_slice(b"}]");
    Ok(splice(call, node, own, &["content"], &String::from_utf8_lossy(&content)))
}

/// The cache hints of a read; a retried one must not be kept. Sessions know none.
fn hints(call: &Prepared, given: Option<&ReadResultView<'_>>) -> String {
    if call.request.session.is_some() {
        return String::new();
    }
    let (mut ttl, mut scope) = call.snapshot.catalog.read_hint(settings(call));
    if let Some(given) = given {
        ttl = given.ttl_ms.unwrap_or(ttl);
        // What only some callers may see is never public, whatever the host says.
        let scoped = !settings(call).scopes.is_empty();
        scope = given.cache_scope.filter(|_| !scoped).unwrap_or(scope);
    }
    if call.rounds.number > 0 {
        (ttl, scope) = (0, CacheScope::Private);
    }
    format!(",\"ttlMs\":{ttl},\"cacheScope\":\"{}\"", scope.as_str())
}

fn settings(call: &Prepared) -> &ItemSettings {
    call.item.settings(&call.snapshot.catalog)
}

fn read(call: &Prepared, mime: Option<&str>, hint: usize, body: impl FnOnce(&mut Vec<u8>)) -> Outgoing {
    let listed = match call.item {
        Item::Template(index) => call.snapshot.catalog.template_at(index).mime_type.as_deref(),
        Item::Resource(index) | Item::Tool(index) | Item::Prompt(index) => {
            call.snapshot.catalog.resource_at(index).mime_type.as_deref()
        }
    };
    close(call, hint + 256, &hints(call, None), |out| {
        out.extend_from_slice(b"\"contents\":[{");
        member_text(out, "uri", call.uri.as_deref().unwrap_or_default());
        if let Some(mime) = mime.or(listed) {
            out.push(b',');
            member_text(out, "mimeType", mime);
        }
        out.push(b',');
        body(out);
        out.extend_from_slice(b"}]");
    })
}

fn read_json(call: &Prepared, node: Node<'_>) -> Answered {
    let view = check_read_result(node).map_err(|fault| fault.to_string())?;
    Ok(splice(
        call,
        node,
        Own { meta: view.meta, result_type: view.result_type, shape: edition::READ_RESULT },
        &["ttlMs", "cacheScope"],
        &hints(call, Some(&view)),
    ))
}

/// Completion values, a line each; no more than a hundred are sent.
fn completion_lines(call: &Prepared, text: &str) -> Outgoing {
    const MOST: usize = 100;
    let values: Vec<&str> = text.lines().collect();
    close(call, text.len() + 64, "", |out| {
        out.extend_from_slice(b"\"completion\":{\"values\":[");
        for (n, value) in values.iter().take(MOST).enumerate() {
            if n > 0 {
                out.push(b',');
            }
            push_quoted(out, value);
        }
        let more = values.len() > MOST;
        out.extend_from_slice(format!("],\"total\":{},\"hasMore\":{more}}}", values.len()).as_bytes());
    })
}

/// Reads what a host wrote as a result.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_host(text: &str) -> Result<Parsed<'_>, String> {
    let parsed = Parsed::borrow_host(text).map_err(|fault| format!("not JSON: {fault}"))?;
    match parsed.duplicate() {
        Some(name) => Err(format!("the member {name:?} stands twice in one object")),
        None => Ok(parsed),
    }
}
