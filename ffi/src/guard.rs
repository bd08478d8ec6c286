//! Where panics stop.

use crate::error::mcp_error;
use crate::status::mcp_status;
use std::any::Any;
use std::mem::MaybeUninit;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Runs the body of an exported function: a failure or a panic becomes a status, and its message goes to `error`.
pub(crate) fn guard(
    error: Option<&mut MaybeUninit<*mut mcp_error>>,
    body: impl FnOnce() -> Result<(), mcp_error>,
) -> mcp_status {
    // What a handle protects may be half changed after a panic; the engine's own locks say so (they are poisoned).
    let outcome = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(outcome) => outcome,
        Err(payload) => Err(panicked(payload.as_ref())),
    };
    let fault = outcome.err();
    let status = fault.as_ref().map_or(mcp_status::MCP_STATUS_OK, mcp_error::status);
    if let Some(error) = error {
        error.write(fault.map_or(std::ptr::null_mut(), |fault| Box::into_raw(Box::new(fault))));
    }
    status
}

/// Runs the body of an exported function that has no status: a panic becomes `fallback`.
pub(crate) fn shield<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

fn panicked(payload: &(dyn Any + Send)) -> mcp_error {
    let text = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (None, Some(text)) => text.as_str(),
        (None, None) => "no text",
    };
    mcp_error::new(mcp_status::MCP_STATUS_PANIC, &format!("mcpcore failed inside: {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r100_a_panic_becomes_a_status_with_its_text() {
        let mut error = MaybeUninit::uninit();
        let status = guard(Some(&mut error), || panic!("no {}", "luck"));
        assert_eq!(status, mcp_status::MCP_STATUS_PANIC);
        // SAFETY: `guard` wrote it.
        let error = unsafe { error.assume_init() };
        // SAFETY: on failure it is a box.
        let error = unsafe { Box::from_raw(error) };
        assert_eq!(error.message(), "mcpcore failed inside: no luck");
        assert_eq!(guard(None, || std::panic::panic_any(7)), mcp_status::MCP_STATUS_PANIC);
        assert_eq!(shield(3, || panic!("again")), 3);
    }

    #[test]
    fn success_clears_the_error() {
        let mut error = MaybeUninit::new(std::ptr::dangling_mut());
        assert_eq!(guard(Some(&mut error), || Ok(())), mcp_status::MCP_STATUS_OK);
        // SAFETY: `guard` wrote it.
        assert!(unsafe { error.assume_init() }.is_null());
    }
}
