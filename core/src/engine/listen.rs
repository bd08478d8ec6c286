//! `subscriptions/listen`: what is asked for, and what of it is honoured.

use super::catalogs::Snapshot;
use super::hub::Filter;
use super::route::{Request, Step};
use crate::caller::Caller;
use crate::catalog::{Catalog, Found};
use crate::jsonrpc::ErrorBody;
use crate::protocol::wire::code;
use std::sync::Arc;

/// A subscription that its door has to open.
pub(crate) struct Prepared {
    pub(crate) request: Request,
    /// What is honoured. Empty: acknowledge, then end at once.
    pub(crate) filter: Filter,
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "every method of the table takes the snapshot the same way"
)]
pub(crate) fn listen(request: Request, snapshot: Arc<Snapshot>) -> Step {
    match read(&request, &snapshot) {
        Ok(filter) => Step::Listen(Box::new(Prepared { request, filter })),
        Err(error) => request.refuse(&error),
    }
}

fn read(request: &Request, snapshot: &Snapshot) -> Result<Filter, ErrorBody> {
    let invalid = |why: String| ErrorBody::new(code::INVALID_PARAMS, why);
    let asked = request.params().get("notifications").filter(|asked| asked.is_object());
    let asked = asked.ok_or_else(|| invalid("params.notifications must be an object.".to_owned()))?;
    let config = &request.server().config;
    let mut filter = Filter::default();
    for (name, value) in asked.members() {
        let (offered, wanted) = match &*name {
            "toolsListChanged" => (config.tools_list_changed, &mut filter.tools),
            "promptsListChanged" => (config.prompts_list_changed, &mut filter.prompts),
            "resourcesListChanged" => (config.resources_list_changed, &mut filter.resources),
            "resourceSubscriptions" => {
                let uris = value.elements().map(|uri| uri.as_str().map(std::borrow::Cow::into_owned));
                let uris: Option<Vec<String>> = if value.is_array() { uris.collect() } else { None };
                let wrong = || {
                    invalid(
                        "params.notifications.resourceSubscriptions must be an array of strings.".to_owned(),
                    )
                };
                let uris = uris.ok_or_else(wrong)?;
                if uris.len() > config.max_subscription_uris {
                    let most = config.max_subscription_uris;
                    return Err(invalid(format!("A subscription may name at most {most} resources.")));
                }
                if config.resources_subscribe {
                    filter.uris = uris
                        .into_iter()
                        .filter(|uri| may_see(&snapshot.catalog, request.caller(), uri))
                        .collect();
                }
                continue;
            }
            // Other keys belong to extensions that this server does not offer.
            _ => continue,
        };
        match value.as_bool() {
            Some(on) => *wanted = on && offered,
            None => return Err(invalid(format!("params.notifications.{name} must be true or false."))),
        }
    }
    Ok(filter)
}

/// Whether the caller may hear of `uri`. What does not exist yet may be waited for; what exists needs its scopes.
pub(crate) fn may_see(catalog: &Catalog, caller: &Caller, uri: &str) -> bool {
    let settings = match catalog.find(uri, caller, false) {
        None => return true,
        Some(Found::Resource(_, resource)) => &resource.settings,
        Some(Found::Template(_, template, _)) => &template.settings,
    };
    settings.allows(caller)
}
