//! Numbers, lengths and equality.

use super::{table, violations};

#[test]
fn decision_29_numbers_are_exact_at_any_size() {
    let sixty = "9".repeat(60);
    let less = format!("{}8", "9".repeat(59));
    let rows = [
        (r#"{"type":"integer"}"#.to_owned(), "9007199254740993", true),
        (r#"{"type":"integer"}"#.to_owned(), &sixty, true),
        (r#"{"type":"integer"}"#.to_owned(), "1e400", true),
        (r#"{"type":"integer"}"#.to_owned(), "1.0", true),
        (r#"{"type":"integer"}"#.to_owned(), "1.50e1", true),
        (r#"{"type":"integer"}"#.to_owned(), "1e-400", false),
        (r#"{"type":"integer"}"#.to_owned(), "9007199254740993.00000000000000001", false),
        (r#"{"type":"number"}"#.to_owned(), "1e400", true),
        (r#"{"maximum":9007199254740992}"#.to_owned(), "9007199254740993", false),
        (r#"{"maximum":9007199254740993}"#.to_owned(), "9007199254740993.000000000000001", false),
        (format!(r#"{{"maximum":{less}}}"#), &sixty, false),
        (format!(r#"{{"maximum":{sixty}}}"#), &sixty, true),
        (format!(r#"{{"exclusiveMaximum":{sixty}}}"#), &sixty, false),
        (format!(r#"{{"exclusiveMinimum":{less}}}"#), &sixty, true),
        (r#"{"maximum":1e400}"#.to_owned(), "1e399", true),
        (r#"{"maximum":1e400}"#.to_owned(), "1.1e400", false),
        (r#"{"minimum":-1e400}"#.to_owned(), "-1e401", false),
        (r#"{"exclusiveMinimum":0}"#.to_owned(), "1e-400", true),
        (r#"{"minimum":0.1}"#.to_owned(), "0.0999999999999999999999999", false),
        (r#"{"minimum":0}"#.to_owned(), "-0.0", true),
        (r#"{"multipleOf":0.1}"#.to_owned(), "0.3", true),
        (r#"{"multipleOf":0.01}"#.to_owned(), "19.99", true),
        (r#"{"multipleOf":3}"#.to_owned(), &sixty, true),
        (r#"{"multipleOf":7}"#.to_owned(), &sixty, true),
        (r#"{"multipleOf":3}"#.to_owned(), "1e400", false),
        (r#"{"multipleOf":2}"#.to_owned(), "1e400", true),
        (r#"{"multipleOf":2}"#.to_owned(), "9007199254740993", false),
        (format!(r#"{{"multipleOf":{sixty}}}"#), &sixty, true),
        (format!(r#"{{"multipleOf":{sixty}}}"#), &less, false),
        (r#"{"multipleOf":1e-400}"#.to_owned(), "1", true),
        (r#"{"multipleOf":2}"#.to_owned(), "1.0e1", true),
        (r#"{"const":9007199254740993}"#.to_owned(), "9007199254740992", false),
        (r#"{"const":9007199254740993}"#.to_owned(), "9007199254740993.0", true),
        (format!(r#"{{"enum":["a",{sixty}]}}"#), &less, false),
        (format!(r#"{{"enum":["a",{sixty}]}}"#), &sixty, true),
        (format!(r#"{{"const":{{"a":[{sixty}]}}}}"#), r#"{"a":[1]}"#, false),
        (r#"{"const":1e400}"#.to_owned(), "10e399", true),
        (r#"{"const":1e400}"#.to_owned(), "1e401", false),
    ];
    for (text, instance, valid) in &rows {
        table(&[(text, instance, *valid)]);
    }
    // A reference reaches the same numbers, wherever they stand.
    let text = format!(r##"{{"x-parts":{{"a":{{"const":{sixty}}}}},"items":{{"$ref":"#/x-parts/a"}}}}"##);
    table(&[(&text, &format!("[{sixty}]"), true), (&text, &format!("[{less}]"), false)]);
    assert!(violations(&format!(r#"{{"maximum":{less}}}"#), &sixty)
        .contains(&format!("at most {less}, got {sixty}")));
}

#[test]
fn b_43_values_compare_as_json_at_any_depth() {
    table(&[
        (r#"{"const":{"a":[1,{"b":2}]}}"#, r#"{"a":[1.0,{"b":2e0}]}"#, true),
        (r#"{"const":{"a":1,"b":2}}"#, r#"{"b":2,"a":1}"#, true),
        (r#"{"enum":[[0]]}"#, "[false]", false),
        (r#"{"enum":[1]}"#, "true", false),
        (r#"{"enum":["1"]}"#, "1", false),
        (r#"{"const":"a"}"#, "\"\\u0061\"", true),
        (r#"{"const":{"a":"b"}}"#, r#"{"\u0061":"\u0062"}"#, true),
        (r#"{"uniqueItems":true}"#, r#"[{"a":1,"b":[2]},{"b":[2.0],"a":1e0}]"#, false),
        (r#"{"uniqueItems":true}"#, r#"[1,true,"1",[1],null,{},[],""]"#, true),
        (r#"{"uniqueItems":true}"#, "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,1.0]", false),
        (r#"{"uniqueItems":true}"#, "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,100,1e2]", false),
        (
            r#"{"uniqueItems":true}"#,
            "[[0],[1],[2],[3],[4],[5],[6],[7],[8],[9],[10],[11],[12],[13],[14],[15],[16],[\"0\"]]",
            true,
        ),
    ]);
}

#[test]
fn b_40_b_42_integers_and_lengths() {
    table(&[
        (r#"{"type":"integer"}"#, "1.5", false),
        (r#"{"type":["integer","string"]}"#, "2.0", true),
        (r#"{"enum":[2]}"#, "2.0", true),
        // Draft-04 alone goes by the spelling.
        (r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"integer"}"#, "1.0", false),
        (r#"{"$schema":"http://json-schema.org/draft-06/schema#","type":"integer"}"#, "1.0", true),
        (r#"{"maxLength":2}"#, "\"😀😀\"", true),
        (r#"{"maxLength":1}"#, "\"\\ud83d\\ude00\"", true),
        (r#"{"minLength":2}"#, "\"\\ud83d\\ude00\"", false),
        (r#"{"minLength":3}"#, "\"éé\"", false),
        (r#"{"minLength":4,"maxLength":4}"#, "\"a\\n😀é\"", true),
    ]);
}

fn decimal(value: i128, scale: usize) -> String {
    // The same value with `scale` digits behind the point.
    let factor = 10_i128.pow(u32::try_from(scale).unwrap());
    let (whole, rest) = (value.abs() / factor, value.abs() % factor);
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{whole}.{rest:0>scale$}")
}

proptest::proptest! {
    /// Decision 29: whatever the spelling, numbers compare and divide as their values do.
    #[test]
    fn decimals_agree_with_integers(a in -1_000_000_i64..1_000_000, b in 1_i64..5_000, scale in 0_usize..6, shift in 0_usize..6) {
        use crate::json::Decimal;
        let (left, right) = (i128::from(a), i128::from(b));
        let fixed = decimal(left, 6);
        let exponent = format!("{a}e-6");
        proptest::prop_assert!(Decimal::read(&fixed) == Decimal::read(&exponent));
        let (a_text, b_text) = (decimal(left, scale + 1), decimal(right, shift + 1));
        let (ten_a, ten_b) = (10_i128.pow(u32::try_from(shift).unwrap()), 10_i128.pow(u32::try_from(scale).unwrap()));
        let (a_value, b_value) = (left * ten_a, right * ten_b);
        let (a_read, b_read) = (Decimal::read(&a_text), Decimal::read(&b_text));
        proptest::prop_assert_eq!(a_read.cmp(&b_read), a_value.cmp(&b_value));
        proptest::prop_assert_eq!(a_read.is_multiple_of(&b_read), Some(a_value % b_value == 0));
        // The same beyond the size of a machine word, by hand.
        let big = "1000000000000000000000000000001";
        let product = |n: i128| format!("{}{}", n, &format!("{n:0>30}"));
        let multiple = product(right);
        proptest::prop_assert_eq!(Decimal::read(&multiple).is_multiple_of(&Decimal::read(big)), Some(true));
        let off = format!("{multiple}.5");
        proptest::prop_assert_eq!(Decimal::read(&off).is_multiple_of(&Decimal::read(big)), Some(false));
    }
}
