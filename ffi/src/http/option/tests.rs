use super::*;
use crate::option::tests::says;
use crate::option::Value;
use std::collections::BTreeSet;

const HEADER: &str = include_str!("../../../../include/mcpcore.h");
const ENDPOINT: &str = include_str!("../../../../core/src/http/config.rs");
const LISTENER: &str = include_str!("../../../../core/src/http/listener/config.rs");

#[test]
fn the_manual_says_what_the_table_says() {
    for entry in TABLE {
        says(entry, &Settings::default());
    }
}

#[test]
fn every_option_and_every_field_has_its_row() {
    assert_eq!(HEADER.matches("\n  MCP_HTTP_OPTION_").count(), TABLE.len());
    for (number, entry) in (1..).zip(TABLE) {
        assert_eq!(entry.option as i32, number);
    }

    // Reached by functions of their own, and by the option ORIGIN.
    let others = ["origins", "access", "authorize_body", "session_store"];
    for (source, name, prefix, others) in
        [(ENDPOINT, "HttpConfig", "http.", &others[..]), (LISTENER, "ListenerConfig", "listen.", &[])]
    {
        let rows = TABLE.iter().filter_map(|entry| entry.field.strip_prefix(prefix));
        let reached: BTreeSet<&str> = rows.chain(others.iter().copied()).collect();
        let start = format!("pub struct {name} {{");
        let body = source.split_once(&start).unwrap().1.split_once("\n}").unwrap().0;
        let lines = body.lines().filter_map(|line| line.trim().strip_prefix("pub ")?.split_once(':'));
        assert_eq!(reached, lines.map(|(field, _)| field).collect(), "{name}");
    }
}

#[test]
fn a_number_is_set_within_its_bounds_and_refused_outside() {
    for entry in TABLE {
        let Value::Int { min, max, get, .. } = entry.value else {
            continue;
        };
        let mut settings = Settings::default();
        for value in [min, max] {
            entry.set_int(&mut settings, value).unwrap();
            assert_eq!(get(&settings), value, "{}", entry.name());
        }
        for value in [min - 1, max + 1, i64::MIN, i64::MAX] {
            let said = entry.set_int(&mut settings, value).unwrap_err();
            assert!(said.message().contains(&format!("option {} takes", entry.name())), "{}", said.message());
            assert_eq!(get(&settings), max);
        }
    }
}

#[test]
fn texts_and_lists_reach_the_engine() {
    let mut settings = Settings::default();
    for entry in TABLE {
        match entry.value {
            Value::Int { .. } => {
                let said = entry.set_text(&mut settings, "x").unwrap_err();
                assert!(said.message().ends_with("use mcp_http_config_set_int"), "{}", said.message());
            }
            Value::Text { .. } => entry.set_text(&mut settings, entry.field).unwrap(),
            Value::List { .. } => {
                entry.add_text(&mut settings, "one").unwrap();
                entry.add_text(&mut settings, "two").unwrap();
            }
        }
    }
    assert_eq!(settings.http.path, "http.path");
    assert_eq!(settings.http.resource_metadata.as_deref(), Some("http.resource_metadata"));
    assert_eq!(settings.http.sse_path.as_deref(), Some("http.sse_path"));
    assert_eq!(settings.http.realm.as_deref(), Some("http.realm"));
    for list in
        [&settings.http.hosts, &settings.http.call_headers, &settings.origins, &settings.listen.addresses]
    {
        assert_eq!(*list, ["one", "two"]);
    }
}
