//! Texts into token ids.
use std::ops::Range;
use std::ptr;

use contrastive_sys as sys;

use crate::error::{Error, ErrorKind, Result};
use crate::model::Model;
use crate::raw;

/// The ids of a text, special tokens included, and the bytes of the text that each stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Tokens {
    /// Equal to those of Hugging Face's tokenizers.
    pub ids: Vec<i32>,
    /// Bytes of the text, as `str` counts: `&text[range]` is what a token stands for. `None` for
    /// special tokens.
    pub ranges: Vec<Option<Range<usize>>>,
}

/// The ids of a pair of texts, and the type of each.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTokens {
    /// Equal to those of Hugging Face's tokenizers.
    pub ids: Vec<i32>,
    /// The type of each id: 0, or 1 in the second text where the model tells them apart.
    pub type_ids: Vec<i32>,
}

/// How many ids a text may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// As many as the model embeds.
    #[default]
    Model,
    /// All of the text's.
    None,
    /// At most this many.
    Tokens(i32),
}

impl Limit {
    fn number(self) -> Result<i32> {
        match self {
            Self::Model => Ok(0),
            Self::None => Ok(-1),
            Self::Tokens(0) => {
                Err(Error::argument("a limit of 0 tokens leaves no room for a text"))
            }
            Self::Tokens(tokens) => Ok(tokens),
        }
    }
}

const ROOM: usize = 512;

impl Model {
    /// The token ids of one text, with the place of each in the text.
    pub fn tokenize(&self, text: impl AsRef<[u8]>, limit: Limit) -> Result<Tokens> {
        let (text, limit) = (text.as_ref(), limit.number()?);
        let ([ids, begins, ends], count) =
            Self::twice(|[ids, begins, ends], room, count, error| {
                // SAFETY: the handle, the text and three arrays with room for as many ids as are
                // told live during the call.
                unsafe {
                    sys::cs_tokenize(
                        self.handle.as_ptr(),
                        text.as_ptr().cast(),
                        text.len() as i64,
                        limit,
                        ids,
                        begins,
                        ends,
                        room,
                        count,
                        error,
                    )
                }
            })?;
        let range = |(begin, end): (&i32, &i32)| {
            usize::try_from(*begin).ok().map(|begin| begin..(*end).max(0) as usize)
        };
        let ranges = begins[..count].iter().zip(&ends[..count]).map(range).collect();
        Ok(Tokens { ids: shortened(ids, count), ranges })
    }

    /// The token ids of a pair of texts.
    pub fn tokenize_pair(
        &self,
        a: impl AsRef<[u8]>,
        b: impl AsRef<[u8]>,
        limit: Limit,
    ) -> Result<PairTokens> {
        let (a, b, limit) = (a.as_ref(), b.as_ref(), limit.number()?);
        let ([ids, type_ids], count) = Self::twice(|[ids, type_ids], room, count, error| {
            // SAFETY: the handle, both texts and two arrays with room for as many ids as are told
            // live during the call.
            unsafe {
                let (data_a, data_b) = (a.as_ptr().cast(), b.as_ptr().cast());
                sys::cs_tokenize_pair(
                    self.handle.as_ptr(),
                    data_a,
                    a.len() as i64,
                    data_b,
                    b.len() as i64,
                    limit,
                    ids,
                    type_ids,
                    room,
                    count,
                    error,
                )
            }
        })?;
        Ok(PairTokens { ids: shortened(ids, count), type_ids: shortened(type_ids, count) })
    }

    /// The vocabulary's text for an id, "" where it has none.
    pub fn token(&self, id: i32) -> Result<String> {
        // SAFETY: the handle lives.
        raw::text(|error| unsafe { sys::cs_token(self.handle.as_ptr(), id, error) })
    }

    /// Calls with some room, and again where that was too little.
    fn twice<const N: usize>(
        call: impl Fn([*mut i32; N], i64, *mut i32, *mut *mut sys::cs_error) -> i32,
    ) -> Result<([Vec<i32>; N], usize)> {
        let mut room = ROOM;
        loop {
            let mut arrays = [(); N].map(|()| vec![0; room]);
            let mut count = 0;
            let places = arrays.each_mut().map(|array| array.as_mut_ptr());
            match raw::check(|error| call(places, room as i64, ptr::from_mut(&mut count), error)) {
                Ok(_) => return Ok((arrays, count as usize)),
                Err(error) if error.kind() == ErrorKind::Buffer && count as usize > room => {
                    room = count as usize
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn shortened(mut array: Vec<i32>, count: usize) -> Vec<i32> {
    array.truncate(count);
    array
}
