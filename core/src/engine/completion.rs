//! `completion/complete`, up to the point where the host takes over.

use super::catalogs::Snapshot;
use super::rounds::Rounds;
use super::route::{Arguments, Item, Prepared, Request, Step};
use super::tools::{check_scopes, unknown};
use crate::call::CallKind;
use crate::json::Node;
use crate::jsonrpc::{ErrorBody, Outgoing};
use crate::protocol::wire::code;
use std::sync::Arc;

pub(crate) fn complete(request: Request, snapshot: Arc<Snapshot>) -> Step {
    let item = match check(&request, &snapshot) {
        Ok(Some(item)) => item,
        Ok(None) => return nothing(&request),
        Err(error) => return request.refuse(&error),
    };
    let arguments = Arguments::Sent(request.params().index());
    Step::Call(Prepared {
        request,
        snapshot,
        kind: CallKind::Completion,
        item,
        uri: None,
        arguments,
        variables: Vec::new(),
        rounds: Rounds::default(),
    })
}

/// What is to be completed; `None` if it has no such argument, which has no completions.
fn check(request: &Request, snapshot: &Snapshot) -> Result<Option<Item>, ErrorBody> {
    let invalid = |why: &'static str| ErrorBody::new(code::INVALID_PARAMS, why);
    let params = request.params();
    let argument = params.get("argument").filter(|argument| argument.is_object());
    let argument = argument.ok_or_else(|| invalid("params.argument must be an object."))?;
    let name = argument.get("name").and_then(Node::as_str);
    let name = name.ok_or_else(|| invalid("params.argument.name must be a string."))?;
    if !argument.get("value").is_some_and(Node::is_string) {
        return Err(invalid("params.argument.value must be a string."));
    }
    if let Some(context) = params.get_present("context") {
        let arguments = context.get_present("arguments");
        let wrong = !context.is_object()
            || arguments
                .is_some_and(|all| !all.is_object() || all.members().any(|(_, value)| !value.is_string()));
        if wrong {
            return Err(invalid("params.context.arguments must be an object of strings."));
        }
    }
    let reference = params.get("ref").ok_or_else(|| invalid("params.ref is missing."))?;
    let member = |key: &str| reference.get(key).and_then(Node::as_str);
    match member("type").as_deref() {
        Some("ref/prompt") => {
            let prompt = member("name").ok_or_else(|| invalid("params.ref.name must be a string."))?;
            let missing = || unknown("prompt", &prompt);
            let index = snapshot.catalog.prompt(&prompt).ok_or_else(missing)?;
            let found = snapshot.catalog.prompt_at(index);
            check_scopes(request, &found.settings, missing)?;
            let known = found.arguments.iter().any(|argument| *argument.name == *name);
            Ok(known.then_some(Item::Prompt(index)))
        }
        Some("ref/resource") => {
            let uri = member("uri").ok_or_else(|| invalid("params.ref.uri must be a string."))?;
            let missing = || unknown("resource template", &uri);
            let Some(index) = snapshot.catalog.template(&uri) else {
                // A plain resource has no variables to complete.
                let resource = snapshot.catalog.resource(&uri).ok_or_else(missing)?;
                let settings = &snapshot.catalog.resource_at(resource).settings;
                return check_scopes(request, settings, missing).map(|()| None);
            };
            let found = snapshot.catalog.template_at(index);
            check_scopes(request, &found.settings, missing)?;
            let known = found.pattern.variables().any(|variable| *variable == *name);
            Ok(known.then_some(Item::Template(index)))
        }
        Some(_) | None => Err(invalid("params.ref.type must be \"ref/prompt\" or \"ref/resource\".")),
    }
}

fn nothing(request: &Request) -> Step {
    Step::Reply(Outgoing::result(request.message.id(), 128, |out| {
        out.extend_from_slice(b"{\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}");
        out.extend_from_slice(request.ending().as_bytes());
        out.push(b'}');
    }))
}
