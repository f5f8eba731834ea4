//! What the library tells about its work.
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use contrastive_sys as sys;

use crate::error::Result;
use crate::raw;

/// Levels of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// For those who look into the library.
    Debug = sys::CS_LOG_DEBUG as isize,
    /// What happens.
    Info = sys::CS_LOG_INFO as isize,
    /// What was perhaps not meant.
    Warning = sys::CS_LOG_WARNING as isize,
}

type Sink = Box<dyn Fn(LogLevel, &str) + Send + Sync>;

/// The sink in use. C has the address of the inner box, which is freed once C has another.
#[allow(clippy::redundant_allocation)] // a thin pointer to a fat one
static SINK: Mutex<Option<Box<Sink>>> = Mutex::new(None);

unsafe extern "C" fn forward(level: i32, message: *const c_char, user: *mut c_void) {
    // SAFETY: `user` is the sink that was set with this function, which outlives its use; the message lives during the call.
    let (sink, message) = unsafe { (&*user.cast_const().cast::<Sink>(), CStr::from_ptr(message)) };
    let level = match level {
        sys::CS_LOG_DEBUG => LogLevel::Debug,
        sys::CS_LOG_INFO => LogLevel::Info,
        _ => LogLevel::Warning,
    };
    // A panic must not reach C; it was printed by the panic hook.
    let _ = catch_unwind(AssertUnwindSafe(|| sink(level, &message.to_string_lossy())));
}

/// Sets where messages go, for the whole process. The sink may be called from any thread, one call at a time, and must not call the library. When
/// this returns, no call of the former sink is running.
pub fn set_log_sink(lowest: LogLevel, sink: impl Fn(LogLevel, &str) + Send + Sync + 'static) -> Result<()> {
    let sink: Box<Sink> = Box::new(Box::new(sink));
    let user = ptr::from_ref::<Sink>(&sink).cast_mut().cast();
    replace(Some(forward), lowest as i32, user, Some(sink))
}

/// Back to silence.
pub fn clear_log_sink() -> Result<()> {
    replace(None, sys::CS_LOG_WARNING, ptr::null_mut(), None)
}

fn replace(function: sys::cs_log_function, lowest: i32, user: *mut c_void, sink: Option<Box<Sink>>) -> Result<()> {
    // Only tried: who calls this from a sink, against the rule, is told by the library that it is busy, and must not wait here for itself.
    let mut current = match SINK.try_lock() {
        Ok(current) => current,
        Err(std::sync::TryLockError::Poisoned(poisoned)) => PoisonError::into_inner(poisoned),
        Err(std::sync::TryLockError::WouldBlock) => return Err(crate::Error::new(crate::ErrorKind::Busy, "another thread sets the log sink")),
    };
    // SAFETY: `user` belongs to `sink`, which is kept until the library has let go of it.
    raw::check(|error| unsafe { sys::cs_set_log_sink(function, lowest, user, error) })?;
    let former = std::mem::replace(&mut *current, sink);
    drop(current);
    drop(former);
    Ok(())
}
