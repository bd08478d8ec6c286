//! What is checked outside of catalogs too.

use super::annotations::annotations;
use super::icons::icons;
use super::meta::meta;
use super::{implementation, Checks, Found};
use crate::json::{Document, Node};

fn faults(json: &str, check: fn(&mut Checks, Node<'_>)) -> Vec<Found> {
    let document = Document::parse_host(json.as_bytes().to_vec()).unwrap();
    let mut checks = Checks::new();
    check(&mut checks, document.root());
    checks.into_parts().0
}

/// BASE-26
#[test]
fn a_server_may_say_more_about_itself() {
    let whole = r#"{"title":"T","description":"D","websiteUrl":"https://a.example/",
        "icons":[{"src":"https://a.example/i"}],"later":{}}"#;
    assert_eq!(faults(whole, implementation), []);
    for (json, place) in [
        ("[]", ""),
        (r#"{"name":"n"}"#, "/name"),
        (r#"{"version":"1"}"#, "/version"),
        (r#"{"title":null}"#, "/title"),
        (r#"{"description":1}"#, "/description"),
        (r#"{"websiteUrl":"not a url"}"#, "/websiteUrl"),
        (r#"{"icons":[{"src":"ftp://a/b"}]}"#, "/icons/0/src"),
    ] {
        let found = faults(json, implementation);
        assert_eq!(found.iter().map(|found| &*found.0).collect::<Vec<_>>(), [place], "{json}");
    }
}

/// BASE-24, BASE-25: the same checks serve definitions and content blocks; all faults of a value at once.
#[test]
fn every_fault_of_a_value_is_noted() {
    let places = |json, check| faults(json, check).into_iter().map(|found| found.0).collect::<Vec<_>>();
    let notes = r#"{"audience":["x",1],"priority":2,"lastModified":5}"#;
    assert_eq!(places(notes, annotations), ["/audience/0", "/audience/1", "/priority", "/lastModified"]);
    let list = r#"[1,{"src":"mailto:a","theme":"","sizes":[5,"x"]},{"src":"HTTPS://A/b","sizes":["1x1"]}]"#;
    assert_eq!(places(list, icons), ["/0", "/1/src", "/1/theme", "/1/sizes/0", "/1/sizes/1"]);
    let keys = r#"{" ":1,"io.modelcontextprotocol/x":3,"ui":4,"fine":5}"#;
    assert_eq!(places(keys, meta), ["/ ", "/io.modelcontextprotocol~1x", "/ui"]);
}

/// However long a foreign text is, a message stays short and on one line.
#[test]
fn messages_are_short() {
    let long = "y".repeat(10_000);
    let json = format!(r#"[{{"src":"ftp://{long}","theme":"{long}\n"}}]"#);
    let found = faults(&json, icons);
    assert_eq!(found.len(), 2);
    for (_, reason) in found {
        assert!(reason.chars().count() < 200 && !reason.contains('\n'), "{reason}");
    }
}
