//! HTTP-02, HTTP-03, R044, R045, B-92, P-11.

use super::*;
use http::HeaderValue;

fn list(entries: &[&str]) -> Rule {
    Rule::new(&Origins::Only(entries.iter().map(|&entry| entry.to_owned()).collect())).unwrap()
}

fn with(name: &http::HeaderName, values: &[&str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
    }
    headers
}

fn allows(rule: &Rule, origin: &str) -> bool {
    rule.allows(&with(&ORIGIN, &[origin]))
}

#[test]
fn http_02_an_absent_origin_is_served() {
    for rule in [list(&[]), list(&["loopback"]), list(&["https://a.example"]), Rule::Any] {
        assert!(rule.allows(&HeaderMap::new()));
    }
}

#[test]
fn r044_loopback_is_every_web_origin_of_this_machine() {
    let rule = list(&["loopback"]);
    for origin in [
        "http://localhost",
        "https://localhost:8443",
        "HTTP://LocalHost:3000",
        "http://127.0.0.1:4000",
        "http://127.255.0.3",
        "https://[::1]:1",
        "http://[0:0:0:0:0:0:0:1]",
    ] {
        assert!(allows(&rule, origin), "{origin}");
    }
    for origin in [
        "null",
        "",
        "localhost",
        "https://evil.example",
        "http://localhost.evil.example",
        "http://evil.localhost.example",
        "http://127.0.0.1:4000@evil",
        "http://localhost@evil",
        "http://evil@localhost",
        "http://127.0.0.1.evil.example",
        "http://128.0.0.1",
        "http://0.0.0.0",
        "http://[::2]",
        "http://[::1",
        "http://::1",
        "http://localhost/",
        "http://localhost:",
        "http://localhost:99999",
        "http://localhost:+80",
        "http://localhost:80:80",
        "http://localhost http://evil.example",
        "http://localhost, http://evil.example",
        "http:/localhost",
        "//localhost",
        "://localhost",
        "ftp://localhost",
        "chrome-extension://localhost",
        "http://localh\u{f6}st",
        "http://%6cocalhost",
    ] {
        assert!(!allows(&rule, origin), "{origin}");
    }
}

#[test]
fn http_02_listed_origins_are_compared_as_origins() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "https://app.example.com",
            &["https://app.example.com", "HTTPS://App.Example.COM", "https://app.example.com:443"],
            &[
                "http://app.example.com",
                "https://app.example.com:80",
                "https://app.example.com:8443",
                "https://app.example.com.",
                "https://xapp.example.com",
                "https://example.com",
                "https://app.example.com/",
                "https://app.example.com.evil.example",
                "null",
            ],
        ),
        ("HTTP://A.example:80", &["http://a.example", "http://a.example:80"], &["https://a.example"]),
        ("http://a.example:8080", &["http://a.example:8080"], &["http://a.example", "http://a.example:80"]),
        ("http://[2001:DB8::1]:99", &["http://[2001:db8:0::1]:99"], &["http://[2001:db8::1]"]),
        ("vscode-webview://0abc", &["vscode-webview://0ABC"], &["http://0abc"]),
        ("http://localhost", &["http://localhost:80"], &["http://localhost:3000", "http://127.0.0.1"]),
    ];
    for (entry, served, refused) in cases {
        let rule = list(&["https://other.example", entry]);
        for origin in *served {
            assert!(allows(&rule, origin), "{entry}: {origin}");
        }
        for origin in *refused {
            assert!(!allows(&rule, origin), "{entry}: {origin}");
        }
    }
}

#[test]
fn http_02_an_empty_list_refuses_every_origin() {
    assert!(!allows(&list(&[]), "http://localhost"));
}

#[test]
fn p_11_more_than_one_origin_is_refused() {
    let rule = list(&["https://a.example"]);
    assert!(!rule.allows(&with(&ORIGIN, &["https://a.example", "https://a.example"])));
    assert!(!rule.allows(&with(&ORIGIN, &["https://a.example", "https://evil.example"])));
}

#[test]
fn http_02_any_is_any() {
    for origin in ["null", "https://evil.example", "\u{f6}", ""] {
        assert!(allows(&Rule::Any, origin), "{origin}");
    }
}

#[test]
fn b_16_every_bad_entry_is_told() {
    let entries = [
        "*",
        "null",
        "https://*.example.com",
        "https://a.example/",
        "a.example",
        "Loopback",
        "",
        "http://a b",
    ];
    let list =
        entries.iter().map(|&entry| entry.to_owned()).chain(["https://fine.example".to_owned()]).collect();
    let faults = Rule::new(&Origins::Only(list)).unwrap_err();
    assert_eq!(faults.len(), entries.len());
    for (fault, entry) in faults.iter().zip(entries) {
        assert!(fault.starts_with(&format!("origins: \"{entry}\" ")), "{fault}");
        assert!(fault.len() < 200 && !fault.contains('\n'), "{fault}");
    }
}

fn hosts(entries: &[&str], loopback_only: bool) -> HostRule {
    HostRule::new(&entries.iter().map(|&entry| entry.to_owned()).collect::<Vec<_>>(), loopback_only).unwrap()
}

fn serves(rule: &HostRule, host: &str) -> bool {
    let by_header = rule.allows(&with(&http::header::HOST, &[host]), None);
    assert_eq!(by_header, rule.allows(&HeaderMap::new(), Some(host)), "{host}: by header and by authority");
    by_header
}

#[test]
fn http_03_a_loopback_listener_serves_loopback_names() {
    let rule = hosts(&[], true);
    for host in
        ["localhost", "localhost:4000", "LOCALHOST.", "127.0.0.1", "127.0.0.9:1", "[::1]", "[::1]:8080"]
    {
        assert!(serves(&rule, host), "{host}");
    }
    for host in [
        "",
        "evil.example.com",
        "localhost.evil.example",
        "evil.localhost",
        "localhost..",
        "localhost:",
        "localhost:x",
        "localhost@evil",
        "localhost/",
        "10.0.0.1",
        "::1",
        "[::1]x",
        "[::1]:",
        "0.0.0.0",
    ] {
        assert!(!serves(&rule, host), "{host}");
    }
}

#[test]
fn r045_configured_hosts_are_served_with_and_without_port() {
    let rule =
        hosts(&["mcp.example.com", "Api.Example.com.:8443", "secure.example.com:443", "10.0.0.7"], true);
    for host in [
        "mcp.example.com",
        "mcp.example.com:443",
        "MCP.Example.Com:4000",
        "mcp.example.com.",
        "api.example.com:8443",
        "secure.example.com",
        "secure.example.com:443",
        "10.0.0.7:4000",
        "localhost:4000",
    ] {
        assert!(serves(&rule, host), "{host}");
    }
    for host in
        ["api.example.com", "api.example.com:443", "secure.example.com:80", "x.mcp.example.com", "10.0.0.8"]
    {
        assert!(!serves(&rule, host), "{host}");
    }
    assert!(!serves(&hosts(&["mcp.example.com"], false), "localhost"), "only what is configured");
}

#[test]
fn r045_without_a_rule_every_host_is_served() {
    let rule = hosts(&[], false);
    assert!(serves(&rule, "anything at all"));
    assert!(rule.allows(&HeaderMap::new(), None));
}

#[test]
fn http_03_header_and_authority_must_both_be_allowed() {
    let rule = hosts(&[], true);
    let host = |values: &[&str]| with(&http::header::HOST, values);
    assert!(rule.allows(&host(&["localhost"]), Some("127.0.0.1:4000")));
    assert!(!rule.allows(&host(&["localhost"]), Some("evil.example")));
    assert!(!rule.allows(&host(&["evil.example"]), Some("localhost")));
    assert!(!rule.allows(&host(&["localhost", "localhost"]), None), "two headers");
    assert!(!rule.allows(&HeaderMap::new(), None), "no name at all");
    assert!(!rule.allows(&host(&["localh\u{f6}st"]), None));
}

#[test]
fn r045_every_bad_host_is_told() {
    let entries =
        ["*", "*.example.com", "https://a.example", "a.example/mcp", "", "a.example:x", "a..", "[::1"];
    let list: Vec<_> = entries.iter().map(|&entry| entry.to_owned()).collect();
    let faults = HostRule::new(&list, true).unwrap_err();
    assert_eq!(faults.len(), entries.len(), "{faults:?}");
    for (fault, entry) in faults.iter().zip(entries) {
        assert!(fault.starts_with(&format!("hosts: \"{entry}\" ")), "{fault}");
    }
}

proptest::proptest! {
    #[test]
    fn no_header_is_too_odd(text in "\\PC{0,40}") {
        let headers = [with(&ORIGIN, &[&text]), with(&http::header::HOST, &[&text])];
        list(&["loopback"]).allows(&headers[0]);
        hosts(&["a.example"], true).allows(&headers[1], Some(&text));
    }
}
