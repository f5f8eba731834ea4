//! Declarations of libcontrastive's C interface. They are documented in `contrastive.h`.
//!
//! Every function is unsafe to call, and no lifetime is declared. Programs should use the crate
//! `contrastive`.
//!
//! With the feature `load`, the functions are looked up when the program runs: see [`load()`].
#![allow(non_camel_case_types, missing_docs)]

#[cfg(feature = "bundled")]
mod bundled;
#[cfg(feature = "load")]
mod loading;

macro_rules! opaque {
    ($($(#[$comment:meta])* $name:ident)*) => {$(
        $(#[$comment])*
        #[repr(C)]
        pub struct $name {
            _nothing: [u8; 0],
            _neither_send_nor_sync: std::marker::PhantomData<(*mut u8, std::marker::PhantomPinned)>,
        }
    )*};
}

/// The functions of the library that the program is linked with.
#[cfg(not(feature = "load"))]
macro_rules! functions {
    ($($(#[$comment:meta])*
        pub fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        extern "C" {$(
            $(#[$comment])*
            pub fn $name($($argument: $type),*) $(-> $result)?;
        )*}
    };
}

/// Functions that call those of the library that is loaded at run time, and their addresses.
#[cfg(feature = "load")]
macro_rules! functions {
    ($($(#[$comment:meta])*
        pub fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        $(
            $(#[$comment])*
            ///
            /// # Panics
            /// If the library cannot be loaded.
            ///
            /// # Safety
            /// As `contrastive.h` says.
            #[inline]
            #[allow(clippy::too_many_arguments)]
            pub unsafe fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller's.
                unsafe { (crate::loading::functions().$name)($($argument),*) }
            }
        )*

        pub(crate) struct Functions {$(
            $name: unsafe extern "C" fn($($type),*) $(-> $result)?,
        )*}

        impl Functions {
            /// Looks up all functions with `find`.
            ///
            /// # Safety
            /// `find` must return addresses of functions with these names in libcontrastive.
            pub(crate) unsafe fn find<E>(
                find: impl Fn(&'static std::ffi::CStr) -> Result<*mut c_void, E>,
            ) -> Result<Self, E> {
                Ok(Self {$(
                    // SAFETY: the function of this name has this type; the caller's.
                    $name: unsafe {
                        type Type = unsafe extern "C" fn($($type),*) $(-> $result)?;
                        std::mem::transmute::<*mut c_void, Type>(find(
                            std::ffi::CStr::from_bytes_with_nul(
                                concat!(stringify!($name), "\0").as_bytes(),
                            )
                            .unwrap_or_default(),
                        )?)
                    },
                )*})
            }
        }
    };
}

#[rustfmt::skip] // generated
#[allow(rustdoc::broken_intra_doc_links)] // the header writes the size of an array in brackets
mod declarations;
pub use declarations::*;

/// Loads the library, if the feature `load` is on and it is not loaded yet. Every function does
/// that, and panics if it fails; this one returns the reason.
///
/// If the environment variable `CONTRASTIVE_LIBRARY` is set, the library is this file, or is in
/// this folder. Otherwise it is the one inside the program (feature `bundled`), in the folder of
/// the program, or where the system looks, whichever is found first.
///
/// # Errors
/// What was tried, and why it failed.
pub fn load() -> Result<(), &'static str> {
    #[cfg(feature = "load")]
    loading::load()?;
    Ok(())
}
