//! The library itself: version, build, threads, handles.
use std::ffi::CStr;
use std::path::Path;

use contrastive_sys as sys;
use serde::Deserialize;

use crate::error::Result;
use crate::raw;

/// What the library is made of and where it found it.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct BuildInfo {
    /// Its version.
    pub version: String,
    /// Number of its binary interface.
    pub abi: i32,
    /// What compiled it.
    pub compiler: String,
    /// Version of LibTorch; empty where training is not installed.
    pub libtorch: String,
    /// Where LibTorch was found; empty likewise.
    pub libtorch_path: String,
    /// Why there is no training, if so.
    pub libtorch_reason: String,
    /// Where the library was found.
    pub library_path: String,
    /// The instruction set that encoding uses.
    pub cpu: String,
    /// How many threads a call may compute with.
    pub threads: i32,
    /// Whether graphics processors can be used.
    pub cuda: Cuda,
}

/// Graphics processors.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Cuda {
    /// How many can be used.
    pub devices: i32,
    /// If none, why.
    #[serde(default)]
    pub reason: String,
}

/// The library's version, "MAJOR.MINOR.PATCH".
pub fn version() -> &'static str {
    // SAFETY: a static ASCII string.
    unsafe { CStr::from_ptr(sys::cs_version()) }.to_str().unwrap_or_default()
}

/// What the library is made of and where it found it. Loads the part that trains, and LibTorch,
/// where they are installed.
pub fn build_info() -> Result<BuildInfo> {
    // SAFETY: no arguments but the error's place.
    crate::json(&raw::text(|error| unsafe { sys::cs_build_info(error) })?)
}

/// How many objects of the library live in this process.
pub fn live_handles() -> i64 {
    // SAFETY: no arguments.
    unsafe { sys::cs_live_handles() }
}

/// Sets how many threads one call may compute with, for the whole process and for calls that start
/// later; 0 goes back to the default.
pub fn set_threads(threads: i32) -> Result<()> {
    // SAFETY: a number.
    raw::check(|error| unsafe { sys::cs_set_threads(threads, error) })?;
    Ok(())
}

/// Names LibTorch's folder (the one that holds `lib/libtorch_cpu.so`, or `lib` itself) for the
/// whole process, before a call first needs it: training, CUDA, a task that trains, [`build_info`].
/// No other is taken then, and what is wrong with it is the error of that call. An empty path goes
/// back to what the environment variable CONTRASTIVE_LIBTORCH says, and to the search.
///
/// # Errors
/// [`ErrorKind::State`](crate::ErrorKind::State) where LibTorch is loaded already.
pub fn set_libtorch(folder: impl AsRef<Path>) -> Result<()> {
    let folder = raw::path(folder.as_ref())?;
    // SAFETY: a path, which the call copies.
    raw::check(|error| unsafe { sys::cs_set_libtorch(folder.as_ptr(), error) })?;
    Ok(())
}
