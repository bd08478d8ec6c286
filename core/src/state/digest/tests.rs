use super::{digest_arguments, number};
use crate::json::{Document, MAX_DEPTH};
use proptest::prelude::*;

fn digest(text: &str) -> [u8; 32] {
    digest_arguments(Document::parse(text.as_bytes().to_vec()).unwrap().root())
}

#[test]
fn spellings_of_one_value_are_equal_decision25() {
    let nines = "9".repeat(60);
    let carried = format!("1{}", "0".repeat(60));
    let rows = [
        (
            r#"{"a":1,"b":[2,{"c":null,"d":true}]}"#,
            " { \"b\" : [ 2 , {\"d\":true,\n\"c\":null} ] , \"a\" : 1 } ",
        ),
        (r#"{"\u0061":"\u00e9\/\n"}"#, "{\"a\":\"é/\\u000a\"}"),
        (r#"{"a":1,"\u0062":2,"c":3}"#, r#"{"c":3,"b":2,"\u0061":1}"#),
        (r#""\ud83d\ude00""#, "\"😀\""),
        ("1", "1.0"),
        ("1", "1e0"),
        ("1", "10e-1"),
        ("1", "0.001E+3"),
        ("-120", "-1.20e2"),
        ("0", "-0"),
        ("0", "0.000e99999999999999999999999999999999999999999999"),
        ("12345678901234567890123", "12345678901234567890.123e3"),
        ("0.1", "1e-1"),
        ("1e99999999999999999999999999999999999999999999", "10e99999999999999999999999999999999999999999998"),
        (
            "1e-99999999999999999999999999999999999999999999",
            "10e-100000000000000000000000000000000000000000000",
        ),
        (&format!("10e{nines}"), &format!("1e{carried}")),
        (&format!("10e-{carried}"), &format!("1e-{nines}")),
        ("1e0000000000000000000000000000000000000000000000001", "10"),
        ("0.1e1000000000000000000000000000000000000", "1e999999999999999999999999999999999999"),
    ];
    for (a, b) in rows {
        assert_eq!(digest(a), digest(b), "{a} and {b}");
    }
}

#[test]
fn different_values_differ_r088() {
    let values = [
        "null",
        "true",
        "false",
        "0",
        "1",
        "-1",
        "10",
        "0.1",
        "1e400",
        "1e401",
        "-1e400",
        "9007199254740992",
        "9007199254740993",
        "0.1000000000000000055511151231257827",
        "\"\"",
        "\"1\"",
        "\"null\"",
        "\"a\"",
        "\"A\"",
        "\"é\"",
        "\"e\\u0301\"",
        "[]",
        "{}",
        "[[]]",
        "[{}]",
        "[1,2]",
        "[2,1]",
        "[12]",
        "[[1],2]",
        "[[1,2]]",
        "[\"1,2\"]",
        "{\"a\":1}",
        "{\"a\":\"1\"}",
        "{\"b\":1}",
        "{\"a\":null}",
        "{\"a\":{\"b\":1}}",
        "{\"a\":1,\"b\":1}",
        "\"[]\"",
        "[null]",
        "\"\\\\n\"",
        "\"\\n\"",
        "\"\\u0000\"",
    ];
    for (n, a) in values.iter().enumerate() {
        for b in &values[..n] {
            assert_ne!(digest(a), digest(b), "{a} and {b}");
        }
    }
}

#[test]
fn the_digest_is_the_same_in_every_build() {
    let digest = digest(r#"{"b":[1.50,"x"],"a":null}"#);
    let hex = digest.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    // sha256sum of {"a":null,"b":[15e-1,"x"]}
    assert_eq!(hex, "c1d858af0a3171aa0a538255d23a4cdcb9702ef21780884b27f7bc627556f0ee");
}

#[test]
fn the_deepest_document_and_the_longest_number_are_no_trouble() {
    let deep = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    let deeper = format!("{}{}", "[".repeat(MAX_DEPTH - 1), "]".repeat(MAX_DEPTH - 1));
    assert_ne!(digest(&deep), digest(&deeper));
    let long = "7".repeat(100_000);
    assert_eq!(digest(&long), digest(&format!("{long}.0")));
    assert_ne!(digest(&long), digest(&format!("{long}0")));
}

proptest! {
    #[test]
    fn moving_the_point_changes_nothing(
        negative: bool, digits in "[0-9]{0,6}[1-9]", zeros in 0_usize..30, exponent in -60_i64..60, point in 0_usize..7,
    ) {
        let sign = if negative { "-" } else { "" };
        let digits = digits.trim_start_matches('0');
        let point = point.min(digits.len());
        let (whole, fraction) = digits.split_at(point);
        let whole = if whole.is_empty() { "0" } else { whole };
        let moved = exponent + i64::try_from(digits.len() - point).unwrap();
        let zeros = "0".repeat(zeros);
        let plain = number(&format!("{sign}{digits}e{exponent}"));
        prop_assert_eq!(&plain, &number(&format!("{sign}{whole}.{fraction}{zeros}0E{moved:+}")));
        prop_assert_eq!(&plain, &format!("{sign}{}e{}", digits.trim_end_matches('0'), exponent
            + i64::try_from(digits.len() - digits.trim_end_matches('0').len()).unwrap()));
    }
}
