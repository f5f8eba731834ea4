//! Errors and their kinds.
use std::fmt;

use contrastive_sys as sys;

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The kind of an error. Later versions may add kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument or a config value is not allowed.
    Argument,
    /// A handle is not valid; safe code cannot cause this.
    Handle,
    /// The object cannot do this in its current state.
    State,
    /// Another thread or process uses the object: wait, and call again.
    Busy,
    /// A buffer is too small; nothing was written.
    Buffer,
    /// A file, folder, tensor or key does not exist.
    NotFound,
    /// The operating system refused a read or write.
    Io,
    /// The disk or quota is full. The folder that was to be replaced is intact.
    NoSpace,
    /// A file is malformed. The message gives the file and the position.
    Format,
    /// The input is well-formed, but the library does not support it; or training is not installed.
    Unsupported,
    /// Something is larger than a documented limit.
    Limit,
    /// Two things that must match do not, such as shapes, or a resumed run and its configuration.
    Mismatch,
    /// A file is corrupt: a checksum or length does not match.
    Corrupt,
    /// Memory is exhausted. Objects stay usable, or their later calls fail with `State`.
    NoMemory,
    /// The device does not exist, or its driver cannot be used.
    Device,
    /// A value is NaN or infinite where a finite number is needed.
    Numeric,
    /// A [`Cancel`](crate::Cancel) was triggered.
    Cancelled,
    /// Another rank of a distributed run failed or timed out.
    Distributed,
    /// A bug in the library. Please report the message.
    Internal,
    /// An unknown status of a newer library.
    Other(i32),
}

impl ErrorKind {
    pub(crate) fn of(status: sys::cs_status) -> Self {
        match status {
            sys::CS_ERROR_ARGUMENT => Self::Argument,
            sys::CS_ERROR_HANDLE => Self::Handle,
            sys::CS_ERROR_STATE => Self::State,
            sys::CS_ERROR_BUSY => Self::Busy,
            sys::CS_ERROR_BUFFER => Self::Buffer,
            sys::CS_ERROR_NOT_FOUND => Self::NotFound,
            sys::CS_ERROR_IO => Self::Io,
            sys::CS_ERROR_NO_SPACE => Self::NoSpace,
            sys::CS_ERROR_FORMAT => Self::Format,
            sys::CS_ERROR_UNSUPPORTED => Self::Unsupported,
            sys::CS_ERROR_LIMIT => Self::Limit,
            sys::CS_ERROR_MISMATCH => Self::Mismatch,
            sys::CS_ERROR_CORRUPT => Self::Corrupt,
            sys::CS_ERROR_NO_MEMORY => Self::NoMemory,
            sys::CS_ERROR_DEVICE => Self::Device,
            sys::CS_ERROR_NUMERIC => Self::Numeric,
            sys::CS_ERROR_CANCELLED => Self::Cancelled,
            sys::CS_ERROR_DISTRIBUTED => Self::Distributed,
            sys::CS_ERROR_INTERNAL => Self::Internal,
            other => Self::Other(other),
        }
    }

    /// The number of this kind in the C interface.
    pub fn status(self) -> i32 {
        match self {
            Self::Argument => sys::CS_ERROR_ARGUMENT,
            Self::Handle => sys::CS_ERROR_HANDLE,
            Self::State => sys::CS_ERROR_STATE,
            Self::Busy => sys::CS_ERROR_BUSY,
            Self::Buffer => sys::CS_ERROR_BUFFER,
            Self::NotFound => sys::CS_ERROR_NOT_FOUND,
            Self::Io => sys::CS_ERROR_IO,
            Self::NoSpace => sys::CS_ERROR_NO_SPACE,
            Self::Format => sys::CS_ERROR_FORMAT,
            Self::Unsupported => sys::CS_ERROR_UNSUPPORTED,
            Self::Limit => sys::CS_ERROR_LIMIT,
            Self::Mismatch => sys::CS_ERROR_MISMATCH,
            Self::Corrupt => sys::CS_ERROR_CORRUPT,
            Self::NoMemory => sys::CS_ERROR_NO_MEMORY,
            Self::Device => sys::CS_ERROR_DEVICE,
            Self::Numeric => sys::CS_ERROR_NUMERIC,
            Self::Cancelled => sys::CS_ERROR_CANCELLED,
            Self::Distributed => sys::CS_ERROR_DISTRIBUTED,
            Self::Internal => sys::CS_ERROR_INTERNAL,
            Self::Other(status) => status,
        }
    }

    /// The kind's name in the C interface, such as "NOT_FOUND".
    pub fn name(self) -> &'static str {
        if sys::load().is_err() {
            return "UNKNOWN"; // without the library there are no names
        }
        // SAFETY: the function takes any number and returns a static ASCII string.
        unsafe { std::ffi::CStr::from_ptr(sys::cs_status_name(self.status())) }
            .to_str()
            .unwrap_or("UNKNOWN")
    }
}

/// The error of a failed call. It has a kind for programs, and a message that tells people what is
/// wrong, where, and what to do.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    pub(crate) fn caused(
        kind: ErrorKind,
        what: &str,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        Self { kind, message: format!("{what}: {source}"), source: Some(Box::new(source)) }
    }

    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Argument, message)
    }

    /// The kind of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message without the kind.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        let kind = match error.kind {
            ErrorKind::NotFound => std::io::ErrorKind::NotFound,
            ErrorKind::NoMemory => std::io::ErrorKind::OutOfMemory,
            ErrorKind::Cancelled => std::io::ErrorKind::Interrupted,
            _ => std::io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}
