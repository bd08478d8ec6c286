//! The README shows programs that exist.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()))
}

#[test]
fn the_programs_of_the_readme_are_examples() {
    let readme = read("README.md");
    for (language, path) in [
        ("c", "ffi/examples/weather.c"),
        ("python", "bindings/python/examples/first.py"),
        ("js", "bindings/node/examples/first.mjs"),
    ] {
        let block = format!("```{language}\n{}```\n", read(path));
        assert!(readme.contains(&block), "README.md does not show {path} as it is");
    }
    assert!(
        readme.lines().count() < 240,
        "a README of over 240 lines, three programs among them, is not read"
    );
}

/// The limits and times among the options, with their defaults, as the manual has them.
fn limits(header: &str) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let words: Vec<&str> = header.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let option = word.starts_with("MCP_OPTION_") || word.starts_with("MCP_HTTP_OPTION_");
        let limit = ["_MAX_", "_MS", "_BYTES", "_BUDGET"].iter().any(|part| word.contains(part));
        // Behind the comment that ends with its default stands the constant itself.
        if !option || !limit || words.get(at + 1) != Some(&"=") || word.ends_with("CACHE_TTL_MS") {
            continue;
        }
        let default = words[..at].iter().rev().take(4).find_map(|word| word.strip_suffix('.'));
        found.insert((*word).to_owned(), default.unwrap().parse().unwrap());
    }
    found
}

/// "16 MiB", "15 s", "none".
fn number(text: &str) -> u64 {
    let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
    let factor = match unit {
        "" => 1,
        "s" => 1000,
        "min" => 60_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        unit => panic!("{unit}"),
    };
    if number == "none" {
        0
    } else {
        number.parse::<u64>().unwrap() * factor
    }
}

#[test]
fn the_table_of_limits_says_every_default() {
    let mut told = BTreeMap::new();
    for line in read("README.md").lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let ["", door @ ("HTTP" | "all"), options, defaults, over, ""] = cells[..] else { continue };
        assert!(!over.is_empty());
        let prefix = if door == "HTTP" { "MCP_HTTP_OPTION_" } else { "MCP_OPTION_" };
        assert_eq!(options.matches(',').count(), defaults.matches(',').count(), "{line}");
        for (option, default) in options.split(", ").zip(defaults.split(", ")) {
            told.insert(format!("{prefix}{}", option.trim_matches('`')), number(default));
        }
    }
    assert_eq!(told, limits(&read("include/mcpcore.h")));
}
