//! From a message to what is to be done with it.

pub(crate) mod connection;
