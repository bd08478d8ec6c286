//! Sealing `requestState`: the client keeps it, and cannot read, change, extend or reuse it elsewhere.
//!
//! Sealed bytes: version (1), key id (4), nonce (24), then XChaCha20-Poly1305 over expiry (8, big endian) and payload.
//! The text form is unpadded URL-safe base64.

use crate::environment::Environment;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::Engine;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

const VERSION: u8 = 1;
const KEY_ID: usize = 4;
const NONCE: usize = 24;
const EXPIRY: usize = 8;

/// The request that a state belongs to. Opening under any other fails.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding<'a> {
    /// The caller's principal; empty for everybody who has none.
    pub(crate) principal: &'a str,
    /// The request's method.
    pub(crate) method: &'a str,
    /// The tool, prompt or uri that it names.
    pub(crate) target: &'a str,
    /// See [`super::digest_arguments`].
    pub(crate) arguments: [u8; 32],
}

/// Why a sealed state was not opened. Each text is fit for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SealFault {
    /// Not the form of a sealed state.
    Malformed,
    /// Sealed under a key that is not (or no longer) configured here.
    UnknownKey,
    /// Changed, or made for another caller or request: a seal cannot tell these apart.
    Rejected,
    /// Whole, and too old.
    Expired,
}

impl SealFault {
    /// What to tell the client.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Malformed => {
                "requestState is not a state of this server; start the request again without it"
            }
            Self::UnknownKey => {
                "requestState was sealed under a key that is not in use; start the request again without it"
            }
            Self::Rejected => {
                "requestState was changed or belongs to another request; start the request again without it"
            }
            Self::Expired => "requestState has expired; start the request again without it",
        }
    }
}

impl fmt::Display for SealFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for SealFault {}

struct Key {
    id: [u8; KEY_ID],
    cipher: XChaCha20Poly1305,
}

impl Key {
    fn new(secret: &[u8; 32]) -> Self {
        let digest = Sha256::new().chain_update(b"mcpcore state key id\0").chain_update(secret).finalize();
        Self { id: std::array::from_fn(|n| digest[n]), cipher: XChaCha20Poly1305::new(secret.into()) }
    }
}

/// Seals and opens states.
pub(crate) struct Sealer {
    /// Seals, and opens first.
    newest: Key,
    /// Only open.
    older: Vec<Key>,
    ephemeral: bool,
    environment: Arc<dyn Environment>,
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Keys stay out of logs.
        f.debug_struct("Sealer").field("ephemeral", &self.ephemeral).finish_non_exhaustive()
    }
}

impl Sealer {
    /// A sealer under `keys`, newest first: the first seals, all open. Without keys, one is drawn for this process.
    ///
    /// # Errors
    /// Why no random key could be had.
    pub(crate) fn new(keys: &[[u8; 32]], environment: Arc<dyn Environment>) -> Result<Self, String> {
        let (newest, older) = if let Some((newest, older)) = keys.split_first() {
            (Key::new(newest), older.iter().map(Key::new).collect())
        } else {
            let mut secret = [0; 32];
            environment.random(&mut secret)?;
            (Key::new(&secret), Vec::new())
        };
        Ok(Self { newest, older, ephemeral: keys.is_empty(), environment })
    }

    /// Whether the key ends with this process.
    #[cfg_attr(not(test), expect(dead_code, reason = "a door that many processes may serve warns of it"))]
    pub(crate) fn is_ephemeral(&self) -> bool {
        self.ephemeral
    }

    /// Seals `payload` for requests of `binding` until `expires_unix_ms`.
    ///
    /// # Errors
    /// Why no nonce could be had, or that the payload is too long for the cipher.
    pub(crate) fn seal(
        &self,
        binding: &Binding<'_>,
        expires_unix_ms: u64,
        payload: &[u8],
    ) -> Result<String, String> {
        let mut nonce = [0; NONCE];
        self.environment.random(&mut nonce)?;
        let mut plain = Vec::with_capacity(EXPIRY + payload.len());
        plain.extend_from_slice(&expires_unix_ms.to_be_bytes());
        plain.extend_from_slice(payload);
        let aad = associated(self.newest.id, binding);
        let sealed = self
            .newest
            .cipher
            .encrypt(XNonce::from_slice(&nonce), Payload { msg: &plain, aad: &aad })
            .map_err(|_| "the state is too long to be sealed".to_owned())?;
        let mut bytes = Vec::with_capacity(1 + KEY_ID + NONCE + sealed.len());
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.newest.id);
        bytes.extend_from_slice(&nonce);
        bytes.extend_from_slice(&sealed);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// The payload of a state that was sealed for `binding` and has not expired.
    pub(crate) fn open(&self, binding: &Binding<'_>, sealed: &str) -> Result<Vec<u8>, SealFault> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| SealFault::Malformed)?;
        let (&version, rest) = bytes.split_first().ok_or(SealFault::Malformed)?;
        let (&id, rest) = rest.split_first_chunk::<KEY_ID>().ok_or(SealFault::Malformed)?;
        let (nonce, msg) = rest.split_first_chunk::<NONCE>().ok_or(SealFault::Malformed)?;
        if version != VERSION {
            return Err(SealFault::Malformed);
        }
        let aad = associated(id, binding);
        let nonce = XNonce::from_slice(nonce);
        // Two keys can share an id by chance, so the first that has it is not the only one to try.
        let mut keys = std::iter::once(&self.newest).chain(&self.older).filter(|key| key.id == id).peekable();
        if keys.peek().is_none() {
            return Err(SealFault::UnknownKey);
        }
        let plain = keys
            .find_map(|key| key.cipher.decrypt(nonce, Payload { msg, aad: &aad }).ok())
            .ok_or(SealFault::Rejected)?;
        let (expiry, payload) = plain.split_first_chunk::<EXPIRY>().ok_or(SealFault::Malformed)?;
        if self.environment.unix_ms() >= u64::from_be_bytes(*expiry) {
            return Err(SealFault::Expired);
        }
        Ok(payload.to_vec())
    }
}

/// What is authenticated without being sent: the form, the key and the request. Lengths in front keep the parts apart.
fn associated(id: [u8; KEY_ID], binding: &Binding<'_>) -> Vec<u8> {
    let Binding { principal, method, target, arguments } = binding;
    let mut aad = Vec::with_capacity(96 + principal.len() + method.len() + target.len());
    aad.extend_from_slice(b"mcpcore requestState\0");
    aad.push(VERSION);
    aad.extend_from_slice(&id);
    for part in [principal, method, target] {
        aad.extend_from_slice(&(part.len() as u64).to_be_bytes());
        aad.extend_from_slice(part.as_bytes());
    }
    aad.extend_from_slice(arguments);
    aad
}

#[cfg(test)]
mod tests;
