//! HTTP-22, R043, P-08.

use super::*;
use http::HeaderValue;

#[test]
fn http_22_json_is_recognized_by_grammar() {
    for value in [
        "application/json",
        "Application/JSON",
        " application/json",
        "application/json ",
        "application/json;",
        "application/json; charset=utf-8",
        "application/json;charset=\"UTF-8\"",
        "application/json;charset=\"\\u\\t\\f-8\"",
        "application/json ; charset=us-ascii ; x=\"a;b\\\"c\"",
        "application/json;;charset=utf-8",
    ] {
        assert!(content_type_is_json(value), "{value}");
    }
}

#[test]
fn r043_anything_else_is_not_json() {
    for value in [
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "text/plain; application/json",
        "application/json-seq",
        "application/vnd.api+json",
        "xapplication/json",
        "application/json, text/plain",
        "application/json text/plain",
        "application/json; charset=latin1",
        "application/json; charset=utf-8; charset=utf-16",
        "application/json; charset",
        "application/json; charset = utf-8",
        "application/json; charset=\"utf-8",
        "application/json; charset=\"utf-8\\",
        "application /json",
        "application/",
        "/json",
        "*/*",
    ] {
        assert!(!content_type_is_json(value), "{value}");
    }
    assert!(!content_type_is_json(b"application/json\xff"));
}

fn accepts(values: &[&[u8]]) -> (bool, bool) {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(ACCEPT, HeaderValue::from_bytes(value).unwrap());
    }
    let Accepts { json, event_stream } = Accepts::of(&headers);
    (json, event_stream)
}

#[test]
fn http_22_accept_is_read_by_grammar() {
    type Case = (&'static [&'static [u8]], (bool, bool));
    let cases: &[Case] = &[
        (&[], (true, true)),
        (&[b""], (false, false)),
        (&[b"*/*"], (true, true)),
        (&[b"application/json"], (true, false)),
        (&[b"text/event-stream"], (false, true)),
        (&[b"application/json, text/event-stream"], (true, true)),
        (&[b"application/json", b"text/event-stream"], (true, true)),
        (&[b"APPLICATION/Json,TEXT/Event-Stream"], (true, true)),
        (&[b"application/*"], (true, false)),
        (&[b"text/*"], (false, true)),
        (&[b"text/html, */*;q=0.1"], (true, true)),
        (&[b", ,application/json,,"], (true, false)),
        (&[b"application/json;q=0"], (false, false)),
        (&[b"application/json;q=0.000, */*"], (false, true)),
        (&[b"*/*, application/json;q=0"], (false, true)),
        (&[b"application/*;q=0, application/json"], (true, false)),
        (&[b"text/*;q=0, */*;q=0.5"], (true, false)),
        (&[b"application/json;Q=1.000 , text/event-stream ; q=0.001"], (true, true)),
        (&[b"application/json;charset=utf-8"], (true, false)),
        (&[b"application/json;v=\"1,\\\",2\", text/event-stream"], (true, true)),
        (&[b"application/json, application/json;v=2;q=0"], (true, false)),
        (&[b"application/json;q=0;v=2, application/json"], (true, false)),
        (&[b"application/json", b"application/json;q=0"], (true, false)),
        // Members that break the grammar are as if they were not there.
        (&[b"application/json;q=2"], (false, false)),
        (&[b"application/json;q=0.0001"], (false, false)),
        (&[b"application/json;q=1.001"], (false, false)),
        (&[b"application/json;q=\"1\""], (false, false)),
        (&[b"application/json;q=, text/event-stream"], (false, true)),
        (&[b"application/json x, text/event-stream"], (false, true)),
        (&[b"application/json;v=\"unclosed, text/event-stream"], (false, false)),
        (&[b"*/json, text/event-stream"], (false, true)),
        (&[b"application, json, text/event-stream"], (false, true)),
        (&[b"@, \"a,application/json\", text/event-stream"], (false, true)),
        (&[b"\xff\xfe, application/json"], (true, false)),
        (&[b"text/html"], (false, false)),
        (&[b"application/jsonp, text/event-streams"], (false, false)),
    ];
    for (values, expected) in cases {
        let shown: Vec<_> = values.iter().map(|value| String::from_utf8_lossy(value)).collect();
        assert_eq!(accepts(values), *expected, "{shown:?}");
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(value in proptest::collection::vec(any::<u8>(), 0..80)) {
            content_type_is_json(&value);
            if let Ok(header) = HeaderValue::from_bytes(&value) {
                let mut headers = HeaderMap::new();
                headers.insert(ACCEPT, header);
                Accepts::of(&headers);
            }
        }

        #[test]
        fn what_the_grammar_separates_is_found(junk in "[a-z/;=\"\\\\, *]{0,20}") {
            let mut headers = HeaderMap::new();
            headers.append(ACCEPT, HeaderValue::from_str(&junk).unwrap());
            headers.append(ACCEPT, HeaderValue::from_static("application/json"));
            prop_assert!(Accepts::of(&headers).json);
        }
    }
}
