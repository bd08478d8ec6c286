//! `input_required`: the host asks before it answers.

use super::rounds::Target;
use super::route::{Arguments, Item};
use super::session::Inquiry;
use crate::call::{CallKind, State};
use crate::json::{push_compact, push_quoted, Node};
use crate::jsonrpc::{ErrorBody, Outgoing};
use crate::protocol::wire::code;
use crate::protocol::{check_input_requests, edition, InputFault, LogLevel};
use std::sync::Arc;

/// What becomes of a call that needs input first.
pub(crate) enum Input {
    /// It is over: the client brings the answers with its next request, or did not declare what they need (-32021).
    Reply(Outgoing),
    /// It waits while the client is asked.
    Ask(Arc<Inquiry>),
}

/// Checks what a host asks.
///
/// # Errors
/// What is wrong with the requests, for the host's author.
pub(crate) fn require_input(
    waiting: &Arc<State>,
    requests: Node<'_>,
    state: Option<&str>,
) -> Result<Input, String> {
    let call = waiting.prepared();
    let request = &call.request;
    let method = match call.kind {
        CallKind::Tool => "tools/call",
        CallKind::Resource => "resources/read",
        CallKind::Prompt => "prompts/get",
        CallKind::Completion => return Err("a completion cannot ask for input".to_owned()),
    };
    let undeclared = |required: &str| {
        let message = "The client did not declare a capability that this request needs.";
        let data = format!("{{\"requiredCapabilities\":{required}}}");
        Input::Reply(
            request.message.error(&ErrorBody::new(code::MISSING_CAPABILITY, message).with_data(data)),
        )
    };
    let asked = match check_input_requests(requests, request.capabilities()) {
        Ok(asked) => asked,
        Err(InputFault::Undeclared { required }) => return Ok(undeclared(&required)),
        Err(InputFault::Shape(fault)) => return Err(format!("input requests: {fault}")),
    };
    if asked.is_empty() && state.is_none() {
        return Err("neither an input request nor a state: nothing would come back".to_owned());
    }
    for field in asked.iter().filter_map(|one| one.secret_field.as_ref()) {
        let line = format!("a form asks for {field:?}: secrets belong on a web page (mode `url`)");
        request.server().log(LogLevel::Warning, &line);
    }
    let rounds = waiting.rounds();
    if request.session.is_some() {
        let forms = requests.members().filter_map(|(_, one)| one.pointer("/params/requestedSchema"));
        if !forms.into_iter().all(|form| edition::has_form(form, request.revision())) {
            return Ok(undeclared("{\"elicitation\":{\"form\":{}}}"));
        }
        rounds.payload(request, &asked, state)?;
        let inquiry = Inquiry::new(waiting, asked, state).map(|inquiry| Input::Ask(Arc::new(inquiry)));
        return inquiry.ok_or_else(|| "the call belongs to no session".to_owned());
    }
    let catalog = &call.snapshot.catalog;
    let name = match (&call.uri, call.item) {
        (Some(uri), _) => uri,
        (None, Item::Tool(index)) => &*catalog.tool_at(index).name,
        (None, Item::Prompt(index)) => &*catalog.prompt_at(index).name,
        (None, Item::Resource(_) | Item::Template(_)) => "",
    };
    // The digest is of what the client sent: that is what it sends again, repaired or not.
    let arguments = match &call.arguments {
        Arguments::Absent => None,
        Arguments::Sent(_) | Arguments::Repaired(_) => request.params().get_present("arguments"),
    };
    let sealed = rounds.seal(request, &Target { method, name, arguments }, &asked, state)?;
    let info = &request.server().info_suffix;
    Ok(Input::Reply(Outgoing::result(request.message.id(), requests.raw().len() + info.len() + 256, |out| {
        out.extend_from_slice(b"{\"resultType\":\"input_required\"");
        if !asked.is_empty() {
            out.extend_from_slice(b",\"inputRequests\":");
            push_compact(out, requests);
        }
        if let Some(sealed) = sealed {
            out.extend_from_slice(b",\"requestState\":");
            push_quoted(out, &sealed);
        }
        out.extend_from_slice(info.as_bytes());
        out.push(b'}');
    })))
}
