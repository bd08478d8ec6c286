//! Log levels, as RFC 5424 orders them.

use std::fmt;

/// How grave a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum LogLevel {
    /// For whoever debugs.
    Debug = 0,
    /// Ordinary progress.
    Info = 1,
    /// Ordinary but worth seeing.
    Notice = 2,
    /// Something to look into.
    Warning = 3,
    /// Something failed.
    Error = 4,
    /// A part of the system failed.
    Critical = 5,
    /// Act now.
    Alert = 6,
    /// The system cannot be used.
    Emergency = 7,
}

impl LogLevel {
    /// All levels, mildest first.
    pub const ALL: [LogLevel; 8] = [
        LogLevel::Debug,
        LogLevel::Info,
        LogLevel::Notice,
        LogLevel::Warning,
        LogLevel::Error,
        LogLevel::Critical,
        LogLevel::Alert,
        LogLevel::Emergency,
    ];

    /// The protocol's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Notice => "notice",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Critical => "critical",
            Self::Alert => "alert",
            Self::Emergency => "emergency",
        }
    }

    /// Reads the protocol's word.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
