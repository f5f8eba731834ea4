//! Declarations of libcontrastive's C interface, as `contrastive.h` has them. The header is their
//! manual.
//!
//! Every function is unsafe to call, and no lifetime is declared: the crate `contrastive` is for
//! programs.
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
