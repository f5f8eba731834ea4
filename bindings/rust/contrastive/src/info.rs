//! Version and process-wide settings of the library: build, threads, LibTorch, handles.
use std::ffi::CStr;
use std::path::Path;

use contrastive_sys as sys;
use serde::Deserialize;

use crate::error::Result;
use crate::raw;

/// A description of the loaded library: versions, CPU, LibTorch and CUDA support.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BuildInfo {
    /// Its version.
    pub version: String,
    /// The number of its binary interface.
    pub abi: i32,
    /// The compiler that built it.
    pub compiler: String,
    /// The version of LibTorch; empty if training is not installed.
    pub libtorch: String,
    /// The folder of LibTorch; empty if training is not installed.
    pub libtorch_path: String,
    /// Why training is not available, if it is not.
    pub libtorch_reason: String,
    /// The path of the library.
    pub library_path: String,
    /// The instruction set that encoding uses.
    pub cpu: String,
    /// The number of threads that one call uses.
    pub threads: i32,
    /// CUDA support.
    pub cuda: Cuda,
}

/// The usable CUDA devices.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Cuda {
    /// The number of usable devices.
    pub devices: i32,
    /// Why no device is usable, if none is.
    #[serde(default)]
    pub reason: String,
}

/// The library's version, "MAJOR.MINOR.PATCH"; "" if it cannot be loaded (feature `load`).
pub fn version() -> &'static str {
    if sys::load().is_err() {
        return "";
    }
    // SAFETY: a static ASCII string.
    unsafe { CStr::from_ptr(sys::cs_version()) }.to_str().unwrap_or_default()
}

/// Describes the loaded library. Loads the training plugin and LibTorch if they are installed.
pub fn build_info() -> Result<BuildInfo> {
    // SAFETY: no arguments but the error's place.
    crate::json(&raw::text(|error| unsafe { sys::cs_build_info(error) })?)
}

/// The number of native objects in this process. A leak test compares it before and after.
pub fn live_handles() -> i64 {
    if sys::load().is_err() {
        return 0;
    }
    // SAFETY: no arguments.
    unsafe { sys::cs_live_handles() }
}

/// Sets the maximum number of threads of one call, for the whole process and for calls that start
/// later; 0 restores the default.
pub fn set_threads(threads: i32) -> Result<()> {
    // SAFETY: a number.
    raw::check(|error| unsafe { sys::cs_set_threads(threads, error) })?;
    Ok(())
}

/// Sets LibTorch's folder (the one that contains `lib/libtorch_cpu.so`, or `lib` itself) for the
/// whole process. Call it before the first call that needs LibTorch: training, CUDA, a task that
/// trains, [`build_info`]. Only this folder is then used. If it is not usable, the call that needs
/// it fails. An empty path restores the default: the environment variable CONTRASTIVE_LIBTORCH, or
/// the search.
///
/// # Errors
/// [`ErrorKind::State`](crate::ErrorKind::State) if LibTorch is already loaded.
pub fn set_libtorch(folder: impl AsRef<Path>) -> Result<()> {
    let folder = raw::path(folder.as_ref())?;
    // SAFETY: a path, which the call copies.
    raw::check(|error| unsafe { sys::cs_set_libtorch(folder.as_ptr(), error) })?;
    Ok(())
}
