//! `tools/call`, up to the point where the host takes over.

use super::catalogs::Snapshot;
use super::mirror::Mirror;
use super::rounds::{Rounds, Target};
use super::route::{Arguments, Item, Prepared, Request, Step};
use crate::call::CallKind;
use crate::catalog::ItemSettings;
use crate::config::{InvalidArguments, MissingScope};
use crate::json::{push_quoted, quote, Document, Node};
use crate::jsonrpc::{cut, About, ErrorBody, Outgoing};
use crate::protocol::wire::code;
use crate::schema::Schema;
use std::sync::{Arc, OnceLock};

pub(crate) fn call(request: Request, snapshot: Arc<Snapshot>, mirror: Option<&dyn Mirror>) -> Step {
    let prepared = (|| {
        let name = request.text("name")?;
        let unknown = || unknown("tool", &name);
        let index = snapshot.catalog.tool(&name).ok_or_else(unknown)?;
        let tool = snapshot.catalog.tool_at(index);
        check_scopes(&request, &tool.settings, unknown)?;
        let arguments = request.arguments()?;
        let rounds = Rounds::open(&request, &Target { method: "tools/call", name: &name, arguments })?;
        if let Some(mirror) = mirror {
            mirror.params(&tool.headers, arguments)?;
        }
        Ok((index, arguments.map(Node::index), rounds))
    })();
    let (index, sent, rounds) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return request.refuse(&error),
    };
    let input = &snapshot.catalog.tool_at(index).input;
    let arguments = match check(&request, sent, input) {
        Ok(arguments) => arguments,
        Err(refusal) => return Step::Reply(refusal),
    };
    Step::Call(Prepared {
        request,
        snapshot,
        kind: CallKind::Tool,
        item: Item::Tool(index),
        uri: None,
        arguments,
        variables: Vec::new(),
        rounds,
    })
}

/// The arguments, valid under the tool's schema, or what the client is told instead.
fn check(request: &Request, sent: Option<u32>, input: &Schema) -> Result<Arguments, Outgoing> {
    let node = match sent {
        Some(index) => request.message.node(index),
        None => nothing().root(),
    };
    let Err(violations) = input.check(node) else {
        return Ok(sent.map_or(Arguments::Absent, Arguments::Sent));
    };
    if request.server().config.repair_arguments {
        if let Some(repaired) = input.repair(node).and_then(|text| Document::parse(text.into_bytes()).ok()) {
            return Ok(Arguments::Repaired(Box::new(repaired)));
        }
    }
    let text = format!("Invalid arguments: {violations}");
    Err(match request.server().config.invalid_arguments {
        InvalidArguments::Reject => {
            let mut data = b"{\"errors\":".to_vec();
            push_quoted(&mut data, &text);
            data.push(b'}');
            let data = String::from_utf8(data).unwrap_or_default();
            request.message.error(&ErrorBody::new(code::INVALID_PARAMS, "Invalid arguments.").with_data(data))
        }
        InvalidArguments::ToolError => error_result(request, &text),
    })
}

/// A tool result that tells a model what went wrong.
pub(crate) fn error_result(request: &Request, text: &str) -> Outgoing {
    Outgoing::result(request.message.id(), text.len() + 128, |out| {
        out.extend_from_slice(b"{\"content\":[{\"type\":\"text\",\"text\":");
        push_quoted(out, text);
        out.extend_from_slice(b"}],\"isError\":true");
        out.extend_from_slice(request.ending().as_bytes());
        out.push(b'}');
    })
}

/// The empty object, as a document to check absent arguments with.
pub(crate) fn nothing() -> &'static Document {
    static NOTHING: OnceLock<Document> = OnceLock::new();
    NOTHING.get_or_init(|| Document::parse(b"{}".to_vec()).unwrap_or_else(|_| unreachable!("{{}} is JSON")))
}

pub(crate) fn unknown(what: &str, name: &str) -> ErrorBody {
    ErrorBody::new(code::INVALID_PARAMS, format!("Unknown {what}: {}", cut(name, 128)))
}

/// Refuses a caller who lacks scopes of the item: as if it did not exist, or naming what is missing.
pub(crate) fn check_scopes(
    request: &Request,
    settings: &ItemSettings,
    unknown: impl FnOnce() -> ErrorBody,
) -> Result<(), ErrorBody> {
    if settings.allows(request.caller()) {
        return Ok(());
    }
    match request.server().config.missing_scope {
        MissingScope::Hide => Err(unknown()),
        MissingScope::Challenge => {
            let missing = settings.missing_scopes(request.caller());
            let quoted: Vec<String> = missing.iter().map(|scope| quote(scope)).collect();
            let data = format!("{{\"missingScopes\":[{}]}}", quoted.join(","));
            let error = ErrorBody::new(code::INVALID_PARAMS, "The caller lacks scopes of this item.");
            Err(error.with_data(data).about(About::Scopes(missing.join(" ").into())))
        }
    }
}
