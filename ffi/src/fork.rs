//! Whether this process is a child of the one that made a handle.

use crate::error::mcp_error;
use crate::status::mcp_status;
use std::mem::ManuallyDrop;

#[cfg(unix)]
mod count {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::Once;

    /// How many forks lie between this process and the first that made a server. It is the one thing that the library
    /// keeps for the process, because asking the system who we are costs a system call each time.
    static FORKS: AtomicU32 = AtomicU32::new(0);
    static WATCH: Once = Once::new();

    extern "C" fn child() {
        FORKS.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn now() -> u32 {
        FORKS.load(Ordering::Relaxed)
    }

    pub(super) fn watch() -> u32 {
        WATCH.call_once(|| {
            // SAFETY: the handler only adds to an atomic number, which is allowed in a child of a threaded process.
            // Failing (no memory) means that a fork is not noticed, which the manual forbids anyway.
            unsafe { libc::pthread_atfork(None, None, Some(child)) };
        });
        now()
    }
}

#[cfg(not(unix))]
mod count {
    pub(super) fn now() -> u32 {
        0
    }

    pub(super) fn watch() -> u32 {
        0
    }
}

/// The process that made a handle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Birth(u32);

impl Birth {
    /// This process.
    pub(crate) fn here() -> Self {
        Self(count::watch())
    }

    /// Whether a fork lies between. The threads and locks of the engine did not come along.
    pub(crate) fn is_elsewhere(self) -> bool {
        self.0 != count::now()
    }
}

/// What belongs to the process that made it. In a child of a fork it is neither used nor dropped: the engine's threads
/// are missing there, and ending what they serve could wait for them for ever.
pub(crate) struct Native<T> {
    value: ManuallyDrop<T>,
    birth: Birth,
}

impl<T> Native<T> {
    pub(crate) fn new(value: T, birth: Birth) -> Self {
        Self { value: ManuallyDrop::new(value), birth }
    }

    /// The value, unless this process is a child of the one that made it; `name` is what the host calls it.
    pub(crate) fn get(&self, name: &str) -> Result<&T, mcp_error> {
        if self.birth.is_elsewhere() {
            return Err(forked(name));
        }
        Ok(&self.value)
    }

    pub(crate) fn birth(&self) -> Birth {
        self.birth
    }
}

impl<T> Drop for Native<T> {
    fn drop(&mut self) {
        if !self.birth.is_elsewhere() {
            // SAFETY: nobody uses the field after the drop of its struct.
            unsafe { ManuallyDrop::drop(&mut self.value) };
        }
    }
}

/// A handle is used in a child of the process that made it.
pub(crate) fn forked(name: &str) -> mcp_error {
    let message = format!("this {name} was made before fork(); make a server of its own in the child");
    mcp_error::new(mcp_status::MCP_STATUS_CLOSED, &message)
}
