//! Log messages of the library.
use std::any::Any;
use std::cell::Cell;
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::{Mutex, PoisonError};

use contrastive_sys as sys;

use crate::error::{Error, ErrorKind, Result};
use crate::raw;

/// The level of a log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

std::thread_local! {
    /// Whether this thread runs inside a sink.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Drops the payload of a panic. The drop may panic again, with another payload. After three panics
/// the payload is leaked instead.
fn discard(mut payload: Box<dyn Any + Send>) {
    for _ in 0..3 {
        match catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            Ok(()) => return,
            Err(next) => payload = next,
        }
    }
    std::mem::forget(payload);
}

unsafe extern "C" fn forward(level: i32, message: *const c_char, user: *mut c_void) {
    // SAFETY: `user` is the sink that was set with this function, which outlives its use; the
    // message lives during the call.
    let (sink, message) = unsafe { (&*user.cast_const().cast::<Sink>(), CStr::from_ptr(message)) };
    let level = match level {
        sys::CS_LOG_DEBUG => LogLevel::Debug,
        sys::CS_LOG_INFO => LogLevel::Info,
        _ => LogLevel::Warning,
    };
    INSIDE.set(true);
    let result = catch_unwind(AssertUnwindSafe(|| sink(level, &message.to_string_lossy())));
    // A panic must not reach C. The panic hook has already printed it.
    if let Err(payload) = result {
        discard(payload);
    }
    INSIDE.set(false);
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
    // A running sink must not wait for the lock: the thread that holds the lock waits for the sink
    // to return.
    if INSIDE.get() {
        return Err(Error::new(ErrorKind::Busy, "the library was called from inside a log sink"));
    }
    let mut current = SINK.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `user` belongs to `sink`, which is kept until the library no longer uses it.
    raw::check(|error| unsafe { sys::cs_set_log_sink(function, lowest, user, error) })?;
    let former = std::mem::replace(&mut *current, sink);
    drop(current);
    drop(former);
    Ok(())
}
