//! The `WWW-Authenticate` header of a refusal (RFC 6750 section 3, RFC 9728 section 5.1).

use http::HeaderValue;

/// A description is for people; more than this is not read, and clients cut long headers.
const LONGEST_DESCRIPTION: usize = 512;

/// What a client is told about the token that it should bring.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Challenge<'c> {
    pub(crate) realm: &'c str,
    /// `invalid_token`, `insufficient_scope` …; `None` where no token was sent.
    pub(crate) error: Option<&'c str>,
    pub(crate) description: Option<&'c str>,
    /// Scopes with spaces between.
    pub(crate) scope: Option<&'c str>,
    /// Where the resource's metadata is served.
    pub(crate) resource_metadata: Option<&'c str>,
}

/// The header's value. Every text is escaped; what a header cannot hold becomes a space or a question mark.
pub(crate) fn www_authenticate(challenge: &Challenge<'_>) -> HeaderValue {
    let mut value = b"Bearer".to_vec();
    let description = challenge.description.map(|text| match text.char_indices().nth(LONGEST_DESCRIPTION) {
        Some((cut, _)) => text.get(..cut).unwrap_or_default(),
        None => text,
    });
    let parameters = [
        ("realm", Some(challenge.realm)),
        ("error", challenge.error),
        ("error_description", description),
        ("scope", challenge.scope),
        ("resource_metadata", challenge.resource_metadata),
    ];
    let mut separator: &[u8] = b" ";
    for (name, text) in parameters {
        let Some(text) = text else { continue };
        value.extend_from_slice(separator);
        value.extend_from_slice(name.as_bytes());
        value.push(b'=');
        push_quoted(&mut value, text);
        separator = b", ";
    }
    HeaderValue::try_from(value).unwrap_or(HeaderValue::from_static("Bearer"))
}

/// A quoted string (RFC 9110 section 5.6.4) of printable ASCII, the only text that clients agree on.
fn push_quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for symbol in text.chars() {
        match u8::try_from(symbol) {
            Ok(byte @ (b'"' | b'\\')) => out.extend([b'\\', byte]),
            Ok(byte @ b' '..=b'~') => out.push(byte),
            _ if symbol.is_control() => out.push(b' '),
            _ => out.push(b'?'),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    //! AUTH-03 to AUTH-07, P-78.

    use super::*;

    fn text(challenge: &Challenge<'_>) -> String {
        www_authenticate(challenge).to_str().unwrap().to_owned()
    }

    #[test]
    fn auth_06_a_challenge_has_every_parameter_once() {
        let challenge = Challenge {
            realm: "mcp",
            error: Some("insufficient_scope"),
            description: Some("more is needed"),
            scope: Some("files:read files:write"),
            resource_metadata: Some("https://a.example/.well-known/oauth-protected-resource/mcp"),
        };
        assert_eq!(
            text(&challenge),
            "Bearer realm=\"mcp\", error=\"insufficient_scope\", error_description=\"more is needed\", \
             scope=\"files:read files:write\", \
             resource_metadata=\"https://a.example/.well-known/oauth-protected-resource/mcp\""
        );
    }

    #[test]
    fn auth_04_without_a_token_no_error_is_named() {
        assert_eq!(text(&Challenge { realm: "mcp", ..Challenge::default() }), "Bearer realm=\"mcp\"");
    }

    #[test]
    fn auth_06_texts_cannot_leave_their_quotation_marks() {
        for (realm, expected) in [
            ("", r#"Bearer realm="""#),
            (r#"a"b"#, r#"Bearer realm="a\"b""#),
            (r"a\", r#"Bearer realm="a\\""#),
            (r#"\" , x=""#, r#"Bearer realm="\\\" , x=\"""#),
            ("a\r\nSet-Cookie: x\0\t\u{7f}\u{85}", r#"Bearer realm="a  Set-Cookie: x    ""#),
            ("gr\u{fc}\u{df}e \u{1f600}", r#"Bearer realm="gr??e ?""#),
        ] {
            assert_eq!(text(&Challenge { realm, ..Challenge::default() }), expected);
        }
    }

    #[test]
    fn auth_06_a_description_is_bounded() {
        let long = "\u{e4}".repeat(100_000);
        let shown = text(&Challenge { description: Some(&long), ..Challenge::default() });
        assert_eq!(shown.matches('?').count(), LONGEST_DESCRIPTION);
    }

    proptest::proptest! {
        #[test]
        fn every_text_comes_back_or_becomes_printable(realm in proptest::prelude::any::<String>()) {
            let shown = text(&Challenge { realm: &realm, ..Challenge::default() });
            let inner = shown.strip_prefix("Bearer realm=\"").unwrap().strip_suffix('"').unwrap();
            let mut symbols = inner.chars();
            let mut read = 0;
            while let Some(symbol) = symbols.next() {
                assert_ne!(symbol, '"');
                if symbol == '\\' {
                    assert!(matches!(symbols.next(), Some('"' | '\\')));
                }
                read += 1;
            }
            assert_eq!(read, realm.chars().count());
        }
    }
}
