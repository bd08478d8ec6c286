//! The HDR area: headers that repeat parts of the message.

use super::client::{Client, Request};
use super::host::Stage;

fn ask(stage: &Stage, request: &Request) -> (u16, i64) {
    let answer = request.send(&stage.endpoint);
    if answer.status() == 400 {
        is_a_refusal(&answer);
    }
    (answer.status(), answer.code())
}

/// HDR-27: status, form and id of a refusal. The body was read, so the connection stays.
fn is_a_refusal(answer: &Client) {
    assert_eq!(answer.header("content-type").as_deref(), Some("application/json"));
    assert!(answer.body().starts_with(r#"{"jsonrpc":"2.0","id":1,"error":"#), "{answer:?}");
    assert!(!answer.closes());
    let value: serde_json::Value = serde_json::from_str(&answer.body()).unwrap();
    let message = value["error"]["message"].as_str().unwrap();
    assert!(message.len() < 200 && message.contains("Mcp-") | message.contains("MCP-"), "{message}");
}

const FINE: (u16, i64) = (200, 0);
const WRONG: (u16, i64) = (400, -32020);

fn read(uri: &str) -> Request {
    Request::new("resources/read", &format!("\"uri\":\"{uri}\"")).with("Mcp-Name", uri)
}

/// HDR-01, HDR-02.
#[test]
fn hdr_01_the_version_is_repeated() {
    let stage = Stage::new();
    for request in [Request::call("echo", "{}"), Request::new("server/discover", ""), read("mem://a")] {
        assert_eq!(ask(&stage, &request), FINE);
        assert_eq!(ask(&stage, &request.clone().without("MCP-Protocol-Version")), WRONG);
        for other in ["2025-11-25", "v999", "", "2026-07-28x", "\"2026-07-28\"", "2026-07-28, 2026-07-28"] {
            assert_eq!(ask(&stage, &request.clone().with("MCP-Protocol-Version", other)), WRONG, "{other}");
        }
    }
}

/// HDR-03, HDR-08, HDR-27.
#[test]
fn hdr_03_the_method_is_repeated() {
    let stage = Stage::new();
    let request = Request::call("echo", "{}");
    assert_eq!(ask(&stage, &request.clone().without("Mcp-Method")), WRONG);
    for other in ["prompts/list", "TOOLS/CALL", "tools/call2", "", "=?base64?dG9vbHMvY2FsbA==?="] {
        assert_eq!(ask(&stage, &request.clone().with("Mcp-Method", other)), WRONG, "{other}");
    }
    // Also before it is known whether there is such a method.
    assert_eq!(ask(&stage, &Request::new("no/such", "").with("Mcp-Method", "x")), WRONG);
}

/// HDR-04, HDR-05, HDR-08.
#[test]
fn hdr_04_the_name_is_repeated() {
    let stage = Stage::new();
    let prompt = Request::new("prompts/get", "\"name\":\"greet\"").with("Mcp-Name", "greet");
    for request in [Request::call("echo", "{}"), prompt, read("mem://a")] {
        assert_eq!(ask(&stage, &request), FINE);
        assert_eq!(ask(&stage, &request.clone().without("Mcp-Name")), WRONG);
        for other in ["other", "ECHO", "Greet", "mem://A", "", "echo,echo"] {
            assert_eq!(ask(&stage, &request.clone().with("Mcp-Name", other)), WRONG, "{other}");
        }
    }
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let request = Request::new(method, "\"taskId\":\"t\"");
        assert_eq!(ask(&stage, &request.clone().with("Mcp-Name", "u")), WRONG, "{method}");
        assert_eq!(ask(&stage, &request.with("Mcp-Name", "t")).0, 404, "{method}");
    }
    // Where nothing is named, nothing is expected.
    assert_eq!(ask(&stage, &Request::new("tools/list", "").with("Mcp-Name", "x")), FINE);
}

/// HDR-06.
#[test]
fn hdr_06_without_a_source_no_header_is_expected() {
    let stage = Stage::new();
    for (method, params) in [
        ("tools/call", ""),
        ("tools/call", "\"name\":5"),
        ("resources/read", ""),
        ("prompts/get", "\"name\":null"),
    ] {
        assert_eq!(ask(&stage, &Request::new(method, params)), (200, -32602), "{method} {params}");
    }
}

/// HDR-07, HDR-09.
#[test]
fn hdr_07_names_ignore_case_and_values_are_trimmed() {
    let stage = Stage::new();
    for name in ["mcp-name", "MCP-NAME", "mCP-nAME"] {
        for value in ["echo", "  echo", "echo \t ", "\techo"] {
            let request = Request::call("echo", "{}").without("Mcp-Name").also(name, value);
            assert_eq!(ask(&stage, &request), FINE, "{name} {value:?}");
        }
    }
    let spaced = Request::call("echo", "{}")
        .with("MCP-Protocol-Version", " 2026-07-28 ")
        .with("mcp-method", "\ttools/call");
    assert_eq!(ask(&stage, &spaced), FINE);
}

/// HDR-10, HDR-11, HDR-12, decision 17.
#[test]
fn hdr_10_base64_has_one_form() {
    let stage = Stage::new();
    let name = |name: &str, header: &str| ask(&stage, &Request::call(name, "{}").with("Mcp-Name", header));
    assert_eq!(name("\u{540d}", "=?base64?5ZCN?="), FINE);
    assert_eq!(name("\u{540d}", "\u{540d}"), WRONG, "only ASCII stands in a header");
    assert_eq!(name("echo", "=?base64?ZWNobw==?="), FINE);
    for bad in [
        "=?base64?ZWNobw?=",
        "=?base64?ZWNobw=?=",
        "=?base64?ZWNobw===?=",
        "=?base64?ZWNobx==?=",
        "=?base64?ZWNo!bw=?=",
        "=?base64? ZWNobw==?=",
        "=?base64?ZWNobw==\t?=",
        "=?base64?/w==?=",
        "=?base64?7aCA?=",
        "=?base64??=",
        "=?base64?5ZCN?=",
    ] {
        assert_eq!(name("echo", bad), WRONG, "{bad}");
    }
    // What is not quite the form is taken as it stands.
    for literal in ["ZWNobw==", "=?base64?ZWNobw==", "ZWNobw==?=", "=?BASE64?ZWNobw==?=", "=?base64?="] {
        assert_eq!(name("echo", literal), WRONG, "{literal}");
        let read =
            Request::new("resources/read", &format!("\"uri\":\"{literal}\"")).with("Mcp-Name", literal);
        assert_eq!(ask(&stage, &read), (200, -32602), "{literal} repeats itself; there is no such resource");
    }
}

fn param(header: Option<(&str, &str)>, arguments: &str) -> Request {
    let request = Request::call("hdr", arguments);
    match header {
        Some((name, value)) => request.with(&format!("Mcp-Param-{name}"), value),
        None => request,
    }
}

/// HDR-17, HDR-19, HDR-20, HDR-21, HDR-22, HDR-23, HDR-24, HDR-32, B-115: one row a way to repeat an argument.
#[test]
fn hdr_19_arguments_are_repeated() {
    let stage = Stage::new();
    for (header, arguments, expected) in [
        (Some(("Region", "us-west1")), r#"{"region":"us-west1"}"#, FINE),
        (Some(("REGION", "us-west1")), r#"{"region":"us-west1"}"#, FINE),
        (Some(("Region", "us west 1")), r#"{"region":"us west 1"}"#, FINE),
        (Some(("Region", "=?base64?SGVsbG8sIOS4lueVjA==?=")), r#"{"region":"Hello, 世界"}"#, FINE),
        (Some(("Region", "=?base64?IHBhZGRlZCA=?=")), r#"{"region":" padded "}"#, FINE),
        (Some(("Region", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=")), r#"{"region":"=?base64?literal?="}"#, FINE),
        (Some(("Region", "SGVsbG8=")), r#"{"region":"SGVsbG8="}"#, FINE),
        (Some(("Region", "padded")), r#"{"region":" padded "}"#, WRONG),
        (Some(("Region", "=?base64?SGVsbG8?=")), r#"{"region":"Hello"}"#, WRONG),
        (Some(("Region", "=?base64?SGVs!!!bG8=?=")), r#"{"region":"Hello"}"#, WRONG),
        (Some(("Region", "us-east1")), r#"{"region":"us-west1"}"#, WRONG),
        (Some(("Region", "US-WEST1")), r#"{"region":"us-west1"}"#, WRONG),
        (Some(("Region", "")), r#"{"region":""}"#, FINE),
        (None, r#"{"region":""}"#, WRONG),
        (None, r#"{"region":"us-west1"}"#, WRONG),
        (None, r"{}", FINE),
        (None, r#"{"region":null}"#, (200, 0)),
        (Some(("Region", "x")), r"{}", WRONG),
        (Some(("Region", "null")), r#"{"region":null}"#, WRONG),
        (Some(("Flag", "true")), r#"{"flag":true}"#, FINE),
        (Some(("Flag", "True")), r#"{"flag":true}"#, WRONG),
        (Some(("Flag", "1")), r#"{"flag":true}"#, WRONG),
        (Some(("Flag", "false")), r#"{"flag":false}"#, FINE),
        (Some(("Flag", "true")), r#"{"flag":false}"#, WRONG),
        (Some(("Count", "42")), r#"{"count":42}"#, FINE),
        (Some(("Count", "42.0")), r#"{"count":42}"#, FINE),
        (Some(("Count", "4.2e1")), r#"{"count":42}"#, FINE),
        (Some(("Count", "42")), r#"{"count":42.00}"#, FINE),
        (Some(("Count", "=?base64?NDI=?=")), r#"{"count":42}"#, FINE),
        (Some(("Count", "-0")), r#"{"count":0}"#, FINE),
        (Some(("Count", "9007199254740993")), r#"{"count":9007199254740993}"#, FINE),
        (Some(("Count", "9007199254740992")), r#"{"count":9007199254740993}"#, WRONG),
        (Some(("Count", "+42")), r#"{"count":42}"#, WRONG),
        (Some(("Count", "042")), r#"{"count":42}"#, WRONG),
        (Some(("Count", "4_2")), r#"{"count":42}"#, WRONG),
        (Some(("Count", "0x2a")), r#"{"count":42}"#, WRONG),
        (Some(("Count", "42,42")), r#"{"count":42}"#, WRONG),
        (Some(("Count", "=?base64?IDQy?=")), r#"{"count":42}"#, WRONG),
        (Some(("Count", "42.5")), r#"{"count":42}"#, WRONG),
        (Some(("Count", "1e99999999999999999999")), r#"{"count":42}"#, WRONG),
        (Some(("Count", "NaN")), r#"{"count":42}"#, WRONG),
        (Some(("Count", "")), r#"{"count":42}"#, WRONG),
        (Some(("Deep-Er", "x")), r#"{"deep":{"er":"x"}}"#, FINE),
        (Some(("Deep-Er", "y")), r#"{"deep":{"er":"x"}}"#, WRONG),
        (None, r#"{"deep":{"er":"x"}}"#, WRONG),
        (None, r#"{"deep":{}}"#, FINE),
        (None, r#"{"deep":null}"#, (200, 0)),
        (Some(("Deep-Er", "x")), r#"{"deep":{}}"#, WRONG),
        (Some(("Deep-Er", "x")), r"{}", WRONG),
    ] {
        assert_eq!(ask(&stage, &param(header, arguments)), expected, "{header:?} {arguments}");
    }
    let digits = "7".repeat(400);
    let long = format!("{{\"count\":{digits}}}");
    assert_eq!(ask(&stage, &param(Some(("Count", &digits)), &long)), FINE);
    assert_eq!(ask(&stage, &param(Some(("Count", &format!("{digits}8"))), &long)), WRONG);
    let null_call = Request::call("hdr", "null").with("Mcp-Param-Region", "x");
    assert_eq!(ask(&stage, &null_call), WRONG);
}

/// HDR-23: an argument of another type than the schema has is repeated as it is, and then refused for its type.
#[test]
fn hdr_23_arguments_of_the_wrong_type() {
    let stage = Stage::new();
    let fault = |header: Option<(&str, &str)>, arguments: &str| {
        let answer = param(header, arguments).send(&stage.endpoint);
        (answer.status(), answer.body().contains("\"isError\":true"))
    };
    assert_eq!(fault(Some(("Count", "42")), r#"{"count":"42"}"#), (200, true));
    assert_eq!(fault(Some(("Region", "5")), r#"{"region":5}"#), (200, true));
    assert_eq!(fault(Some(("Flag", "yes")), r#"{"flag":"yes"}"#), (200, true));
    assert_eq!(fault(None, r#"{"region":["x"]}"#), (200, true));
    assert_eq!(fault(Some(("Region", "6")), r#"{"region":5}"#), (400, false));
}

/// HDR-25.
#[test]
fn hdr_25_characters_that_no_header_has() {
    let stage = Stage::new();
    for value in [&b"us\xe9"[..], "us\u{e9}".as_bytes(), b"\xff"] {
        let request = Request::call("hdr", r#"{"region":"us\u00e9"}"#).with("Mcp-Param-Region", value);
        assert_eq!(ask(&stage, &request), WRONG);
        assert_eq!(ask(&stage, &Request::call("echo", "{}").with("Mcp-Name", value)), WRONG);
        assert_eq!(ask(&stage, &Request::call("echo", "{}").with("Mcp-Method", value)), WRONG);
        assert_eq!(ask(&stage, &Request::call("echo", "{}").with("MCP-Protocol-Version", value)), WRONG);
        // Nobody reads this one.
        assert_eq!(ask(&stage, &Request::call("echo", "{}").with("Mcp-Param-Region", value)), FINE);
    }
    let tab = Request::call("hdr", r#"{"region":"a\tb"}"#).with("Mcp-Param-Region", "a\tb");
    assert_eq!(ask(&stage, &tab), FINE);
}

/// HDR-26.
#[test]
fn hdr_26_headers_of_no_parameter_are_ignored() {
    let stage = Stage::new();
    assert_eq!(ask(&stage, &Request::call("echo", "{}").with("Mcp-Param-Foo", "x")), FINE);
    assert_eq!(ask(&stage, &Request::call("hdr", "{}").with("Mcp-Param-Foo", "x")), FINE);
    assert_eq!(ask(&stage, &Request::call("nope", "{}").with("Mcp-Param-Region", "x")), (200, -32602));
}

/// HDR-29: even two of the same value: whoever reads the first and whoever reads the last must agree.
#[test]
fn hdr_29_a_header_stands_once() {
    let stage = Stage::new();
    let request = || param(Some(("Region", "r")), r#"{"region":"r"}"#);
    assert_eq!(ask(&stage, &request()), FINE);
    for (name, value) in [
        ("Mcp-Name", "hdr"),
        ("mcp-method", "tools/call"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("mcp-param-REGION", "r"),
    ] {
        assert_eq!(ask(&stage, &request().also(name, value)), WRONG, "{name}");
    }
    assert_eq!(ask(&stage, &request().also("Mcp-Param-Foo", "a").also("Mcp-Param-Foo", "b")), FINE);
}
