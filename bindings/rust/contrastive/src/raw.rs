//! Helpers for calls into C: they convert errors, strings, texts and names.
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use contrastive_sys as sys;

use crate::error::{Error, ErrorKind, Result};

static AGREES: AtomicBool = AtomicBool::new(false);

/// Refuses a library whose binary interface differs from that of the declarations. This can only be
/// checked at run time.
#[inline]
fn same_interface() -> Result<()> {
    if AGREES.load(Ordering::Relaxed) {
        return Ok(());
    }
    compare_interfaces()
}

#[cold]
fn compare_interfaces() -> Result<()> {
    sys::load().map_err(|reason| Error::new(ErrorKind::NotFound, reason))?;
    // SAFETY: no arguments.
    let library = unsafe { sys::cs_abi_version() };
    if library == sys::CS_ABI_VERSION {
        AGREES.store(true, Ordering::Relaxed);
        return Ok(());
    }
    let message = format!(
        "the libcontrastive that was loaded has binary interface {library}; \
         this crate was made for {}: install the two in the same version",
        sys::CS_ABI_VERSION
    );
    Err(Error::new(ErrorKind::Mismatch, message))
}

/// Whether the library can be called. Otherwise [`check`] and [`create`] tell the reason.
pub(crate) fn usable() -> bool {
    same_interface().is_ok()
}

/// The handle of a model, which several objects may own. The last one frees it.
#[derive(Clone)]
pub(crate) struct ModelHandle(Arc<Owned>);

struct Owned(ptr::NonNull<sys::cs_model>);

// SAFETY: "A cs_model may be used by any number of threads at once."
unsafe impl Send for Owned {}
unsafe impl Sync for Owned {}

impl ModelHandle {
    pub(crate) fn as_ptr(&self) -> *mut sys::cs_model {
        self.0 .0.as_ptr()
    }
}

/// Takes a model that the library has made for the caller.
impl From<ptr::NonNull<sys::cs_model>> for ModelHandle {
    fn from(handle: ptr::NonNull<sys::cs_model>) -> Self {
        Self(Arc::new(Owned(handle)))
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: made by the library, freed once.
        unsafe { sys::cs_model_free(self.0.as_ptr()) }
    }
}

/// Makes a call that returns a status. A negative status becomes an error.
pub(crate) fn check(call: impl FnOnce(*mut *mut sys::cs_error) -> i32) -> Result<i32> {
    same_interface()?;
    let mut error = ptr::null_mut();
    let status = call(&mut error);
    if status >= 0 {
        return Ok(status);
    }
    Err(take(error, status))
}

/// Makes a call that returns a handle. NULL becomes an error.
pub(crate) fn create<T>(
    call: impl FnOnce(*mut *mut sys::cs_error) -> *mut T,
) -> Result<ptr::NonNull<T>> {
    same_interface()?;
    let mut error = ptr::null_mut();
    ptr::NonNull::new(call(&mut error)).ok_or_else(|| take(error, sys::CS_ERROR_INTERNAL))
}

/// Makes a call that returns a string, which the caller owns.
pub(crate) fn text(call: impl FnOnce(*mut *mut sys::cs_error) -> *mut c_char) -> Result<String> {
    let text = create(call)?;
    // SAFETY: the library returned a NUL-terminated string, which is freed once.
    unsafe {
        let copy = CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned();
        sys::cs_string_free(text.as_ptr());
        Ok(copy)
    }
}

#[cold]
fn take(error: *mut sys::cs_error, status: i32) -> Error {
    if error.is_null() {
        return Error::new(ErrorKind::of(status), "the library gave no message");
    }
    // SAFETY: the call has set the error. Its message lives as long as the error, which is freed
    // once.
    unsafe {
        let kind = ErrorKind::of(sys::cs_error_status(error));
        let message = CStr::from_ptr(sys::cs_error_message(error)).to_string_lossy().into_owned();
        sys::cs_error_free(error);
        Error::new(kind, message)
    }
}

/// A NUL-terminated name for C.
pub(crate) fn name(what: &str, value: &str) -> Result<CString> {
    terminated(what, value.as_bytes())
}

/// A path for C.
pub(crate) fn path(value: &Path) -> Result<CString> {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(value.as_os_str());
    #[cfg(not(unix))]
    let bytes = value
        .to_str()
        .ok_or_else(|| Error::argument(format!("the path {value:?} is not valid Unicode")))?
        .as_bytes();
    terminated("the path", bytes)
}

fn terminated(what: &str, value: &[u8]) -> Result<CString> {
    CString::new(value).map_err(|error| {
        Error::argument(format!("{what} holds a NUL byte, at {}", error.nul_position()))
    })
}

/// The pointer of an optional name; NULL if there is none.
pub(crate) fn pointer(name: &Option<CString>) -> *const c_char {
    name.as_ref().map_or(ptr::null(), |name| name.as_ptr())
}

/// The number of texts whose pointers fit on the stack, so that a call with few texts allocates
/// nothing.
const FEW: usize = 8;

/// Calls `call` with the addresses and lengths of texts, which are not copied, and their number.
pub(crate) fn texts<T: AsRef<[u8]>, R>(
    texts: impl IntoIterator<Item = T>,
    call: impl FnOnce(*const *const c_char, *const i64, usize) -> Result<R>,
) -> Result<R> {
    let mut texts = texts.into_iter().fuse();
    let few: [Option<T>; FEW] = std::array::from_fn(|_| texts.next());
    let Some(next) = texts.next() else {
        let (mut places, mut lengths) = ([ptr::null(); FEW], [0; FEW]);
        let n = few.iter().flatten().count();
        fill(few.iter().flatten(), &mut places, &mut lengths);
        return call(places.as_ptr(), lengths.as_ptr(), n);
    };
    let mut all = room("the texts", texts.size_hint().0.checked_add(FEW + 1))?;
    for text in few.into_iter().flatten().chain([next]).chain(texts) {
        all.try_reserve(1).map_err(|error| {
            Error::caused(ErrorKind::NoMemory, &format!("{} texts", all.len()), error)
        })?;
        all.push(text);
    }
    let mut places = array("the texts", Some(all.len()), ptr::null())?;
    let mut lengths = array("the texts", Some(all.len()), 0)?;
    fill(all.iter(), &mut places, &mut lengths);
    call(places.as_ptr(), lengths.as_ptr(), all.len())
}

/// Allocates room for `count` elements. `None` means that the count overflowed. Without enough
/// memory it returns an error; `Vec` would end the process.
pub(crate) fn room<T>(what: &str, count: Option<usize>) -> Result<Vec<T>> {
    let fits = |count: &usize| {
        let bytes = count.checked_mul(std::mem::size_of::<T>());
        bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok())
    };
    let count = count.filter(fits).ok_or_else(|| {
        Error::new(ErrorKind::Limit, format!("{what} have more elements than memory has places"))
    })?;
    let mut array = Vec::new();
    array.try_reserve_exact(count).map_err(|error| {
        Error::caused(ErrorKind::NoMemory, &format!("{what}: {count} elements"), error)
    })?;
    Ok(array)
}

/// Allocates an array of `count` equal elements.
pub(crate) fn array<T: Clone>(what: &str, count: Option<usize>, value: T) -> Result<Vec<T>> {
    let mut array = room(what, count)?;
    array.resize(count.unwrap_or_default(), value);
    Ok(array)
}

/// Calls `as_ref` only once for each text, because a second call may return different bytes.
fn fill<'t, T: AsRef<[u8]> + 't>(
    texts: impl Iterator<Item = &'t T>,
    places: &mut [*const c_char],
    lengths: &mut [i64],
) {
    for ((text, place), length) in texts.zip(places).zip(lengths) {
        let bytes = text.as_ref();
        *place = bytes.as_ptr().cast();
        *length = bytes.len() as i64;
    }
}

/// Converts a number to C's 32 bits.
pub(crate) fn narrow(what: &str, value: usize) -> Result<i32> {
    i32::try_from(value)
        .map_err(|_| Error::argument(format!("{what} is {value}: it must fit into 32 bits")))
}
