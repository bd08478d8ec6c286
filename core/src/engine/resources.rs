//! `resources/read`, up to the point where the host takes over.

use super::catalogs::Snapshot;
use super::rounds::{Rounds, Target};
use super::route::{Arguments, Item, Prepared, Request, Step};
use super::tools::check_scopes;
use crate::call::CallKind;
use crate::catalog::Found;
use crate::config::MissingScope;
use crate::json::quote;
use crate::jsonrpc::ErrorBody;
use std::sync::Arc;

pub(crate) fn read(request: Request, snapshot: Arc<Snapshot>) -> Step {
    let prepared = (|| {
        let uri = request.text("uri")?;
        let missing = || not_found(&request, &uri);
        let hide = request.server().config.missing_scope == MissingScope::Hide;
        let found = snapshot.catalog.find(&uri, request.caller(), hide).ok_or_else(missing)?;
        let (item, settings, variables) = match found {
            Found::Resource(index, resource) => (Item::Resource(index), &resource.settings, Vec::new()),
            Found::Template(index, template, variables) => {
                (Item::Template(index), &template.settings, variables)
            }
        };
        check_scopes(&request, settings, missing)?;
        let rounds =
            Rounds::open(&request, &Target { method: "resources/read", name: &uri, arguments: None })?;
        Ok((item, variables, uri.into_owned(), rounds))
    })();
    let (item, variables, uri, rounds) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return request.refuse(&error),
    };
    Step::Call(Prepared {
        request,
        snapshot,
        kind: CallKind::Resource,
        item,
        uri: Some(uri),
        arguments: Arguments::Absent,
        variables,
        rounds,
    })
}

pub(crate) fn not_found(request: &Request, uri: &str) -> ErrorBody {
    let data = format!("{{\"uri\":{}}}", quote(uri));
    ErrorBody::new(request.revision().not_found(), "Resource not found").with_data(data)
}
