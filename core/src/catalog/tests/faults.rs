//! What is refused, what is odd, and how that is said.

use super::*;
use crate::error::ErrorKind;

fn tool(rest: &str) -> String {
    format!(r#"{{"tools":[{{"name":"t"{rest}}}]}}"#)
}

fn resource(rest: &str) -> String {
    format!(r#"{{"resources":[{{"uri":"mem://r","name":"r"{rest}}}]}}"#)
}

fn template(rest: &str) -> String {
    format!(r#"{{"resourceTemplates":[{{"uriTemplate":"mem://{{v}}","name":"r"{rest}}}]}}"#)
}

fn prompt(rest: &str) -> String {
    format!(r#"{{"prompts":[{{"name":"p"{rest}}}]}}"#)
}

/// Each document has exactly one fault, and it says what is expected, in one short line.
fn expect_faults(cases: &[(String, &str)]) {
    for (json, expected) in cases {
        let found = faults(json);
        assert!(found.iter().any(|fault| fault.contains(expected)), "{json}\n{expected}\n{found:#?}");
        assert_eq!(found.len(), 1, "{json}\n{found:#?}");
        assert!(found.iter().all(|fault| fault.chars().count() < 200), "{found:#?}");
    }
}

/// B-03 … B-06, TOOLS-05 … TOOLS-07, HDR-14, SCHEMA-04, decision 14
#[test]
fn faults_of_documents_and_tools() {
    expect_faults(&[
        // The document.
        ("[]".into(), "catalog: must be an object"),
        (r#"{"tools":[]"#.into(), "catalog: not JSON"),
        (r#"{"tools":{}}"#.into(), "catalog at /tools: must be an array, not an object"),
        (r#"{"tools":null}"#.into(), "catalog at /tools: must be an array, not null"),
        (r#"{"tools":[],"tools":[]}"#.into(), "catalog at /tools: stands twice"),
        (r#"{"tool":[]}"#.into(), r#"catalog at /tool: unknown key "tool"; did you mean "tools"?"#),
        (r#"{"templates":[]}"#.into(), r#"did you mean "resourceTemplates"?"#),
        (r#"{"a/b":[]}"#.into(), r#"catalog at /a~1b: unknown key "a/b"; the keys are tools, resources"#),
        // Items.
        (r#"{"tools":[7]}"#.into(), "tools[0]: must be an object, not a number"),
        (r#"{"tools":[{}]}"#.into(), "tools[0] at /name: is missing: a string is required"),
        (r#"{"tools":[{"name":""}]}"#.into(), "tools[0] at /name: must not be empty"),
        (r#"{"tools":[{"name":null}]}"#.into(), "tools[0] at /name: must be a string, not null"),
        (r#"{"tools":[{"name":"t"},{"name":"t"}]}"#.into(), r#"tool "t" at /name: is that of an earlier tool"#),
        (
            r#"{"resources":[{"uri":"mem://r","name":"a"},{"uri":"mem://r","name":"b"}]}"#.into(),
            r#"resource "mem://r" at /uri: is that of an earlier resource"#,
        ),
        (
            r#"{"resourceTemplates":[{"uriTemplate":"a://{x}","name":"a"},{"uriTemplate":"a://{x}","name":"b"}]}"#.into(),
            r#"resource template "a://{x}" at /uriTemplate: is that of an earlier"#,
        ),
        (r#"{"prompts":[{"name":"p"},{"name":"p"}]}"#.into(), r#"prompt "p" at /name: is that of an earlier prompt"#),
        (tool(r#","_meta":{"a":{"x":1,"x":2}}"#), r#"tool "t" at /_meta/a/x: stands twice"#),
        (tool(r#","title":1"#), r#"tool "t" at /title: must be a string, not a number"#),
        (tool(r#","description":["x"]"#), "at /description: must be a string, not an array"),
        // Schemas.
        (tool(r#","inputSchema":null"#), "at /inputSchema: must be a JSON Schema, an object, not null"),
        (tool(r#","inputSchema":[]"#), "at /inputSchema: must be a JSON Schema"),
        (
            tool(r#","inputSchema":{"type":"object","not":{"type":"objekt"}}"#),
            "at /inputSchema/not/type: ",
        ),
        (tool(r#","inputSchema":{}"#), "at /inputSchema"),
        (tool(r#","outputSchema":true"#), "at /outputSchema: must be a JSON Schema, an object, not true"),
        (tool(r#","outputSchema":{"type":"objekt"}"#), "at /outputSchema/type: "),
        (
            tool(r#","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}"#),
            "at /inputSchema/properties/a/x-mcp-header: ",
        ),
    ]);
}

/// BASE-24, BASE-25, TOOLS-21
#[test]
fn faults_of_icons_and_annotations() {
    expect_faults(&[
        // Hints and annotations.
        (tool(r#","annotations":[]"#), "at /annotations: must be an object, not an array"),
        (
            tool(r#","annotations":{"readOnlyHint":"yes"}"#),
            "at /annotations/readOnlyHint: must be true or false",
        ),
        (tool(r#","annotations":{"title":{}}"#), "at /annotations/title: must be a string"),
        (resource(r#","annotations":{"audience":"user"}"#), "at /annotations/audience: must be an array"),
        (
            resource(r#","annotations":{"audience":["user","model"]}"#),
            r#"at /annotations/audience/1: must be "user" or "assistant", not "model""#,
        ),
        (
            resource(r#","annotations":{"priority":1.5}"#),
            "at /annotations/priority: must lie between 0 and 1",
        ),
        (resource(r#","annotations":{"priority":-0.1}"#), "at /annotations/priority: "),
        (resource(r#","annotations":{"priority":1e400}"#), "at /annotations/priority: "),
        (resource(r#","annotations":{"priority":"1"}"#), "at /annotations/priority: must be a number"),
        (
            template(r#","annotations":{"lastModified":"today"}"#),
            "at /annotations/lastModified: must be a date and time",
        ),
        (
            template(r#","annotations":{"lastModified":"2026-07-28"}"#),
            "at /annotations/lastModified: must be a date and time",
        ),
        // Icons.
        (tool(r#","icons":{}"#), "at /icons: must be an array"),
        (tool(r#","icons":[{}]"#), "at /icons/0/src: is missing"),
        (
            prompt(r#","icons":[{"src":"javascript:alert(1)"}]"#),
            "at /icons/0/src: must be an http, https or data URI",
        ),
        (prompt(r#","icons":[{"src":"file:///etc/passwd"}]"#), "at /icons/0/src: must be"),
        (prompt(r#","icons":[{"src":"https:x"}]"#), "at /icons/0/src: must be"),
        (prompt(r#","icons":[{"src":"https:///x"}]"#), "at /icons/0/src: must be"),
        (prompt(r#","icons":[{"src":"data:x"}]"#), "at /icons/0/src: must be"),
        (prompt(r#","icons":[{"src":"icon.png"}]"#), "at /icons/0/src: "),
        (
            prompt(r#","icons":[{"src":"https://a/b","sizes":"48x48"}]"#),
            "at /icons/0/sizes: must be an array",
        ),
        (prompt(r#","icons":[{"src":"https://a/b","sizes":["any","48"]}]"#), "at /icons/0/sizes/1: must be"),
        (prompt(r#","icons":[{"src":"https://a/b","sizes":["0x5"]}]"#), "at /icons/0/sizes/0: must be"),
        (
            prompt(r#","icons":[{"src":"https://a/b","theme":"blue"}]"#),
            r#"at /icons/0/theme: must be "light" or "dark""#,
        ),
        (
            prompt(r#","icons":[{"src":"https://a/b","mimeType":1}]"#),
            "at /icons/0/mimeType: must be a string",
        ),
    ]);
}

/// RES-03, RES-04, RES-11, PROMPT-02, B-09, P-43
#[test]
fn faults_of_resources_templates_and_prompts() {
    expect_faults(&[
        (r#"{"resources":[{"uri":"mem://r"}]}"#.into(), r#"resource "mem://r" at /name: is missing"#),
        (r#"{"resources":[{"name":"r"}]}"#.into(), "resources[0] at /uri: is missing"),
        (r#"{"resources":[{"uri":"not a uri","name":"r"}]}"#.into(), r#"resource "not a uri" at /uri: "#),
        (r#"{"resources":[{"uri":"/relative","name":"r"}]}"#.into(), "at /uri: "),
        (
            r#"{"resources":[{"uriTemplate":"mem://{v}","name":"r"}]}"#.into(),
            "resources[0] at /uriTemplate: belongs to a resource template",
        ),
        (resource(r#","size":-1"#), "at /size: must be a whole number of bytes"),
        (resource(r#","size":1.5"#), "at /size: "),
        (resource(r#","size":"1""#), "at /size: must be a number"),
        (resource(r#","mimeType":7"#), "at /mimeType: must be a string"),
        (template(r#","uri":"mem://x""#), "at /uri: belongs to a resource"),
        (r#"{"resourceTemplates":[{"uriTemplate":"a://{x","name":"r"}]}"#.into(), "at /uriTemplate: "),
        (
            r#"{"resourceTemplates":[{"name":"r"}]}"#.into(),
            "resourceTemplates[0] at /uriTemplate: is missing",
        ),
        // Prompts.
        (prompt(r#","arguments":{}"#), r#"prompt "p" at /arguments: must be an array"#),
        (prompt(r#","arguments":["a"]"#), "at /arguments/0: must be an object, not a string"),
        (prompt(r#","arguments":[{}]"#), "at /arguments/0/name: is missing"),
        (
            prompt(r#","arguments":[{"name":"a"},{"name":"a"}]"#),
            r#"at /arguments/1/name: "a" is the name of an earlier"#,
        ),
        (
            prompt(r#","arguments":[{"name":"a","required":1}]"#),
            "at /arguments/0/required: must be true or false",
        ),
        (prompt(r#","arguments":[{"name":"a","title":1}]"#), "at /arguments/0/title: must be a string"),
    ]);
}

/// META-01, META-02, APPS-03, APPS-05, and the keys that only the engine reads
#[test]
fn faults_of_metadata_and_of_the_engines_own_member() {
    expect_faults(&[
        (tool(r#","_meta":[]"#), "at /_meta: must be an object"),
        (tool(r#","_meta":{"a b":1}"#), "at /_meta/a b: "),
        (
            tool(r#","_meta":{"io.modelcontextprotocol/zzz":1}"#),
            "at /_meta/io.modelcontextprotocol~1zzz: the protocol",
        ),
        (tool(r#","_meta":{"ui":[]}"#), "at /_meta/ui: must be an object"),
        (tool(r#","_meta":{"ui":{"resourceUri":"https://a/b"}}"#), "at /_meta/ui/resourceUri: must be a uri"),
        (tool(r#","_meta":{"ui":{"resourceUri":7}}"#), "at /_meta/ui/resourceUri: must be a string"),
        (tool(r#","_meta":{"ui":{"visibility":["model","user"]}}"#), "at /_meta/ui/visibility/1: must be"),
        (
            resource(r#","_meta":{"ui":{"csp":{"connectDomains":"x"}}}"#),
            "at /_meta/ui/csp/connectDomains: must be",
        ),
        (
            resource(r#","_meta":{"ui":{"csp":{"frameDomains":[1]}}}"#),
            "at /_meta/ui/csp/frameDomains/0: must be",
        ),
        (
            resource(r#","_meta":{"ui":{"permissions":{"camera":true}}}"#),
            "at /_meta/ui/permissions/camera: must be",
        ),
        (resource(r#","_meta":{"ui":{"prefersBorder":1}}"#), "at /_meta/ui/prefersBorder: must be"),
        // The engine's own member.
        (tool(r#","mcpcore":true"#), "at /mcpcore: must be an object"),
        (
            tool(r#","mcpcore":{"timeout_ms":1}"#),
            r#"at /mcpcore/timeout_ms: unknown key; did you mean "timeoutMs"?"#,
        ),
        (
            tool(r#","mcpcore":{"colour":1}"#),
            "at /mcpcore/colour: unknown key; the keys are scopes, timeoutMs",
        ),
        (
            tool(r#","mcpcore":{"timeoutMs":-1}"#),
            "at /mcpcore/timeoutMs: must be a whole number of milliseconds",
        ),
        (tool(r#","mcpcore":{"timeoutMs":"1"}"#), "at /mcpcore/timeoutMs: "),
        (tool(r#","mcpcore":{"asksInput":1}"#), "at /mcpcore/asksInput: must be true or false"),
        (tool(r#","mcpcore":{"scopes":"a"}"#), "at /mcpcore/scopes: must be an array"),
        (tool(r#","mcpcore":{"scopes":["a",1]}"#), "at /mcpcore/scopes/1: must be a string"),
        (tool(r#","mcpcore":{"scopes":["a b"]}"#), r#"at /mcpcore/scopes/0: "a b" is no scope"#),
        (tool(r#","mcpcore":{"scopes":[""]}"#), "at /mcpcore/scopes/0: "),
        (tool(r#","mcpcore":{"scopes":["a","a"]}"#), r#"at /mcpcore/scopes/1: "a" is named twice"#),
        (resource(r#","mcpcore":{"ttlMs":9007199254740992}"#), "at /mcpcore/ttlMs: "),
        (
            resource(r#","mcpcore":{"cacheScope":"Public"}"#),
            r#"at /mcpcore/cacheScope: must be "public" or "private""#,
        ),
    ]);
}

/// TOOLS-05, RES-03, RES-04, PROMPT-02, BASE-24, BASE-25, APPS-03, APPS-05: nothing of this is a fault.
#[test]
fn whole_definitions_are_taken() {
    let icon =
        r#"{"src":"https://a.example/i.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"dark"}"#;
    let extra =
        format!(r#""title":"T","description":"D","icons":[{icon},{{"src":"data:image/png;base64,AA=="}}]"#);
    let meta = r#""_meta":{"com.example/x":1,"traceparent":"t","io.modelcontextprotocol/related-task":{}}"#;
    let notes = r#""annotations":{"audience":["user","assistant"],"priority":1,"lastModified":"2026-07-28T15:00:58Z"}"#;
    let document = format!(
        r#"{{"tools":[{{"name":"t",{extra},"inputSchema":{{"type":"object"}},"outputSchema":{{"type":"array"}},
             "annotations":{{"title":"x","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,
             "openWorldHint":false,"later":[]}},"execution":{{"taskSupport":"optional"}},
             "_meta":{{"ui":{{"resourceUri":"ui://page","visibility":["model","app"]}}}}}}],
           "resources":[{{"uri":"mem://r","name":"r",{extra},{notes},{meta},"mimeType":"text/plain","size":1e3}},
             {{"uri":"ui://page","name":"page","mimeType":"text/html;profile=mcp-app","_meta":{{"ui":{{
             "csp":{{"connectDomains":["a"]}},"permissions":{{"camera":{{}}}},"domain":"d","prefersBorder":true}}}}}}],
           "resourceTemplates":[{{"uriTemplate":"mem://t/{{v}}","name":"v",{extra},{notes},{meta},"mimeType":"a/b"}}],
           "prompts":[{{"name":"p",{extra},{meta},
             "arguments":[{{"name":"a","title":"A","description":"x","required":true}},{{"name":"b"}}]}}]}}"#
    );
    let catalog = catalog(&document);
    assert_eq!(catalog.warnings(), []);
    let tool = catalog.tool_at(catalog.tool("t").unwrap());
    assert!(tool.output.is_some());
    let prompt = catalog.prompt_at(catalog.prompt("p").unwrap());
    let arguments: Vec<_> =
        prompt.arguments.iter().map(|argument| (&*argument.name, argument.required)).collect();
    assert_eq!(arguments, [("a", true), ("b", false)]);
    let resource = catalog.resource_at(catalog.resource("mem://r").unwrap());
    assert_eq!((&*resource.name, resource.mime_type.as_deref()), ("r", Some("text/plain")));
    let template = catalog.template_at(catalog.template("mem://t/{v}").unwrap());
    assert_eq!(template.mime_type.as_deref(), Some("a/b"));
}

/// Every fault of every item in one answer, and nothing of a refused catalog is published.
#[test]
fn all_faults_are_told_at_once() {
    let mut builder = Builder::new(&settings());
    let error = builder.tool(r#"{"name":"#).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidJson);
    assert!(error.message().starts_with("tools[0]: not JSON: "), "{error}");
    builder.tool(r#"{"name":"a","title":1,"icons":{}}"#).unwrap();
    builder.tool(r#"{"title":"nameless"}"#).unwrap();
    builder.resource(r#"{"uri":"mem://r"}"#).unwrap();
    builder.prompt(r#"{"name":"line\nbreak","title":1}"#).unwrap();
    assert_eq!(builder.add("{").unwrap_err().kind(), ErrorKind::InvalidJson);
    builder.add(r#"{"toolz":[],"tools":[{"name":"ok"},{"name":7}]}"#).unwrap();
    builder.fail("no data\nbase");
    let faults = builder.finish().map(|_| ()).unwrap_err();
    let error = error_of(&faults);
    assert_eq!(error.kind(), ErrorKind::Catalog);
    let lines: Vec<&str> = error.message().lines().collect();
    let places: Vec<&str> = lines.iter().map(|line| line.split(": ").next().unwrap()).collect();
    assert_eq!(
        places,
        [
            "catalog",
            "catalog at /toolz",
            "catalog",
            "tools[0]",
            r#"tool "a" at /title"#,
            r#"tool "a" at /icons"#,
            "tools[2] at /name",
            "tools[1] at /name",
            r#"resource "mem://r" at /name"#,
            r#"prompt "line\nbreak" at /title"#,
        ]
    );
    assert!(lines.contains(&r"catalog: no data\nbase"), "{lines:#?}");
}

/// A fault in one part of an item hides none in another.
#[test]
fn all_parts_of_an_item_are_looked_at() {
    let document = r#"{"tools":[{"name":"t"},{"name":"t","title":1,"mcpcore":{"x":1},"inputSchema":{"not":{"type":"objekt"},
        "type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}},"outputSchema":{"not":{"type":"objekt"}},
        "icons":[{}],"_meta":{"ui":{"resourceUri":"ui://none"}}}]}"#;
    let found = faults(document);
    for place in [
        "/title",
        "/mcpcore/x",
        "/inputSchema/not/type",
        "/inputSchema/properties/a/x-mcp-header",
        "/outputSchema/not/type",
        "/icons/0/src",
        "/_meta/ui/resourceUri",
        "/name",
    ] {
        let line = format!("tool \"t\" at {place}: ");
        assert!(found.iter().any(|fault| fault.starts_with(&line)), "{place}: {found:#?}");
    }
    assert_eq!(found.len(), 8, "{found:#?}");
}

/// Decision 15, R072: the item with the fault alone is left out; what no item is answerable for still refuses.
#[test]
fn skipping_leaves_out_the_faulty_item_alone() {
    let document = r#"{"tools":[{"name":"good"},{"name":"bad","outputSchema":{"type":"objekt"}},{"name":"good"},
        {"name":"linked","_meta":{"ui":{"resourceUri":"ui://broken"}}}],
        "resources":[{"uri":"ui://broken","name":7,"mimeType":"text/html;profile=mcp-app"}]}"#;
    let (catalog, skipped) = read(document, &skipping()).unwrap();
    assert_eq!(list(&catalog, List::Tools).matches("\"name\"").count(), 1);
    assert_eq!(catalog.count(List::Resources), 0);
    let lines: Vec<String> = skipped.iter().map(Fault::to_string).collect();
    assert_eq!(lines.len(), 4, "{lines:#?}");
    assert!(
        lines[2].starts_with(r#"tool "linked" at /_meta/ui/resourceUri: "ui://broken" is no resource"#),
        "{lines:#?}"
    );

    let mut builder = Builder::new(&skipping());
    assert!(builder.tool("{").is_err());
    builder.tool(r#"{"name":"good"}"#).unwrap();
    let (catalog, skipped) = builder.finish().unwrap_or_else(|faults| panic!("{faults:?}"));
    assert_eq!((catalog.count(List::Tools), skipped.len()), (1, 1));

    assert!(read(r#"{"toolz":[]}"#, &skipping()).is_err());
    assert!(read("{", &skipping()).is_err());
    let mut builder = Builder::new(&skipping());
    builder.fail("down");
    assert!(builder.finish().is_err());
}

/// APPS-04, APPS-08
#[test]
fn a_linked_page_is_on_offer_and_is_a_page() {
    let with = |resources: &str, templates: &str| {
        faults(&format!(
            r#"{{"tools":[{{"name":"t","_meta":{{"ui":{{"resourceUri":"ui://a/b"}}}}}}],
               "resources":[{resources}],"resourceTemplates":[{templates}]}}"#
        ))
    };
    let page = r#""name":"p","mimeType":"text/html;profile=mcp-app""#;
    assert!(with("", "")[0].contains(r#"tool "t" at /_meta/ui/resourceUri: "ui://a/b" is no resource"#));
    let wrong = with(r#"{"uri":"ui://a/b","name":"p","mimeType":"text/html"}"#, "");
    assert!(wrong[0].contains("must have the mimeType"), "{wrong:?}");
    assert!(with(r#"{"uri":"ui://a/b","name":"p"}"#, "")[0].contains("must have the mimeType"));
    assert_eq!(with(&format!(r#"{{"uri":"ui://a/b",{page}}}"#), ""), [""; 0]);
    assert_eq!(with("", &format!(r#"{{"uriTemplate":"ui://a/{{x}}",{page}}}"#)), [""; 0]);
    // Only the resource is at fault, not also the link to it.
    assert_eq!(with(&format!(r#"{{"uri":"ui://a/b",{page},"title":1}}"#), "").len(), 1);

    let odd = catalog(
        r#"{"resources":[{"uri":"ui://x","name":"x"}],"tools":[{"name":"t","_meta":{"ui/resourceUri":"ui://x"}}]}"#,
    );
    let warnings: Vec<String> = odd.warnings().iter().map(Fault::to_string).collect();
    assert!(warnings[0].starts_with(r#"tool "t" at /_meta/ui~1resourceUri: is deprecated"#), "{warnings:?}");
    assert!(warnings[1].starts_with(r#"resource "ui://x": ui:// is reserved"#), "{warnings:?}");
}

/// TOOLS-07, R081: odd but allowed, said in the log.
#[test]
fn warnings_are_no_faults() {
    let long = "n".repeat(129);
    for (json, expected) in [
        (r#"{"tools":[{"name":"two words"}]}"#.to_owned(), "at /name: should be 1 to 128"),
        (r#"{"tools":[{"name":"名"}]}"#.to_owned(), "at /name: should be 1 to 128"),
        (format!(r#"{{"tools":[{{"name":"{long}"}}]}}"#), "at /name: should be 1 to 128"),
        (r#"{"tools":[{"name":"t","input_schema":{}}]}"#.to_owned(), "did you mean \"inputSchema\"?"),
        (
            r#"{"resources":[{"uri":"a://b","name":"r","mimetype":"x"}]}"#.to_owned(),
            "did you mean \"mimeType\"?",
        ),
        (r#"{"tools":[{"name":"t","mcpcore":{"ttlMs":1}}]}"#.to_owned(), "at /mcpcore/ttlMs: has no effect"),
        (r#"{"prompts":[{"name":"t","mcpcore":{"allowTraversal":true}}]}"#.to_owned(), "has no effect"),
        (
            r#"{"resources":[{"uri":"a://b","name":"r","mcpcore":{"scopes":["s"],"cacheScope":"public"}}]}"#
                .to_owned(),
            "it is sent as private",
        ),
        (r#"{"tools":[{"name":"t","title":"\ud800"}]}"#.to_owned(), "half of a surrogate pair"),
    ] {
        let (catalog, _) = read(&json, &settings()).unwrap_or_else(|faults| panic!("{json}: {faults:?}"));
        let warnings: Vec<String> = catalog.warnings().iter().map(Fault::to_string).collect();
        assert!(warnings.iter().any(|line| line.contains(expected)), "{json}: {warnings:?}");
        assert_eq!(warnings.len(), 1, "{json}: {warnings:?}");
    }
    let fine = format!(r#"{{"tools":[{{"name":"{}"}},{{"name":"A.b-c_9"}}]}}"#, "n".repeat(128));
    assert_eq!(catalog(&fine).warnings(), []);
}

/// T-12: bounds that a catalog does not pass by mistake.
#[test]
fn a_catalog_beyond_its_bounds_is_refused() {
    let tools = r#"{"tools":[{"name":"a"},{"name":"b"}]}"#;
    let of = |max_items, max_definition_bytes| {
        let settings = Settings { max_items, max_definition_bytes, ..settings() };
        read(tools, &settings).err().unwrap_or_default()
    };
    assert_eq!(of(2, 12), [""; 0]);
    assert_eq!(of(1, 12), ["catalog: holds more than 1 items"]);
    assert_eq!(of(2, 11), [r#"tool "a": is longer than 11 bytes"#, r#"tool "b": is longer than 11 bytes"#]);
}
