//! Stand-in.

pub(crate) fn check(key: &str) -> Result<(), String> {
    if key.contains(' ') || key.starts_with('/') {
        return Err("is not a key of _meta".to_owned());
    }
    Ok(())
}

pub(crate) fn is_reserved(key: &str) -> bool {
    key.starts_with("io.modelcontextprotocol/")
}

pub(crate) fn check_extension_id(key: &str) -> Result<(), String> {
    check(key)
}
