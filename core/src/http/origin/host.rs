//! Names of this server: the `Host` header and HTTP/2's `:authority`.

use crate::protocol::definition::shown;
use http::header::HOST;
use http::HeaderMap;
use std::net::{Ipv4Addr, Ipv6Addr};

/// The names under which the server may be addressed. It keeps web pages away whose own name was made to resolve to
/// this machine (DNS rebinding).
#[derive(Debug, Clone)]
pub(crate) struct HostRule {
    hosts: Vec<Authority>,
    loopback_only: bool,
}

impl HostRule {
    /// `hosts` are names with or without a port, one without standing for every port. With `loopback_only`, the names
    /// of the loopback interface are served too. Without either, every name is served. The error has a sentence for
    /// every bad entry.
    pub(crate) fn new(hosts: &[String], loopback_only: bool) -> Result<Self, Vec<String>> {
        let (mut read, mut faults) = (Vec::new(), Vec::new());
        for text in hosts {
            match Authority::read_host(text) {
                Some(host) => read.push(host),
                None => faults.push(format!(
                    "hosts: {} is not a host: write name or name:port, without scheme, path or wildcard",
                    shown(text)
                )),
            }
        }
        if faults.is_empty() {
            Ok(Self { hosts: read, loopback_only })
        } else {
            Err(faults)
        }
    }

    /// Whether the request is addressed to this server: by `Host`, by the `authority` of its target, or by both, and
    /// then each must be allowed. One that names no host at all is refused.
    pub(crate) fn allows(&self, headers: &HeaderMap, authority: Option<&str>) -> bool {
        if self.hosts.is_empty() && !self.loopback_only {
            return true;
        }
        let mut values = headers.get_all(HOST).iter();
        let header = values.next();
        (header.is_some() || authority.is_some())
            && values.next().is_none()
            && header.is_none_or(|header| header.to_str().is_ok_and(|text| self.serves(text)))
            && authority.is_none_or(|text| self.serves(text))
    }

    fn serves(&self, text: &str) -> bool {
        if self.loopback_only && is_common_loopback(text) {
            return true;
        }
        Authority::read_host(text).is_some_and(|asked| {
            (self.loopback_only && asked.name.is_loopback())
                || self.hosts.iter().any(|host| host.name == asked.name && host.serves_port(asked.port))
        })
    }
}

/// The names of loopback as nearly everybody writes them; others are read by their grammar.
fn is_common_loopback(text: &str) -> bool {
    let port = text.strip_prefix("127.0.0.1").or_else(|| text.strip_prefix("localhost"));
    match port.map(str::as_bytes) {
        Some([]) => true,
        Some([b':', digits @ ..]) => {
            let is_port = digits.len() < 5 || (digits.len() == 5 && digits <= b"65535".as_slice());
            is_port && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        }
        Some(_) | None => false,
    }
}

/// A host with an optional port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Authority {
    pub(super) name: Name,
    pub(super) port: Option<u16>,
}

impl Authority {
    /// `host` or `host:port`, by the grammar of RFC 3986 without user information and percent-encoding.
    pub(super) fn read(text: &str) -> Option<Self> {
        let end =
            if text.starts_with('[') { text.find(']')? + 1 } else { text.find(':').unwrap_or(text.len()) };
        let (name, port) = text.split_at_checked(end)?;
        let port = match port.strip_prefix(':') {
            Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                Some(digits.parse().ok()?)
            }
            None if port.is_empty() => None,
            Some(_) | None => return None,
        };
        Some(Self { name: Name::read(name)?, port })
    }

    /// The same for a host on its own, where the dot that ends a full name says nothing.
    fn read_host(text: &str) -> Option<Self> {
        let mut read = Self::read(text)?;
        if let Name::Registered(name) = &mut read.name {
            if name.ends_with('.') {
                let full = name.trim_end_matches('.');
                if full.len() + 1 != name.len() {
                    return None;
                }
                read.name = Name::read(full)?;
            }
        }
        Some(read)
    }

    /// Whether a request for `port` is for this: no port stands for every one, and in a request for that of its
    /// scheme, which behind a proxy may be either.
    fn serves_port(&self, port: Option<u16>) -> bool {
        match (self.port, port) {
            (None, _) | (Some(80 | 443), None) => true,
            (Some(own), Some(asked)) => own == asked,
            (Some(_), None) => false,
        }
    }
}

/// A host: an address, or a name in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    V4(Ipv4Addr),
    V6(Ipv6Addr),
    Registered(String),
}

impl Name {
    fn read(text: &str) -> Option<Self> {
        if let Some(address) = text.strip_prefix('[') {
            return address.strip_suffix(']')?.parse().ok().map(Self::V6);
        }
        if let Ok(address) = text.parse() {
            return Some(Self::V4(address));
        }
        let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
        (!text.is_empty() && text.bytes().all(known)).then(|| Self::Registered(text.to_ascii_lowercase()))
    }

    pub(super) fn is_loopback(&self) -> bool {
        match self {
            Self::V4(address) => address.is_loopback(),
            Self::V6(address) => address.is_loopback(),
            Self::Registered(name) => name == "localhost",
        }
    }
}
