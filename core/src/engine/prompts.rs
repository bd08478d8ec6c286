//! `prompts/get`, up to the point where the host takes over.

use super::catalogs::Snapshot;
use super::rounds::{Rounds, Target};
use super::route::{Arguments, Item, Prepared, Request, Step};
use super::tools::{check_scopes, unknown};
use crate::call::CallKind;
use crate::catalog::Prompt;
use crate::json::Node;
use crate::jsonrpc::{cut, ErrorBody};
use crate::protocol::wire::code;
use std::sync::Arc;

pub(crate) fn get(request: Request, snapshot: Arc<Snapshot>) -> Step {
    let prepared = (|| {
        let name = request.text("name")?;
        let missing = || unknown("prompt", &name);
        let index = snapshot.catalog.prompt(&name).ok_or_else(missing)?;
        let prompt = snapshot.catalog.prompt_at(index);
        check_scopes(&request, &prompt.settings, missing)?;
        let arguments = request.arguments()?;
        let rounds = Rounds::open(&request, &Target { method: "prompts/get", name: &name, arguments })?;
        check(prompt, arguments)?;
        Ok((index, arguments.map(Node::index), rounds))
    })();
    let (index, sent, rounds) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return request.refuse(&error),
    };
    Step::Call(Prepared {
        request,
        snapshot,
        kind: CallKind::Prompt,
        item: Item::Prompt(index),
        uri: None,
        arguments: sent.map_or(Arguments::Absent, Arguments::Sent),
        variables: Vec::new(),
        rounds,
    })
}

fn check(prompt: &Prompt, arguments: Option<Node<'_>>) -> Result<(), ErrorBody> {
    let invalid = |why: String| Err(ErrorBody::new(code::INVALID_PARAMS, why));
    for (name, value) in arguments.into_iter().flat_map(Node::members) {
        if !prompt.arguments.iter().any(|argument| *argument.name == *name) {
            return invalid(format!("The prompt has no argument \"{}\".", cut(&name, 64)));
        }
        if !value.is_string() {
            return invalid(format!("The argument \"{}\" must be a string.", cut(&name, 64)));
        }
    }
    if prompt.settings.asks_input {
        return Ok(());
    }
    let given = |name: &str| arguments.is_some_and(|arguments| arguments.get(name).is_some());
    match prompt.arguments.iter().find(|argument| argument.required && !given(&argument.name)) {
        Some(missing) => invalid(format!("The argument \"{}\" is missing.", cut(&missing.name, 64))),
        None => Ok(()),
    }
}
