//! The document that says whose tokens the endpoint takes (RFC 9728, OAuth 2.0 Protected Resource Metadata).

use crate::json::{Document, Node};
use crate::protocol::definition::{kind_word, shown};
use fluent_uri::Uri;
use std::borrow::Cow;

/// Where the document of a whole server is, and what stands before the path of an endpoint's.
pub(crate) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Checks a document that a host configured and returns its `resource`.
///
/// # Errors
/// A sentence for every fault.
pub(crate) fn check(json: &str) -> Result<String, Vec<String>> {
    let document = match Document::parse_host(json.as_bytes().to_vec()) {
        Ok(document) if document.root().is_object() => document,
        Ok(document) => {
            return Err(vec![format!(
                "resource_metadata: {}, not an object",
                kind_word(document.root().kind())
            )])
        }
        Err(fault) => return Err(vec![format!("resource_metadata: {fault}")]),
    };
    let root = document.root();
    let mut faults = Vec::new();
    if let Some(name) = document.duplicate() {
        faults.push(format!("resource_metadata: the member {} stands there twice", shown(&name)));
    }
    let resource = text(root, "resource", &mut faults);
    if let Some(resource) = &resource {
        check_url("resource", resource, true, &mut faults);
    }
    check_servers(root, &mut faults);
    check_scopes(root, &mut faults);
    check_bearer_methods(root, &mut faults);
    match resource {
        Some(resource) if faults.is_empty() => Ok(resource),
        _ => Err(faults),
    }
}

/// The path of the document for the endpoint at `endpoint_path`.
pub(crate) fn path(endpoint_path: &str) -> String {
    format!("{WELL_KNOWN}{}", if endpoint_path == "/" { "" } else { endpoint_path })
}

/// Where clients find the document for `resource`, as [`check`] returned it (RFC 9728 section 3.1). It follows the
/// public name of the resource, which a proxy may have mapped to another path here.
pub(crate) fn url(resource: &str) -> String {
    let authority_at = resource.find("://").map_or(0, |at| at + 3);
    let path_at = resource
        .get(authority_at..)
        .and_then(|rest| rest.find(['/', '?']))
        .map_or(resource.len(), |at| authority_at + at);
    let (origin, rest) = resource.split_at(path_at);
    let rest = match rest.strip_prefix('/') {
        Some(behind) if behind.is_empty() || behind.starts_with('?') => behind,
        _ => rest,
    };
    format!("{origin}{WELL_KNOWN}{rest}")
}

fn text(root: Node<'_>, name: &str, faults: &mut Vec<String>) -> Option<String> {
    let Some(node) = root.get(name) else {
        faults.push(format!("resource_metadata: {name}: missing"));
        return None;
    };
    let text = node.as_str().map(Cow::into_owned);
    if text.is_none() {
        faults.push(format!("resource_metadata: {name}: {}, not a string", kind_word(node.kind())));
    }
    text
}

/// The strings of an array; an absent one is empty.
fn texts(root: Node<'_>, name: &str, faults: &mut Vec<String>) -> Vec<String> {
    let Some(node) = root.get(name) else {
        return Vec::new();
    };
    let strings = || node.elements().map(|element| element.as_str().map(Cow::into_owned)).collect();
    node.is_array().then(strings).flatten().unwrap_or_else(|| {
        faults.push(format!("resource_metadata: {name}: not an array of strings"));
        Vec::new()
    })
}

fn check_servers(root: Node<'_>, faults: &mut Vec<String>) {
    let name = "authorization_servers";
    let before = faults.len();
    let servers = texts(root, name, faults);
    if servers.is_empty() && faults.len() == before {
        faults.push(format!("resource_metadata: {name}: name at least one authorization server"));
    }
    for server in servers {
        check_url(name, &server, false, faults);
    }
}

fn check_scopes(root: Node<'_>, faults: &mut Vec<String>) {
    for scope in texts(root, "scopes_supported", faults) {
        if scope == "offline_access" {
            faults.push(
                "resource_metadata: scopes_supported: leave out offline_access, which is between client and \
                 authorization server"
                    .to_owned(),
            );
        } else if scope.is_empty() || !scope.bytes().all(|b| matches!(b, b'!' | b'#'..=b'[' | b']'..=b'~')) {
            faults.push(format!(
                "resource_metadata: scopes_supported: {} is not a scope (RFC 6749 section 3.3)",
                shown(&scope)
            ));
        }
    }
}

fn check_bearer_methods(root: Node<'_>, faults: &mut Vec<String>) {
    for method in texts(root, "bearer_methods_supported", faults) {
        if method != "header" {
            faults.push(format!(
                "resource_metadata: bearer_methods_supported: {}, but tokens are read from the header only",
                shown(&method)
            ));
        }
    }
}

fn check_url(name: &str, text: &str, query: bool, faults: &mut Vec<String>) {
    let why = match Uri::parse(text) {
        Err(_) => "is not an absolute URI (RFC 3986)",
        Ok(uri) => {
            let scheme = uri.scheme().as_str();
            if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
                "must begin with https:// or http://"
            } else if uri.authority().is_none_or(|authority| authority.host().is_empty()) {
                "names no host"
            } else if uri.has_fragment() {
                "must not have a fragment"
            } else if uri.has_query() && !query {
                "must not have a query"
            } else {
                return;
            }
        }
    };
    faults.push(format!("resource_metadata: {name}: {} {why}", shown(text)));
}

#[cfg(test)]
mod tests {
    //! AUTH-02, AUTH-03, AUTH-13, AUTH-14, AUTH-17, P-79.

    use super::*;

    const GOOD: &str = r#""resource":"https://a.example/mcp","authorization_servers":["https://as.example"]"#;

    #[test]
    fn auth_02_a_complete_document_is_taken() {
        for json in [
            format!("{{{GOOD}}}"),
            format!(
                r#"{{{GOOD},"scopes_supported":["files:read","*"],"bearer_methods_supported":["header"],"resource_name":"A","x":null}}"#
            ),
        ] {
            assert_eq!(check(&json).unwrap(), "https://a.example/mcp", "{json}");
        }
    }

    #[test]
    fn auth_17_the_resource_stays_as_configured() {
        let json = r#"{"resource":"HTTPS:\/\/MCP.Example.com\/Mcp\/","authorization_servers":["https://as.example/t/1"]}"#;
        assert_eq!(check(json).unwrap(), "HTTPS://MCP.Example.com/Mcp/");
    }

    #[test]
    fn auth_02_every_fault_is_told() {
        let servers = r#""authorization_servers":["https://as.example"]"#;
        let cases = [
            ("[]".to_owned(), vec!["array, not an object"]),
            ("{".to_owned(), vec!["resource_metadata: "]),
            ("{}".to_owned(), vec!["resource: missing", "at least one authorization server"]),
            (format!(r#"{{"resource":1,{servers}}}"#), vec!["resource: "]),
            (format!(r#"{{"resource":"/mcp",{servers}}}"#), vec!["absolute URI"]),
            (format!(r#"{{"resource":"urn:a:b",{servers}}}"#), vec!["must begin with https"]),
            (format!(r#"{{"resource":"https:///mcp",{servers}}}"#), vec!["names no host"]),
            (format!(r#"{{"resource":"https://a.example/#f",{servers}}}"#), vec!["fragment"]),
            (
                format!(r#"{{"resource":"https://a.example/","resource":"https://b.example/",{servers}}}"#),
                vec!["twice"],
            ),
            (
                r#"{"resource":"https://a.example","authorization_servers":[]}"#.to_owned(),
                vec!["at least one authorization server"],
            ),
            (
                r#"{"resource":"https://a.example","authorization_servers":"https://as.example"}"#.to_owned(),
                vec!["authorization_servers: not an array of strings"],
            ),
            (
                r#"{"resource":"x y","authorization_servers":["as.example","https://as.example/?x=1"]}"#
                    .to_owned(),
                vec!["resource: ", "\"as.example\"", "query"],
            ),
            (format!(r#"{{{GOOD},"scopes_supported":["a","offline_access"]}}"#), vec!["offline_access"]),
            (format!(r#"{{{GOOD},"scopes_supported":["a b",""]}}"#), vec!["not a scope", "not a scope"]),
            (format!(r#"{{{GOOD},"scopes_supported":[1]}}"#), vec!["scopes_supported"]),
            (format!(r#"{{{GOOD},"bearer_methods_supported":["header","query"]}}"#), vec!["\"query\""]),
        ];
        for (json, expected) in cases {
            let faults = check(&json).unwrap_err();
            assert_eq!(faults.len(), expected.len(), "{json}: {faults:?}");
            for (fault, part) in faults.iter().zip(expected) {
                assert!(fault.starts_with("resource_metadata: ") && fault.contains(part), "{json}: {fault}");
                assert!(fault.len() < 200 && !fault.contains('\n'), "{fault}");
            }
        }
    }

    #[test]
    fn auth_03_the_path_follows_the_endpoint() {
        assert_eq!(path("/mcp"), "/.well-known/oauth-protected-resource/mcp");
        assert_eq!(path("/public/mcp"), "/.well-known/oauth-protected-resource/public/mcp");
        assert_eq!(path("/"), "/.well-known/oauth-protected-resource");
    }

    #[test]
    fn auth_03_the_url_follows_the_resource() {
        for (resource, expected) in [
            ("https://a.example", "https://a.example/.well-known/oauth-protected-resource"),
            ("https://a.example/", "https://a.example/.well-known/oauth-protected-resource"),
            ("https://a.example/mcp", "https://a.example/.well-known/oauth-protected-resource/mcp"),
            ("http://[::1]:80/p/mcp", "http://[::1]:80/.well-known/oauth-protected-resource/p/mcp"),
            ("https://a.example/mcp?t=1", "https://a.example/.well-known/oauth-protected-resource/mcp?t=1"),
            ("https://a.example?t=/1", "https://a.example/.well-known/oauth-protected-resource?t=/1"),
            ("https://a.example/?t=1", "https://a.example/.well-known/oauth-protected-resource?t=1"),
        ] {
            assert_eq!(url(resource), expected);
        }
    }
}
