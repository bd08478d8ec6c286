//! What is asked of the user: a form, or to open an address.

use super::content::{meta, text};
use super::form;
use super::format;
use super::shape::{self, optional, required, Checked, Fault, Field, Side};
use crate::json::Node;

/// How the user is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Elicitation<'d> {
    /// By a form with this schema.
    Form(Node<'d>),
    /// By an address to open.
    Url,
}

/// Checks the params of `elicitation/create`.
pub(crate) fn read(params: Node<'_>) -> Checked<Elicitation<'_>> {
    shape::object(params, Side::Host)?;
    let mode = params.get("mode");
    match mode {
        Some(mode) if mode.is_str("url") => read_url(params),
        Some(mode) if !mode.is_str("form") => Err(Fault::at(mode, "must be \"form\" or \"url\"")),
        Some(_) | None => read_form(params, mode.is_some()),
    }
}

fn read_form(params: Node<'_>, named: bool) -> Checked<Elicitation<'_>> {
    const FIELDS: [Field; 3] = [
        required("message", shape::string),
        optional("requestedSchema", form::schema),
        optional("_meta", meta),
    ];
    let [_, schema, _] = shape::read(params, Side::Host, &FIELDS)?;
    match schema {
        Some(schema) => Ok(Elicitation::Form(schema)),
        None if !named && params.get("url").is_some() => {
            Err(Fault::at(params, "needs `\"mode\":\"url\"` to ask with a `url`"))
        }
        None => Err(Fault::at(params, "needs `requestedSchema`")),
    }
}

fn read_url(params: Node<'_>) -> Checked<Elicitation<'_>> {
    const FIELDS: [Field; 3] =
        [required("message", shape::string), required("url", link), optional("_meta", meta)];
    shape::read(params, Side::Host, &FIELDS)?;
    for foreign in ["requestedSchema", "elicitationId"] {
        if let Some(node) = params.get(foreign) {
            return Err(Fault::at(node, "has no place in a request to open a url; leave it out"));
        }
    }
    Ok(Elicitation::Url)
}

fn link(node: Node<'_>, side: Side) -> Checked {
    shape::string(node, side)?;
    format::link_fault(&text(node)).map_or(Ok(()), |reason| Err(Fault::at(node, reason)))
}
