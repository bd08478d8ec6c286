//! What a server hands to a client to keep and to bring back: sealed, so that it can be believed.

mod digest;
mod seal;

pub(crate) use digest::digest_arguments;
pub(crate) use seal::{Binding, SealFault, Sealer};
