//! Declarations of libcontrastive's C interface. They are documented in `contrastive.h`.
//!
//! Every function is unsafe to call, and no lifetime is declared. Programs should use the crate
//! `contrastive`.
#![allow(non_camel_case_types, missing_docs)]

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

#[rustfmt::skip] // generated
#[allow(rustdoc::broken_intra_doc_links)] // the header writes the size of an array in brackets
mod declarations;
pub use declarations::*;
