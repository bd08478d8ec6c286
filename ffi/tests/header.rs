//! `include/mcpcore.h` is what this source makes of it, complete in its comments, and of this version.
//!
//! `MCP_BLESS=1 cargo test -p mcpcore-ffi --test header` writes it anew.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The sources in the order of the manual.
const SOURCES: &[&str] = &[
    "version.rs",
    "status.rs",
    "error.rs",
    "bytes.rs",
    "message.rs",
    "config.rs",
    "option.rs",
    "callback.rs",
    "catalog.rs",
    "server.rs",
    "call/number.rs",
    "call.rs",
    "call/argument.rs",
    "call/answer.rs",
    "call/header.rs",
    "caller.rs",
    "stdio.rs",
    "connection.rs",
    "http/config.rs",
    "http/option.rs",
    "http/callback.rs",
    "http/session.rs",
    "http/authorization.rs",
    "http/listener.rs",
    "http/endpoint.rs",
    "http/exchange.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|fault| panic!("{path}: {fault}"))
}

fn header() -> String {
    read("include/mcpcore.h")
}

fn generate() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(folder.join("src").join(source));
    }
    let mut body = Vec::new();
    builder.generate().unwrap().write(&mut body);
    let body = String::from_utf8(body).unwrap();

    let program: String = read("ffi/examples/first.c").lines().map(comment_line).collect();
    let opening: String = read("ffi/manual.txt").lines().map(comment_line).collect();
    let body = tidy(&plain_constants(&body));
    let options: String = options(&body).iter().map(|line| comment_line(line)).collect();
    let opening = opening.replace(" * @first.c@\n", &program).replace(" * @options@\n", &options);
    format!(
        "/*\n{opening} */\n#ifndef MCPCORE_H\n#define MCPCORE_H\n\n\
         #include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{}\n\
         #ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
        body.trim_start_matches('\n')
    )
}

/// The options of HTTP as a table, from the last sentence of their comments.
fn options(body: &str) -> Vec<String> {
    let row = |name: &str, kind: &str, bounds: &str, default: &str| {
        format!("    {name:24} {kind:10} {bounds:20} {default}").trim_end().to_owned()
    };
    let mut rows = vec![row("MCP_HTTP_OPTION_", "type", "bounds", "default")];
    for Item { comment, code } in declared(body) {
        let Some((name, _)) = code.strip_prefix("MCP_HTTP_OPTION_").and_then(|rest| rest.split_once(" = "))
        else {
            continue;
        };
        let words: String = comment.replace("*/", "").replace(['*', '\n'], " ").replace("/ ", " ");
        let words: Vec<&str> = words.split_whitespace().collect();
        let words = words.join(" ");
        let (about, last) = words.trim_end_matches('.').rsplit_once(". ").unwrap();
        let kind =
            match (last.split([':', ' ']).next().unwrap(), name.ends_with("_MS"), name.ends_with("_BYTES")) {
                ("Number", true, _) => "ms",
                ("Number", _, true) => "bytes",
                ("Number", ..) if name == "BYTE_BUDGET" => "bytes",
                ("Number", ..) => "number",
                ("Switch", ..) => "0 or 1",
                ("Text", ..) => "text",
                _ => "list",
            };
        assert_eq!(kind == "ms", about.contains("in milliseconds"), "{name}: its unit is said");
        let bounds = last.strip_prefix("Number: ").and_then(|rest| rest.split_once(", ")).map_or("", |b| b.0);
        let default = last.rsplit_once("default ").map_or("", |(_, default)| default);
        rows.push(row(name, kind, bounds, default));
    }
    rows
}

fn comment_line(line: &str) -> String {
    format!(" * {line}").trim_end().to_owned() + "\n"
}

/// Takes the tags off the enumerations, and the names that no signature uses: a constant is an `int32_t` in C and C++
/// alike, and no function shares its name with a type.
fn plain_constants(body: &str) -> String {
    let mut plain = String::new();
    let mut lines = body.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("enum ") {
            if body.contains(&format!("\n{name} ")) {
                plain.push_str(&["typedef int32_t ", name, ";\n"].concat());
            }
            plain.push_str("enum {\n");
            // The fixed type that C23 allows, and after the constants the choice of a name.
            lines.by_ref().find(|line| line.trim() == "{");
        } else if line.starts_with("#if __STDC_VERSION__") {
            lines.by_ref().find(|line| line.starts_with("#endif"));
        } else {
            plain.push_str(line);
            plain.push('\n');
        }
    }
    plain
}

/// Writes comments with a star a line, short ones on one line, and breaks long declarations at a comma.
fn tidy(body: &str) -> String {
    let mut tidy = String::new();
    let mut lines = body.lines();
    while let Some(line) = lines.next() {
        let indent = &line[..line.len() - line.trim_start().len()];
        if line.trim() == "/*" {
            let comment: Vec<&str> = lines.by_ref().map(str::trim).take_while(|line| *line != "*/").collect();
            tidy.push_str(&tidy_comment(indent, &comment));
        } else {
            tidy.push_str(&wrapped(line));
        }
    }
    tidy
}

fn tidy_comment(indent: &str, comment: &[&str]) -> String {
    if let [line] = comment {
        if indent.len() + line.len() <= WIDTH {
            return format!("{indent}/* {line} */\n");
        }
    }
    let mut tidy = String::new();
    for (number, line) in comment.iter().enumerate() {
        // Ownership, threads, errors follow the text at once.
        let next = comment.get(number + 1).copied().unwrap_or_default();
        if line.is_empty()
            && ["Ownership:", "Threads:", "Errors:", "Since:"].iter().any(|word| next.starts_with(word))
        {
            continue;
        }
        let start = if number == 0 { "/*" } else { " *" };
        tidy.push_str(format!("{indent}{start} {line}").trim_end());
        tidy.push('\n');
    }
    tidy + indent + " */\n"
}

const WIDTH: usize = 118;

fn wrapped(line: &str) -> String {
    let mut wrapped = String::new();
    let mut rest = line.to_owned();
    while rest.len() > WIDTH && !line.starts_with('#') {
        let Some(at) = rest[..WIDTH].rfind(", ") else {
            break;
        };
        wrapped.push_str(&rest[..=at]);
        wrapped.push('\n');
        rest = format!("    {}", &rest[at + 2..]);
    }
    wrapped + &rest + "\n"
}

/// A declaration with the comment above it.
struct Item {
    comment: String,
    code: String,
}

/// Everything that is declared, constants included.
fn items(header: &str) -> Vec<Item> {
    let body = header.split_once("extern \"C\" {\n#endif\n").unwrap().1;
    declared(body.split_once("\n#ifdef __cplusplus\n}").unwrap().0)
}

fn declared(body: &str) -> Vec<Item> {
    let (mut items, mut comment, mut code) = (Vec::new(), String::new(), String::new());
    let mut in_comment = false;
    for line in body.lines() {
        let line = line.trim();
        if line.starts_with("/*") {
            (in_comment, comment) = (true, String::new());
        }
        if in_comment {
            comment.push_str(line);
            comment.push('\n');
            in_comment = !line.ends_with("*/");
            continue;
        }
        if line.is_empty() || line == "};" {
            continue;
        }
        code.push_str(line);
        if line.ends_with([';', '{']) || line.starts_with('#') || line.starts_with("MCP_") {
            items.push(Item { comment: std::mem::take(&mut comment), code: std::mem::take(&mut code) });
        }
    }
    assert!(code.is_empty(), "left over: {code}");
    items
}

fn is_function(item: &Item) -> bool {
    item.code.contains('(') && !item.code.starts_with("typedef") && !item.code.starts_with('#')
}

fn function_name(code: &str) -> &str {
    code.split('(').next().unwrap().rsplit([' ', '*']).next().unwrap()
}

#[test]
fn the_header_is_fresh() {
    let made = generate();
    if std::env::var_os("MCP_BLESS").is_some() {
        fs::write(root().join("include/mcpcore.h"), &made).unwrap();
    }
    let fresh = made == header();
    assert!(fresh, "include/mcpcore.h is stale: run `make header` and commit it with the source");
}

#[test]
fn every_source_with_exports_is_in_the_manual() {
    let mut found = BTreeSet::new();
    let mut folders = vec![root().join("ffi/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if fs::read_to_string(&path).unwrap().contains("#[no_mangle]") {
                found.insert(path.strip_prefix(root().join("ffi/src")).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    let listed: BTreeSet<String> = SOURCES.iter().map(|&source| source.to_owned()).collect();
    assert!(found.is_subset(&listed), "not in SOURCES: {:?}", found.difference(&listed));
}

#[test]
fn every_item_has_its_comment() {
    let mut named = false;
    for Item { comment, code } in items(&header()) {
        // The constants of a named type stand right below it.
        if std::mem::replace(&mut named, code.starts_with("typedef int32_t ")) && code == "enum {" {
            continue;
        }
        assert!(comment.contains(' '), "no comment: {code}");
        let constant = code.starts_with("MCP_") || code.starts_with('#');
        assert!(constant || comment.contains("Since: "), "no Since: {code}");
    }
}

#[test]
fn every_function_and_callback_has_its_thread_word() {
    for item in items(&header()) {
        let callback = item.code.starts_with("typedef") && item.code.contains("(*");
        if is_function(&item) || callback {
            let words = ["Threads: any", "Threads: one at a time", "Threads: callback"];
            let said = words.iter().filter(|word| item.comment.contains(**word)).count();
            assert_eq!(said, 1, "{}", item.code);
            let inside = item.comment.contains("Threads: callback");
            let given = ["mcp_catalog_", "mcp_session_"];
            let only_there = given.iter().any(|prefix| function_name(&item.code).starts_with(prefix));
            assert_eq!(inside, callback || only_there, "{}", item.code);
        }
    }
}

#[test]
fn every_function_is_listed_with_a_type() {
    let header = header();
    let items = items(&header);
    let types: String = items
        .iter()
        .filter(|item| item.code.starts_with("typedef struct"))
        .map(|item| item.comment.as_str())
        .collect();
    let listed: BTreeSet<&str> = types
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("mcp_"))
        .collect();
    // These belong to no handle; the opening comment names them.
    let free = ["mcp_version", "mcp_version_number", "mcp_check_message", "mcp_json_quote"];
    let opening = header.split_once("*/").unwrap().0;
    for item in items.iter().filter(|item| is_function(item)) {
        let name = function_name(&item.code);
        assert!(
            listed.contains(name) || free.contains(&name) && opening.contains(name),
            "{name} is listed nowhere"
        );
    }
    for word in listed {
        assert!(
            header.contains(&format!("{word}("))
                || header.contains(&format!("{word};"))
                || header.contains(&format!("(*{word})")),
            "{word} does not exist"
        );
    }
}

#[test]
fn nothing_else_leaves_the_library() {
    for Item { code, .. } in items(&header()) {
        assert!(
            !code.contains("struct") || code.starts_with("typedef struct mcp_"),
            "a public struct: {code}"
        );
        assert!(!code.contains("long") && !code.contains("unsigned"), "a number of no fixed size: {code}");
    }
}

#[test]
fn macros_are_the_version() {
    let header = header();
    let parts = [
        ("MAJOR", env!("CARGO_PKG_VERSION_MAJOR")),
        ("MINOR", env!("CARGO_PKG_VERSION_MINOR")),
        ("PATCH", env!("CARGO_PKG_VERSION_PATCH")),
    ];
    for (name, number) in parts {
        assert!(header.contains(&format!("#define MCP_VERSION_{name} {number}\n")), "{name}");
    }
    let comment = format!("as text: \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(header.contains(&comment), "{comment}");
}

#[test]
fn the_numbers_of_constants_are_frozen() {
    let now: Vec<String> = items(&header())
        .into_iter()
        .filter(|item| item.code.starts_with("MCP_"))
        .map(|item| item.code.trim_end_matches(',').to_owned())
        .collect();
    let path = "tests/abi/constants.txt";
    if std::env::var_os("MCP_BLESS").is_some() {
        fs::write(root().join(path), now.join("\n") + "\n").unwrap();
    }
    let frozen = read(path);
    assert!(!frozen.is_empty());
    let frozen: Vec<&str> = frozen.lines().collect();
    assert_eq!(
        now, frozen,
        "a constant may be added (`make header`), never changed or removed before a new SONAME"
    );
}
