//! What the library tells about its work.
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

std::thread_local! {
    /// Whether this thread runs inside a sink.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Drops what a panic carried. That may panic in turn, and what this panic carries as well: the
/// fourth in a row is forgotten, which is a leak.
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
    // A panic must not reach C; it was printed by the panic hook.
    if let Err(payload) = result {
        discard(payload);
    }
    INSIDE.set(false);
}

/// Sets where messages go, for the whole process. The sink may be called from any thread, one call
/// at a time, and must not call the library, whose functions answer
/// [`ErrorKind::Busy`](crate::ErrorKind::Busy) to it; a panic in it is dropped. When this returns,
/// no call of the former sink is running: a call from another thread waits for it.
pub fn set_log_sink(
    lowest: LogLevel,
    sink: impl Fn(LogLevel, &str) + Send + Sync + 'static,
) -> Result<()> {
    let sink: Box<Sink> = Box::new(Box::new(sink));
    let user = ptr::from_ref::<Sink>(&sink).cast_mut().cast();
    replace(Some(forward), lowest as i32, user, Some(sink))
}

/// Back to silence.
pub fn clear_log_sink() -> Result<()> {
    replace(None, sys::CS_LOG_WARNING, ptr::null_mut(), None)
}

fn replace(
    function: sys::cs_log_function,
    lowest: i32,
    user: *mut c_void,
    sink: Option<Box<Sink>>,
) -> Result<()> {
    // The running sink, which the library would wait for while the lock is held, never asks for the
    // lock.
    if INSIDE.get() {
        return Err(Error::new(ErrorKind::Busy, "the library was called from inside a log sink"));
    }
    let mut current = SINK.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: `user` belongs to `sink`, which is kept until the library has let go of it.
    raw::check(|error| unsafe { sys::cs_set_log_sink(function, lowest, user, error) })?;
    let former = std::mem::replace(&mut *current, sink);
    drop(current);
    drop(former);
    Ok(())
}
