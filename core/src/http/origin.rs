//! Which web pages (`Origin`) and which names of this server (`Host`) are served.

mod host;

pub(crate) use host::HostRule;

use super::config::Origins;
use crate::protocol::definition::shown;
use host::Authority;
use http::header::ORIGIN;
use http::HeaderMap;

/// The origins that a host allows, read once.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    Any,
    Listed { origins: Vec<Origin>, loopback: bool },
}

impl Rule {
    /// Reads the configuration; the error has a sentence for every bad entry.
    pub(crate) fn new(origins: &Origins) -> Result<Self, Vec<String>> {
        let list = match origins {
            Origins::Any => return Ok(Self::Any),
            Origins::Only(list) => list,
        };
        let (mut origins, mut loopback, mut faults) = (Vec::new(), false, Vec::new());
        for text in list {
            if text == "loopback" {
                loopback = true;
                continue;
            }
            match Origin::read(text) {
                Some(origin) => origins.push(origin),
                None => faults.push(fault(text)),
            }
        }
        if faults.is_empty() {
            Ok(Self::Listed { origins, loopback })
        } else {
            Err(faults)
        }
    }

    /// Whether a request with these headers is served: without `Origin`, or with exactly one that is allowed.
    pub(crate) fn allows(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(ORIGIN).iter();
        let Some(value) = values.next() else {
            return true;
        };
        match self {
            Self::Any => true,
            Self::Listed { origins, loopback } => {
                let origin = value.to_str().ok().and_then(Origin::read);
                values.next().is_none()
                    && origin.is_some_and(|origin| {
                        (*loopback && origin.is_loopback()) || origins.contains(&origin)
                    })
            }
        }
    }
}

/// Scheme, host and port (RFC 6454 section 4), in one spelling: lower case, addresses in their short form, no default
/// port. The opaque origin `null` is none: every sandboxed page has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    scheme: String,
    authority: Authority,
}

impl Origin {
    fn read(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let letters = scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
        if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !letters {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        let mut authority = Authority::read(rest)?;
        if authority.port == default_port(&scheme) {
            authority.port = None;
        }
        Some(Self { scheme, authority })
    }

    fn is_loopback(&self) -> bool {
        matches!(&*self.scheme, "http" | "https") && self.authority.name.is_loopback()
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        _ => None,
    }
}

fn fault(text: &str) -> String {
    let what = match text {
        "*" => "say \"any origin\" explicitly instead",
        "null" => "sandboxed pages share it, so it names nobody",
        _ if text.contains('*') => "wildcards are not known: list each origin",
        _ => "write scheme://host or scheme://host:port, without a path, or loopback",
    };
    format!("origins: {} is not an origin: {what}", shown(text))
}

#[cfg(test)]
mod tests;
