//! What callbacks from the library have in common.
use std::any::Any;
use std::cell::Cell;
use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::error::{Error, ErrorKind, Result};

std::thread_local! {
    /// Whether this thread runs a callback.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a callback. A panic must not reach C, so it is dropped; the panic hook has already printed
/// it.
pub(crate) fn run(callback: impl FnOnce()) {
    INSIDE.set(true);
    if let Err(payload) = catch_unwind(AssertUnwindSafe(callback)) {
        discard(payload);
    }
    INSIDE.set(false);
}

/// Refuses a call from inside a callback, before it waits for a lock: the thread that holds the
/// lock may wait for the callback to return.
pub(crate) fn refuse() -> Result<()> {
    if !INSIDE.get() {
        return Ok(());
    }
    let message = "the library was called from inside a log sink or a progress listener";
    Err(Error::new(ErrorKind::Busy, message))
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
