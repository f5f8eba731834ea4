//! Tokenizes texts.
use std::ops::Range;
use std::ptr;

use contrastive_sys as sys;

use crate::error::{Error, ErrorKind, Result};
use crate::model::Model;
use crate::raw;

/// The token ids of a text, special tokens included, and the byte range of each token.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tokens {
    /// The token ids, equal to those of Hugging Face tokenizers.
    pub ids: Vec<i32>,
    /// Byte ranges in the text: a token covers `&text[range]`. `None` for special tokens.
    pub ranges: Vec<Option<Range<usize>>>,
}

/// The token ids of a pair of texts, and the type of each.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairTokens {
    /// The token ids, equal to those of Hugging Face tokenizers.
    pub ids: Vec<i32>,
    /// The type of each id: 0, or 1 for the second text if the model distinguishes them.
    pub type_ids: Vec<i32>,
}

/// The maximum number of ids of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limit {
    /// The model's own limit.
    #[default]
    Model,
    /// No limit.
    None,
    /// At most this many ids.
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
    /// Tokenizes a text. Returns the token ids and their positions in the text.
    pub fn tokenize(&self, text: impl AsRef<[u8]>, limit: Limit) -> Result<Tokens> {
        let (text, limit) = (text.as_ref(), limit.number()?);
        let ([ids, begins, ends], count) =
            Self::twice(|[ids, begins, ends], room, count, error| {
                // SAFETY: the handle, the text and three arrays of the given capacity live during
                // the call.
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

    /// Tokenizes a pair of texts as one sequence.
    pub fn tokenize_pair(
        &self,
        a: impl AsRef<[u8]>,
        b: impl AsRef<[u8]>,
        limit: Limit,
    ) -> Result<PairTokens> {
        let (a, b, limit) = (a.as_ref(), b.as_ref(), limit.number()?);
        let ([ids, type_ids], count) = Self::twice(|[ids, type_ids], room, count, error| {
            // SAFETY: the handle, both texts and two arrays of the given capacity live during the
            // call.
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

    /// The vocabulary entry of a token id; "" if there is none.
    pub fn token(&self, id: i32) -> Result<String> {
        // SAFETY: the handle lives.
        raw::text(|error| unsafe { sys::cs_token(self.handle.as_ptr(), id, error) })
    }

    /// Makes the call with a guessed capacity, and repeats it if that was too small.
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
