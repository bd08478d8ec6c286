//! Which library this is.

use std::ffi::{c_char, CStr};

/// The first number of this header's version.
pub const MCP_VERSION_MAJOR: u32 = 0;
/// The second number of this header's version. Before 1.0 it changes with the binary interface, and so does the SONAME.
pub const MCP_VERSION_MINOR: u32 = 1;
/// The third number of this header's version.
pub const MCP_VERSION_PATCH: u32 = 0;
/// This header's version as one number that grows: major << 16 | minor << 8 | patch.
pub const MCP_VERSION_NUMBER: u32 = (MCP_VERSION_MAJOR << 16) | (MCP_VERSION_MINOR << 8) | MCP_VERSION_PATCH;

/// The version of the library that is loaded, as text: "0.1.0".
///
/// Ownership: a constant; never freed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_version() -> *const c_char {
    const TEXT: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(text) => text,
        Err(_) => c"",
    };
    TEXT.as_ptr()
}

/// The version of the library that is loaded, as MCP_VERSION_NUMBER counts. Compare it with the macro to learn whether
/// the header is of another version.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_version_number() -> u32 {
    MCP_VERSION_NUMBER
}
