//! The names under which programs find the library at run time. Writes no files.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let part = |name: &str| env::var(format!("CARGO_PKG_VERSION_{name}")).unwrap_or_default();
    // Before 1.0 a new minor version may break the binary interface.
    let (major, minor) = (part("MAJOR"), part("MINOR"));
    match env::var("CARGO_CFG_TARGET_OS").unwrap_or_default().as_str() {
        "macos" | "ios" => {
            println!(
                "cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libmcpcore.{major}.{minor}.dylib"
            );
        }
        "windows" => {}
        _ => println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmcpcore.so.{major}.{minor}"),
    }
}
