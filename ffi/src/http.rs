//! The HTTP door.

pub mod authorization;
pub mod callback;
pub mod config;
pub mod endpoint;
pub mod exchange;
pub mod listener;
pub mod option;
pub mod session;

mod head;
