//! Arguments as they come from C, and texts as they go back.

use crate::error::mcp_error;
use crate::status::mcp_status;
use std::ffi::{c_char, c_void, CStr};
use std::mem::MaybeUninit;
use std::time::Duration;

/// As a length: the text ends at its NUL.
const UP_TO_NUL: usize = usize::MAX;

/// Texts up to this many bytes are looked through byte by byte first.
const SHORT: usize = 16;

/// The longest that any object can be; a longer length is a mistake of the caller (a negative number, say).
const LONGEST: usize = isize::MAX.unsigned_abs();

/// A text of our own that ends with a NUL, which `as_str` leaves out.
#[derive(Debug)]
pub(crate) struct CText(Box<str>);

impl CText {
    pub(crate) fn new(text: &str) -> Self {
        let mut owned = String::with_capacity(text.len() + 1);
        owned.push_str(text);
        owned.push('\0');
        Self(owned.into_boxed_str())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0[..self.0.len() - 1]
    }

    pub(crate) fn as_ptr(&self) -> *const c_char {
        self.0.as_ptr().cast()
    }

    /// Where the text starts; its length goes to `len` if somebody asks.
    pub(crate) fn view(&self, len: Option<&mut MaybeUninit<usize>>) -> *const c_char {
        store(len, self.as_str().len());
        self.as_ptr()
    }
}

/// Stores `value` where the caller asked for it, if at all.
pub(crate) fn store<T>(place: Option<&mut MaybeUninit<T>>, value: T) {
    if let Some(place) = place {
        place.write(value);
    }
}

/// A constant text as a view.
pub(crate) fn store_view(text: &'static CStr, len: Option<&mut MaybeUninit<usize>>) -> *const c_char {
    store(len, text.count_bytes());
    text.as_ptr()
}

/// A slice of somebody else's text. It ends with no NUL, so without a place for its length it is not given at all.
pub(crate) fn slice(text: &str, len: Option<&mut MaybeUninit<usize>>) -> *const c_char {
    match len {
        Some(len) => {
            len.write(text.len());
            text.as_ptr().cast()
        }
        None => std::ptr::null(),
    }
}

/// A handle or a place that must be there.
pub(crate) fn present<T>(argument: Option<T>, name: &str) -> Result<T, mcp_error> {
    argument.ok_or_else(|| mcp_error::null(name))
}

/// The place for a handle, cleared: on failure the caller finds NULL there.
pub(crate) fn cleared<'a, T>(
    place: Option<&'a mut MaybeUninit<*mut T>>,
    name: &str,
) -> Result<&'a mut MaybeUninit<*mut T>, mcp_error> {
    let place = present(place, name)?;
    place.write(std::ptr::null_mut());
    Ok(place)
}

/// Bytes with a length.
pub(crate) unsafe fn blob<'a>(data: *const c_void, len: usize, name: &str) -> Result<&'a [u8], mcp_error> {
    if data.is_null() {
        return if len == 0 { Ok(&[]) } else { Err(mcp_error::null(name)) };
    }
    if len > LONGEST {
        return Err(mcp_error::argument(&format!(
            "the length of {name} is {len}, which is more than memory can hold"
        )));
    }
    Ok(std::slice::from_raw_parts(data.cast(), len))
}

/// Bytes with a length, or up to a NUL.
pub(crate) unsafe fn bytes<'a>(text: *const c_char, len: usize, name: &str) -> Result<&'a [u8], mcp_error> {
    if len == UP_TO_NUL && !text.is_null() {
        return Ok(CStr::from_ptr(text).to_bytes());
    }
    blob(text.cast(), len, name)
}

/// UTF-8 with a length, or up to a NUL.
pub(crate) unsafe fn text<'a>(text: *const c_char, len: usize, name: &str) -> Result<&'a str, mcp_error> {
    let bytes = bytes(text, len, name)?;
    // Most texts are short and plain.
    if bytes.len() <= SHORT && bytes.iter().all(u8::is_ascii) {
        // SAFETY: ASCII is UTF-8.
        return Ok(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    std::str::from_utf8(bytes).map_err(|fault| {
        let message = format!("{name} is not UTF-8 at byte {}", fault.valid_up_to());
        mcp_error::new(mcp_status::MCP_STATUS_INVALID_UTF8, &message)
    })
}

/// UTF-8 with a length; NULL is "none".
pub(crate) unsafe fn optional_text<'a>(
    pointer: *const c_char,
    len: usize,
    name: &str,
) -> Result<Option<&'a str>, mcp_error> {
    if pointer.is_null() && (len == 0 || len == UP_TO_NUL) {
        return Ok(None);
    }
    text(pointer, len, name).map(Some)
}

/// UTF-8 that ends with a NUL.
pub(crate) unsafe fn word<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, mcp_error> {
    text(pointer, UP_TO_NUL, name)
}

/// A time in milliseconds; -1 is "without limit".
pub(crate) fn span(ms: i64, name: &str) -> Result<Option<Duration>, mcp_error> {
    match u64::try_from(ms) {
        Ok(ms) => Ok(Some(Duration::from_millis(ms))),
        Err(_) if ms == -1 => Ok(None),
        Err(_) => Err(mcp_error::argument(&format!("{name} takes -1 (without limit) or more, got {ms}"))),
    }
}

/// The time for functions that always want one: a century where C said "without limit".
pub(crate) fn long_span(ms: i64, name: &str) -> Result<Duration, mcp_error> {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
    Ok(span(ms, name)?.unwrap_or(CENTURY).min(CENTURY))
}

/// Milliseconds for C, rounded up so that nobody wakes too early and spins; -1 is "none".
pub(crate) fn millis(span: Option<Duration>) -> i64 {
    span.map_or(-1, |span| i64::try_from(span.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: *const c_char, len: usize) -> Result<&'static str, (mcp_status, String)> {
        // SAFETY: every pointer below is NULL or a literal that ends with a NUL and is at least `len` long.
        unsafe { super::text(text, len, "place") }
            .map_err(|error| (error.status(), error.message().to_owned()))
    }

    #[test]
    fn r100_text_comes_in_with_a_length_or_up_to_its_nul() {
        assert_eq!(read(c"Oslo".as_ptr(), usize::MAX), Ok("Oslo"));
        assert_eq!(read(c"Oslo".as_ptr(), 2), Ok("Os"));
        assert_eq!(read(c"Oslo".as_ptr(), 0), Ok(""));
        assert_eq!(read(std::ptr::null(), 0), Ok(""));
        let null = Err((mcp_status::MCP_STATUS_INVALID_ARGUMENT, "place is NULL".to_owned()));
        assert_eq!(read(std::ptr::null(), 1), null);
        assert_eq!(read(std::ptr::null(), usize::MAX), null);
        for len in [usize::MAX - 1, LONGEST + 1] {
            assert_eq!(read(c"x".as_ptr(), len).unwrap_err().0, mcp_status::MCP_STATUS_INVALID_ARGUMENT);
        }
        let bad = read(c"ab\xff".as_ptr(), usize::MAX);
        assert_eq!(
            bad,
            Err((mcp_status::MCP_STATUS_INVALID_UTF8, "place is not UTF-8 at byte 2".to_owned()))
        );
    }

    #[test]
    fn times_are_milliseconds_and_minus_one() {
        assert_eq!(span(0, "t").unwrap(), Some(Duration::ZERO));
        assert_eq!(span(-1, "t").unwrap(), None);
        assert!(span(-2, "t").is_err());
        assert!(long_span(i64::MAX, "t").unwrap() == long_span(-1, "t").unwrap());
        assert_eq!(millis(None), -1);
        assert_eq!(millis(Some(Duration::from_micros(1))), 1);
        assert_eq!(millis(Some(Duration::MAX)), i64::MAX);
    }
}
