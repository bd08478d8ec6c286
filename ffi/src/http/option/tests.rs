use super::*;
use crate::option::tests::says;
use crate::option::Value;
use std::collections::BTreeSet;

const HEADER: &str = include_str!("../../../../include/mcpcore.h");
const ENGINE_CONFIG: &str = include_str!("../../../../core/src/http/config.rs");

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
    let others = ["origins", "access", "authorize_body"];
    let http = TABLE.iter().filter_map(|entry| entry.field.strip_prefix("http."));
    let reached: BTreeSet<&str> = http.chain(others).collect();
    let body = ENGINE_CONFIG.split_once("pub struct HttpConfig {").unwrap().1.split_once("\n}").unwrap().0;
    let fields: BTreeSet<&str> =
        body.lines().filter_map(|line| Some(line.trim().strip_prefix("pub ")?.split_once(':')?.0)).collect();
    assert_eq!(reached, fields);
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
    assert_eq!(settings.http.realm.as_deref(), Some("http.realm"));
    for list in [&settings.http.hosts, &settings.http.call_headers, &settings.origins, &settings.addresses] {
        assert_eq!(*list, ["one", "two"]);
    }
}
