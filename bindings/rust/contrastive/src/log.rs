//! Log messages of the library.
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use contrastive_sys as sys;

use crate::callback;
use crate::error::Result;
use crate::raw;

/// The level of a log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum LogLevel {
    /// Details for debugging.
    Debug = sys::CS_LOG_DEBUG as isize,
    /// Normal events.
    Info = sys::CS_LOG_INFO as isize,
    /// Something is probably not as intended.
    Warning = sys::CS_LOG_WARNING as isize,
}

type Sink = Box<dyn Fn(LogLevel, &str) + Send + Sync>;

/// The current sink. C has the address of the inner box, which is freed only after C has received a
/// new address.
#[allow(clippy::redundant_allocation)] // C needs a thin pointer
static SINK: Mutex<Option<Box<Sink>>> = Mutex::new(None);

unsafe extern "C" fn forward(level: i32, message: *const c_char, user: *mut c_void) {
    // SAFETY: `user` is the sink that was set with this function, which outlives its use; the
    // message lives during the call.
    let (sink, message) = unsafe { (&*user.cast_const().cast::<Sink>(), CStr::from_ptr(message)) };
    let level = match level {
        sys::CS_LOG_DEBUG => LogLevel::Debug,
        sys::CS_LOG_INFO => LogLevel::Info,
        _ => LogLevel::Warning,
    };
    callback::run(|| sink(level, &message.to_string_lossy()));
}

/// Sets the sink of log messages, for the whole process. The sink may be called from any thread,
/// but not concurrently. It must not call the library; such calls fail with
/// [`ErrorKind::Busy`](crate::ErrorKind::Busy). A panic in the sink is dropped. When this function
/// returns, no call of the previous sink is running.
pub fn set_log_sink(
    lowest: LogLevel,
    sink: impl Fn(LogLevel, &str) + Send + Sync + 'static,
) -> Result<()> {
    let sink: Box<Sink> = Box::new(Box::new(sink));
    let user = ptr::from_ref::<Sink>(&sink).cast_mut().cast();
    replace(Some(forward), lowest as i32, user, Some(sink))
}

/// Passes the messages from `lowest` on to the crate `log`, with the target "contrastive". It sets
/// the sink: see [`set_log_sink`].
#[cfg(feature = "log")]
pub fn forward_to_log(lowest: LogLevel) -> Result<()> {
    set_log_sink(lowest, |level, message| {
        let level = match level {
            LogLevel::Debug => ::log::Level::Debug,
            LogLevel::Info => ::log::Level::Info,
            LogLevel::Warning => ::log::Level::Warn,
        };
        ::log::log!(target: "contrastive", level, "{message}");
    })
}

/// Makes the messages from `lowest` on events of the crate `tracing`, with the target
/// "contrastive". It sets the sink: see [`set_log_sink`].
#[cfg(feature = "tracing")]
pub fn forward_to_tracing(lowest: LogLevel) -> Result<()> {
    set_log_sink(lowest, |level, message| match level {
        LogLevel::Debug => tracing::debug!(target: "contrastive", "{message}"),
        LogLevel::Info => tracing::info!(target: "contrastive", "{message}"),
        LogLevel::Warning => tracing::warn!(target: "contrastive", "{message}"),
    })
}

/// Removes the sink. Messages are then dropped.
pub fn clear_log_sink() -> Result<()> {
    replace(None, sys::CS_LOG_WARNING, ptr::null_mut(), None)
}

fn replace(
    function: sys::cs_log_function,
    lowest: i32,
    user: *mut c_void,
    sink: Option<Box<Sink>>,
) -> Result<()> {
    callback::refuse()?;
    let mut current = SINK.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `user` belongs to `sink`, which is kept until the library no longer uses it.
    raw::check(|error| unsafe { sys::cs_set_log_sink(function, lowest, user, error) })?;
    let former = std::mem::replace(&mut *current, sink);
    drop(current);
    drop(former);
    Ok(())
}
