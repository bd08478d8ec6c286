//! HTTP-01, HTTP-25, decision 54.

use super::*;

fn parse(text: &str) -> Result<Option<Head>, Refused> {
    read(text.as_bytes(), &mut HeaderMap::new())
}

fn whole(text: &str) -> Head {
    parse(text).unwrap().expect(text)
}

#[test]
fn http_25_a_head_is_read() {
    let text =
        "POST /mcp?x=1 HTTP/1.1\r\nHost: localhost:80\r\nMCP-Method:tools/call\r\nx-a: 1\r\nX-A:  2 \t\r\n\
                Empty:\r\nContent-Length: 12\r\n\r\nbody";
    let head = whole(text);
    assert_eq!(head.length, text.len() - 4);
    assert_eq!((head.parts.method.as_str(), head.parts.uri.to_string()), ("POST", "/mcp?x=1".to_owned()));
    let all: Vec<_> =
        head.parts.headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    assert_eq!(
        all,
        [
            ("host", "localhost:80"),
            ("mcp-method", "tools/call"),
            ("x-a", "1"),
            ("x-a", "2"),
            ("empty", ""),
            ("content-length", "12")
        ]
    );
    assert_eq!((head.framing, head.keep_alive, head.expects), (Framing::Length(12), true, false));
}

#[test]
fn http_25_known_names_are_those_of_the_protocol() {
    for name in ["Mcp-Method", "MCP-PROTOCOL-VERSION", "mcp-name", "Mcp-Names", "m", "Mcp-Param-Region"] {
        let head = whole(&format!("POST / HTTP/1.1\r\nHost: a\r\n{name}: x\r\n\r\n"));
        assert_eq!(head.parts.headers[name.to_ascii_lowercase()], "x");
    }
}

#[test]
fn http_25_an_unfinished_head_waits() {
    let text = "GET / HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n";
    for end in 0..text.len() {
        assert!(parse(&text[..end]).unwrap().is_none(), "{end}");
        assert!(!may_be_complete(&text.as_bytes()[..end], end / 2), "{end}");
    }
    for known in 0..text.len() {
        assert!(may_be_complete(text.as_bytes(), known), "{known}");
    }
    assert!(may_be_complete(b"GET / HTTP/1.1\n\n", 15));
}

#[test]
fn http_25_the_end_of_the_connection_is_understood() {
    for (line, keep_alive) in [
        ("X: close", true),
        ("Connection: keep-alive", true),
        ("Connection: close", false),
        ("Connection: Close", false),
        ("Connection: x, CLOSE ,y", false),
        ("Connection: close\r\nConnection: keep-alive", false),
        ("Connection: keep-alive\r\nConnection: close", false),
        ("Connection: closed", true),
    ] {
        assert_eq!(
            whole(&format!("GET / HTTP/1.1\r\nHost: a\r\n{line}\r\n\r\n")).keep_alive,
            keep_alive,
            "{line}"
        );
    }
    assert!(!whole("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keep_alive);
}

#[test]
fn http_25_only_who_has_a_body_waits_to_be_told() {
    for (lines, expects) in [
        ("Expect: 100-continue\r\nContent-Length: 1", true),
        ("expect: 100-Continue\r\nTransfer-Encoding: chunked", true),
        ("Expect: 100-continue\r\nContent-Length: 0", false),
        ("Expect: 100-continue", false),
        ("Expect: something\r\nContent-Length: 1", false),
    ] {
        assert_eq!(
            whole(&format!("POST / HTTP/1.1\r\nHost: a\r\n{lines}\r\n\r\n")).expects,
            expects,
            "{lines}"
        );
    }
    assert!(!whole("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n").expects);
}

#[test]
fn decision_54_one_head_has_one_length() {
    for (lines, status) in [
        ("Content-Length: 3\r\nTransfer-Encoding: chunked", 400),
        ("Transfer-Encoding: chunked\r\nContent-Length: 3", 400),
        ("Content-Length: 3\r\nContent-Length: 3", 400),
        ("Content-Length: 3\r\nContent-Length: 4", 400),
        ("Content-Length: 3, 3", 400),
        ("Content-Length: +3", 400),
        ("Content-Length: -3", 400),
        ("Content-Length: 0x3", 400),
        ("Content-Length:", 400),
        ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400),
        ("Transfer-Encoding: gzip", 501),
        ("Transfer-Encoding: gzip, chunked", 501),
        ("Transfer-Encoding: chunked, chunked", 501),
        ("Transfer-Encoding: xchunked", 501),
        ("Transfer-Encoding:", 501),
    ] {
        let refused = parse(&format!("POST / HTTP/1.1\r\nHost: a\r\n{lines}\r\n\r\n")).unwrap_err();
        assert_eq!(refused.status.as_u16(), status, "{lines}");
    }
    let old = parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap_err();
    assert_eq!(old.status.as_u16(), 501);
    let huge = whole("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n");
    assert_eq!(huge.framing, Framing::Length(u64::MAX));
    assert_eq!(
        whole("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n").framing,
        Framing::CHUNKED
    );
}

#[test]
fn http_25_what_is_no_head_is_refused() {
    for (text, status) in [
        ("POST /mcp\r\n\r\n", 400),
        ("POST  /mcp HTTP/1.1\r\n\r\n", 400),
        ("POST /m cp HTTP/1.1\r\n\r\n", 505),
        ("P\u{f6}ST /mcp HTTP/1.1\r\n\r\n", 400),
        ("POST /mcp HTTP/2.0\r\n\r\n", 505),
        ("POST /mcp HTTX/1.1\r\n\r\n", 505),
        ("POST /mcp HTTP/1.1\r\nNo colon\r\n\r\n", 400),
        ("POST /mcp HTTP/1.1\r\n: x\r\n\r\n", 400),
        ("POST /mcp HTTP/1.1\r\nHost : x\r\n\r\n", 400),
        ("POST /mcp HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", 400),
        ("POST /mcp HTTP/1.1\r\nH\u{f6}st: x\r\n\r\n", 400),
        ("POST /mcp HTTP/1.1\r\nHost: a\0b\r\n\r\n", 400),
        ("POST /mcp HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400),
        ("POST http:// HTTP/1.1\r\n\r\n", 400),
    ] {
        let refused = parse(text).err().unwrap_or_else(|| panic!("{text:?} is taken"));
        assert_eq!(refused.status.as_u16(), status, "{text:?}");
        assert!(refused.why.len() < 200);
    }
}

#[test]
fn http_25_a_head_is_bounded() {
    let lines = |count| (0..count).map(|_| "X: y\r\n").collect::<String>();
    assert!(parse(&format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", lines(99))).is_ok());
    assert_eq!(parse(&format!("GET / HTTP/1.1\r\n{}\r\n", lines(101))).unwrap_err().status.as_u16(), 431);
    for (length, fits) in [(MAX_HEAD, true), (MAX_HEAD + 1, false)] {
        let text = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}\r\n\r\n", "y".repeat(length - 32));
        assert_eq!(text.len(), length);
        assert_eq!(parse(&text).is_ok(), fits, "{length}");
    }
    let endless = format!("GET / HTTP/1.1\r\nX: {}", "y".repeat(MAX_HEAD));
    assert_eq!(parse(&endless).unwrap_err().status.as_u16(), 431);
    assert!(parse(&endless[..MAX_HEAD - 1]).unwrap().is_none());
}

proptest::proptest! {
    #[test]
    fn http_25_no_bytes_are_too_odd(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..300)) {
        if let Ok(Some(head)) = read(&bytes, &mut HeaderMap::new()) {
            proptest::prop_assert!(head.length <= bytes.len());
        }
    }
}

#[test]
fn decision_54_every_line_ends_with_cr_and_lf() {
    let good = "POST /mcp HTTP/1.1\r\nHost: a\r\nX: y\r\nContent-Length: 0\r\n\r\n";
    assert!(parse(good).unwrap().is_some());
    for (at, _) in good.match_indices("\r\n") {
        let bare_lf = format!("{}{}", &good[..at], &good[at + 1..]);
        let refused = parse(&bare_lf).err().unwrap_or_else(|| panic!("{bare_lf:?} is taken"));
        assert_eq!(refused.status.as_u16(), 400, "{bare_lf:?}");
        let bare_cr = format!("{}\r{}", &good[..at], &good[at + 2..]);
        assert!(!matches!(parse(&bare_cr), Ok(Some(_))), "{bare_cr:?} is taken");
    }
    // What precedes a request is passed over before, and only as whole lines.
    for text in [format!("\n{good}"), format!("\r\n{good}"), format!(" {good}")] {
        assert!(parse(&text).is_err(), "{text:?}");
    }
}

#[test]
fn decision_54_a_request_names_one_host() {
    for (lines, version, fits) in [
        ("Host: a\r\n", "1.1", true),
        ("Host:\r\n", "1.1", true),
        ("", "1.1", false),
        ("Host: a\r\nHost: a\r\n", "1.1", false),
        ("Host: a\r\nhost: b\r\n", "1.1", false),
        ("", "1.0", true),
        ("Host: a\r\nHost: b\r\n", "1.0", false),
    ] {
        let read = parse(&format!("GET / HTTP/{version}\r\n{lines}\r\n"));
        assert_eq!(
            read.as_ref().map_err(|refused| refused.status.as_u16()).is_ok(),
            fits,
            "{lines:?} {version}"
        );
        if !fits {
            assert_eq!(read.unwrap_err().status.as_u16(), 400);
        }
    }
}

#[test]
fn http_25_targets_come_in_four_forms() {
    for (target, path, authority) in [
        ("/mcp?a#b", "/mcp", None),
        ("http://other.example:80/mcp", "/mcp", Some("other.example:80")),
        ("*", "*", None),
        ("other.example:443", "", Some("other.example:443")),
        ("//other/mcp", "//other/mcp", None),
    ] {
        let head = whole(&format!("GET {target} HTTP/1.1\r\nHost: a\r\n\r\n"));
        let uri = &head.parts.uri;
        assert_eq!(
            (uri.path(), uri.authority().map(http::uri::Authority::as_str)),
            (path, authority),
            "{target}"
        );
    }
}

#[test]
fn http_25_common_names_and_values_are_read_as_others() {
    for name in ["Host", "host", "HOST", "Accept", "ACCEPT", "content-type", "Content-Length", "user-agent"] {
        for value in ["application/json", "application/jsoN", "2026-07-28", "tools/call", "7"] {
            let lines = format!("{name}: {value}\r\nX-Other: {value}");
            let text = format!("POST / HTTP/1.0\r\n{lines}\r\n\r\n");
            let Ok(Some(head)) = parse(&text) else {
                assert!(name == "Content-Length" && value != "7", "{text:?}");
                continue;
            };
            assert_eq!(head.parts.headers[name.to_ascii_lowercase()], value);
            assert_eq!(head.parts.headers["x-other"], value);
        }
    }
}
