//! What every call into C needs: errors taken over, strings copied out, texts and names passed in.
use std::ffi::{CStr, CString};
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use contrastive_sys as sys;

use crate::error::{Error, ErrorKind, Result};

static AGREES: AtomicBool = AtomicBool::new(false);

/// Refuses a library of another binary interface than the declarations have: which one the program
/// found is known only when it runs.
#[inline]
fn same_interface() -> Result<()> {
    if AGREES.load(Ordering::Relaxed) {
        return Ok(());
    }
    compare_interfaces()
}

#[cold]
fn compare_interfaces() -> Result<()> {
    // SAFETY: no arguments.
    let library = unsafe { sys::cs_abi_version() };
    if library == sys::CS_ABI_VERSION {
        AGREES.store(true, Ordering::Relaxed);
        return Ok(());
    }
    let message = format!(
        "the libcontrastive that was loaded has binary interface {library}; this crate was made for {}: install the two in the same version",
        sys::CS_ABI_VERSION
    );
    Err(Error::new(ErrorKind::Mismatch, message))
}

/// Makes a command's call with a place for its error. A status of 0 or above is returned; below,
/// the error is.
pub(crate) fn check(call: impl FnOnce(*mut *mut sys::cs_error) -> i32) -> Result<i32> {
    same_interface()?;
    let mut error = ptr::null_mut();
    let status = call(&mut error);
    if status >= 0 {
        return Ok(status);
    }
    Err(take(error, status))
}

/// Makes a constructor's call; NULL becomes its error.
pub(crate) fn create<T>(
    call: impl FnOnce(*mut *mut sys::cs_error) -> *mut T,
) -> Result<ptr::NonNull<T>> {
    same_interface()?;
    let mut error = ptr::null_mut();
    ptr::NonNull::new(call(&mut error)).ok_or_else(|| take(error, sys::CS_ERROR_INTERNAL))
}

/// Makes a call that returns a string of the caller's.
pub(crate) fn text(call: impl FnOnce(*mut *mut sys::cs_error) -> *mut c_char) -> Result<String> {
    let text = create(call)?;
    // SAFETY: a string of the library, ending in NUL, which is freed once.
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
    // SAFETY: an error that the call has set; its message lives as long as itself, and it is freed
    // once.
    unsafe {
        let kind = ErrorKind::of(sys::cs_error_status(error));
        let message = CStr::from_ptr(sys::cs_error_message(error)).to_string_lossy().into_owned();
        sys::cs_error_free(error);
        Error::new(kind, message)
    }
}

/// A name for C, where it ends at its NUL.
pub(crate) fn name(what: &str, value: &str) -> Result<CString> {
    terminated(what, value.as_bytes())
}

/// A path for C.
pub(crate) fn path(value: &Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    terminated("the path", value.as_os_str().as_bytes())
}

fn terminated(what: &str, value: &[u8]) -> Result<CString> {
    CString::new(value).map_err(|error| {
        Error::argument(format!("{what} holds a NUL byte, at {}", error.nul_position()))
    })
}

/// The pointer of a name that may be none.
pub(crate) fn pointer(name: &Option<CString>) -> *const c_char {
    name.as_ref().map_or(ptr::null(), |name| name.as_ptr())
}

/// What few texts need stands on the stack: a call with one text allocates nothing.
const FEW: usize = 8;

/// Calls `call` with the places and lengths of texts, which are not copied.
pub(crate) fn texts<T: AsRef<[u8]>, R>(
    texts: &[T],
    call: impl FnOnce(*const *const c_char, *const i64) -> Result<R>,
) -> Result<R> {
    if texts.len() <= FEW {
        let mut places = [ptr::null(); FEW];
        let mut lengths = [0; FEW];
        fill(texts, &mut places, &mut lengths);
        call(places.as_ptr(), lengths.as_ptr())
    } else {
        let mut places = array("the texts", Some(texts.len()), ptr::null())?;
        let mut lengths = array("the texts", Some(texts.len()), 0)?;
        fill(texts, &mut places, &mut lengths);
        call(places.as_ptr(), lengths.as_ptr())
    }
}

/// Room for so many elements, or for more than a number holds (`None`): an error where there is no
/// memory, which elsewhere ends the process.
pub(crate) fn room<T>(what: &str, count: Option<usize>) -> Result<Vec<T>> {
    let count = count.ok_or_else(|| {
        Error::new(ErrorKind::Limit, format!("{what} have more elements than memory has places"))
    })?;
    let mut array = Vec::new();
    array.try_reserve_exact(count).map_err(|error| {
        Error::caused(ErrorKind::NoMemory, &format!("{what}: {count} elements"), error)
    })?;
    Ok(array)
}

/// So many equal elements.
pub(crate) fn array<T: Clone>(what: &str, count: Option<usize>, value: T) -> Result<Vec<T>> {
    let mut array = room(what, count)?;
    array.resize(count.unwrap_or_default(), value);
    Ok(array)
}

/// Asks each text for its bytes once: what it answers the second time may be something else.
fn fill<T: AsRef<[u8]>>(texts: &[T], places: &mut [*const c_char], lengths: &mut [i64]) {
    for ((text, place), length) in texts.iter().zip(places).zip(lengths) {
        let bytes = text.as_ref();
        *place = bytes.as_ptr().cast();
        *length = bytes.len() as i64;
    }
}

/// A number for C's 32 bits.
pub(crate) fn narrow(what: &str, value: usize) -> Result<i32> {
    i32::try_from(value)
        .map_err(|_| Error::argument(format!("{what} is {value}: it must fit into 32 bits")))
}
