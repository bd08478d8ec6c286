//! Bytes that the library made and the host owns.

use crate::guard::shield;
use crate::text::store;
use std::ffi::c_char;
use std::mem::MaybeUninit;

/// Bytes that the library made and you own: a response, a JSON text. A NUL follows them.
///
/// Functions: mcp_bytes_data, mcp_bytes_free.
///
/// Since: 0.1.
pub struct mcp_bytes {
    /// With the NUL.
    data: Vec<u8>,
}

impl mcp_bytes {
    /// A handle that the host frees.
    pub(crate) fn handle(mut data: Vec<u8>) -> *mut Self {
        data.reserve_exact(1);
        data.push(0);
        Box::into_raw(Box::new(Self { data }))
    }
}

/// The bytes, followed by a NUL; NULL for NULL.
///
/// Ownership: valid until the bytes are freed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_bytes_data(
    bytes: Option<&mcp_bytes>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    let Some(bytes) = bytes else {
        store(len, 0);
        return std::ptr::null();
    };
    store(len, bytes.data.len() - 1);
    bytes.data.as_ptr().cast()
}

/// Frees bytes; NULL does nothing.
///
/// Threads: one at a time.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_bytes_free(bytes: Option<Box<mcp_bytes>>) {
    shield((), || drop(bytes));
}
