use super::*;
use std::collections::BTreeSet;

const HEADER: &str = include_str!("../../../include/mcpcore.h");
const ENGINE_CONFIG: &str = include_str!("../../../core/src/config.rs");

fn message(outcome: Result<(), mcp_error>) -> String {
    outcome.unwrap_err().message().to_owned()
}

/// What the manual must say last about an option.
pub(crate) fn manual<O: Options, C>(entry: &Entry<O, C>, defaults: &C) -> String {
    match entry.value {
        Value::Int { names: &["0", "1"], get, .. } => format!("Switch: default {}.", get(defaults)),
        Value::Int { names: [first, rest @ ..], .. } => {
            let rest: Vec<String> = rest.iter().map(|name| format!(", {name}")).collect();
            format!("Choice: {first} (default){}.", rest.concat())
        }
        Value::Int { min, max, get, .. } => {
            format!("Number: {min} to {max}, default {}.", get(defaults))
        }
        Value::Text { .. } => "Text.".to_owned(),
        Value::List { .. } => format!("List: {}_add_text.", O::SETTERS),
    }
}

/// The comment above a constant in the header, as one line.
pub(crate) fn comment(constant: &str) -> String {
    let at = HEADER
        .find(&format!("\n  {constant} = "))
        .unwrap_or_else(|| panic!("{constant} is not in the header"));
    let above = HEADER[..at].rfind("/*").map(|start| &HEADER[start..at]).unwrap();
    let lines = above
        .lines()
        .map(|line| line.trim().trim_start_matches("/*").trim_end_matches("*/").trim_start_matches("* "));
    lines.map(str::trim).filter(|line| !line.is_empty() && *line != "*").collect::<Vec<_>>().join(" ")
}

pub(crate) fn says<O: Options, C>(entry: &Entry<O, C>, defaults: &C) {
    let comment = comment(&format!("{:?}", entry.option));
    let last = manual(entry, defaults);
    assert!(comment.ends_with(&last), "{comment:?} should end with {last:?}");
}

#[test]
fn the_manual_says_what_the_table_says() {
    for entry in TABLE {
        says(entry, &Config::new("", ""));
    }
}

#[test]
fn the_numbers_of_choices_are_their_constants() {
    for entry in TABLE {
        let Value::Int { names, get, .. } = entry.value else {
            continue;
        };
        if names.is_empty() || names == ["0", "1"] {
            continue;
        }
        assert_eq!(get(&Config::new("", "")), 0, "{}: the default comes first", entry.name());
        for (number, name) in names.iter().enumerate() {
            assert!(HEADER.contains(&format!("\n  {name} = {number},")), "{name} is {number}");
        }
    }
}

#[test]
fn every_option_and_every_field_has_its_row() {
    let options = HEADER.matches("\n  MCP_OPTION_").count();
    assert_eq!(options, TABLE.len());
    for (number, entry) in (1..).zip(TABLE) {
        assert_eq!(entry.option as i32, number);
    }

    // Reached by other means: arguments of mcp_config_new, mcp_config_set_catalog, mcp_config_on_event; or not a C
    // host's to set.
    let others = ["name", "version", "catalog", "events", "environment"];
    let reached: BTreeSet<&str> = TABLE.iter().map(|entry| entry.field).chain(others).collect();
    let body = ENGINE_CONFIG.split_once("pub struct Config {").unwrap().1.split_once("\n}").unwrap().0;
    let fields: BTreeSet<&str> =
        body.lines().filter_map(|line| Some(line.trim().strip_prefix("pub ")?.split_once(':')?.0)).collect();
    assert_eq!(reached, fields);
}

#[test]
fn a_number_is_set_within_its_bounds_and_refused_outside() {
    for entry in TABLE {
        let Value::Int { min, max, get, names, .. } = entry.value else {
            continue;
        };
        let takes = if names.is_empty() { format!("{min} to {max}") } else { names.join(", ") };
        let mut config = Config::new("", "");
        for value in [min, max] {
            entry.set_int(&mut config, value).unwrap();
            assert_eq!(get(&config), value, "{}", entry.name());
        }
        for value in [min - 1, max + 1, i64::MIN, i64::MAX] {
            let said = message(entry.set_int(&mut config, value));
            assert_eq!(said, format!("option {} takes {takes}, got {value}", entry.name()));
            assert_eq!(get(&config), max);
        }
    }
}

#[test]
fn an_option_of_another_type_names_its_setter() {
    let mut config = Config::new("", "");
    let find = |option: mcp_option| Entry::find(option as i32).unwrap();
    let page = find(mcp_option::MCP_OPTION_PAGE_SIZE);
    let info = find(mcp_option::MCP_OPTION_INFO);
    let key = find(mcp_option::MCP_OPTION_STATE_KEY);
    let page_says = "option PAGE_SIZE is a number: use mcp_config_set_int";
    let info_says = "option INFO is a text: use mcp_config_set_text";
    let key_says = "option STATE_KEY is a list: use mcp_config_add_text";
    assert_eq!(message(page.set_text(&mut config, "5")), page_says);
    assert_eq!(message(page.add_text(&mut config, "5")), page_says);
    assert_eq!(message(info.set_int(&mut config, 5)), info_says);
    assert_eq!(message(info.add_text(&mut config, "{}")), info_says);
    assert_eq!(message(key.set_int(&mut config, 5)), key_says);
    assert_eq!(message(key.set_text(&mut config, "")), key_says);
    assert!(Entry::find(0).is_err_and(|error| error.message().contains("no option has the number 0")));
}

#[test]
fn a_key_is_32_bytes_in_base64_and_never_repeated() {
    let entry = Entry::find(mcp_option::MCP_OPTION_STATE_KEY as i32).unwrap();
    let mut config = Config::new("", "");
    let padded = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    for text in [padded, padded.trim_end_matches('=')] {
        entry.add_text(&mut config, text).unwrap();
    }
    let expected: [u8; 32] = std::array::from_fn(|n| u8::try_from(n).unwrap());
    assert_eq!(config.state_keys, [expected, expected]);
    for (text, says) in [("secret!", "is not base64"), ("AAECAw==", "more or fewer"), ("", "more or fewer")] {
        let said = message(entry.add_text(&mut config, text));
        assert!(said.contains(says) && (text.is_empty() || !said.contains(text)), "{said}");
    }
    assert_eq!(config.state_keys.len(), 2);
}
