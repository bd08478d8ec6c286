//! The `_meta` of a request.

use super::capability::ClientCapabilities;
use super::content::{icons, text};
use super::format;
use super::level::LogLevel;
use super::meta_key;
use super::shape::{self, optional, required, Checked, Fault, Field, Side};
use super::wire::key;
use crate::json::Node;

/// What a modern request says about itself.
#[derive(Debug)]
pub(crate) struct RequestMeta<'d> {
    /// A string; whether it is served is the engine's to decide.
    pub(crate) protocol_version: Node<'d>,
    pub(crate) capabilities: ClientCapabilities<'d>,
    pub(crate) log_level: Option<LogLevel>,
    /// A string or an integer, to be echoed as it came.
    pub(crate) progress_token: Option<Node<'d>>,
    later: Option<String>,
}

impl RequestMeta<'_> {
    /// What else is wrong, for after the version is known to be served: the shape of the capabilities, the client's
    /// description, the log level, the progress token, a key.
    ///
    /// # Errors
    /// A sentence for the client that names the key.
    pub(crate) fn rest(&self) -> Result<(), &str> {
        self.later.as_deref().map_or(Ok(()), Err)
    }
}

/// Reads the `_meta` of a modern request in one walk. Only what is needed to tell the version is refused here; the
/// rest waits in [`RequestMeta::rest`], since another version may have other rules.
///
/// # Errors
/// A sentence for the client that names the key that is missing or of the wrong type.
pub(crate) fn check_request_meta(meta: Node<'_>) -> Result<RequestMeta<'_>, String> {
    if !meta.is_object() {
        return Err("`_meta` must be an object".to_owned());
    }
    let (mut version, mut capabilities) = (None, None);
    let (mut log_level, mut progress_token, mut later) = (None, None, None);
    let mut members = meta.members();
    while let Some((name, value)) = members.next_nodes() {
        let name = text(name);
        let outcome = match &*name {
            // `null` is as good as absent.
            _ if value.is_null() => check_key(&name),
            key::PROTOCOL_VERSION => {
                version = Some(value);
                Ok(())
            }
            key::CLIENT_CAPABILITIES => {
                let declared = ClientCapabilities::new(value);
                capabilities = Some(declared);
                declared.check().map_err(|fault| says(key::CLIENT_CAPABILITIES, &fault))
            }
            key::CLIENT_INFO => implementation(value, Side::Client)
                .map_err(|fault| says(key::CLIENT_INFO, &fault.locate(value))),
            key::LOG_LEVEL => {
                log_level = value.as_str().and_then(|word| LogLevel::read(&word));
                log_level.map(drop).ok_or_else(|| {
                    let words = LogLevel::ALL.map(LogLevel::as_str).join(", ");
                    format!("`{}` must be one of {words}", key::LOG_LEVEL)
                })
            }
            key::PROGRESS_TOKEN => {
                progress_token = Some(value);
                check_token(value)
            }
            _ => check_key(&name),
        };
        if let (Err(message), None) = (outcome, &later) {
            later = Some(message);
        }
    }
    let missing = |key: &str| format!("`_meta` needs `{key}`");
    let protocol_version = version.ok_or_else(|| missing(key::PROTOCOL_VERSION))?;
    if !protocol_version.is_string() {
        return Err(format!("`{}` must be a string", key::PROTOCOL_VERSION));
    }
    let capabilities = capabilities.ok_or_else(|| missing(key::CLIENT_CAPABILITIES))?;
    if !capabilities.node().is_object() {
        return Err(format!("`{}` must be an object", key::CLIENT_CAPABILITIES));
    }
    Ok(RequestMeta { protocol_version, capabilities, log_level, progress_token, later })
}

/// Checks the name and version of a piece of software, and what else it says about itself.
pub(crate) fn implementation(node: Node<'_>, side: Side) -> Checked {
    const FIELDS: [Field; 6] = [
        required("name", shape::string),
        required("version", shape::string),
        optional("title", shape::string),
        optional("description", shape::string),
        optional("websiteUrl", |node, side| {
            shape::string(node, side)?;
            if format::is_absolute(&text(node)) {
                Ok(())
            } else {
                Err(Fault::at(node, "must be an absolute URL"))
            }
        }),
        optional("icons", icons),
    ];
    shape::read(node, side, &FIELDS).map(drop)
}

fn says(key: &str, fault: &shape::ShapeFault) -> String {
    format!("`{key}`: {fault}")
}

fn check_token(value: Node<'_>) -> Result<(), String> {
    if value.is_string() || shape::is_integer(value) {
        Ok(())
    } else {
        Err(format!("`{}` must be a string or an integer", key::PROGRESS_TOKEN))
    }
}

fn check_key(name: &str) -> Result<(), String> {
    // The reason names the key.
    meta_key::check(name).map_err(|reason| format!("`_meta` key {}", shape::shorten(&reason, 180)))
}
