//! What a catalog refuses, what it shows, and to whom.

mod faults;
mod pages;

use super::fault::Fault;
use super::page::PageText;
use super::*;
use crate::caller::Caller;
use crate::config::{CacheScope, Config, InvalidItems};
use crate::json::Document;
use crate::protocol::Revision;

fn settings() -> Settings {
    Settings::of(&Config::new("test", "1"), "")
}

fn paged(page_size: usize) -> Settings {
    Settings { page_size, ..settings() }
}

fn skipping() -> Settings {
    Settings { invalid_items: InvalidItems::Skip, ..settings() }
}

/// The catalog of a document, or its faults, a line each.
fn read(json: &str, settings: &Settings) -> Result<(Catalog, Vec<Fault>), Vec<String>> {
    let mut builder = Builder::new(settings);
    let _ = builder.add(json);
    builder.finish().map_err(|faults| faults.iter().map(Fault::to_string).collect())
}

fn catalog(json: &str) -> Catalog {
    read(json, &settings()).unwrap_or_else(|faults| panic!("{faults:?}")).0
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
    text(&catalog.list(list, Revision::LATEST, None, &Caller::local(), true).unwrap()).to_owned()
}

/// The keys on a page and the cursor behind it.
fn page(
    catalog: &Catalog,
    list: List,
    cursor: Option<&str>,
    caller: &Caller,
) -> (Vec<String>, Option<String>) {
    let page = catalog.list(list, Revision::LATEST, cursor, caller, true).unwrap();
    let document = Document::parse(page.as_bytes().to_vec()).unwrap();
    let key = match list {
        List::Tools | List::Prompts => "name",
        List::Resources => "uri",
        List::ResourceTemplates => "uriTemplate",
    };
    let items = document.root().get(list.member()).unwrap().elements();
    let keys = items.map(|item| item.get(key).unwrap().as_str().unwrap().into_owned()).collect();
    let next = document.root().get("nextCursor").map(|next| next.as_str().unwrap().into_owned());
    (keys, next)
}

fn walk(catalog: &Catalog, of: List, caller: &Caller) -> Vec<Vec<String>> {
    let mut pages = Vec::new();
    let mut cursor = None;
    loop {
        let (keys, next) = page(catalog, of, cursor.as_deref(), caller);
        pages.push(keys);
        assert!(pages.len() < 100, "no end");
        match next {
            Some(next) => cursor = Some(next),
            None => return pages,
        }
    }
}

/// One snapshot serves all threads.
#[test]
fn a_catalog_is_shared_by_threads() {
    fn shared<T: Send + Sync + 'static>(_: &T) {}
    shared(&catalog("{}"));
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
    let config = Settings { cache_scope: CacheScope::Public, cache_ttl_ms: 9, ..settings() };
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
        (r#""title":"x""#, r#""title":"y""#, Changes { tools: true, ..none }),
        (r#""title":"x""#, r#""title":"x","mcpcore":{"scopes":["s"]}"#, Changes { tools: true, ..none }),
        ("a://1", "a://2", Changes { resources: true, ..none }),
        ("a://{v}", "a://{w}", Changes { resources: true, ..none }),
        (r#""name":"p""#, r#""name":"q""#, Changes { prompts: true, ..none }),
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
        let tools: Vec<String> =
            (0..count).map(|n| format!(r#"{{"name":"t{n}","title":"{}"}}"#, "x".repeat(100))).collect();
        catalog(&format!(r#"{{"tools":[{}]}}"#, tools.join(","))).size()
    };
    assert!(of(0) < of(10) && of(100) > 8 * of(10) && of(100) > 100 * 200);
}
