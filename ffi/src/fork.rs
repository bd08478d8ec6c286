//! Whether this process is a child of the one that made a handle.

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
