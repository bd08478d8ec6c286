//! The README shows programs that exist.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()))
}

#[test]
fn each_program_of_the_readme_is_an_example() {
    let readme = read("README.md");
    for (language, path) in [("c", "ffi/examples/weather.c"), ("rust", "core/examples/weather.rs")] {
        let block = format!("```{language}\n{}```\n", read(path));
        assert!(readme.contains(&block), "README.md does not show {path} as it is");
    }
    assert!(readme.lines().count() < 200, "a README of over 200 lines is not read");
}
