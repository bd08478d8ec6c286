//! The language of a form's schema: a flat object of strings, numbers, booleans and choices.

use super::content::text;
use super::format;
use super::shape::{self, optional, required, Checked, Fault, Field, Side};
use crate::json::{Decimal, Node};
use std::cmp::Ordering;
use std::collections::HashSet;

/// Checks a `requestedSchema`.
pub(crate) fn schema(node: Node<'_>, side: Side) -> Checked {
    const FIELDS: [Field; 6] = [
        required("type", |node, _| {
            if node.is_str("object") {
                Ok(())
            } else {
                Err(Fault::at(node, "must be \"object\""))
            }
        }),
        required("properties", |node, side| {
            shape::object(node, side)?;
            node.members().try_for_each(|(_, property)| field(property, side))
        }),
        optional("required", shape::strings),
        optional("title", shape::string),
        optional("description", shape::string),
        optional("additionalProperties", shape::boolean),
    ];
    let [_, properties, required, ..] = shape::read(node, side, &FIELDS)?;
    shape::known(node, &FIELDS)?;
    for name in required.into_iter().flat_map(Node::elements) {
        if properties.is_none_or(|properties| properties.get(&text(name)).is_none()) {
            return Err(Fault::at(name, "must be the name of a property"));
        }
    }
    Ok(())
}

const STRING: [Field; 7] = [
    required("type", shape::string),
    optional("title", shape::string),
    optional("description", shape::string),
    optional("minLength", shape::count),
    optional("maxLength", shape::count),
    optional("format", |node, _| {
        if ["email", "uri", "date", "date-time"].iter().any(|name| node.is_str(name)) {
            Ok(())
        } else {
            Err(Fault::at(node, "must be \"email\", \"uri\", \"date\" or \"date-time\""))
        }
    }),
    optional("default", shape::string),
];

const NUMBER: [Field; 6] = [
    required("type", shape::string),
    optional("title", shape::string),
    optional("description", shape::string),
    optional("minimum", shape::number),
    optional("maximum", shape::number),
    optional("default", shape::number),
];

const BOOLEAN: [Field; 4] = [
    required("type", shape::string),
    optional("title", shape::string),
    optional("description", shape::string),
    optional("default", shape::boolean),
];

const CHOICE: [Field; 6] = [
    required("type", shape::string),
    optional("title", shape::string),
    optional("description", shape::string),
    required("enum", words),
    optional("enumNames", shape::strings),
    optional("default", shape::string),
];

const TITLED_CHOICE: [Field; 5] = [
    required("type", shape::string),
    optional("title", shape::string),
    optional("description", shape::string),
    required("oneOf", titled),
    optional("default", shape::string),
];

const CHOICES: [Field; 7] = [
    required("type", shape::string),
    optional("title", shape::string),
    optional("description", shape::string),
    required("items", items),
    optional("minItems", shape::count),
    optional("maxItems", shape::count),
    optional("default", shape::strings),
];

fn words(node: Node<'_>, side: Side) -> Checked {
    shape::strings(node, side)?;
    if node.is_empty() {
        return Err(Fault::at(node, "must offer at least one value"));
    }
    Ok(())
}

fn titled(node: Node<'_>, side: Side) -> Checked {
    const OPTION: [Field; 2] = [required("const", shape::string), required("title", shape::string)];
    shape::each(node, side, "must be an array of {const, title}", |option, side| {
        shape::read(option, side, &OPTION).map(drop)
    })?;
    if node.is_empty() {
        return Err(Fault::at(node, "must offer at least one value"));
    }
    Ok(())
}

fn items(node: Node<'_>, side: Side) -> Checked {
    const PLAIN: [Field; 2] = [
        required("type", |node, _| {
            if node.is_str("string") {
                Ok(())
            } else {
                Err(Fault::at(node, "must be \"string\": only texts can be chosen"))
            }
        }),
        required("enum", words),
    ];
    const TITLED: [Field; 2] = [optional("type", shape::string), required("anyOf", titled)];
    shape::object(node, side)?;
    let fields = if node.get("anyOf").is_some() { &TITLED } else { &PLAIN };
    shape::read(node, side, fields)?;
    shape::known(node, fields)
}

/// One property of the form.
fn field(node: Node<'_>, side: Side) -> Checked {
    fn checked<const N: usize>(node: Node<'_>, side: Side, fields: &[Field; N]) -> Checked {
        shape::read(node, side, fields)?;
        shape::known(node, fields)
    }
    shape::object(node, side)?;
    let kind = node.get("type").ok_or_else(|| Fault::at(node, "needs `type`"))?;
    if kind.is_str("string") {
        if node.get("enum").is_some() {
            checked(node, side, &CHOICE)?;
        } else if node.get("oneOf").is_some() {
            checked(node, side, &TITLED_CHOICE)?;
        } else {
            checked(node, side, &STRING)?;
        }
    } else if kind.is_str("number") || kind.is_str("integer") {
        checked(node, side, &NUMBER)?;
    } else if kind.is_str("boolean") {
        checked(node, side, &BOOLEAN)?;
    } else if kind.is_str("array") {
        checked(node, side, &CHOICES)?;
    } else {
        let reason = "must be string, number, integer, boolean or array: a form is flat";
        return Err(Fault::at(kind, reason));
    }
    consistent(node)
}

/// Bounds in order, a name for every value, a default that the field itself would accept.
fn consistent(node: Node<'_>) -> Checked {
    for (low, high) in [("minLength", "maxLength"), ("minimum", "maximum"), ("minItems", "maxItems")] {
        if let (Some(low), Some(high)) = (node.get(low), node.get(high)) {
            if Decimal::read(low.raw()) > Decimal::read(high.raw()) {
                return Err(Fault::at(low, "must not be above its maximum"));
            }
        }
    }
    if let (Some(values), Some(names)) = (node.get("enum"), node.get("enumNames")) {
        if values.len() != names.len() {
            return Err(Fault::at(names, "must have one name for each value of `enum`"));
        }
    }
    node.get("default").map_or(Ok(()), |default| value(node, default))
}

/// The field of a form that seems to ask for a secret, which belongs on a web page of its own.
pub(crate) fn secret_field(schema: Node<'_>) -> Option<String> {
    const MARKS: [&str; 8] =
        ["password", "passwd", "passphrase", "secret", "apikey", "accesstoken", "privatekey", "creditcard"];
    schema.get("properties")?.members().map(|(name, _)| name.into_owned()).find(|name| {
        let plain: String =
            name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
        MARKS.iter().any(|mark| plain.contains(mark))
    })
}

/// Checks what a form was filled with: an object of texts, numbers, booleans and arrays of texts.
pub(crate) fn content_shape(node: Node<'_>, side: Side) -> Checked {
    shape::object(node, side)?;
    node.members().try_for_each(|(_, value)| {
        let holds = value.is_string()
            || value.as_number().is_some()
            || value.as_bool().is_some()
            || (value.is_array() && value.elements().all(Node::is_string));
        if holds {
            Ok(())
        } else {
            Err(Fault::at(value, "must be a string, a number, true, false or an array of strings"))
        }
    })
}

/// Checks content of the right shape against the schema that was asked, which has passed [`schema`].
pub(crate) fn content(schema: Node<'_>, node: Node<'_>) -> Checked {
    for name in schema.get("required").into_iter().flat_map(Node::elements) {
        let name = text(name);
        if node.get(&name).is_none() {
            return Err(Fault::at(node, format!("needs `{}`", shape::excerpt(&name))));
        }
    }
    let Some(properties) = schema.get("properties") else {
        return Ok(());
    };
    let closed = schema.get("additionalProperties").and_then(Node::as_bool) == Some(false);
    for (name, given) in node.members() {
        match properties.get(&name) {
            Some(field) => value(field, given)?,
            None if closed => return Err(Fault::at(given, "was not asked for")),
            None => {}
        }
    }
    Ok(())
}

/// Checks one value against its field.
fn value(field: Node<'_>, node: Node<'_>) -> Checked {
    let is = |name: &str| field.get("type").is_some_and(|kind| kind.is_str(name));
    if is("string") {
        shape::string(node, Side::Client)?;
        string_value(field, node)
    } else if is("boolean") {
        shape::boolean(node, Side::Client)
    } else if is("array") {
        shape::strings(node, Side::Client)?;
        array_value(field, node)
    } else {
        shape::number(node, Side::Client)?;
        number_value(field, node, is("integer"))
    }
}

fn bound(field: Node<'_>, name: &str) -> Option<usize> {
    field.get(name)?.as_i64().and_then(|value| usize::try_from(value).ok())
}

fn string_value(field: Node<'_>, node: Node<'_>) -> Checked {
    let given = text(node);
    if options(field).next().is_some() && !options(field).any(|option| option.is_str(&given)) {
        return Err(Fault::at(node, "must be one of the values that were offered"));
    }
    let length = given.chars().count();
    if let Some(least) = bound(field, "minLength").filter(|&least| length < least) {
        return Err(Fault::at(node, format!("must have at least {least} characters")));
    }
    if let Some(most) = bound(field, "maxLength").filter(|&most| length > most) {
        return Err(Fault::at(node, format!("must have at most {most} characters")));
    }
    let format = field.get("format").map(text).unwrap_or_default();
    match &*format {
        "email" if !format::is_email(&given) => Err(Fault::at(node, "must be an e-mail address")),
        "uri" if !format::is_uri(&given) => Err(Fault::at(node, "must be an absolute URI")),
        "date" if !format::is_date(&given) => Err(Fault::at(node, "must be a date like 2025-01-31")),
        "date-time" if !format::is_date_time(&given) => {
            Err(Fault::at(node, "must be a date and time like 2025-01-12T15:00:58Z"))
        }
        _ => Ok(()),
    }
}

fn number_value(field: Node<'_>, node: Node<'_>, whole: bool) -> Checked {
    if whole && !shape::is_integer(node) {
        return Err(Fault::at(node, "must be an integer"));
    }
    let beyond = |name: &str, side: Ordering| {
        field.get(name).filter(|limit| Decimal::read(node.raw()).cmp(&Decimal::read(limit.raw())) == side)
    };
    if let Some(least) = beyond("minimum", Ordering::Less) {
        return Err(Fault::at(node, format!("must be at least {}", shape::excerpt(least.raw()))));
    }
    if let Some(most) = beyond("maximum", Ordering::Greater) {
        return Err(Fault::at(node, format!("must be at most {}", shape::excerpt(most.raw()))));
    }
    Ok(())
}

fn array_value(field: Node<'_>, node: Node<'_>) -> Checked {
    if let Some(least) = bound(field, "minItems").filter(|&least| node.len() < least) {
        return Err(Fault::at(node, format!("must have at least {least} values")));
    }
    if let Some(most) = bound(field, "maxItems").filter(|&most| node.len() > most) {
        return Err(Fault::at(node, format!("must have at most {most} values")));
    }
    let offered: HashSet<_> = field.get("items").into_iter().flat_map(options).map(text).collect();
    match node.elements().find(|element| !offered.contains(&text(*element))) {
        Some(element) => Err(Fault::at(element, "must be one of the values that were offered")),
        None => Ok(()),
    }
}

/// The values that a choice offers; none for other fields.
fn options(field: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let list = ["enum", "oneOf", "anyOf"].iter().find_map(|name| field.get(name));
    list.into_iter().flat_map(Node::elements).map(|option| option.get("const").unwrap_or(option))
}
