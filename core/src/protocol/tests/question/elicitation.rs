//! Forms and addresses that a host asks a user with.

use super::super::{accepts, refuses};
use super::{question, FORM};
use crate::protocol::format;

#[test]
fn elic_02_elic_04_modes() {
    const FRAME: &str = r#"{"k":{"method":"elicitation/create","params":{@}}}"#;
    accepts(
        question,
        FRAME,
        &[
            r#""mode":"form","message":"","requestedSchema":{"type":"object","properties":{}}"#,
            r#""mode":"url","message":"","url":"myapp://authorize?x=1""#,
            r#""mode":"url","message":"","url":"http://localhost:8080/a%20b","_meta":{}"#,
        ],
    );
    refuses(
        question,
        FRAME,
        &[
            (
                r#""message":"m","requestedSchema":{"type":"object","properties":{}},"mode":"page""#,
                "/params/mode must be",
            ),
            (
                r#""message":"m","requestedSchema":{"type":"object","properties":{}},"mode":null"#,
                "/params/mode must be",
            ),
            (r#""requestedSchema":{"type":"object","properties":{}}"#, "/k/params needs `message`"),
            (r#""message":"m""#, "/k/params needs `requestedSchema`"),
            (r#""message":"m","url":"https://a""#, "needs `\"mode\":\"url\"`"),
            (r#""mode":"url","message":"m""#, "/k/params needs `url`"),
            (r#""mode":"url","url":"https://a""#, "/k/params needs `message`"),
            (r#""mode":"url","message":"m","url":"/login""#, "/params/url must be an absolute URL"),
            (r#""mode":"url","message":"m","url":"https://a b""#, "/params/url must be an absolute URL"),
            (r#""mode":"url","message":"m","url":"https://""#, "/params/url must name a host"),
            (r#""mode":"url","message":"m","url":"https:a""#, "/params/url must name a host"),
            // ELIC-09: no credentials in the address.
            (r#""mode":"url","message":"m","url":"https://u:p@a.example""#, "/params/url must not carry"),
            (
                r#""mode":"url","message":"m","url":"https://a","elicitationId":"1""#,
                "/params/elicitationId has no place",
            ),
            (
                r#""mode":"url","message":"m","url":"https://a","requestedSchema":{}"#,
                "/requestedSchema has no place",
            ),
        ],
    );
}

fn form_frame() -> String {
    FORM.replace(r#"{"p":{"type":"string"}}"#, r#"{"p":@}"#).replace("{\"method\"", "{\"k\":{\"method\"")
        + "}"
}

#[test]
fn elic_03_fields_of_a_form() {
    accepts(
        question,
        &form_frame(),
        &[
            r#"{"type":"string","title":"t","description":"d","minLength":0,"maxLength":3,"default":"äöü"}"#,
            r#"{"type":"string","format":"email","default":"a@b.c"}"#,
            r#"{"type":"string","format":"uri"}"#,
            r#"{"type":"string","format":"date","default":"2024-02-29"}"#,
            r#"{"type":"string","format":"date-time"}"#,
            r#"{"type":"integer","minimum":0,"maximum":1e400,"default":30}"#,
            r#"{"type":"number","minimum":-0.5,"default":95.5}"#,
            r#"{"type":"boolean","default":true,"$comment":"c","x-order":[1]}"#,
            r#"{"type":"string","enum":["a","b"],"default":"a"}"#,
            r#"{"type":"string","enum":["a","b"],"enumNames":["A","B"]}"#,
            r#"{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"a"}"#,
            r#"{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2,"default":["a"]}"#,
            r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"default":[]}"#,
        ],
    );
    refuses(
        question,
        &form_frame(),
        &[
            ("{}", "/p needs `type`"),
            (r#"{"type":"object","properties":{}}"#, "/p/type must be string, number"),
            (r#"{"type":["string","null"]}"#, "/p/type must be"),
            (r#"{"type":"string","pattern":"a"}"#, "`pattern` is no keyword"),
            (r#"{"type":"string","minlength":1}"#, "`minlength` is no keyword"),
            (r#"{"type":"string","format":"ipv4"}"#, "/p/format must be \"email\""),
            (r#"{"type":"string","minLength":-1}"#, "/p/minLength must be an integer"),
            (r#"{"type":"string","minLength":3,"maxLength":2}"#, "/p/minLength must not be above"),
            (r#"{"type":"string","default":5}"#, "/p/default must be a string"),
            (r#"{"type":"string","maxLength":2,"default":"abc"}"#, "/p/default must have at most 2"),
            (r#"{"type":"string","format":"date","default":"2023-02-29"}"#, "/p/default must be a date"),
            (r#"{"type":"number","minimum":"0"}"#, "/p/minimum must be a number"),
            (r#"{"type":"number","exclusiveMinimum":0}"#, "`exclusiveMinimum` is no keyword"),
            (r#"{"type":"number","minimum":1.5,"maximum":1.49}"#, "/p/minimum must not be above"),
            (r#"{"type":"integer","default":1.5}"#, "/p/default must be an integer"),
            (r#"{"type":"integer","maximum":9,"default":10}"#, "/p/default must be at most 9"),
            (r#"{"type":"boolean","default":"true"}"#, "/p/default must be true or false"),
            (r#"{"type":"boolean","default":null}"#, "/p/default must not be null"),
            (r#"{"type":"string","enum":[]}"#, "/p/enum must offer"),
            (r#"{"type":"string","enum":["a",1]}"#, "/p/enum/1 must be a string"),
            (r#"{"type":"string","enum":["a"],"enumNames":["A","B"]}"#, "/p/enumNames must have one"),
            (r#"{"type":"string","enum":["a"],"default":"b"}"#, "/p/default must be one of"),
            (r#"{"type":"string","enum":["a"],"oneOf":[]}"#, "`oneOf` is no keyword"),
            (r#"{"type":"string","oneOf":[{"const":"a"}]}"#, "/p/oneOf/0 needs `title`"),
            (r#"{"type":"string","oneOf":[{"const":1,"title":"A"}]}"#, "/p/oneOf/0/const must be a string"),
            (
                r#"{"type":"string","oneOf":[{"const":"a","title":"A"}],"default":"A"}"#,
                "/p/default must be one of",
            ),
            (r#"{"type":"array"}"#, "/p needs `items`"),
            (r#"{"type":"array","items":{"type":"string"}}"#, "/p/items needs `enum`"),
            (
                r#"{"type":"array","items":{"type":"integer","enum":["a"]}}"#,
                "/p/items/type must be \"string\"",
            ),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a"]},"uniqueItems":true}"#,
                "`uniqueItems`",
            ),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a"]},"default":["b"]}"#,
                "/p/default/0 must be one of",
            ),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a"]},"minItems":1,"default":[]}"#,
                "at least 1 values",
            ),
            (r#"{"type":"array","items":{"anyOf":[]}}"#, "/p/items/anyOf must offer"),
        ],
    );
    let whole = r#"{"k":{"method":"elicitation/create","params":{"message":"m","requestedSchema":@}}}"#;
    accepts(
        question,
        whole,
        &[
            r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{},"title":"T"}"#,
            r#"{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"],"additionalProperties":false}"#,
        ],
    );
    refuses(
        question,
        whole,
        &[
            ("[]", "/requestedSchema must be an object"),
            (r#"{"properties":{}}"#, "needs `type`"),
            (r#"{"type":"string","properties":{}}"#, "/requestedSchema/type must be \"object\""),
            (r#"{"type":"object"}"#, "needs `properties`"),
            (r#"{"type":"object","properties":{"p":true}}"#, "/properties/p must be an object"),
            (r#"{"type":"object","properties":{},"required":["a"]}"#, "/required/0 must be the name"),
            (r#"{"type":"object","properties":{},"allOf":[]}"#, "`allOf` is no keyword"),
        ],
    );
}

#[test]
fn elic_03_formats() {
    type Format = fn(&str) -> bool;
    let table: [(Format, &[&str], &[&str]); 4] = [
        (
            format::is_email,
            &["a@b", "a.b+c@d-e.example", "\"a b\\\"@\"@c", "a@[127.0.0.1]", "a@[IPv6:::1]", "o'x!#@d.e"],
            &[
                "",
                "a",
                "@b",
                "a@",
                "a@b@c",
                "a b@c",
                ".a@b",
                "a.@b",
                "a..b@c",
                "a@-b",
                "a@b-",
                "a@b..c",
                "a@[1.2]",
                "\"@b",
                "\"a\"b\"@c",
                "a@b c",
                "a@b\n",
                "a@ü.example",
            ],
        ),
        (
            format::is_uri,
            &["https://a/b?c#d", "urn:x", "mailto:a@b", "file:///x", "http://[::1]:80/"],
            &["", "a", "/a", "//a", "https://a b", "https://ä", "1a:b", "https://a/%zz", "https://a/{b}"],
        ),
        (
            format::is_date,
            &["2024-02-29", "2000-02-29", "1999-12-31", "0000-01-01"],
            &[
                "",
                "2023-02-29",
                "1900-02-29",
                "2023-04-31",
                "2023-13-01",
                "2023-00-01",
                "2023-01-00",
                "2023-1-1",
                "23-01-01",
                "2023/01/01",
                "2023-01-01Z",
                " 2023-01-01",
                "2023-01-0１",
                "+202-01-01",
            ],
        ),
        (
            format::is_date_time,
            &[
                "2024-02-29T00:00:00Z",
                "2024-02-29t23:59:59.999999999z",
                "2024-02-29T12:00:00+14:00",
                "1998-12-31T23:59:60Z",
                "1998-12-31T15:59:60.5-08:00",
                "1999-01-01T00:59:60+01:00",
            ],
            &[
                "",
                "2024-02-29",
                "2024-02-29T00:00:00",
                "2024-02-29 00:00:00Z",
                "2024-02-29T24:00:00Z",
                "2024-02-29T00:60:00Z",
                "2024-02-29T00:00:61Z",
                "2024-02-29T12:00:60Z",
                "2024-02-29T00:00:00.Z",
                "2024-02-29T00:00:00+24:00",
                "2024-02-29T00:00:00+1:00",
                "2024-02-29T00:00:00+0100",
                "2024-02-30T00:00:00Z",
                "2024-02-29T00:00Z",
                "2024-02-29T00:00:00Zé",
                "2024-02-29T0é:00:00Z",
                "2024-02-29T23:59:60+01:00",
            ],
        ),
    ];
    for (check, right, wrong) in table {
        for text in right {
            assert!(check(text), "{text:?}");
        }
        for text in wrong {
            assert!(!check(text), "{text:?}");
        }
    }
}
