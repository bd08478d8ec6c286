use super::{push_compact, push_quoted, quote, Document, FaultKind, Integer, Kind, Node, MAX_DEPTH};
use proptest::prelude::*;
use serde_json::Value;

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes().to_vec()).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

fn fault(text: impl AsRef<[u8]>) -> FaultKind {
    match Document::parse(text.as_ref().to_vec()) {
        Ok(document) => panic!("accepted {document:?}"),
        Err(fault) => {
            assert!(fault.offset() <= text.as_ref().len(), "{fault}");
            fault.kind()
        }
    }
}

fn compact(node: Node<'_>) -> String {
    let mut out = Vec::new();
    push_compact(&mut out, node);
    String::from_utf8(out).unwrap()
}

#[test]
fn values_of_every_kind_are_read() {
    let document = parse(
        " {\"n\":null,\"t\":true,\"f\":false,\"i\":-12,\"s\":\"x\",\"a\":[1,[],{}],\"o\":{\"n\":0}}\r\n\t",
    );
    let root = document.root();
    assert_eq!((root.kind(), root.len(), root.is_empty()), (Kind::Object, 7, false));
    let kinds: Vec<Kind> = root.members().map(|(_, value)| value.kind()).collect();
    let expected =
        [Kind::Null, Kind::True, Kind::False, Kind::Number, Kind::String, Kind::Array, Kind::Object];
    assert_eq!(kinds, expected);
    assert_eq!(root.members().map(|(name, _)| name.into_owned()).collect::<String>(), "ntfisao");
    assert_eq!(root.get("t").and_then(Node::as_bool), Some(true));
    assert_eq!(root.get("i").and_then(Node::as_i64), Some(-12));
    assert_eq!(root.get("s").and_then(Node::as_str).as_deref(), Some("x"));
    assert!(root.get("n").is_some() && root.get_present("n").is_none() && root.get("z").is_none());
    let elements: Vec<&str> = root.get("a").unwrap().elements().map(Node::raw).collect();
    assert_eq!(elements, ["1", "[]", "{}"]);
    assert_eq!(root.get("o").unwrap().raw(), "{\"n\":0}");
    assert_eq!(document.duplicate(), None);
    // Walking over what is no container is empty rather than wrong.
    let text = root.get("s").unwrap();
    assert!(text.get("x").is_none() && text.members().next().is_none() && text.elements().next().is_none());
    for scalar in ["null", "true", "0", "\"\"", " 1 "] {
        assert_eq!(parse(scalar).root().raw(), scalar.trim());
    }
}

#[test]
fn what_is_not_json_is_refused() {
    let rows = [
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1 2]",
        "[1}",
        "{1}",
        "{1:2}",
        "{a:1}",
        "{'a':1}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "{\"a\"::1}",
        "{\"a\":1]",
        "1 2",
        "{}{}",
        "[]x",
        "nul",
        "nulll",
        "tru",
        "True",
        "NaN",
        "Infinity",
        "undefined",
        "'a'",
        "\"",
        "\"a",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u\"",
        "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\u+123\"",
        "\"\\U0041\"",
        "\"\n\"",
        "\"\t\"",
        "\"\u{0}\"",
        "\"\u{1f}\"",
        "01",
        "-01",
        "00",
        "-",
        "+1",
        ".5",
        "1.",
        "1.e1",
        "1e",
        "1e+",
        "1E-",
        "0x1",
        "1_0",
        "--1",
        "1.2.3",
        "//x\n1",
        "1/**/",
        "\u{feff}1",
        "\u{a0}1",
        "\u{b}1",
        "\u{c}1",
        "1\u{0}",
        "\u{2028}1",
    ];
    for text in rows {
        assert_eq!(fault(text), FaultKind::Syntax, "{text:?}");
    }
}

#[test]
fn only_utf8_is_read() {
    let rows: [&[u8]; 7] = [
        b"\"\xff\"",
        b"\"\xc0\xaf\"",
        b"\"\xed\xa0\x80\"",
        b"\"\xf4\x90\x80\x80\"",
        b"\"\xc3\"",
        b"\xff\xfe1\0",
        b"[1]\x80",
    ];
    for bytes in rows {
        assert_eq!(fault(bytes), FaultKind::Utf8, "{bytes:?}");
    }
}

#[test]
fn depth_is_bounded_decision10() {
    let nested =
        |open: &str, close: &str, depth: usize| format!("{}0{}", open.repeat(depth), close.repeat(depth));
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let levels = if open.len() > 5 { 2 } else { 1 };
        for depth in [100, MAX_DEPTH] {
            let document = parse(&nested(open, close, depth / levels));
            assert_eq!(
                Document::parse(compact(document.root()).into()).unwrap().root().to_value(),
                document.root().to_value()
            );
        }
        assert_eq!(fault(nested(open, close, MAX_DEPTH / levels + 1)), FaultKind::Depth);
    }
    // Also where nothing closes, and where 128 levels were left before.
    assert_eq!(fault("[".repeat(MAX_DEPTH + 1)), FaultKind::Depth);
    parse(&format!("[{0},{0}]", nested("[", "]", MAX_DEPTH - 1)));
    // Refused where it is too deep, not after the rest was read.
    for text in [nested("[", "]", 200_000), "[".repeat(200_000), "{\"a\":".repeat(200_000)] {
        let fault = Document::parse(text.into()).unwrap_err();
        assert_eq!(fault.kind(), FaultKind::Depth);
        assert!(fault.offset() <= (MAX_DEPTH + 1) * 5, "{fault}");
    }
}

#[test]
fn half_a_surrogate_pair_is_refused_from_clients_and_replaced_from_hosts_decision29() {
    let rows = [
        (r"\ud800", "\u{fffd}"),
        (r"\udc00", "\u{fffd}"),
        (r"\uDBFFx", "\u{fffd}x"),
        (r"\ud800\n", "\u{fffd}\n"),
        (r"\ud800\u0041", "\u{fffd}A"),
        (r"\ud800\ud800\udc00", "\u{fffd}\u{10000}"),
        (r"\udc00\ud800", "\u{fffd}\u{fffd}"),
        (r"\ud800\\udc00", "\u{fffd}\\udc00"),
        (r"a\ud83d\ude00b\ud83d", "a😀b\u{fffd}"),
    ];
    for (inner, expected) in rows {
        for text in [format!("\"{inner}\""), format!("{{\"{inner}\":1}}"), format!(" [\"{inner}\"]")] {
            assert_eq!(fault(&text), FaultKind::Surrogate, "{text}");
            let document = Document::parse_host(text.clone().into()).unwrap();
            assert!(document.surrogates());
            let written = compact(document.root());
            let clean = parse(&written);
            assert!(
                !clean.surrogates() && written.contains(&expected.replace('\\', "\\\\").replace('\n', "\\n")),
                "{written}"
            );
            assert_eq!(clean.root().to_value(), document.root().to_value());
        }
    }
    let whole = Document::parse_host(r#""\ud83d\ude00""#.into()).unwrap();
    assert!(!whole.surrogates());
    assert!(whole.root().is_str("😀"));
}

#[test]
fn repeated_names_are_told_by_value_at_any_count() {
    let filler = |count: usize| (0..count).map(|n| format!("\"k{n}\":0,")).collect::<Vec<_>>().concat();
    for count in [0, 1, 13, 14, 15, 16, 40] {
        let filler = filler(count);
        for (a, b, twice) in [
            ("a", "a", true),
            ("a", r"\u0061", true),
            (r"\u0061", "a", true),
            (r"\n", r"\u000A", true),
            (r"\/", "/", true),
            (r"\ud83d\ude00", "😀", true),
            ("", "", true),
            ("a", "A", false),
            ("a", "b", false),
            ("a", "a ", false),
            ("ab", "ac", false),
            ("", r"\u0000", false),
            ("é", "e\u{301}", false),
        ] {
            for text in [
                format!("{{{filler}\"{a}\":1,\"{b}\":2}}"),
                format!("{{\"{a}\":{{}},{filler}\"{b}\":[]}}"),
                format!("[0,{{\"x\":{{\"{a}\":1,{filler}\"y\":1,\"{b}\":2}}}}]"),
            ] {
                let document = parse(&text);
                let expected =
                    twice.then(|| parse(&format!("\"{a}\"")).root().as_str().unwrap().into_owned());
                assert_eq!(document.duplicate().as_deref(), expected.as_deref(), "{text}");
            }
        }
    }
    // Names repeat only inside one object.
    assert_eq!(parse("[{\"a\":{\"a\":1}},{\"a\":2}]").duplicate(), None);
}

#[test]
fn many_names_are_not_compared_each_with_each() {
    // Each with each this takes minutes.
    let text = (0..200_000).map(|n| format!("\"{n}\":0")).collect::<Vec<_>>().join(",");
    let document = parse(&format!("{{{text}}}"));
    assert_eq!((document.root().len(), document.duplicate()), (200_000, None));
}

#[test]
fn numbers_keep_their_token_and_their_value_decision29_amb36() {
    let rows = [
        ("0", Some(0), Some(0.0)),
        ("-0", Some(0), Some(-0.0)),
        ("1.0", Some(1), Some(1.0)),
        ("1e2", Some(100), Some(100.0)),
        ("1.50E+1", Some(15), Some(15.0)),
        ("120e-1", Some(12), Some(12.0)),
        ("0e99999999999999999999", Some(0), Some(0.0)),
        ("1.5", None, Some(1.5)),
        ("1e-1", None, Some(0.1)),
        ("9223372036854775807", Some(i64::MAX), Some(9.223_372_036_854_776e18)),
        ("-9223372036854775808", Some(i64::MIN), Some(-9.223_372_036_854_776e18)),
        ("9223372036854775808", None, Some(9.223_372_036_854_776e18)),
        ("9007199254740993", Some(9_007_199_254_740_993), Some(9_007_199_254_740_992.0)),
        ("1e400", None, None),
        ("-1e400", None, None),
        ("1e-400", None, Some(0.0)),
        ("1e-9223372036854775808", None, Some(0.0)),
        ("1e9223372036854775807", None, None),
        ("1.5e-9223372036854775808", None, Some(0.0)),
        ("1e99999999999999999999", None, None),
        ("1e-99999999999999999999", None, Some(0.0)),
    ];
    for (token, integer, double) in rows {
        let document = parse(token);
        assert_eq!(document.root().as_number(), Some(token));
        assert_eq!(document.root().as_i64(), integer, "{token}");
        assert_eq!(document.root().as_f64().map(f64::to_bits), double.map(f64::to_bits), "{token}");
    }
    for other in ["\"1\"", "null", "[1]"] {
        assert_eq!((parse(other).root().as_number(), parse(other).root().as_i64()), (None, None));
    }
}

#[test]
fn integers_are_equal_by_value_decision11() {
    let read = |token: &str| Integer::read(token);
    for (a, b) in [
        ("1", "1.0"),
        ("1", "10e-1"),
        ("100", "1e2"),
        ("-5", "-0.5e1"),
        ("0", "-0.00e7"),
        ("123456789012345678901", "1.23456789012345678901e20"),
    ] {
        assert_eq!(read(a), read(b), "{a} and {b}");
        assert_eq!(read(b).unwrap().to_text(), a);
    }
    assert_ne!(read("1"), read("-1"));
    assert_ne!(read("9007199254740993"), read("9007199254740992"));
    assert_eq!(read("1e39").unwrap().len(), 40);
    assert_eq!(read("-0").unwrap().len(), 1);
    for none in ["1.5", "1e-1", "12e-3", "1e9999", "1e4096", "1e-4096"] {
        assert_eq!(read(none), None, "{none}");
    }
}

#[test]
fn pointers_follow_rfc6901() {
    let text = r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"é":{"~1":9},"0":[[10]]}"#;
    let document = parse(text);
    let root = document.root();
    let rows = [
        ("", text),
        ("/foo", r#"["bar","baz"]"#),
        ("/foo/0", "\"bar\""),
        ("/foo/1", "\"baz\""),
        ("/", "0"),
        ("/a~1b", "1"),
        ("/c%d", "2"),
        ("/e^f", "3"),
        ("/g|h", "4"),
        ("/i\\j", "5"),
        ("/k\"l", "6"),
        ("/ ", "7"),
        ("/m~0n", "8"),
        ("/é/~01", "9"),
        ("/0/0/0", "10"),
    ];
    for (pointer, expected) in rows {
        assert_eq!(root.pointer(pointer).map(Node::raw), Some(expected), "{pointer}");
    }
    let absent = [
        "foo",
        "/foo/2",
        "/foo/-",
        "/foo/00",
        "/foo/01",
        "/foo/+1",
        "/foo/-1",
        "/foo/1e0",
        "/foo/",
        "/foo/ 1",
        "/foo/0/0",
        "/foo/18446744073709551616",
        "/nope",
        "//",
        "/foo/",
        "/m~n/",
    ];
    for pointer in absent {
        assert!(root.pointer(pointer).is_none(), "{pointer}");
    }
}

#[test]
fn escapes_are_resolved() {
    let rows = [
        (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r#""\u0000\u001f\u007f\u00e9\uFFFF""#, "\0\u{1f}\u{7f}é\u{ffff}"),
        (r#""\uD83D\uDE00\udbff\udfff""#, "😀\u{10ffff}"),
        (r#""\\u0041\u005cu0041""#, "\\u0041\\u0041"),
        ("\"é😀\u{7f}\u{2028}\"", "é😀\u{7f}\u{2028}"),
        (r#""\uabcd\uABCD""#, "\u{abcd}\u{abcd}"),
    ];
    for (text, expected) in rows {
        let document = parse(text);
        assert_eq!(document.root().as_str().as_deref(), Some(expected));
        assert!(document.root().is_str(expected) && !document.root().is_str("x"));
        let object = parse(&format!("{{{text}:1}}"));
        assert_eq!(object.root().get(expected).and_then(Node::as_i64), Some(1));
    }
}

#[test]
fn a_hit_is_found_at_every_place_of_a_long_string() {
    for length in 0..40 {
        for at in 0..=length {
            let (before, behind) = ("é".repeat(at), "x".repeat(length - at));
            assert!(parse(&format!("\"{before}\\n{behind}\"")).root().is_str(&format!("{before}\n{behind}")));
            assert_eq!(parse(&format!("[\"{before}\",1]")).root().len(), 2);
            for control in ['\0', '\n', '\u{1f}'] {
                assert_eq!(fault(format!("\"{before}{control}{behind}\"")), FaultKind::Syntax);
            }
            for plain in [' ', '!', '#', '[', ']', '\u{7f}', '\u{80}', 'ÿ'] {
                let text = format!("{before}{plain}{behind}");
                assert!(parse(&format!("\"{text}\"")).root().is_str(&text));
            }
        }
    }
}

/// White space outside strings taken out, by the simplest means.
fn stripped(text: &str) -> String {
    let (mut out, mut inside, mut escaped) = (String::new(), false, false);
    for c in text.chars() {
        if inside || !matches!(c, ' ' | '\n' | '\r' | '\t') {
            out.push(c);
        }
        inside ^= c == '"' && !escaped;
        escaped = inside && c == '\\' && !escaped;
    }
    out
}

fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[ab\"é\\\\/ ]{0,3}", inner, 0..20)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// What `serde_json` says of a text; `None` where it differs from JSON on purpose: it refuses numbers that no double
/// holds, and nests one level less. Like us it refuses lone surrogates; repeated names it merges, and we tell.
fn referee(text: &[u8]) -> Option<Result<Value, ()>> {
    match serde_json::from_slice(text) {
        Ok(value) => Some(Ok(value)),
        Err(error) if error.to_string().starts_with("number out of range") => None,
        Err(error) if error.to_string().starts_with("recursion limit") => None,
        Err(_) => Some(Err(())),
    }
}

fn agrees(text: &[u8]) -> Result<(), TestCaseError> {
    let ours = Document::parse(text.to_vec());
    match (referee(text), &ours) {
        (Some(Ok(value)), Ok(document)) => {
            if document.duplicate().is_none() {
                prop_assert_eq!(document.root().to_value(), value);
            }
            let text = compact(document.root());
            prop_assert_eq!(&text, &stripped(document.text()));
            prop_assert_eq!(parse(&text).root().to_value(), document.root().to_value());
        }
        (Some(Err(())), Err(_)) | (None, _) => {}
        (Some(theirs), _) => prop_assert!(false, "{theirs:?} but {ours:?}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_serde_json_writes_is_read_and_comes_back(value in value(), pretty: bool) {
        let text = if pretty { serde_json::to_vec_pretty(&value) } else { serde_json::to_vec(&value) }.unwrap();
        let document = Document::parse(text.clone()).unwrap();
        prop_assert_eq!(document.duplicate(), None);
        prop_assert_eq!(document.spaced(), pretty && (value.is_array() || value.is_object())
            && value.as_array().is_none_or(|array| !array.is_empty())
            && value.as_object().is_none_or(|object| !object.is_empty()));
        agrees(&text)?;
    }

    #[test]
    fn one_wrong_byte_is_judged_as_serde_json_judges_it(value in value(), at: prop::sample::Index, byte: u8, insert: bool) {
        let mut text = serde_json::to_vec(&value).unwrap();
        let at = at.index(text.len());
        if insert {
            text.insert(at, byte);
        } else {
            text[at] = byte;
        }
        agrees(&text)?;
        text.remove(at);
        agrees(&text)?;
    }

    #[test]
    fn any_row_of_tokens_is_judged_as_serde_json_judges_it(
        text in "([\\[\\]{}:,]| |\"|\"[ab]\"|\"a\":|-|0|1|\\.|e|E|\\+|null|true|false|\\\\u(D83D|DE00|0061|00)|\\\\n|\\n|é){0,9}",
    ) {
        agrees(text.as_bytes())?;
    }

    #[test]
    fn any_string_is_quoted_and_read_back(text in any::<String>()) {
        let mut out = Vec::new();
        push_quoted(&mut out, &text);
        prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text.clone());
        prop_assert_eq!(quote(&text).into_bytes(), out.clone());
        prop_assert!(Document::parse(out).unwrap().root().is_str(&text));
    }

    #[test]
    fn integers_agree_with_plain_arithmetic(value: i64, zeros in 0_usize..12, shift in 0_u32..12) {
        let token = format!("{value}.{}", "0".repeat(zeros + 1));
        prop_assert_eq!(Integer::read(&token).unwrap().to_i64(), Some(value));
        let token = format!("{value}e-{shift}");
        let whole = 10_i64.checked_pow(shift).filter(|&power| value % power == 0).map(|power| value / power);
        prop_assert_eq!(Integer::read(&token).and_then(|integer| integer.to_i64()), whole);
    }
}

#[test]
fn repeated_names_are_found_wherever_they_stand() {
    // Names of every length, written plainly or with an escape, first or last, near to the end of the text or not.
    for length in 1..=20 {
        let name: String = ('a'..='z').cycle().take(length).collect();
        let escaped = format!("\\u{:04x}{}", u32::from('a'), &name[1..]);
        for (one, two) in [(&name, &name), (&name, &escaped), (&escaped, &name)] {
            for others in [0, 1, 14, 15, 40] {
                let others: Vec<String> =
                    (0..others).map(|n| format!("\"{}{n}\":0,", &name[..length - 1])).collect();
                let others = others.concat();
                for tail in ["", "          "] {
                    let text = format!("{{\"{one}\":1,{others}\"{two}\":2{tail}}}");
                    let document = Document::parse(text.clone().into_bytes()).unwrap();
                    assert_eq!(document.duplicate().as_deref(), Some(&*name), "{text}");
                }
                let text = format!("{{\"{one}\":1,{others}\"{two}x\":2}}");
                assert_eq!(Document::parse(text.clone().into_bytes()).unwrap().duplicate(), None, "{text}");
            }
        }
    }
}

/// What a thread remembers changes nothing of what is read, wherever the remembered text stands.
#[test]
fn what_is_remembered_is_read_as_if_it_were_not() {
    let meta = r#"{"a/b":"é\n","c":{"d":[1,{},""]},"e":{}}"#;
    let rows = [
        r#"{"id":1,"params":{"name":"x","_meta":META,"z":{"_meta":META}},"_meta":META}"#,
        r#"{"params":{"_meta":META}}"#,
        r#"{"params":{"_meta":META,"_meta":META}}"#,
        r#"{"params":{"x\"_meta":META,"_met\u0061":META}}"#,
        r#"{"params": { "_meta": META }}"#,
        r#"{"params":{"_meta":METAx}}"#,
        r#"{"params":{"_meta":META"#,
        r#"[["_meta",META,{"_meta":META}]]"#,
        r#"[{"_meta":META},{"_meta":[META]},{"_meta":META}]"#,
        r#"{"params":{"a":1,"_meta":META,"a":2}}"#,
    ];
    let read = |row: &str| {
        let document = Document::parse(row.replace("META", meta).into_bytes());
        document.map(|document| {
            let flags = (document.duplicate().map(std::borrow::Cow::into_owned), document.spaced());
            (format!("{:?}", document.entries), flags)
        })
    };
    let plain: Vec<_> = std::thread::scope(|scope| {
        let fresh = scope.spawn(|| rows.iter().map(|row| read(row)).collect());
        fresh.join().unwrap()
    });
    for first in [0, 1, 4] {
        let first = parse(&rows[first].replace("META", meta));
        assert!(super::remember(first.root().pointer("/params/_meta").unwrap()).is_some());
        let known: Vec<_> = rows.iter().map(|row| read(row)).collect();
        assert_eq!(known, plain);
    }
    let text = r#"{"params":{"_meta":{"a": 1}}}"#;
    assert!(super::remember(parse(text).root().pointer("/params/_meta").unwrap()).is_some());
    assert!(parse(text).spaced() && parse(text).root().pointer("/params/_meta/a").is_some());
    // Names that stand twice would be forgotten.
    let twice = parse(r#"{"params":{"_meta":{"a":1,"a":1}}}"#);
    assert!(super::remember(twice.root().pointer("/params/_meta").unwrap()).is_none());
}

/// Only the member itself is found again: not one that lies elsewhere, is called alike, or was remembered before.
#[test]
fn only_the_meta_of_the_params_is_recalled() {
    let meta = r#"{"a":1}"#;
    let message = format!("{{\"params\":{{\"x\":0,\"_meta\":{meta}}}}}");
    let old = super::remember(parse(&message).root().pointer("/params/_meta").unwrap()).unwrap();
    let mark = super::remember(parse(&message).root().pointer("/params/_meta").unwrap()).unwrap();
    for (text, expected) in [
        (r#"{"params":{"_meta":META}}"#, true),
        (r#"{"params":{"x":0,"_meta":META,"z":[]}}"#, true),
        (r#"{"params": { "_meta": META}}"#, true),
        (r#"{"params":{"_meta":{"a":2}}}"#, false),
        (r#"{"params":{"x\"_meta":META,"_meta":{}}}"#, false),
        (r#"{"params":{"y":{"_meta":META},"_meta":{}}}"#, false),
        (r#"{"other":{"_meta":META},"params":{"_meta":{}}}"#, false),
        (r#"{"params":{"_meta":{}},"other":{"_meta":META}}"#, false),
        (r#"{"params":{},"other":{"_meta":META}}"#, false),
    ] {
        let document = parse(&text.replace("META", meta));
        let params = document.root().get("params").unwrap();
        let found = document.recalled(params, mark);
        assert_eq!(found.map(Node::raw), expected.then_some(meta), "{text}");
        assert_eq!(found.map(Node::index), params.get("_meta").filter(|_| expected).map(Node::index));
        assert!(document.recalled(params, old).is_none());
    }
}
