//! What a catalog refuses, what it shows, and to whom.

use super::cursor;
use super::*;
use crate::caller::Caller;
use crate::config::{CacheScope, Config, InvalidItems};
use crate::error::ErrorKind;
use crate::json::Document;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn settings() -> Settings {
    Settings::of(&Config::new("test", "1"), "")
}

fn paged(page_size: usize) -> Settings {
    Settings {
        page_size,
        ..settings()
    }
}

fn skipping() -> Settings {
    Settings {
        invalid_items: InvalidItems::Skip,
        ..settings()
    }
}

/// The catalog of a document, or its faults, a line each.
fn read(json: &str, settings: &Settings) -> Result<(Catalog, Vec<Fault>), Vec<String>> {
    let mut builder = Builder::new(settings);
    let _ = builder.add(json);
    builder
        .finish()
        .map_err(|faults| faults.iter().map(Fault::to_string).collect())
}

fn catalog(json: &str) -> Catalog {
    read(json, &settings())
        .unwrap_or_else(|faults| panic!("{faults:?}"))
        .0
}

fn faults(json: &str) -> Vec<String> {
    match read(json, &settings()) {
        Ok(_) => Vec::new(),
        Err(faults) => faults,
    }
}

fn text(page: &PageText) -> &str {
    std::str::from_utf8(page.as_bytes()).unwrap()
}

fn list(catalog: &Catalog, list: List) -> String {
    text(&catalog.list(list, None, &Caller::local(), true).unwrap()).to_owned()
}

/// The keys on a page and the cursor behind it.
fn page(
    catalog: &Catalog,
    list: List,
    cursor: Option<&str>,
    caller: &Caller,
) -> (Vec<String>, Option<String>) {
    let page = catalog.list(list, cursor, caller, true).unwrap();
    let document = Document::parse(page.as_bytes().to_vec()).unwrap();
    let key = match list {
        List::Tools | List::Prompts => "name",
        List::Resources => "uri",
        List::ResourceTemplates => "uriTemplate",
    };
    let items = document.root().get(list.member()).unwrap().elements();
    let keys = items
        .map(|item| item.get(key).unwrap().as_str().unwrap().into_owned())
        .collect();
    let next = document
        .root()
        .get("nextCursor")
        .map(|next| next.as_str().unwrap().into_owned());
    (keys, next)
}

fn walk(catalog: &Catalog, of: List, caller: &Caller) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut cursor = None;
    loop {
        let (keys, next) = page(catalog, of, cursor.as_deref(), caller);
        pages.push(keys);
        match next {
            Some(next) => cursor = Some(next),
            None => return pages,
        }
    }
}

/// B-03 … B-06, P-43, TOOLS-05 … TOOLS-07, TOOLS-21, RES-03, RES-04, RES-11, PROMPT-02, BASE-24, BASE-25, HDR-14,
/// META-01, META-02, APPS-03, SCHEMA-04: one definition a fault, and exactly that fault.
#[test]
fn each_kind_of_fault_is_named_with_its_place() {
    let tool = |rest: &str| format!(r#"{{"tools":[{{"name":"t"{rest}}}]}}"#);
    let resource = |rest: &str| format!(r#"{{"resources":[{{"uri":"mem://r","name":"r"{rest}}}]}}"#);
    let template =
        |rest: &str| format!(r#"{{"resourceTemplates":[{{"uriTemplate":"mem://{{v}}","name":"r"{rest}}}]}}"#);
    let prompt = |rest: &str| format!(r#"{{"prompts":[{{"name":"p"{rest}}}]}}"#);
    let cases: Vec<(String, &str)> = vec![
        // The document.
        (r#"[]"#.into(), "catalog: must be an object"),
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
        (tool(r#","description":["x"]"#), r#"at /description: must be a string, not an array"#),
        // Schemas.
        (tool(r#","inputSchema":null"#), "at /inputSchema: must be a JSON Schema, an object, not null"),
        (tool(r#","inputSchema":[]"#), "at /inputSchema: must be a JSON Schema"),
        (tool(r#","inputSchema":{"type":"objekt"}"#), "at /inputSchema/type: "),
        (tool(r#","inputSchema":{}"#), "at /inputSchema"),
        (tool(r#","outputSchema":true"#), "at /outputSchema: must be a JSON Schema, an object, not true"),
        (tool(r#","outputSchema":{"type":"objekt"}"#), "at /outputSchema/type: "),
        (
            tool(r#","inputSchema":{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}"#),
            "at /inputSchema/properties/a/x-mcp-header: ",
        ),
        // Hints and annotations.
        (tool(r#","annotations":[]"#), "at /annotations: must be an object, not an array"),
        (tool(r#","annotations":{"readOnlyHint":"yes"}"#), "at /annotations/readOnlyHint: must be true or false"),
        (tool(r#","annotations":{"title":{}}"#), "at /annotations/title: must be a string"),
        (resource(r#","annotations":{"audience":"user"}"#), "at /annotations/audience: must be an array"),
        (
            resource(r#","annotations":{"audience":["user","model"]}"#),
            r#"at /annotations/audience/1: must be "user" or "assistant", not "model""#,
        ),
        (resource(r#","annotations":{"priority":1.5}"#), "at /annotations/priority: must lie between 0 and 1"),
        (resource(r#","annotations":{"priority":-0.1}"#), "at /annotations/priority: "),
        (resource(r#","annotations":{"priority":1e400}"#), "at /annotations/priority: "),
        (resource(r#","annotations":{"priority":"1"}"#), "at /annotations/priority: must be a number"),
        (template(r#","annotations":{"lastModified":"today"}"#), r#"at /annotations/lastModified: must be a time"#),
        // Icons.
        (tool(r#","icons":{}"#), "at /icons: must be an array"),
        (tool(r#","icons":[{}]"#), "at /icons/0/src: is missing"),
        (prompt(r#","icons":[{"src":"javascript:alert(1)"}]"#), "at /icons/0/src: must be an http, https or data URI"),
        (prompt(r#","icons":[{"src":"file:///etc/passwd"}]"#), "at /icons/0/src: must be"),
        (prompt(r#","icons":[{"src":"https:x"}]"#), "at /icons/0/src: must be"),
        (prompt(r#","icons":[{"src":"https:///x"}]"#), "at /icons/0/src: must be"),
        (prompt(r#","icons":[{"src":"data:x"}]"#), "at /icons/0/src: must be"),
        (prompt(r#","icons":[{"src":"icon.png"}]"#), "at /icons/0/src: "),
        (prompt(r#","icons":[{"src":"https://a/b","sizes":"48x48"}]"#), "at /icons/0/sizes: must be an array"),
        (prompt(r#","icons":[{"src":"https://a/b","sizes":["any","48"]}]"#), "at /icons/0/sizes/1: must be"),
        (prompt(r#","icons":[{"src":"https://a/b","sizes":["0x5"]}]"#), "at /icons/0/sizes/0: must be"),
        (prompt(r#","icons":[{"src":"https://a/b","theme":"blue"}]"#), r#"at /icons/0/theme: must be "light" or "dark""#),
        (prompt(r#","icons":[{"src":"https://a/b","mimeType":1}]"#), "at /icons/0/mimeType: must be a string"),
        // Resources and templates.
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
        (r#"{"resourceTemplates":[{"name":"r"}]}"#.into(), "resourceTemplates[0] at /uriTemplate: is missing"),
        // Prompts.
        (prompt(r#","arguments":{}"#), r#"prompt "p" at /arguments: must be an array"#),
        (prompt(r#","arguments":["a"]"#), "at /arguments/0: must be an object, not a string"),
        (prompt(r#","arguments":[{}]"#), "at /arguments/0/name: is missing"),
        (prompt(r#","arguments":[{"name":"a"},{"name":"a"}]"#), r#"at /arguments/1/name: "a" is the name of an earlier"#),
        (prompt(r#","arguments":[{"name":"a","required":1}]"#), "at /arguments/0/required: must be true or false"),
        (prompt(r#","arguments":[{"name":"a","title":1}]"#), "at /arguments/0/title: must be a string"),
        // Metadata.
        (tool(r#","_meta":[]"#), "at /_meta: must be an object"),
        (tool(r#","_meta":{"a b":1}"#), "at /_meta/a b: "),
        (tool(r#","_meta":{"io.modelcontextprotocol/zzz":1}"#), "at /_meta/io.modelcontextprotocol~1zzz: the protocol"),
        (tool(r#","_meta":{"ui":[]}"#), "at /_meta/ui: must be an object"),
        (tool(r#","_meta":{"ui":{"resourceUri":"https://a/b"}}"#), "at /_meta/ui/resourceUri: must be a uri"),
        (tool(r#","_meta":{"ui":{"resourceUri":7}}"#), "at /_meta/ui/resourceUri: must be a string"),
        (tool(r#","_meta":{"ui":{"visibility":["model","user"]}}"#), "at /_meta/ui/visibility/1: must be"),
        (resource(r#","_meta":{"ui":{"csp":{"connectDomains":"x"}}}"#), "at /_meta/ui/csp/connectDomains: must be"),
        (resource(r#","_meta":{"ui":{"csp":{"frameDomains":[1]}}}"#), "at /_meta/ui/csp/frameDomains/0: must be"),
        (resource(r#","_meta":{"ui":{"permissions":{"camera":true}}}"#), "at /_meta/ui/permissions/camera: must be"),
        (resource(r#","_meta":{"ui":{"prefersBorder":1}}"#), "at /_meta/ui/prefersBorder: must be"),
        // The engine's own member.
        (tool(r#","mcpcore":true"#), "at /mcpcore: must be an object"),
        (
            tool(r#","mcpcore":{"timeout_ms":1}"#),
            r#"at /mcpcore/timeout_ms: unknown key; did you mean "timeoutMs"?"#,
        ),
        (tool(r#","mcpcore":{"colour":1}"#), "at /mcpcore/colour: unknown key; the keys are scopes, timeoutMs"),
        (tool(r#","mcpcore":{"timeoutMs":-1}"#), "at /mcpcore/timeoutMs: must be a whole number of milliseconds"),
        (tool(r#","mcpcore":{"timeoutMs":"1"}"#), "at /mcpcore/timeoutMs: "),
        (tool(r#","mcpcore":{"asksInput":1}"#), "at /mcpcore/asksInput: must be true or false"),
        (tool(r#","mcpcore":{"scopes":"a"}"#), "at /mcpcore/scopes: must be an array"),
        (tool(r#","mcpcore":{"scopes":["a",1]}"#), "at /mcpcore/scopes/1: must be a string"),
        (tool(r#","mcpcore":{"scopes":["a b"]}"#), r#"at /mcpcore/scopes/0: "a b" is no scope"#),
        (tool(r#","mcpcore":{"scopes":[""]}"#), "at /mcpcore/scopes/0: "),
        (tool(r#","mcpcore":{"scopes":["a","a"]}"#), r#"at /mcpcore/scopes/1: "a" is named twice"#),
        (resource(r#","mcpcore":{"ttlMs":9007199254740992}"#), "at /mcpcore/ttlMs: "),
        (resource(r#","mcpcore":{"cacheScope":"Public"}"#), r#"at /mcpcore/cacheScope: must be "public" or "private""#),
    ];
    for (json, expected) in cases {
        let found = faults(&json);
        assert!(
            found.iter().any(|fault| fault.contains(expected)),
            "{json}\n{expected}\n{found:#?}"
        );
        assert_eq!(found.len(), 1, "{json}\n{found:#?}");
        assert!(
            found.iter().all(|fault| fault.chars().count() < 200),
            "{found:#?}"
        );
    }
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
    let arguments: Vec<_> = prompt
        .arguments
        .iter()
        .map(|argument| (&*argument.name, argument.required))
        .collect();
    assert_eq!(arguments, [("a", true), ("b", false)]);
    let resource = catalog.resource_at(catalog.resource("mem://r").unwrap());
    assert_eq!(
        (&*resource.name, resource.mime_type.as_deref()),
        ("r", Some("text/plain"))
    );
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
    builder
        .add(r#"{"toolz":[],"tools":[{"name":"ok"},{"name":7}]}"#)
        .unwrap();
    builder.fail("no data\nbase");
    let faults = builder.finish().map(|_| ()).unwrap_err();
    let error = error_of(&faults);
    assert_eq!(error.kind(), ErrorKind::Catalog);
    let lines: Vec<&str> = error.message().lines().collect();
    let places: Vec<&str> = lines
        .iter()
        .map(|line| line.split(": ").next().unwrap())
        .collect();
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

/// Decision 15, R072: the item with the fault alone is left out; what no item is answerable for still refuses.
#[test]
fn skipping_leaves_out_the_faulty_item_alone() {
    let document = r#"{"tools":[{"name":"good"},{"name":"bad","inputSchema":{"type":"objekt"}},{"name":"good"},
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
    assert_eq!(
        with("", &format!(r#"{{"uriTemplate":"ui://a/{{x}}",{page}}}"#)),
        [""; 0]
    );
    // Only the resource is at fault, not also the link to it.
    assert_eq!(
        with(&format!(r#"{{"uri":"ui://a/b",{page},"title":1}}"#), "").len(),
        1
    );

    let odd = catalog(
        r#"{"resources":[{"uri":"ui://x","name":"x"}],"tools":[{"name":"t","_meta":{"ui/resourceUri":"ui://x"}}]}"#,
    );
    let warnings: Vec<String> = odd.warnings().iter().map(Fault::to_string).collect();
    assert!(
        warnings[0].starts_with(r#"tool "t" at /_meta/ui~1resourceUri: is deprecated"#),
        "{warnings:?}"
    );
    assert!(
        warnings[1].starts_with(r#"resource "ui://x": ui:// is reserved"#),
        "{warnings:?}"
    );
}

/// TOOLS-07, R081: odd but allowed, said in the log.
#[test]
fn warnings_are_no_faults() {
    let long = "n".repeat(129);
    for (json, expected) in [
        (
            r#"{"tools":[{"name":"two words"}]}"#.to_owned(),
            "at /name: should be 1 to 128",
        ),
        (
            r#"{"tools":[{"name":"名"}]}"#.to_owned(),
            "at /name: should be 1 to 128",
        ),
        (
            format!(r#"{{"tools":[{{"name":"{long}"}}]}}"#),
            "at /name: should be 1 to 128",
        ),
        (
            r#"{"tools":[{"name":"t","input_schema":{}}]}"#.to_owned(),
            "did you mean \"inputSchema\"?",
        ),
        (
            r#"{"resources":[{"uri":"a://b","name":"r","mimetype":"x"}]}"#.to_owned(),
            "did you mean \"mimeType\"?",
        ),
        (
            r#"{"tools":[{"name":"t","mcpcore":{"ttlMs":1}}]}"#.to_owned(),
            "at /mcpcore/ttlMs: has no effect",
        ),
        (
            r#"{"prompts":[{"name":"t","mcpcore":{"allowTraversal":true}}]}"#.to_owned(),
            "has no effect",
        ),
        (
            r#"{"resources":[{"uri":"a://b","name":"r","mcpcore":{"scopes":["s"],"cacheScope":"public"}}]}"#
                .to_owned(),
            "it is sent as private",
        ),
        (
            r#"{"tools":[{"name":"t","title":"\ud800"}]}"#.to_owned(),
            "half of a surrogate pair",
        ),
    ] {
        let (catalog, _) = read(&json, &settings()).unwrap_or_else(|faults| panic!("{json}: {faults:?}"));
        let warnings: Vec<String> = catalog.warnings().iter().map(Fault::to_string).collect();
        assert!(
            warnings.iter().any(|line| line.contains(expected)),
            "{json}: {warnings:?}"
        );
        assert_eq!(warnings.len(), 1, "{json}: {warnings:?}");
    }
    let fine = format!(
        r#"{{"tools":[{{"name":"{}"}},{{"name":"A.b-c_9"}}]}}"#,
        "n".repeat(128)
    );
    assert_eq!(catalog(&fine).warnings(), []);
}

/// T-12: bounds that a catalog does not pass by mistake.
#[test]
fn a_catalog_beyond_its_bounds_is_refused() {
    let tools = r#"{"tools":[{"name":"a"},{"name":"b"}]}"#;
    let of = |max_items, max_definition_bytes| {
        let settings = Settings {
            max_items,
            max_definition_bytes,
            ..settings()
        };
        read(tools, &settings).err().unwrap_or_default()
    };
    assert_eq!(of(2, 12), [""; 0]);
    assert_eq!(of(1, 12), ["catalog: holds more than 1 items"]);
    assert_eq!(
        of(2, 11),
        [
            r#"tool "a": is longer than 11 bytes"#,
            r#"tool "b": is longer than 11 bytes"#
        ]
    );
}

/// Decision 16, SCHEMA-09, SCHEMA-11, B-20, R073: members, order, escapes and digits as written; white space goes; the
/// engine's own member goes; a tool without a schema gets the open one.
#[test]
fn definitions_are_listed_as_written() {
    for (json, listed) in [
        (
            "{ \"name\" : \"t\" ,\n \"inputSchema\" : { \"type\" : \"object\" , \"z\" : [ 1.0 , 1e400, -0, 12345678901234567890 ] } }",
            r#"{"name":"t","inputSchema":{"type":"object","z":[1.0,1e400,-0,12345678901234567890]}}"#,
        ),
        (r#"{"name":"t"}"#, r#"{"name":"t","inputSchema":{"type":"object"}}"#),
        (
            r#"{"mcpcore":{"scopes":[]},"x":{"mcpcore":1},"name":"t","mcpcor\u0065":1}"#,
            r#"tool "t" at /mcpcore: stands twice"#,
        ),
        (
            r#"{"mcpcore":{"asksInput":true},"x":{"mcpcore":1},"name":"t"}"#,
            r#"{"x":{"mcpcore":1},"name":"t","inputSchema":{"type":"object"}}"#,
        ),
        (
            r#"{"name":"t","mcpcor\u0065":{},"inputSchema":{"type":"object"}}"#,
            r#"{"name":"t","inputSchema":{"type":"object"}}"#,
        ),
        (
            r#"{"name":"\u0074","inputSchema":{"type":"object","title":"a\/ \u00e9 é"},"title":" two  spaces "}"#,
            r#"{"name":"\u0074","inputSchema":{"type":"object","title":"a\/ \u00e9 é"},"title":" two  spaces "}"#,
        ),
        (
            r#"{"name":"t","inputSchema":{"type":"object"},"title":"\ud800!"}"#,
            "{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"},\"title\":\"\u{FFFD}!\"}",
        ),
    ] {
        let mut builder = Builder::new(&settings());
        builder.tool(json).unwrap();
        match builder.finish() {
            Ok((catalog, _)) => {
                let expected =
                    format!(r#"{{"tools":[{listed}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}}"#);
                assert_eq!(list(&catalog, List::Tools), expected);
                assert_eq!(&*catalog.tool_at(catalog.tool("t").unwrap()).definition, listed.as_bytes());
            }
            Err(faults) => assert!(faults[0].to_string().starts_with(listed), "{faults:?}"),
        }
    }
}

/// CACHE-01, CACHE-07, META-09: what every page ends with. TOOLS-02: an empty list is a list.
#[test]
fn pages_end_with_hints_and_identity() {
    let suffix = r#","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"v"}}"#;
    let mut config = Config::new("n", "v");
    config.cache_ttl_ms = 5;
    config.cache_scope = CacheScope::Public;
    let catalog = Builder::new(&Settings::of(&config, suffix))
        .finish()
        .unwrap_or_else(|f| panic!("{f:?}"))
        .0;
    for of in [
        List::Tools,
        List::Resources,
        List::ResourceTemplates,
        List::Prompts,
    ] {
        let member = of.member();
        assert_eq!(
            list(&catalog, of),
            format!(r#"{{"{member}":[],"resultType":"complete","ttlMs":5,"cacheScope":"public"{suffix}}}"#)
        );
    }
}

/// Five tools, two of which need scopes.
const SCOPED: &str = r#"{"tools":[{"name":"a"},{"name":"b","mcpcore":{"scopes":["write","read"]}},{"name":"c"},
    {"name":"d","mcpcore":{"scopes":["admin:*"]}},{"name":"e"}],"prompts":[{"name":"p"}]}"#;

/// P-48, T-25, R062, B-53, CACHE-04, CACHE-06: each caller sees their own list, with cursors that fit it.
#[test]
fn callers_see_what_their_scopes_allow() {
    let config = Settings {
        cache_scope: CacheScope::Public,
        ..paged(2)
    };
    let (catalog, _) = read(SCOPED, &config).unwrap();
    let none = Caller::new("n");
    let half = Caller::new("h").with_scope("write");
    let writer = Caller::new("w").with_scope("write").with_scope("read");
    let admin = Caller::new("x").with_scope("admin:users");
    let all = Caller::new("y")
        .with_scope("write")
        .with_scope("read")
        .with_scope("admin:x");
    let pages = |caller: &Caller| {
        walk(&catalog, List::Tools, caller)
            .iter()
            .map(|page| page.join(""))
            .collect::<Vec<_>>()
    };
    assert_eq!(pages(&none), ["ac", "e"]);
    assert_eq!(pages(&half), ["ac", "e"]);
    assert_eq!(pages(&writer), ["ab", "ce"]);
    assert_eq!(pages(&admin), ["ac", "de"]);
    assert_eq!(pages(&all), ["ab", "cd", "e"]);
    assert_eq!(pages(&Caller::local()), ["ab", "cd", "e"]);

    let item = |name: &str| &catalog.tool_at(catalog.tool(name).unwrap()).settings;
    assert_eq!(item("b").missing_scopes(&none), ["read", "write"]);
    assert_eq!(item("b").missing_scopes(&half), ["read"]);
    assert_eq!(item("d").missing_scopes(&half), ["admin:*"]);
    assert!(item("b").allows(&writer) && item("d").allows(&admin) && item("a").allows(&none));
    assert!(!item("b").allows(&half) && !item("d").allows(&writer));

    // Private on every page, for everybody, since the list depends on the caller; another list is not touched.
    for caller in [&none, &Caller::local()] {
        let first = catalog.list(List::Tools, None, caller, true).unwrap();
        assert!(text(&first).contains(r#""cacheScope":"private""#));
    }
    assert!(list(&catalog, List::Prompts).contains(r#""cacheScope":"public""#));

    // Under the policy "challenge" everybody sees everything.
    let shown = catalog.list(List::Tools, None, &none, false).unwrap();
    assert_eq!(
        text(&shown),
        text(&catalog.list(List::Tools, None, &all, true).unwrap())
    );
    assert!(matches!(shown, PageText::Whole(_)));
}

/// Whoever sees everything gets pages that were rendered before; and they are those that would be gathered.
#[test]
fn whole_pages_are_kept_and_equal_to_gathered_ones() {
    let (catalog, _) = read(SCOPED, &paged(2)).unwrap();
    let (same, _) = read(&SCOPED.replace("admin:*", "zzz"), &paged(2)).unwrap();
    let mut cursor = None;
    let gathering = Caller::new("g")
        .with_scope("read")
        .with_scope("write")
        .with_scope("admin:x");
    loop {
        let whole = catalog
            .list(List::Tools, cursor.as_deref(), &Caller::local(), true)
            .unwrap();
        assert!(matches!(whole, PageText::Whole(_)));
        // The same items, seen by one who may be shown only some.
        let tools = catalog
            .list(List::Tools, cursor.as_deref(), &gathering, true)
            .unwrap();
        assert_eq!(text(&whole), text(&tools));
        let lacking = same
            .list(List::Tools, cursor.as_deref(), &gathering, true)
            .unwrap();
        assert!(matches!(lacking, PageText::Gathered(_)));
        cursor = page(&catalog, List::Tools, cursor.as_deref(), &Caller::local()).1;
        if cursor.is_none() {
            break;
        }
    }
    // A cursor that stands amid a page is served all the same.
    let amid = catalog
        .list(
            List::Tools,
            Some(&cursor::encode(List::Tools, "a")),
            &Caller::local(),
            true,
        )
        .unwrap();
    assert!(matches!(amid, PageText::Gathered(_)));
    assert!(text(&amid).starts_with(r#"{"tools":[{"name":"b","#));
}

/// PAGE-03, PAGE-04, B-55, B-56
#[test]
fn bad_cursors_are_refused() {
    let catalog = catalog(SCOPED);
    let foreign = cursor::encode(List::Prompts, "a");
    for bad in ["", "zzz", foreign.as_str()] {
        assert!(
            catalog
                .list(List::Tools, Some(bad), &Caller::local(), true)
                .is_err(),
            "{bad}"
        );
    }
}

/// B-52, PAGE-06: 0 is everything on one page.
#[test]
fn page_sizes() {
    for (size, pages) in [(0, 1), (1, 5), (2, 3), (4, 2), (5, 1), (6, 1), (usize::MAX, 1)] {
        let (catalog, _) = read(SCOPED, &paged(size)).unwrap();
        let found = walk(&catalog, List::Tools, &Caller::local());
        assert_eq!(found.len(), pages, "{size}");
        assert_eq!(found.concat(), ["a", "b", "c", "d", "e"], "{size}");
    }
}

/// Decision 28, B-47, N-06: an exact uri wins; then templates in sorted order; nobody reaches through a template what
/// the exact uri keeps from them.
#[test]
fn a_uri_finds_its_resource_or_the_first_template() {
    let document = r#"{"resources":[{"uri":"db://t/1","name":"one"},
            {"uri":"db://t/2","name":"two","mcpcore":{"scopes":["s"]}}],
        "resourceTemplates":[{"uriTemplate":"db://{+rest}","name":"wide"},{"uriTemplate":"db://t/{id}","name":"narrow"},
            {"uriTemplate":"db://q/{id}","name":"scoped","mcpcore":{"scopes":["s"]}},{"uriTemplate":"x{v}","name":"x"}]}"#;
    let catalog = catalog(document);
    let none = Caller::new("n");
    let find = |uri: &str, caller: &Caller, hide: bool| match catalog.find(uri, caller, hide) {
        None => "-".to_owned(),
        Some(Found::Resource(number, resource)) => {
            assert!(std::ptr::eq(catalog.resource_at(number), resource));
            resource.name.to_string()
        }
        Some(Found::Template(number, template, variables)) => {
            assert!(std::ptr::eq(catalog.template_at(number), template));
            format!("{} {}", template.text, variables[0].1)
        }
    };
    assert_eq!(find("db://t/1", &none, true), "one");
    // "db://q/{id}" < "db://t/{id}" < "db://{+rest}": `{` sorts behind letters.
    assert_eq!(find("db://t/3", &none, true), "db://t/{id} 3");
    assert_eq!(find("db://t/3/4", &none, true), "db://{+rest} t/3/4");
    assert_eq!(find("db://t/2", &none, true), "-");
    assert_eq!(find("db://t/2", &none, false), "two");
    assert_eq!(find("db://t/2", &Caller::local(), true), "two");
    assert_eq!(find("db://q/5", &Caller::local(), true), "db://q/{id} 5");
    assert_eq!(find("db://q/5", &none, false), "db://q/{id} 5");
    assert_eq!(find("db://q/5", &none, true), "db://{+rest} q/5");
    assert_eq!(find("dé://t/3", &none, true), "-");
    assert_eq!(find("", &none, true), "-");
}

/// CACHE-03, CACHE-06, decision 21
#[test]
fn hints_of_reads_are_the_items_own_and_private_where_scoped() {
    let config = Settings {
        cache_scope: CacheScope::Public,
        cache_ttl_ms: 9,
        ..settings()
    };
    let document = r#"{"resources":[{"uri":"a://1","name":"r"},
        {"uri":"a://2","name":"r","mcpcore":{"ttlMs":5,"cacheScope":"private","timeoutMs":1e3}},
        {"uri":"a://3","name":"r","mcpcore":{"ttlMs":0,"scopes":["s"],"cacheScope":"public"}}]}"#;
    let (catalog, _) = read(document, &config).unwrap();
    let hint = |uri| {
        let settings = &catalog.resource_at(catalog.resource(uri).unwrap()).settings;
        (catalog.read_hint(settings), settings.timeout_ms)
    };
    assert_eq!(hint("a://1"), ((9, CacheScope::Public), None));
    assert_eq!(hint("a://2"), ((5, CacheScope::Private), Some(1000)));
    assert_eq!(hint("a://3"), ((0, CacheScope::Private), None));
}

/// N-06: a snapshot says what it shows differently.
#[test]
fn changes_are_seen_by_what_is_shown() {
    let base = r#"{"tools":[{"name":"t","title":"x"}],"resources":[{"uri":"a://1","name":"r"}],
        "resourceTemplates":[{"uriTemplate":"a://{v}","name":"v"}],"prompts":[{"name":"p"}]}"#;
    let none = Changes::default();
    for (from, to, expected) in [
        ("", "", none),
        (r#""title":"x""#, r#" "title" : "x" "#, none),
        (r#""title":"x""#, r#""title":"x","mcpcore":{"timeoutMs":1}"#, none),
        (
            r#""title":"x""#,
            r#""title":"y""#,
            Changes { tools: true, ..none },
        ),
        (
            r#""title":"x""#,
            r#""title":"x","mcpcore":{"scopes":["s"]}"#,
            Changes { tools: true, ..none },
        ),
        (
            r#"a://1"#,
            "a://2",
            Changes {
                resources: true,
                ..none
            },
        ),
        (
            r#"a://{v}"#,
            "a://{w}",
            Changes {
                resources: true,
                ..none
            },
        ),
        (
            r#""name":"p""#,
            r#""name":"q""#,
            Changes {
                prompts: true,
                ..none
            },
        ),
    ] {
        let (old, new) = (catalog(base), catalog(&base.replace(from, to)));
        assert_eq!(old.changes(&new), expected, "{from} {to}");
        assert_eq!(old.digest() == new.digest(), expected == none, "{from} {to}");
        assert_eq!(old.digest().len(), 64);
    }
}

/// The bounded store of snapshots counts bytes.
#[test]
fn the_size_grows_with_what_is_held() {
    let of = |count: usize| {
        let tools: Vec<String> = (0..count)
            .map(|n| format!(r#"{{"name":"t{n}","title":"{}"}}"#, "x".repeat(100)))
            .collect();
        catalog(&format!(r#"{{"tools":[{}]}}"#, tools.join(","))).size()
    };
    assert!(of(0) < of(10) && of(100) > 8 * of(10) && of(100) > 100 * 200);
}

fn document(names: &BTreeMap<String, bool>) -> String {
    let tools = names.iter().map(|(name, scoped)| {
        let scopes = if *scoped {
            r#","mcpcore":{"scopes":["s"]}"#
        } else {
            ""
        };
        format!(r#"{{"name":"{name}"{scopes}}}"#)
    });
    format!(r#"{{"tools":[{}]}}"#, tools.collect::<Vec<_>>().join(","))
}

fn names() -> impl Strategy<Value = BTreeMap<String, bool>> {
    prop::collection::btree_map("[a-c]{1,3}", any::<bool>(), 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    /// R061: the order of adding changes no byte.
    #[test]
    fn the_order_of_adding_does_not_show(names in names(), seed in any::<prop::sample::Index>()) {
        let whole = read(&document(&names), &paged(3)).unwrap().0;
        let mut singles: Vec<_> = names.iter().collect();
        let turn = if singles.is_empty() { 0 } else { seed.index(singles.len()) };
        singles.rotate_left(turn);
        singles.reverse();
        let mut builder = Builder::new(&paged(3));
        for (name, scoped) in singles {
            let scopes = if *scoped { r#","mcpcore":{"scopes":["s"]}"# } else { "" };
            builder.tool(&format!(r#"{{ "name":"{name}"{scopes} }}"#)).unwrap();
        }
        let other = builder.finish().unwrap().0;
        prop_assert_eq!(whole.digest(), other.digest());
        for caller in [Caller::local(), Caller::new("n")] {
            prop_assert_eq!(walk(&whole, List::Tools, &caller), walk(&other, List::Tools, &caller));
        }
        prop_assert_eq!(list(&whole, List::Tools), list(&other, List::Tools));
    }

    /// B-53, B-54, PAGE-01: whatever is inserted and removed between pages, what was there all the time is seen exactly
    /// once, in order; pages are full while more remains; the cursor is there exactly when more remains.
    #[test]
    fn paging_survives_change(
        versions in prop::collection::vec(names(), 1..8),
        constant in prop::collection::btree_map("[a-c]{1,3}", any::<bool>(), 0..12),
        size in 1_usize..5,
        scoped in any::<bool>(),
    ) {
        let caller = if scoped { Caller::new("s").with_scope("s") } else { Caller::new("n") };
        let expected: BTreeSet<&String> = constant.iter().filter(|(_, hidden)| scoped || !**hidden).map(|(name, _)| name).collect();
        let mut seen: Vec<String> = Vec::new();
        let mut cursor: Option<String> = None;
        let mut round = 0;
        loop {
            let mut current = versions[round % versions.len()].clone();
            current.extend(constant.clone());
            let (catalog, _) = read(&document(&current), &paged(size)).unwrap();
            let (keys, next) = page(&catalog, List::Tools, cursor.as_deref(), &caller);
            let visible = current.iter().filter(|(_, hidden)| scoped || !**hidden).map(|(name, _)| name);
            let behind = visible.filter(|name| seen.last().is_none_or(|last| *name > last)).count();
            prop_assert_eq!(keys.len(), behind.min(size));
            prop_assert_eq!(next.is_some(), behind > size);
            seen.extend(keys);
            round += 1;
            match next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        prop_assert!(seen.is_sorted_by(|a, b| a < b), "{:?}", seen);
        prop_assert!(expected.iter().all(|name| seen.contains(name)), "{:?} {:?}", expected, seen);
    }

    /// However long or odd a document is, it is taken or refused, and a refusal is lines of text.
    #[test]
    fn hostile_documents_are_refused_in_words(json in r#"(\{"tools":\[)?[\[\]\{\}:,"a0tn\\u -]{0,40}"#) {
        if let Err(faults) = read(&json, &settings()) {
            prop_assert!(!faults.is_empty());
            prop_assert!(faults.iter().all(|fault| !fault.contains('\n')));
        }
    }
}
