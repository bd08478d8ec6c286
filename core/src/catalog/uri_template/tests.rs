use super::{check_uri, UriTemplate, MAX_URI_BYTES};
use proptest::prelude::*;

/// `a=1 b=` for the values, `-` for no match.
fn matched(template: &str, uri: &str) -> String {
    let template = UriTemplate::parse(template, false).unwrap_or_else(|error| panic!("{template}: {error}"));
    match template.matches(uri) {
        Some(values) => {
            values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        }
        None => "-".to_owned(),
    }
}

fn check(rows: &[(&str, &str, &str)]) {
    for (template, uri, expected) in rows {
        assert_eq!(matched(template, uri), *expected, "{template} against {uri}");
    }
}

#[test]
fn segments_and_paths_b48_r065_x09() {
    check(&[
        ("test://template/{id}/data", "test://template/123/data", "id=123"),
        ("test://template/{id}/data", "test://template//data", "-"),
        ("test://template/{id}/data", "test://template/1/2/data", "-"),
        ("test://template/{id}/data", "test://template/123/data/", "-"),
        ("test://template/{id}/data", "xtest://template/123/data", "-"),
        ("f://{+path}", "f://a/b.txt", "path=a/b.txt"),
        ("f://{+path}", "f://", "-"),
        ("f2://{path}", "f2://a/b.txt", "-"),
        ("f2://{path}", "f2://a%2Fb.txt", "path=a/b.txt"),
        ("f2://{path}", "f2://a?b", "-"),
        ("f2://{path}", "f2://a#b", "-"),
        ("{+all}", "x:y", "all=x:y"),
        ("x://no-variable", "x://no-variable", ""),
        ("x://no-variable", "x://no-variabl", "-"),
        ("x://{a},{b}", "x://1,2", "a=1 b=2"),
        ("x://{a,b}", "x://1,2", "a=1 b=2"),
        ("x://{a,b}", "x://1%2C1,2", "a=1,1 b=2"),
        ("x://{a,b}", "x://1", "-"),
        ("x://{a,b}", "x://1,2,3", "-"),
    ]);
}

#[test]
fn earlier_variables_take_what_they_can() {
    check(&[
        ("x://{name}.{ext}", "x://a.tar.gz", "name=a.tar ext=gz"),
        ("x://{+dir}/{name}", "x://a/b/c", "dir=a/b name=c"),
        // The way that a reading from the left alone, or from the right alone, would miss.
        ("x://{+a}-{b}", "x://p-q/r-s", "a=p-q/r b=s"),
        ("x://{a}-{+b}", "x://p-q/r-s", "a=p b=q/r-s"),
        ("x://{+a}/y/{b}/y/{+c}", "x://1/y/2/y/3/y/4", "a=1/y/2 b=3 c=4"),
        ("x://{a}{b}", "x://12", "a=1 b=2"),
        // An escape is never torn apart.
        ("x://{a}{b}", "x://%41%42", "a=A b=B"),
        ("x://{a}41{b}", "x://x%4141y", "a=xA b=y"),
        ("x://{a}41{b}", "x://x%41y", "-"),
    ]);
}

#[test]
fn slash_and_fragment_expressions_may_be_absent_p44() {
    check(&[
        ("x://a{/b}", "x://a", ""),
        ("x://a{/b}", "x://a/", "b="),
        ("x://a{/b}", "x://a/1", "b=1"),
        ("x://a{/b}", "x://a/1/2", "-"),
        ("x://a{/b,c}", "x://a/1", "b=1"),
        ("x://a{/b,c}", "x://a/1/2", "b=1 c=2"),
        ("x://a{/b}/end", "x://a/end", ""),
        ("x://a{/b}/end", "x://a/1/end", "b=1"),
        ("x://a{/b}/end", "x://a/end/end", "b=end"),
        ("x://a{#f}", "x://a", ""),
        ("x://a{#f}", "x://a#", "f="),
        ("x://a{#f}", "x://a#b/c?d#e", "f=b/c?d#e"),
        ("x://{a}{?q}{#f}", "x://1?q=2#3", "a=1 q=2 f=3"),
        ("x://{a}#{f}", "x://1#2", "a=1 f=2"),
    ]);
}

#[test]
fn query_members_in_any_order_or_absent_r064() {
    let template = "p://list{?page,limit}";
    check(&[
        (template, "p://list", ""),
        (template, "p://list?", ""),
        (template, "p://list?limit=5&page=2", "page=2 limit=5"),
        (template, "p://list?page=", "page="),
        (template, "p://list?page", "page="),
        (template, "p://list?x=1", ""),
        (template, "p://list?x=1&page=2&&y", "page=2"),
        (template, "p://list?page=a/b?c=d", "page=a/b?c=d"),
        (template, "p://list?page=1&page=2", "-"),
        (template, "p://list?page=1#f", "-"),
        (template, "p://list&page=1", "-"),
        (template, "p://lists?page=1", "-"),
        ("p://{+path}{?q}", "p://a/b?q=1", "path=a/b q=1"),
        ("p://a{?q}{&r}", "p://a?r=1&q=2", "q=2 r=1"),
        ("p://a?v=1{&q}", "p://a?q=2&v=1", "q=2"),
        ("p://a?v=1{&q}", "p://a?v=1", ""),
        ("p://a?v=1{&q}", "p://a?q=2", "-"),
        ("p://a?v=1{&q}", "p://a?v=2&q=2", "-"),
        ("p://a?{&q}", "p://a?q=2", "q=2"),
        ("p://a{&q,r}", "p://a&r=1&q=2", "q=2 r=1"),
        ("p://a?q={q}&lang={l}", "p://a?lang=en&q=a/b&x=1", "q=a/b l=en"),
        ("p://a?q={q}&lang={l}", "p://a?lang=en", "-"),
        ("p://a?q={q}", "p://a?q=1&q=2", "-"),
        ("p://a?at={x,y}", "p://a?at=1,2", "x=1 y=2"),
        ("p://a?v=1", "p://a?v=2&v=1", "-"),
        // Members that no key tells apart are taken as they are written.
        ("p://a?t={x}&t={y}", "p://a?t=1&t=2", "x=1 y=2"),
        ("p://a?t&t", "p://a?t&t", ""),
        ("p://a?t&t", "p://a?t", "-"),
        ("p://a?{q}", "p://a?1", "q=1"),
        ("p://a?{k}={v}", "p://a?b=1", "k=b v=1"),
        ("p://a?url={+url}", "p://a?url=http://b?c=d&e=f", "url=http://b?c=d&e=f"),
        ("p://a?", "p://a?", ""),
        ("p://a?", "p://a", "-"),
        ("p://a?&", "p://a?&", ""),
        ("p://a?&", "p://a", "-"),
    ]);
}

#[test]
fn values_are_decoded_exactly_once() {
    check(&[
        ("x://{v}", "x://%252e%252e", "v=%2e%2e"),
        ("x://{v}", "x://a+b%2B%20", "v=a+b+ "),
        ("x://{v}", "x://%C3%A9%c3%a9é", "v=ééé"),
        ("x://é/{v}", "x://%c3%A9/1", "v=1"),
        ("x://%c3%a9/{v}", "x://é/1", "v=1"),
        ("x://a{?v%20w}", "x://a?v%20w=%3D%26", "v%20w==&"),
    ]);
}

#[test]
fn a_value_that_could_mislead_a_host_is_no_match_x09() {
    let values = [
        "%",
        "%2",
        "%zz",
        "%2G",
        "a%",
        "%C3",
        "%C3%28",
        "%ED%A0%80",
        "%FF",
        "%C0%AE",
        "%00",
        "a%00b",
        "\u{0}",
        "..",
        "%2e%2e",
        ".%2E",
        "..%2fetc",
        "a%2F..",
        "a%2f..%2fb",
        "..%5C",
        "a%5c..",
    ];
    for value in values {
        for template in
            ["x://{v}", "x://{+v}", "x://a{/v}", "x://a{#v}", "x://a{?v}", "x://a{&v}", "x://a?b={v}"]
        {
            let uri = match template {
                "x://a{/v}" => format!("x://a/{value}"),
                "x://a{#v}" => format!("x://a#{value}"),
                "x://a{?v}" => format!("x://a?v={value}"),
                "x://a{&v}" => format!("x://a&v={value}"),
                "x://a?b={v}" => format!("x://a?b={value}"),
                _ => format!("x://{value}"),
            };
            assert_eq!(matched(template, &uri), "-", "{template} against {uri:?}");
        }
    }
    check(&[
        ("x://{+v}", "x://a/../b", "-"),
        ("x://{v}", "x://...", "v=..."),
        ("x://{v}", "x://a..b", "v=a..b"),
        ("x://{v}", "x://.", "v=."),
        // An escape that is not whole spoils the URI wherever it stands.
        ("x://a{?v}", "x://a?w=%zz", "-"),
    ]);
    let open = UriTemplate::parse("x://{+v}", true).unwrap();
    assert_eq!(open.matches("x://a/../b"), Some(vec![("v".into(), "a/../b".to_owned())]));
    assert_eq!(open.matches("x://a/%00"), None);
}

#[test]
fn what_has_no_single_meaning_is_refused_b09_p43_x09() {
    let rows = [
        ("", "empty"),
        ("x://{a*}", "explode"),
        ("z://{/a*}{/b*}{/c*}", "explode"),
        ("x://{?a*}", "explode"),
        ("x://{a:3}", "prefix"),
        ("x://{.a}", "operator"),
        ("x://{;a}", "operator"),
        ("x://{=a}", "operator"),
        ("x://{,a}", "operator"),
        ("x://{!a}", "operator"),
        ("x://{@a}", "operator"),
        ("x://{|a}", "operator"),
        ("x://{", "without its"),
        ("x://}", "without its"),
        ("x://{a", "without its"),
        ("x://{a{b}}", "without its"),
        ("x://{a}}", "without its"),
        ("x://{}", "named with"),
        ("x://{+}", "named with"),
        ("x://{a,}", "named with"),
        ("x://{a b}", "named with"),
        ("x://{a-b}", "named with"),
        ("x://{.}", "operator"),
        ("x://{a..b}", "named with"),
        ("x://{a%2}", "named with"),
        ("x://{é}", "named with"),
        ("x://{+a,b}", "several"),
        ("x://{#a,b}", "several"),
        ("x://{a}{a}", "twice"),
        ("x://{a}{?b,a}", "twice"),
        ("x://{a,a}", "twice"),
        ("x://a b", "percent-encoded"),
        ("x://a\n", "percent-encoded"),
        ("x://a%2", "hexadecimal"),
        ("x://a{?b}c", "no text"),
        ("x://a{#b}c", "no text"),
        ("x://a{?b}{c}", "where it stands"),
        ("x://a{?b}{?c}", "where it stands"),
        ("x://a?b{?c}", "where it stands"),
        ("x://a{#b}{c}", "where it stands"),
        ("x://a#b{#c}", "where it stands"),
        ("x://a?b={+b}{&c}", "where it stands"),
        ("x://a?b={b}&b={c}{&d}", "where it stands"),
        ("x://a?b={c}{&b}", "stands twice"),
    ];
    for (template, reason) in rows {
        let message = UriTemplate::parse(template, false).expect_err(template);
        assert!(message.contains(reason), "{template}: {message}");
        assert!(message.len() < 200 && !message.contains('\n'), "{template}: {message}");
    }
    let long = format!("x://{{{}*}}", "a".repeat(10_000));
    assert!(UriTemplate::parse(&long, false).unwrap_err().len() < 200);
    let many = (0..33).fold(String::new(), |text, n| text + &format!("{{v{n}}}-"));
    assert!(UriTemplate::parse(&many, false).unwrap_err().contains("variables"));
}

#[test]
fn names_and_text_are_kept() {
    let text = "x://{a}{/b}?c={c}{&d_1,e.f}{#g}";
    let template = UriTemplate::parse(text, false).unwrap();
    assert_eq!(template.as_str(), text);
    assert_eq!(template.variables().collect::<Vec<_>>(), ["a", "b", "c", "d_1", "e.f", "g"]);
    let values = template.matches("x://1/2?e.f=5&c=3&d_1=4#6").unwrap();
    assert_eq!(
        values.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>(),
        ["1", "2", "3", "4", "5", "6"]
    );
}

#[test]
fn a_hostile_uri_costs_little_r066() {
    let slashes = "{/a}{/b}{/c}{/d}{/e}{/f}{/g}{/h}end";
    let adjacent = (0..31).fold(String::new(), |text, n| text + &format!("{{+v{n}}}"));
    let rows = [
        (format!("z://{slashes}"), format!("z://{}!", "/x".repeat(50_000))),
        (format!("z://{slashes}"), format!("z://{}end", "/x".repeat(30_000))),
        ("z://{+a}x{+b}x{+c}x{+d}x{+e}y{+f}".to_owned(), format!("z://{}!", "x".repeat(60_000))),
        (format!("z://{adjacent}"), format!("z://{}", "x".repeat(60_000))),
        (format!("z://{adjacent}-{{w}}"), format!("z://{}", "é".repeat(10_000))),
        ("z://?a={a}&b={b}{&c,d,e}".to_owned(), format!("z://?{}", "&b=".repeat(20_000))),
        ("z://{?a,b}".to_owned(), format!("z://?{}", "%41=&".repeat(12_000))),
        ("z://{+a}".to_owned(), format!("z://{}", "x".repeat(16 << 20))),
    ];
    for (template, uri) in rows {
        let parsed = UriTemplate::parse(&template, false).unwrap();
        // Backtracking would not come back from here.
        parsed.matches(&uri);
    }
    assert_eq!(matched("z://{+a}", &format!("z://{}", "x".repeat(MAX_URI_BYTES))), "-");
}

#[test]
fn uris_are_absolute_rfc3986() {
    for uri in ["test://text", "file:///a/b%20c", "urn:x:y", "http://[::1]:80/?q#f", "a:", "ui://w.html"] {
        assert_eq!(check_uri(uri), Ok(()), "{uri}");
    }
    for uri in ["", "a", "/a", "//a/b", "x y:z", "x://a b", "x://é", "x://%zz", "x://{a}", "1x:y", "x://a\n"]
    {
        let message = check_uri(uri).expect_err(uri);
        assert!(message.len() < 200 && !message.contains('\n'), "{message}");
    }
}

/// RFC 3986 section 2.3.
fn expand(value: &str, keep: &str) -> String {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || keep.as_bytes().contains(&byte);
    value
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Values that a match may give: not empty, no NUL, no `..` segment.
fn value() -> impl Strategy<Value = String> {
    "[^\u{0}]{1,12}".prop_filter("climbs", |value| !value.split(['/', '\\']).any(|segment| segment == ".."))
}

proptest! {
    #[test]
    fn what_rfc_6570_expands_comes_back(a in value(), b in value(), c in value(), d in value()) {
        let reserved = ":/?#[]@!$&'()*+,;=";
        let expected = |values: &[(&str, &String)]| {
            Some(values.iter().map(|&(name, value)| (Box::from(name), value.clone())).collect::<Vec<_>>())
        };
        let (ea, eb, ec, ed) = (expand(&a, ""), expand(&b, ""), expand(&c, ""), expand(&d, ""));
        let template = UriTemplate::parse("x://{a}/{b}:{c,d}", false).unwrap();
        prop_assert_eq!(
            template.matches(&format!("x://{ea}/{eb}:{ec},{ed}")),
            expected(&[("a", &a), ("b", &b), ("c", &c), ("d", &d)])
        );
        let template = UriTemplate::parse("x://h{/a}{?b,c}{#d}", false).unwrap();
        let fragment = expand(&d, reserved);
        prop_assert_eq!(
            template.matches(&format!("x://h/{ea}?c={ec}&other={eb}&b={eb}#{fragment}")),
            expected(&[("a", &a), ("b", &b), ("c", &c), ("d", &d)])
        );
        let template = UriTemplate::parse("x://h/{+a}", false).unwrap();
        prop_assert_eq!(template.matches(&format!("x://h/{}", expand(&a, reserved))), expected(&[("a", &a)]));
    }

    #[test]
    fn no_template_and_no_uri_panics(
        template in "(x://|[a?&#%/é]|\\{[+#/?&]?[ab](,[cd])?\\}|\\{[e-z]\\}|.){0,8}",
        uri in "(x://|[a-e?&#=/.]|%[0-9A-F]{2}|%|é|.){0,12}",
    ) {
        if let Ok(template) = UriTemplate::parse(&template, false) {
            template.matches(&uri);
        }
    }
}
