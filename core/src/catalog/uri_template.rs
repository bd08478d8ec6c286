//! Stand-in.

pub(crate) struct UriTemplate {
    text: Box<str>,
}

impl UriTemplate {
    pub(crate) fn parse(text: &str, allow_traversal: bool) -> Result<UriTemplate, String> {
        let _ = allow_traversal;
        if text.matches('{').count() == 1 && text.ends_with('}') {
            return Ok(Self { text: text.into() });
        }
        Err("only a trailing {expression} is matched".to_owned())
    }

    pub(crate) fn matches(&self, uri: &str) -> Option<Vec<(Box<str>, String)>> {
        let (prefix, rest) = self.text.split_once('{')?;
        let value = uri.strip_prefix(prefix)?;
        let name = rest.trim_end_matches('}').trim_start_matches('+');
        let found = !value.is_empty() && (rest.starts_with('+') || !value.contains('/'));
        found.then(|| vec![(name.into(), value.to_owned())])
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

pub(crate) fn check_uri(text: &str) -> Result<(), String> {
    match fluent_uri::Uri::parse(text) {
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}
