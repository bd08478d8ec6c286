//! Reading arguments without a JSON library.

use super::{mcp_call, CText};
use crate::guard::shield;
use crate::text::{slice, store, word};
use mcpcore_engine::json::Node;
use mcpcore_engine::Call;
use std::ffi::c_char;
use std::mem::MaybeUninit;

impl mcp_call {
    /// The text of the string that `find` finds, kept until the call is consumed.
    fn text_of(
        call: Option<&Self>,
        len: Option<&mut MaybeUninit<usize>>,
        find: impl FnOnce(&Call) -> Option<Node<'_>>,
    ) -> *const c_char {
        shield(std::ptr::null(), || {
            let Some(open) = call.and_then(|call| call.open().ok()) else {
                return std::ptr::null();
            };
            let Some(node) = find(&open.call) else {
                return std::ptr::null();
            };
            let Some(text) = node.as_str() else {
                return std::ptr::null();
            };
            open.texts.view_of(node.raw(), || CText::new(&text), len)
        })
    }

    /// The argument at `pointer`.
    unsafe fn argument(call: Option<&Self>, pointer: *const c_char) -> Option<Node<'_>> {
        call?.open().ok()?.call.argument_node().pointer(word(pointer, "pointer").ok()?)
    }

    /// Stores what `read` makes of the argument at `pointer`; false if there is nothing to store.
    unsafe fn store_argument<'c, T>(
        call: Option<&'c Self>,
        pointer: *const c_char,
        out: Option<&mut MaybeUninit<T>>,
        read: impl FnOnce(Node<'c>) -> Option<T>,
    ) -> bool {
        shield(false, || match (Self::argument(call, pointer).and_then(read), out) {
            (Some(value), Some(out)) => {
                store(Some(out), value);
                true
            }
            (None, _) | (_, None) => false,
        })
    }
}

/// The arguments as the client sent them, a JSON object; {} when there were none. They hold to the tool's schema.
///
/// Ownership: valid until the call is consumed; no NUL follows it.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub extern "C" fn mcp_call_arguments(
    call: Option<&mcp_call>,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_call::json(call, len, |call| Some(call.arguments()))
}

/// The text at a JSON pointer ("/place", "/tags/0") into the arguments, decoded; NULL if there is none or it is not a
/// string. It may hold a NUL of its own, which only `len` tells.
///
/// Ownership: valid until the call is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_argument_text(
    call: Option<&mcp_call>,
    pointer: *const c_char,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_call::text_of(call, len, |call| call.argument_node().pointer(word(pointer, "pointer").ok()?))
}

/// Stores the integer at a JSON pointer into the arguments, in any spelling (1, 1.0, 1e2); false, and nothing stored, if
/// there is none or it does not fit.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_argument_int(
    call: Option<&mcp_call>,
    pointer: *const c_char,
    out: Option<&mut MaybeUninit<i64>>,
) -> bool {
    mcp_call::store_argument(call, pointer, out, Node::as_i64)
}

/// Stores the number at a JSON pointer into the arguments as the nearest double; false, and nothing stored, if there is
/// none or no double holds it.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_argument_double(
    call: Option<&mcp_call>,
    pointer: *const c_char,
    out: Option<&mut MaybeUninit<f64>>,
) -> bool {
    mcp_call::store_argument(call, pointer, out, Node::as_f64)
}

/// Stores the boolean at a JSON pointer into the arguments; false, and nothing stored, if there is none.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_argument_bool(
    call: Option<&mcp_call>,
    pointer: *const c_char,
    out: Option<&mut MaybeUninit<bool>>,
) -> bool {
    mcp_call::store_argument(call, pointer, out, Node::as_bool)
}

/// Stores how many elements or members the array or object at a JSON pointer into the arguments has; false, and nothing
/// stored, if there is neither.
///
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_argument_count(
    call: Option<&mcp_call>,
    pointer: *const c_char,
    out: Option<&mut MaybeUninit<usize>>,
) -> bool {
    mcp_call::store_argument(call, pointer, out, |node| {
        (node.is_array() || node.is_object()).then(|| node.len())
    })
}

/// The value at a JSON pointer into the arguments, as the client wrote it; NULL if there is none.
///
/// Ownership: valid until the call is consumed; no NUL follows it.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_argument_json(
    call: Option<&mcp_call>,
    pointer: *const c_char,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    shield(std::ptr::null(), || {
        mcp_call::argument(call, pointer).map_or(std::ptr::null(), |node| slice(node.raw(), len))
    })
}

/// The text at a JSON pointer into the answers to your input requests ("/user/action", "/user/content/name"), decoded; NULL
/// if there is none or it is not a string. An answer of a form has "action": "accept", "decline" or "cancel".
///
/// Ownership: valid until the call is consumed.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_answer_text(
    call: Option<&mcp_call>,
    pointer: *const c_char,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_call::text_of(call, len, |call| call.answer_node().pointer(word(pointer, "pointer").ok()?))
}

/// The JSON at a JSON pointer into the answers to your input requests, as the client wrote it; NULL if there is none.
///
/// Ownership: valid until the call is consumed; no NUL follows it.
/// Threads: any.
/// Since: 0.1.
#[no_mangle]
pub unsafe extern "C" fn mcp_call_answer_json(
    call: Option<&mcp_call>,
    pointer: *const c_char,
    len: Option<&mut MaybeUninit<usize>>,
) -> *const c_char {
    mcp_call::json(call, len, |call| Some(call.answer_node().pointer(word(pointer, "pointer").ok()?)?.raw()))
}
