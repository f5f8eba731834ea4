//! Finds and opens the library at run time.
use std::ffi::{c_void, CStr};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::declarations::Functions;

#[cfg(windows)]
pub(crate) const NAME: &str = "contrastive.dll";
#[cfg(target_vendor = "apple")]
pub(crate) const NAME: &str = "libcontrastive.0.dylib";
#[cfg(not(any(windows, target_vendor = "apple")))]
pub(crate) const NAME: &str = "libcontrastive.so.0";

static LOADED: OnceLock<Result<Functions, String>> = OnceLock::new();

pub(crate) fn load() -> Result<(), &'static str> {
    LOADED.get_or_init(find).as_ref().map(|_| ()).map_err(String::as_str)
}

#[inline]
pub(crate) fn functions() -> &'static Functions {
    match LOADED.get_or_init(find) {
        Ok(functions) => functions,
        Err(message) => panic!("{message}"),
    }
}

/// What was tried, and why it failed.
struct Attempts(Vec<String>);

impl Attempts {
    fn open(&mut self, what: &str, path: &Path) -> Option<Functions> {
        open(path).map_err(|reason| self.0.push(format!("{what}: {reason}"))).ok()
    }
}

fn find() -> Result<Functions, String> {
    let mut tried = Attempts(Vec::new());
    let found = if let Some(named) =
        std::env::var_os("CONTRASTIVE_LIBRARY").filter(|value| !value.is_empty()).map(PathBuf::from)
    {
        let file = if named.is_dir() { named.join(NAME) } else { named };
        tried.open("CONTRASTIVE_LIBRARY", &file)
    } else {
        inside(&mut tried)
            .or_else(|| {
                let program = std::env::current_exe().ok()?;
                let beside = program.canonicalize().unwrap_or(program).with_file_name(NAME);
                tried.open("the program's folder", &beside)
            })
            .or_else(|| tried.open("the system's folders", Path::new(NAME)))
    };
    found.ok_or_else(|| {
        format!(
            "libcontrastive cannot be loaded on {} {}: {}. Install it, or set CONTRASTIVE_LIBRARY \
             to the file or its folder",
            std::env::consts::OS,
            std::env::consts::ARCH,
            tried.0.join("; ")
        )
    })
}

/// The library that the program carries.
#[cfg(feature = "bundled")]
fn inside(tried: &mut Attempts) -> Option<Functions> {
    crate::bundled::folders().into_iter().find_map(|folder| {
        if let Err(error) = crate::bundled::unpack(&folder) {
            tried.0.push(format!("unpacking into {}: {error}", folder.display()));
            return None;
        }
        tried.open("the library in the program", &folder.join(NAME))
    })
}

#[cfg(not(feature = "bundled"))]
fn inside(_: &mut Attempts) -> Option<Functions> {
    None
}

/// Opens a library, which is never closed: its threads may run until the process ends.
fn open(path: &Path) -> Result<Functions, String> {
    let library = system::open(path)?;
    // SAFETY: the addresses are of functions of libcontrastive.
    unsafe {
        Functions::find(|name| {
            system::find(library, name).ok_or_else(|| {
                format!(
                    "{} has no function {}: it is not libcontrastive {} or newer",
                    path.display(),
                    name.to_string_lossy(),
                    env!("CARGO_PKG_VERSION")
                )
            })
        })
    }
}

#[cfg(unix)]
mod system {
    use super::*;
    use std::ffi::CString;
    use std::os::raw::{c_char, c_int};
    use std::os::unix::ffi::OsStrExt;

    const NOW: c_int = 2; // RTLD_NOW

    extern "C" {
        fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
        fn dlerror() -> *const c_char;
    }

    pub(super) fn open(path: &Path) -> Result<*mut c_void, String> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
        // SAFETY: a string that ends in NUL; the message is copied before the next call.
        unsafe {
            let library = dlopen(name.as_ptr(), NOW);
            if !library.is_null() {
                return Ok(library);
            }
            let message = dlerror();
            if message.is_null() {
                return Err(format!("{} cannot be opened", path.display()));
            }
            Err(CStr::from_ptr(message).to_string_lossy().into_owned())
        }
    }

    pub(super) fn find(library: *mut c_void, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: an open library, and a string that ends in NUL.
        let address = unsafe { dlsym(library, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }
}

#[cfg(windows)]
mod system {
    use super::*;
    use std::os::raw::c_char;
    use std::os::windows::ffi::OsStrExt;

    const WITH_ITS_FOLDER: u32 = 8; // LOAD_WITH_ALTERED_SEARCH_PATH

    #[link(name = "kernel32")]
    extern "system" {
        fn LoadLibraryExW(path: *const u16, file: *mut c_void, flags: u32) -> *mut c_void;
        fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    pub(super) fn open(path: &Path) -> Result<*mut c_void, String> {
        let name: Vec<u16> = path.as_os_str().encode_wide().chain([0]).collect();
        let flags = if path.is_absolute() { WITH_ITS_FOLDER } else { 0 };
        // SAFETY: a string that ends in NUL.
        let library = unsafe { LoadLibraryExW(name.as_ptr(), std::ptr::null_mut(), flags) };
        if library.is_null() {
            return Err(format!("{}: {}", path.display(), std::io::Error::last_os_error()));
        }
        Ok(library)
    }

    pub(super) fn find(library: *mut c_void, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: an open library, and a string that ends in NUL.
        let address = unsafe { GetProcAddress(library, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }
}
