//! The linker's flags for an addon; writes no files.

fn main() {
    napi_build::setup();
    // A worker that ends closes the libraries that it alone loaded, while our threads may still be on their way out.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
