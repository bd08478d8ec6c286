//! Who asks.

use crate::error::{Error, ErrorKind, Result};
use crate::json::Document;

/// Who asks: made by the authorization decision, by hand for [`crate::Server::handle`], or [`Caller::local`].
///
/// Identity comes from here only; nothing in a request can change it.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    principal: String,
    owner_key: Option<String>,
    catalog_key: String,
    scopes: Vec<String>,
    all_scopes: bool,
    claims: Option<String>,
    expires_at: Option<u64>,
}

impl Caller {
    /// A caller with this principal id, no scopes, the common catalog and no expiry. An empty principal is the
    /// anonymous caller.
    pub fn new(principal: impl Into<String>) -> Self {
        Self { principal: principal.into(), ..Self::default() }
    }

    /// The user of this machine, on stdio: principal `local`, with all scopes.
    pub fn local() -> Self {
        Self { all_scopes: true, ..Self::new("local") }
    }

    /// The same caller under another principal.
    #[cfg(feature = "http")]
    pub(crate) fn named(&self, principal: String) -> Self {
        Self { principal, ..self.clone() }
    }

    /// The key that owns what the caller makes (tasks, sessions); the principal unless set.
    pub fn with_owner_key(mut self, key: impl Into<String>) -> Self {
        self.owner_key = Some(key.into());
        self
    }

    /// Which catalog the caller sees; the empty key is the common one.
    pub fn with_catalog_key(mut self, key: impl Into<String>) -> Self {
        self.catalog_key = key.into();
        self
    }

    /// Grants one scope.
    pub fn with_scope(mut self, scope: impl Into<String>) -> Self {
        self.scopes.push(scope.into());
        self
    }

    /// Grants every scope.
    pub fn with_all_scopes(mut self) -> Self {
        self.all_scopes = true;
        self
    }

    /// Claims of the credential, a JSON object that the host's own code reads back.
    pub fn with_claims(mut self, json: &str) -> Result<Self> {
        let document = Document::parse(json.as_bytes().to_vec())
            .map_err(|fault| Error::new(ErrorKind::InvalidJson, format!("claims: {fault}")))?;
        if !document.root().is_object() {
            return Err(Error::new(ErrorKind::InvalidJson, "claims: not a JSON object"));
        }
        self.claims = Some(json.to_owned());
        Ok(self)
    }

    /// When the credential ends, in milliseconds since 1970.
    pub fn with_expiry(mut self, unix_ms: u64) -> Self {
        self.expires_at = Some(unix_ms);
        self
    }

    /// The principal id.
    pub fn principal(&self) -> &str {
        &self.principal
    }

    /// The owner key.
    pub fn owner_key(&self) -> &str {
        self.owner_key.as_deref().unwrap_or(&self.principal)
    }

    /// The catalog key; empty for the common catalog.
    pub fn catalog_key(&self) -> &str {
        &self.catalog_key
    }

    /// The claims, a JSON object, if any were set.
    pub fn claims(&self) -> Option<&str> {
        self.claims.as_deref()
    }

    /// When the credential ends, in milliseconds since 1970.
    pub fn expires_at(&self) -> Option<u64> {
        self.expires_at
    }

    /// The granted scopes by name; none where the caller has every scope there is.
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Whether the caller has every scope there is.
    pub fn has_all_scopes(&self) -> bool {
        self.all_scopes
    }

    /// Whether the caller has `scope`. A scope that ends in `*` is had by whoever has one that begins the same.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.all_scopes
            || match scope.strip_suffix('*') {
                Some(prefix) => self.scopes.iter().any(|granted| granted.starts_with(prefix)),
                None => self.scopes.iter().any(|granted| granted == scope),
            }
    }
}
