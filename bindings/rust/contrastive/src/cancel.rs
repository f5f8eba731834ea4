//! Stopping long calls from another thread, and hearing of their progress.
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::ptr::{self, NonNull};
use std::sync::{Mutex, PoisonError};

use contrastive_sys as sys;

use crate::callback;
use crate::error::Result;
use crate::raw;

/// A flag that cancels long calls, and hears of their progress. Pass it to calls and trigger it
/// from any thread.
///
/// ```
/// # fn main() -> contrastive::Result<()> {
/// let cancel = contrastive::Cancel::new()?;
/// cancel.set_progress(|progress| println!("{progress}"))?; // 64 of 500 texts encoded
/// std::thread::scope(|scope| {
///     scope.spawn(|| cancel.trigger()); // for instance when a client has gone
/// });
/// # Ok(()) }
/// ```
pub struct Cancel {
    handle: NonNull<sys::cs_cancel>,
    /// C has the address in the box, which is freed only after C has received a new address.
    listener: Mutex<Option<Box<Listener>>>,
}

// SAFETY: "A cs_cancel may be used by any thread at any time."
unsafe impl Send for Cancel {}
unsafe impl Sync for Cancel {}

type Function = dyn FnMut(&CallProgress<'_>) + Send;

struct Listener {
    flag: NonNull<sys::cs_cancel>,
    function: Mutex<Box<Function>>,
}

/// How far a call is: see [`Cancel::set_progress`].
#[derive(Debug)]
#[non_exhaustive]
pub struct CallProgress<'a> {
    /// What is counted, such as "texts encoded".
    pub what: &'a str,
    /// How many are done.
    pub done: u64,
    /// How many there are, if that is known.
    pub total: Option<u64>,
    flag: NonNull<sys::cs_cancel>,
}

impl CallProgress<'_> {
    /// Triggers the flag of the call, which then fails with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled).
    pub fn cancel(&self) {
        // SAFETY: the flag lives, since the call that reports its progress borrows it.
        unsafe { sys::cs_cancel_trigger(self.flag.as_ptr()) }
    }
}

/// "1024 of 5000 texts encoded".
impl std::fmt::Display for CallProgress<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.total {
            Some(total) => write!(f, "{} of {total} {}", self.done, self.what),
            None => write!(f, "{} {}", self.done, self.what),
        }
    }
}

unsafe extern "C" fn forward(what: *const c_char, done: i64, total: i64, user: *mut c_void) {
    // SAFETY: `user` is the listener that was set with this function, which outlives its use; the
    // string lives during the call.
    let (listener, what) =
        unsafe { (&*user.cast_const().cast::<Listener>(), CStr::from_ptr(what).to_string_lossy()) };
    let progress = CallProgress {
        what: &what,
        done: u64::try_from(done).unwrap_or_default(),
        total: u64::try_from(total).ok().filter(|total| *total > 0),
        flag: listener.flag,
    };
    callback::run(|| {
        (listener.function.lock().unwrap_or_else(PoisonError::into_inner))(&progress);
    });
}

impl Cancel {
    /// Creates a flag that is not triggered.
    pub fn new() -> Result<Self> {
        // SAFETY: no arguments but the error's place.
        raw::create(|error| unsafe { sys::cs_cancel_new(error) })
            .map(|handle| Self { handle, listener: Mutex::default() })
    }

    /// Triggers the flag, permanently. Running calls that use it fail soon with
    /// [`ErrorKind::Cancelled`](crate::ErrorKind::Cancelled), later ones at once.
    pub fn trigger(&self) {
        // SAFETY: the handle lives.
        unsafe { sys::cs_cancel_trigger(self.handle.as_ptr()) }
    }

    /// Sets the listener that hears of the progress of calls with this flag: embedding, reranking,
    /// evaluation, mining, adaptation, learning a vocabulary, and the evaluations of trainers. A
    /// call with several phases reports each with its own counts, at most ten times a second and at
    /// the end of the phase. The listener runs on the thread of the call, and never concurrently
    /// for one flag. It may call [`CallProgress::cancel`]; it must not call the library in another
    /// way; such calls fail with [`ErrorKind::Busy`](crate::ErrorKind::Busy). A panic in it is
    /// dropped. When this method returns, no call of the previous listener is running.
    pub fn set_progress(
        &self,
        listener: impl FnMut(&CallProgress<'_>) + Send + 'static,
    ) -> Result<()> {
        let function: Mutex<Box<Function>> = Mutex::new(Box::new(listener));
        self.replace(Some(Box::new(Listener { flag: self.handle, function })))
    }

    /// Removes the listener.
    pub fn clear_progress(&self) -> Result<()> {
        self.replace(None)
    }

    fn replace(&self, listener: Option<Box<Listener>>) -> Result<()> {
        callback::refuse()?;
        let (function, user): (sys::cs_progress_function, _) = match &listener {
            Some(listener) => {
                (Some(forward), ptr::from_ref::<Listener>(listener).cast_mut().cast())
            }
            None => (None, ptr::null_mut()),
        };
        let mut current = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: `user` belongs to `listener`, which is kept until the library no longer uses it.
        raw::check(|error| unsafe {
            sys::cs_cancel_set_progress(self.handle.as_ptr(), function, user, error)
        })?;
        let former = std::mem::replace(&mut *current, listener);
        drop(current);
        drop(former);
        Ok(())
    }

    pub(crate) fn pointer(cancel: Option<&Self>) -> *const sys::cs_cancel {
        cancel.map_or(ptr::null(), |cancel| cancel.handle.as_ptr().cast_const())
    }
}

impl Drop for Cancel {
    fn drop(&mut self) {
        // SAFETY: made by this type, freed once. No call uses it, since calls borrow it; the
        // listener is freed later.
        unsafe { sys::cs_cancel_free(self.handle.as_ptr()) }
    }
}

impl std::fmt::Debug for Cancel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cancel")
    }
}
