//! Stopping long calls from another thread.
use std::ptr::{self, NonNull};

use contrastive_sys as sys;

use crate::error::Result;
use crate::raw;

/// A flag that cancels long calls. Pass it to calls and trigger it from any thread.
///
/// ```
/// # fn main() -> contrastive::Result<()> {
/// let cancel = contrastive::Cancel::new()?;
/// std::thread::scope(|scope| {
///     scope.spawn(|| cancel.trigger()); // for instance when a client has gone
/// });
/// # Ok(()) }
/// ```
pub struct Cancel {
    handle: NonNull<sys::cs_cancel>,
}

// SAFETY: "A cs_cancel may be used by any thread at any time."
unsafe impl Send for Cancel {}
unsafe impl Sync for Cancel {}

impl Cancel {
    /// Creates a flag that is not triggered.
    pub fn new() -> Result<Self> {
        // SAFETY: no arguments but the error's place.
        raw::create(|error| unsafe { sys::cs_cancel_new(error) }).map(|handle| Self { handle })
    }

    /// Triggers the flag, permanently. Running calls that use it fail soon with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled), later ones at once.
    pub fn trigger(&self) {
        // SAFETY: the handle lives.
        unsafe { sys::cs_cancel_trigger(self.handle.as_ptr()) }
    }

    pub(crate) fn pointer(cancel: Option<&Self>) -> *const sys::cs_cancel {
        cancel.map_or(ptr::null(), |cancel| cancel.handle.as_ptr().cast_const())
    }
}

impl Drop for Cancel {
    fn drop(&mut self) {
        // SAFETY: made by this type, freed once.
        unsafe { sys::cs_cancel_free(self.handle.as_ptr()) }
    }
}

impl std::fmt::Debug for Cancel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cancel")
    }
}
