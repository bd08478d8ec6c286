//! Answers of a client.

use super::super::{accepts, refuses};
use crate::protocol::{check_answer, Asked, InputKind};

fn asked(kind: InputKind, schema: Option<&str>) -> Asked {
    Asked { key: "k".to_owned(), kind, schema: schema.map(str::to_owned), secret_field: None }
}

#[test]
fn mrtr_14_answers_fit_their_question() {
    let elicited = [
        r#"{"action":"accept","content":{"a":"","b":1.5,"c":false,"d":["x"]},"_meta":{"io.mcp/x":1}}"#,
        r#"{"action":"accept"}"#,
        r#"{"action":"decline"}"#,
        r#"{"action":"cancel","content":null}"#,
        r#"{"action":"cancel","content":{}}"#,
    ];
    let sampled = [
        r#"{"role":"assistant","content":{"type":"text","text":"t"},"model":"m","stopReason":"endTurn"}"#,
        r#"{"role":"user","content":[{"type":"tool_use","id":"1","name":"n","input":{}}],"model":""}"#,
        r#"{"role":"assistant","content":{"type":"image","data":"AA==","mimeType":"a/b","annotations":null},"model":""}"#,
    ];
    let roots = [r#"{"roots":[]}"#, r#"{"roots":[{"uri":"file:///a%20b","name":"n"},{"uri":"file://h/"}]}"#];
    let wrong_elicited = [
        ("{}", "needs `action`"),
        (r#"{"action":"yes"}"#, "/action must be"),
        (r#"{"action":null}"#, "needs `action`"),
        (r#"{"action":"decline","content":{"a":1}}"#, "/content belongs to an accepted form only"),
        (r#"{"action":"accept","content":[]}"#, "/content must be an object"),
        (r#"{"action":"accept","content":{"a":{}}}"#, "/content/a must be a string"),
        (r#"{"action":"accept","content":{"a":[1]}}"#, "/content/a must be a string"),
        (r#"{"action":"accept","content":{"a":null}}"#, "/content/a must be a string"),
    ];
    let wrong_sampled = [
        (r#"{"role":"assistant","model":"m"}"#, "needs `content`"),
        (r#"{"role":"assistant","content":{"type":"text","text":"t"}}"#, "needs `model`"),
        (r#"{"content":{"type":"text","text":"t"},"model":"m"}"#, "needs `role`"),
        (r#"{"role":"assistant","content":"t","model":"m"}"#, "/content must be an object"),
        (
            r#"{"role":"assistant","content":{"type":"text","text":"t"},"model":"m","stopReason":1}"#,
            "/stopReason",
        ),
        // R103: padding is part of base64.
        (
            r#"{"role":"assistant","content":{"type":"image","data":"AA","mimeType":"a/b"},"model":""}"#,
            "base64",
        ),
    ];
    let wrong_roots = [
        (r#"{"roots":{}}"#, "/roots must be an array"),
        (r#"{"roots":[{"name":"n"}]}"#, "/roots/0 needs `uri`"),
        (r#"{"roots":[{"uri":"https://a"}]}"#, "/roots/0/uri must be a file:// URI"),
        (r#"{"roots":[{"uri":"file:///a","name":1}]}"#, "/roots/0/name must be a string"),
    ];
    let [elicit, url, sample, list] = [
        asked(InputKind::Elicit, Some(r#"{"type":"object","properties":{}}"#)),
        asked(InputKind::ElicitUrl, None),
        asked(InputKind::Sample, None),
        asked(InputKind::Roots, None),
    ];
    for (known, right, wrong) in [
        (&elicit, &elicited[..], &wrong_elicited[..]),
        (&url, &elicited[1..], &wrong_elicited[..4]),
        (&sample, &sampled, &wrong_sampled),
        (&list, &roots, &wrong_roots),
    ] {
        accepts(|node| check_answer(Some(known), node), "@", right);
        refuses(|node| check_answer(Some(known), node), "@", wrong);
        for other in [&elicit, &sample, &list].into_iter().filter(|other| other.kind != known.kind) {
            if (known.kind, other.kind) != (InputKind::ElicitUrl, InputKind::Elicit) {
                let cases: Vec<(&str, &str)> = right.iter().map(|text| (*text, "")).collect();
                refuses(|node| check_answer(Some(other), node), "@", &cases);
            }
        }
        // Without the question any of the shapes will do.
        accepts(|node| check_answer(None, node), "@", right);
        refuses(
            |node| check_answer(None, node),
            "@",
            wrong.iter().map(|(text, _)| (*text, "")).collect::<Vec<_>>().as_slice(),
        );
        refuses(
            |node| check_answer(Some(known), node),
            "@",
            &[("5", "must be an object"), ("null", "must be")],
        );
    }
    // ELIC-13: opening an address gives no content.
    let with_content = r#"{"action":"accept","content":{"a":1}}"#;
    refuses(
        |node| check_answer(Some(&url), node),
        "@",
        &[(with_content, "/content belongs to an accepted form only")],
    );
    refuses(
        |node| check_answer(None, node),
        "@",
        &[("5", "must be the result"), (r#"{"action":"accept","roots":[]}"#, "must be")],
    );
}

#[test]
fn elic_07_r089_accepted_content_fits_the_form() {
    let schema = r#"{"type":"object","required":["s"],"properties":{
        "s":{"type":"string","minLength":2,"maxLength":3},
        "mail":{"type":"string","format":"email"},"uri":{"type":"string","format":"uri"},
        "date":{"type":"string","format":"date"},"time":{"type":"string","format":"date-time"},
        "i":{"type":"integer","minimum":-5,"maximum":9007199254740993},"n":{"type":"number","minimum":0.1},
        "b":{"type":"boolean"},"e":{"type":"string","enum":["a","b"]},
        "o":{"type":"string","oneOf":[{"const":"a","title":"A"}]},
        "m":{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2},
        "t":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}}}"#;
    let form = asked(InputKind::Elicit, Some(schema));
    let frame = r#"{"action":"accept","content":{"s":"ab"@}}"#;
    accepts(
        |node| check_answer(Some(&form), node),
        frame,
        &[
            "",
            r#","mail":"a.b+c@d-e.example","uri":"urn:x","date":"2024-02-29","time":"2024-02-29T23:59:60Z""#,
            r#","i":9007199254740993,"n":1e-1,"b":false,"e":"b","o":"a","m":["a","b"],"t":[]"#,
            r#","i":-5.0,"unasked":1"#,
            r#","e":"\u0061""#,
        ],
    );
    refuses(
        |node| check_answer(Some(&form), node),
        frame,
        &[
            (r#","mail":"a@""#, "/content/mail must be an e-mail address"),
            (r#","uri":"x/y""#, "/content/uri must be an absolute URI"),
            (r#","date":"2023-02-29""#, "/content/date must be a date"),
            (r#","time":"2024-02-29 10:00:00""#, "/content/time must be a date and time"),
            (r#","i":9007199254740994"#, "/content/i must be at most 9007199254740993"),
            (r#","i":-6"#, "/content/i must be at least -5"),
            (r#","i":1.5"#, "/content/i must be an integer"),
            (r#","i":"1""#, "/content/i must be a number"),
            (r#","n":0.09"#, "/content/n must be at least 0.1"),
            (r#","b":"true""#, "/content/b must be true or false"),
            (r#","e":"A""#, "/content/e must be one of"),
            (r#","o":"A""#, "/content/o must be one of"),
            (r#","m":[]"#, "/content/m must have at least 1"),
            (r#","m":["a","a","b"]"#, "/content/m must have at most 2"),
            (r#","m":["c"]"#, "/content/m/0 must be one of"),
            (r#","m":"a""#, "/content/m must be an array"),
            (r#","t":["A"]"#, "/content/t/0 must be one of"),
        ],
    );
    // Lengths count characters, not bytes or UTF-16 units.
    let frame = r#"{"action":"accept","content":{"s":"@"}}"#;
    accepts(
        |node| check_answer(Some(&form), node),
        frame,
        &["äö", "😀😀", r"\ud83d\ude00\ud83d\ude00\ud83d\ude00"],
    );
    refuses(
        |node| check_answer(Some(&form), node),
        frame,
        &[
            ("ä", "/content/s must have at least 2 characters"),
            ("😀", "at least 2"),
            ("😀😀😀😀", "/content/s must have at most 3 characters"),
        ],
    );
    refuses(
        |node| check_answer(Some(&form), node),
        "@",
        &[
            (r#"{"action":"accept"}"#, "needs `content`"),
            (r#"{"action":"accept","content":{}}"#, "/content needs `s`"),
        ],
    );
    // ELIC-06: a refusal needs no content.
    accepts(|node| check_answer(Some(&form), node), r#"{"action":"@"}"#, &["decline", "cancel"]);
    let closed = schema.replacen('{', r#"{"additionalProperties":false,"#, 1);
    let closed = asked(InputKind::Elicit, Some(&closed));
    refuses(
        |node| check_answer(Some(&closed), node),
        "@",
        &[(r#"{"action":"accept","content":{"s":"ab","unasked":1}}"#, "/content/unasked was not asked for")],
    );
}

#[test]
fn hostile_names_make_short_messages() {
    let long = "x".repeat(5000);
    let deep = format!("{}5{}", r#"{"a\n/~":"#.repeat(100), "}".repeat(100));
    let content = format!(r#"{{"action":"accept","content":{{"{long}\u0000":{deep}}}}}"#);
    refuses(|node| check_answer(None, node), "@", &[(&content, "must be a string")]);
    let meta = format!(r#"{{"action":"accept","_meta":{{"{long}\n":1}}}}"#);
    refuses(|node| check_answer(None, node), "@", &[(&meta, "has a bad key")]);
    let required = format!(r#"{{"required":["{long}"],"properties":{{}}}}"#);
    let form = asked(InputKind::Elicit, Some(&required));
    refuses(
        |node| check_answer(Some(&form), node),
        "@",
        &[(r#"{"action":"accept","content":{}}"#, "needs `x")],
    );
}
