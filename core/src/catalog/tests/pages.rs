//! What lists show, to whom, in what pages.

use super::*;
use crate::catalog::cursor;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

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
    let catalog = Builder::new(&Settings::of(&config, suffix)).finish().unwrap_or_else(|f| panic!("{f:?}")).0;
    for of in [List::Tools, List::Resources, List::ResourceTemplates, List::Prompts] {
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
    let config = Settings { cache_scope: CacheScope::Public, ..paged(2) };
    let (catalog, _) = read(SCOPED, &config).unwrap();
    let none = Caller::new("n");
    let half = Caller::new("h").with_scope("write");
    let writer = Caller::new("w").with_scope("write").with_scope("read");
    let admin = Caller::new("x").with_scope("admin:users");
    let all = Caller::new("y").with_scope("write").with_scope("read").with_scope("admin:x");
    let pages = |caller: &Caller| {
        walk(&catalog, List::Tools, caller).iter().map(|page| page.join("")).collect::<Vec<_>>()
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
        let first = catalog.list(List::Tools, Revision::LATEST, None, caller, true).unwrap();
        assert!(text(&first).contains(r#""cacheScope":"private""#));
    }
    assert!(list(&catalog, List::Prompts).contains(r#""cacheScope":"public""#));

    // Under the policy "challenge" everybody sees everything.
    let shown = catalog.list(List::Tools, Revision::LATEST, None, &none, false).unwrap();
    assert_eq!(text(&shown), text(&catalog.list(List::Tools, Revision::LATEST, None, &all, true).unwrap()));
    assert!(matches!(shown, PageText::Whole(_)));
}

/// Whoever sees everything gets pages that were rendered before; and they are those that would be gathered.
#[test]
fn whole_pages_are_kept_and_equal_to_gathered_ones() {
    let (catalog, _) = read(SCOPED, &paged(2)).unwrap();
    let (same, _) = read(&SCOPED.replace("admin:*", "zzz"), &paged(2)).unwrap();
    let mut cursor = None;
    let gathering = Caller::new("g").with_scope("read").with_scope("write").with_scope("admin:x");
    loop {
        let whole =
            catalog.list(List::Tools, Revision::LATEST, cursor.as_deref(), &Caller::local(), true).unwrap();
        assert!(matches!(whole, PageText::Whole(_)));
        // The same items, seen by one who may be shown only some.
        let tools = catalog.list(List::Tools, Revision::LATEST, cursor.as_deref(), &gathering, true).unwrap();
        assert_eq!(text(&whole), text(&tools));
        let lacking = same.list(List::Tools, Revision::LATEST, cursor.as_deref(), &gathering, true).unwrap();
        assert!(matches!(lacking, PageText::Gathered(_)));
        cursor = page(&catalog, List::Tools, cursor.as_deref(), &Caller::local()).1;
        if cursor.is_none() {
            break;
        }
    }
    // A cursor that stands amid a page is served all the same.
    let amid = catalog
        .list(List::Tools, Revision::LATEST, Some(&cursor::encode(List::Tools, "a")), &Caller::local(), true)
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
            catalog.list(List::Tools, Revision::LATEST, Some(bad), &Caller::local(), true).is_err(),
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

fn document(names: &BTreeMap<String, bool>) -> String {
    let tools = names.iter().map(|(name, scoped)| {
        let scopes = if *scoped { r#","mcpcore":{"scopes":["s"]}"# } else { "" };
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
            prop_assert!(round < 100, "no end");
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
