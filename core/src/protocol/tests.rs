//! Accepted and refused texts, by the ids of the requirements that they show.

mod question;

use super::shape::ShapeFault;
use super::*;
use crate::json::{Document, Node};

fn document(text: &str) -> Document {
    let document =
        Document::parse(text.as_bytes().to_vec()).unwrap_or_else(|fault| panic!("{fault}: {text}"));
    assert_eq!(document.duplicate(), None, "{text}");
    document
}

/// Each text with `@` replaced by each of `parts` is accepted.
fn accepts<E: std::fmt::Display>(check: impl Fn(Node<'_>) -> Result<(), E>, frame: &str, parts: &[&str]) {
    for part in parts {
        let text = frame.replace('@', part);
        if let Err(fault) = check(document(&text).root()) {
            panic!("{text}: {fault}");
        }
    }
}

/// Each text with `@` replaced is refused with a message that holds the second part and that may be sent.
fn refuses<E: std::fmt::Display>(
    check: impl Fn(Node<'_>) -> Result<(), E>,
    frame: &str,
    parts: &[(&str, &str)],
) {
    for (part, said) in parts {
        let text = frame.replace('@', part);
        match check(document(&text).root()) {
            Ok(()) => panic!("accepted: {text}"),
            Err(fault) => {
                let message = fault.to_string();
                assert!(message.contains(said), "{text}: {message}");
                assert!(message.chars().count() < 200 && !message.contains(char::is_control), "{message}");
            }
        }
    }
}

fn tool(node: Node<'_>) -> Result<(), ShapeFault> {
    check_tool_result(node).map(drop)
}

fn read(node: Node<'_>) -> Result<(), ShapeFault> {
    check_read_result(node).map(drop)
}

#[test]
fn tools_15_r103_content_blocks() {
    accepts(
        tool,
        r#"{"content":[@]}"#,
        &[
            "",
            r#"{"type":"text","text":""}"#,
            r#"{"text":"t","type":"text","more":null},{"type":"text","text":"u"}"#,
            r#"{"type":"image","data":"","mimeType":"image/png"}"#,
            r#"{"type":"image","data":"+/8=","mimeType":"image/png"}"#,
            // PHP writes the slash with an escape.
            r#"{"type":"audio","data":"+\/8=","mimeType":"audio/wav","annotations":{"audience":["user","assistant"]}}"#,
            r#"{"type":"resource_link","uri":"x://é","name":"","size":0,"icons":[{"src":"data:,x","sizes":["any","1x2"]}]}"#,
            r#"{"type":"resource","resource":{"uri":"a:b","text":"","mimeType":"text/plain","_meta":{"a.b/c":null}}}"#,
            r#"{"type":"resource","resource":{"uri":"a:b","blob":"AQID"},"annotations":{"priority":1.0}}"#,
            r#"{"type":"text","text":"","annotations":{"priority":0,"lastModified":"2025-01-12T15:00:58+02:00"}}"#,
        ],
    );
    refuses(
        tool,
        r#"{"content":[{"type":"text","text":""},@]}"#,
        &[
            ("5", "/content/1 must be an object"),
            ("{}", "/content/1 needs `type`"),
            (r#"{"type":"video"}"#, "/content/1/type must be \"text\""),
            (r#"{"type":"tool_use","id":"1","name":"n","input":{}}"#, "/content/1/type must be"),
            (r#"{"type":"text"}"#, "/content/1 needs `text`"),
            (r#"{"type":"text","text":5}"#, "/content/1/text must be a string"),
            (r#"{"type":"text","text":"","annotations":null}"#, "/content/1/annotations must not be null"),
            (r#"{"type":"text","text":"","annotations":{"priority":1.01}}"#, "/annotations/priority must be"),
            (
                r#"{"type":"text","text":"","annotations":{"audience":"user"}}"#,
                "/annotations/audience must be",
            ),
            (
                r#"{"type":"text","text":"","annotations":{"audience":["me"]}}"#,
                "/annotations/audience/0 must be",
            ),
            (
                r#"{"type":"text","text":"","annotations":{"lastModified":"2025-01-12"}}"#,
                "/lastModified must be a date",
            ),
            (r#"{"type":"text","text":"","_meta":[]}"#, "/content/1/_meta must be an object"),
            (r#"{"type":"image","data":"AQID"}"#, "needs `mimeType`"),
            (r#"{"type":"image","mimeType":"image/png"}"#, "needs `data`"),
            (r#"{"type":"audio","data":"AQI","mimeType":"a/b"}"#, "/content/1/data must be base64"),
            (r#"{"type":"resource_link","uri":"x:y"}"#, "needs `name`"),
            (r#"{"type":"resource_link","uri":"/path","name":"n"}"#, "/content/1/uri must be a URI"),
            (
                r#"{"type":"resource_link","uri":"x:y","name":"n","size":-1}"#,
                "/content/1/size must be an integer",
            ),
            (
                r#"{"type":"resource_link","uri":"x:y","name":"n","icons":[{"src":"javascript:1"}]}"#,
                "/icons/0/src must",
            ),
            (
                r#"{"type":"resource_link","uri":"x:y","name":"n","icons":[{"src":"data:,","theme":"x"}]}"#,
                "/theme must",
            ),
            (r#"{"type":"resource","resource":{"uri":"a:b"}}"#, "/content/1/resource needs `text` or `blob`"),
            (
                r#"{"type":"resource","resource":{"uri":"a:b","text":"","blob":""}}"#,
                "/content/1/resource must have",
            ),
            (r#"{"type":"resource","resource":{"text":""}}"#, "/content/1/resource needs `uri`"),
            (r#"{"type":"resource"}"#, "needs `resource`"),
        ],
    );
}

#[test]
fn r103_base64_is_standard_padded_and_canonical() {
    use base64::Engine;
    let standard = base64::engine::general_purpose::STANDARD;
    for length in 0..80_u8 {
        let bytes: Vec<u8> = (0..length).map(|n| n.wrapping_mul(37) ^ 0xFB).collect();
        assert!(format::is_base64(&standard.encode(bytes)), "{length}");
    }
    // Every text of four characters over an alphabet with all kinds of them is judged as the codec judges it.
    let alphabet = ["A", "Q", "z", "9", "+", "/", "=", "-", "_", "\n", " ", "\u{80}", "@", "[", "`", "{"];
    for text in ["", "A", "AA", "AAA", "AAAA", "AAAAA", "AAAA=", "===="] {
        assert_eq!(format::is_base64(text), standard.decode(text).is_ok(), "{text:?}");
    }
    for a in alphabet {
        for b in alphabet {
            for c in alphabet {
                for d in alphabet {
                    let text = format!("{a}{b}{c}{d}");
                    assert_eq!(format::is_base64(&text), standard.decode(&text).is_ok(), "{text:?}");
                }
            }
        }
    }
}

#[test]
fn tools_12_tool_results() {
    accepts(
        tool,
        "@",
        &[
            r#"{"content":[],"isError":true,"structuredContent":null,"_meta":{},"resultType":"complete","x":1}"#,
            r#"{"structuredContent":[1]}"#,
            r#"{"structuredContent":null}"#,
        ],
    );
    refuses(
        tool,
        "@",
        &[
            ("[]", "must be an object"),
            ("{}", "needs `content`"),
            (r#"{"isError":true}"#, "needs `content`"),
            (r#"{"content":null,"structuredContent":{}}"#, "/content must not be null"),
            (r#"{"content":"text"}"#, "/content must be an array"),
            (r#"{"content":[],"isError":"false"}"#, "/isError must be true or false"),
            (r#"{"content":[],"resultType":"input_required"}"#, "/resultType is the engine's"),
            (r#"{"content":[],"_meta":{"a b":1}}"#, "/_meta/a b has a bad key"),
            // META-02: keys that the protocol may define one day are not a host's to write.
            (
                r#"{"content":[],"_meta":{"io.modelcontextprotocol/zzz":1}}"#,
                "/_meta/io.modelcontextprotocol~1zzz is under",
            ),
            (r#"{"content":[],"_meta":{"com.mcp.tools/x":1}}"#, "reserves"),
        ],
    );
    let text = r#"{"structuredContent":{"a":1},"isError":true,"_meta":{"com.example/k":1}}"#;
    let whole = document(text);
    let view = check_tool_result(whole.root()).unwrap();
    assert!(view.content.is_none() && view.is_error && view.result_type.is_none());
    assert_eq!(view.structured.unwrap().raw(), r#"{"a":1}"#);
    assert_eq!(view.meta.unwrap().raw(), r#"{"com.example/k":1}"#);
}

#[test]
fn res_05_cache_02_cache_03_read_results() {
    accepts(
        read,
        r#"{"contents":[{"uri":"a:b","text":""}@}"#,
        &[
            "]",
            r#",{"uri":"a:c","blob":"AA==","mimeType":"x/y","_meta":{}}]"#,
            r#"],"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{}}"#,
        ],
    );
    refuses(
        read,
        "{@}",
        &[
            ("", "needs `contents`"),
            // RES-06: nothing there is an error, not an empty list.
            (r#""contents":[]"#, "/contents must not be empty"),
            (r#""contents":{}"#, "/contents must be an array"),
            (r#""contents":[{"uri":"a:b"}]"#, "/contents/0 needs `text` or `blob`"),
            (r#""contents":[{"uri":"a:b","text":"","blob":""}]"#, "not both"),
            (r#""contents":[{"uri":"a:b","text":"","mimeType":1}]"#, "/contents/0/mimeType must be a string"),
            (r#""contents":[{"uri":"a:b","blob":"_-8="}]"#, "/contents/0/blob must be base64"),
            (r#""contents":[{"uri":"a:b","text":""}],"ttlMs":-1"#, "/ttlMs must be an integer"),
            (r#""contents":[{"uri":"a:b","text":""}],"ttlMs":1.5"#, "/ttlMs must be an integer"),
        ],
    );
    refuses(
        read,
        r#"{"contents":[{"uri":"a:b","text":""}],@}"#,
        &[
            (r#""cacheScope":"all""#, "/cacheScope must be \"public\" or \"private\""),
            (r#""resultType":5"#, "/resultType is the engine's"),
        ],
    );
    let whole = document(r#"{"contents":[{"uri":"a:b","text":""}],"ttlMs":6e4,"cacheScope":"public"}"#);
    let view = check_read_result(whole.root()).unwrap();
    assert_eq!((view.ttl_ms, view.cache_scope), (Some(60_000), Some(crate::CacheScope::Public)));
}

#[test]
fn prompt_results() {
    let check = |node: Node<'_>| check_prompt_result(node).map(drop);
    accepts(
        check,
        r#"{"messages":[@],"description":"d"}"#,
        &[
            "",
            r#"{"role":"user","content":{"type":"text","text":"t"}}"#,
            r#"{"role":"assistant","content":{"type":"resource","resource":{"uri":"a:b","text":""}}}"#,
        ],
    );
    refuses(
        check,
        r#"{"messages":[@]}"#,
        &[
            (
                r#"{"role":"system","content":{"type":"text","text":"t"}}"#,
                "/messages/0/role must be \"user\"",
            ),
            (
                r#"{"role":"user","content":[{"type":"text","text":"t"}]}"#,
                "/messages/0/content must be an object",
            ),
            (r#"{"role":"user"}"#, "/messages/0 needs `content`"),
            (r#"{"content":{"type":"text","text":"t"}}"#, "/messages/0 needs `role`"),
        ],
    );
    refuses(
        check,
        "@",
        &[
            ("{}", "needs `messages`"),
            (r#"{"messages":{}}"#, "/messages must be an array"),
            (r#"{"messages":[],"description":5}"#, "/description must be a string"),
            (r#"{"messages":[],"resultType":"task"}"#, "/resultType is the engine's"),
        ],
    );
}

#[test]
fn compl_03_r102_completions_are_cut_at_100() {
    let check = |node: Node<'_>| check_completion_result(node).map(drop);
    refuses(
        check,
        "@",
        &[
            ("{}", "needs `completion`"),
            (r#"{"completion":[]}"#, "/completion must be an object"),
            (r#"{"completion":{}}"#, "/completion needs `values`"),
            (r#"{"completion":{"values":[1]}}"#, "/completion/values/0 must be a string"),
            (r#"{"completion":{"values":[],"total":-1}}"#, "/completion/total must be"),
            (r#"{"completion":{"values":[],"hasMore":1}}"#, "/completion/hasMore must be"),
        ],
    );
    for (count, given, total, more) in [
        (0, "", None, None),
        (100, r#","total":100"#, Some(100), None),
        (101, "", Some(101), Some(true)),
        (250, r#","hasMore":false"#, Some(250), Some(true)),
        (250, r#","total":9000,"x":"y""#, Some(9000), Some(true)),
        (250, r#","total":7"#, Some(250), Some(true)),
    ] {
        let values: Vec<String> = (0..count).map(|n| format!("\"v{n}\"")).collect();
        let whole = document(&format!("{{\"completion\":{{ \"values\":[{}]{given}}}}}", values.join(", ")));
        let view = check_completion_result(whole.root()).unwrap();
        let mut out = Vec::new();
        write_completion(&mut out, view.completion);
        let written = Document::parse(out).unwrap();
        let root = written.root();
        let kept: Vec<String> = root.get("values").unwrap().elements().map(|v| v.raw().to_owned()).collect();
        assert_eq!(kept, values[..count.min(100)]);
        assert_eq!(root.get("total").and_then(Node::as_i64), total);
        assert_eq!(root.get("hasMore").and_then(Node::as_bool), more);
        assert_eq!(root.get("x").is_some(), given.contains("\"x\""));
        assert!(!written.spaced() && written.duplicate().is_none());
    }
}

#[test]
fn base_14_to_17_r039_error_codes_of_a_host() {
    for (chosen, modern, november, older) in [
        (-32600, -32600, -32600, -32600),
        (-32601, -32601, -32601, -32601),
        (-32602, -32602, -32602, -32602),
        (-32603, -32603, -32603, -32603),
        (-32020, -32020, -32603, -32603),
        (-32021, -32021, -32021, -32021),
        (-32022, -32022, -32603, -32603),
        (-32002, -32602, -32002, -32002),
        (-32042, -32603, -32042, -32603),
        (-32700, -32603, -32603, -32603),
        (-32000, -32603, -32603, -32603),
        (-32019, -32603, -32603, -32603),
        (-32050, -32603, -32603, -32603),
        (-32099, -32603, -32603, -32603),
        (-32768, -32603, -32603, -32603),
        (-32769, -32769, -32769, -32769),
        (-31999, -31999, -31999, -31999),
        (0, 0, 0, 0),
        (i32::MIN, i32::MIN, i32::MIN, i32::MIN),
    ] {
        for revision in Revision::all() {
            let expected = match revision {
                Revision::V2026_07_28 => modern,
                Revision::V2025_11_25 => november,
                Revision::V2025_06_18 | Revision::V2025_03_26 | Revision::V2024_11_05 => older,
            };
            let decided = check_error_code(chosen, revision);
            assert_eq!(decided.code, expected, "{chosen} {revision:?}");
            assert_eq!(decided.rewritten.is_some(), chosen != expected, "{chosen} {revision:?}");
        }
    }
    for (code, data, holds) in [
        (-32021, r#"{"requiredCapabilities":{"sampling":{}}}"#, true),
        (-32021, r#"{"requiredCapabilities":["sampling"]}"#, false),
        (-32021, "{}", false),
        (-32022, r#"{"supported":["2026-07-28"],"requested":"x"}"#, true),
        (-32022, r#"{"supported":["2026-07-28"]}"#, false),
        (-32602, "5", true),
        (
            -32042,
            r#"{"elicitations":[{"mode":"url","message":"m","url":"https://a.b","elicitationId":"1"}]}"#,
            true,
        ),
        (
            -32042,
            r#"{"elicitations":[{"mode":"form","message":"m","url":"https://a.b","elicitationId":"1"}]}"#,
            false,
        ),
        (-32042, r#"{"elicitations":[{"mode":"url","message":"m","url":"https://a.b"}]}"#, false),
        (-32042, r#"{"elicitations":[]}"#, false),
        (-32042, r#"{"elicitations":{}}"#, false),
    ] {
        assert_eq!(check_error_data(code, Some(document(data).root())).is_ok(), holds, "{code} {data}");
    }
    assert!(check_error_data(-32021, None).is_err() && check_error_data(1, None).is_ok());
}

#[test]
fn p_18_meta_12_t_35_capability_shapes() {
    let check = |node: Node<'_>| ClientCapabilities::new(node).check();
    accepts(
        check,
        "@",
        &[
            "{}",
            r#"{"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"elicitation":{"form":{},"url":{}}}"#,
            r#"{"extensions":{"io.modelcontextprotocol/tasks":{},"com.example/":{"a":1}},"experimental":{"k":{}}}"#,
            r#"{"foo":{},"bar":5,"sampling":{"new":1},"roots":null}"#,
        ],
    );
    refuses(
        check,
        "@",
        &[
            (r#"{"roots":true}"#, "/roots must be an object"),
            (r#"{"sampling":[]}"#, "/sampling must be an object"),
            (r#"{"sampling":{"tools":true}}"#, "/sampling/tools must be an object"),
            (r#"{"elicitation":{"url":""}}"#, "/elicitation/url must be an object"),
            (r#"{"extensions":{"tasks":{}}}"#, "/extensions/tasks is no extension id"),
            (r#"{"extensions":{"a b/c":{}}}"#, "is no extension id"),
            (r#"{"extensions":{"a.b/c":true}}"#, "/extensions/a.b~1c must be an object"),
            (r#"{"experimental":{"k":1}}"#, "/experimental/k must be an object"),
        ],
    );
}

#[test]
fn elic_01_declared_capabilities() {
    let asks = [
        "elicitation",
        "elicitation.form",
        "elicitation.url",
        "sampling",
        "sampling.tools",
        "sampling.context",
        "roots",
        "extensions.io.modelcontextprotocol/tasks",
        "experimental.k",
    ];
    for (declared, supported) in [
        ("{}", &[][..]),
        (r#"{"elicitation":{}}"#, &["elicitation", "elicitation.form"]),
        (r#"{"elicitation":{"form":{}}}"#, &["elicitation", "elicitation.form"]),
        (r#"{"elicitation":{"url":{}}}"#, &["elicitation", "elicitation.url"]),
        (r#"{"elicitation":{"url":{},"form":{}}}"#, &["elicitation", "elicitation.form", "elicitation.url"]),
        (r#"{"elicitation":null,"roots":null}"#, &[]),
        (r#"{"sampling":{}}"#, &["sampling"]),
        (r#"{"sampling":{"tools":{}}}"#, &["sampling", "sampling.tools"]),
        (r#"{"sampling":{"context":{}},"roots":{}}"#, &["sampling", "sampling.context", "roots"]),
        (
            r#"{"extensions":{"io.modelcontextprotocol/tasks":{}},"experimental":{"k":{}}}"#,
            &["extensions.io.modelcontextprotocol/tasks", "experimental.k"],
        ),
    ] {
        let whole = document(declared);
        let capabilities = ClientCapabilities::new(whole.root());
        for ask in asks {
            assert_eq!(capabilities.supports(ask), supported.contains(&ask), "{declared} {ask}");
        }
    }
}

const PV_CC: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}@}"#;

#[test]
fn meta_05_p_16_what_a_request_must_say() {
    let check = |node: Node<'_>| check_request_meta(node).map(drop);
    let (pv, cc) =
        ("`io.modelcontextprotocol/protocolVersion`", "`io.modelcontextprotocol/clientCapabilities`");
    refuses(
        check,
        "@",
        &[
            ("5", "`_meta` must be an object"),
            ("{}", pv),
            (r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#, pv),
            (r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#, cc),
            (
                r#"{"io.modelcontextprotocol/protocolVersion":1,"io.modelcontextprotocol/clientCapabilities":{}}"#,
                pv,
            ),
            (
                r#"{"io.modelcontextprotocol/protocolVersion":null,"io.modelcontextprotocol/clientCapabilities":{}}"#,
                pv,
            ),
            (
                r#"{"io.modelcontextprotocol/clientCapabilities":[],"io.modelcontextprotocol/protocolVersion":""}"#,
                cc,
            ),
        ],
    );
}

#[test]
fn meta_06_meta_08_p_17_p_19_t_34_log_05_prog_01_what_a_request_may_say() {
    let check = |node: Node<'_>| check_request_meta(node).and_then(|meta| meta.rest().map_err(str::to_owned));
    accepts(
        check,
        PV_CC,
        &[
            "",
            r#","io.modelcontextprotocol/clientInfo":{"name":"n","version":"","websiteUrl":"https://a.b","icons":[]}"#,
            r#","io.modelcontextprotocol/logLevel":"emergency","progressToken":0"#,
            r#","progressToken":"""#,
            r#","progressToken":-12345678901234567890123"#,
            r#","progressToken":1e2"#,
            r#","progressToken":null,"io.modelcontextprotocol/clientInfo":null"#,
            r#","io.modelcontextprotocol/zzz":1,"com.x/y":{},"traceparent":5"#,
        ],
    );
    refuses(
        check,
        PV_CC,
        &[
            (
                r#","io.modelcontextprotocol/clientInfo":{"name":"n"}"#,
                "`io.modelcontextprotocol/clientInfo`: needs `version`",
            ),
            (
                r#","io.modelcontextprotocol/clientInfo":{"name":1,"version":""}"#,
                "clientInfo`: /name must be a string",
            ),
            (r#","io.modelcontextprotocol/clientInfo":[]"#, "clientInfo`: must be an object"),
            (
                r#","io.modelcontextprotocol/clientInfo":{"name":"n","version":"","websiteUrl":"example"}"#,
                "clientInfo`: /websiteUrl must be an absolute URL",
            ),
            (
                r#","io.modelcontextprotocol/clientInfo":{"name":"n","version":"","icons":[{}]}"#,
                "clientInfo`: /icons/0 needs `src`",
            ),
            (
                r#","io.modelcontextprotocol/logLevel":"verbose""#,
                "`io.modelcontextprotocol/logLevel` must be one of debug",
            ),
            (r#","io.modelcontextprotocol/logLevel":3"#, "logLevel` must be one of"),
            (r#","progressToken":1.5"#, "`progressToken` must be a string or an integer"),
            (r#","progressToken":true"#, "`progressToken` must be"),
            (r#","a b":1"#, "a b"),
            (r#","a\nb":1"#, "a"),
            (r#","/c":null"#, "/c"),
        ],
    );
    // The capabilities' inner shape is no reason to hide that the version is not served.
    let text = PV_CC.replace("{}@", r#"{"sampling":5}"#).replace("2026-07-28", "v999");
    let whole = document(&text);
    let meta = check_request_meta(whole.root()).unwrap();
    assert!(meta.protocol_version.is_str("v999"));
    assert_eq!(meta.rest(), Err("`io.modelcontextprotocol/clientCapabilities`: /sampling must be an object"));
}

#[test]
fn request_meta_is_handed_on() {
    let text = PV_CC.replace(
        '@',
        r#","progressToken":1.0,"io.modelcontextprotocol/logLevel":"info",
        "io.modelcontextprotocol/clientInfo":{"name":"n","version":"v"}"#,
    );
    let whole = document(&text);
    let meta = check_request_meta(whole.root()).unwrap();
    assert_eq!(meta.log_level, Some(LogLevel::Info));
    assert_eq!(meta.progress_token.unwrap().raw(), "1.0");
}
