//! Embeds texts.
use std::os::raw::c_char;
use std::ptr;

use contrastive_sys as sys;

use crate::cancel::Cancel;
use crate::error::{Error, ErrorKind, Result};
use crate::model::Model;
use crate::raw;
use crate::vectors::Vectors;

/// Options for embedding texts. The default values mean the model's own defaults.
///
/// ```
/// use contrastive::EncodeOptions;
/// let options =
///     EncodeOptions { normalize: Some(true), truncate_dim: 256, ..Default::default() };
/// ```
#[derive(Debug, Default)]
pub struct EncodeOptions<'a> {
    /// Whether embeddings are normalized to unit length.
    pub normalize: Option<bool>,
    /// How token states are pooled: "mean", "cls", "max", "mean-sqrt", "first-last", "embed-last",
    /// "last2", ...
    pub pooling: Option<&'a str>,
    /// A prompt that is put before every text; "" for none, even if the model has a default.
    pub prompt: Option<&'a str>,
    /// The name of one of the model's own prompts, such as "query".
    pub prompt_name: Option<&'a str>,
    /// Keeps only the first dimensions, for Matryoshka models; 0: all.
    pub truncate_dim: i32,
    /// Cuts texts to this many tokens; 0: the model's own limit.
    pub max_length: i32,
    /// The maximum number of tokens in an internal batch; 0: chosen automatically. It bounds memory
    /// and changes at most the last bits of the result.
    pub batch_tokens: i32,
    /// Receives the number of tokens of each text before truncation. If a number is above the
    /// maximum length, the text was cut.
    pub token_counts: Option<&'a mut [i32]>,
    /// A flag that stops the call; polled between internal batches.
    pub cancel: Option<&'a Cancel>,
}

impl EncodeOptions<'_> {
    /// The number of texts whose tokens can be counted.
    fn counts(&self) -> usize {
        self.token_counts.as_deref().map_or(usize::MAX, <[i32]>::len)
    }

    /// Calls `call` with these options in C's form.
    fn with<R>(
        &mut self,
        call: impl FnOnce(*const sys::cs_encode_options) -> Result<R>,
    ) -> Result<R> {
        let named =
            |what: &str, value: Option<&str>| value.map(|value| raw::name(what, value)).transpose();
        let (pooling, prompt, prompt_name) = (
            named("the pooling", self.pooling)?,
            named("the prompt", self.prompt)?,
            named("the prompt's name", self.prompt_name)?,
        );
        call(&sys::cs_encode_options {
            normalize: self.normalize.map_or(-1, i32::from),
            pooling: raw::pointer(&pooling),
            prompt: raw::pointer(&prompt),
            prompt_name: raw::pointer(&prompt_name),
            truncate_dim: self.truncate_dim,
            max_length: self.max_length,
            batch_tokens: self.batch_tokens,
            token_counts: self
                .token_counts
                .as_deref_mut()
                .map_or(ptr::null_mut(), |counts| counts.as_mut_ptr()),
            cancel: Cancel::pointer(self.cancel),
            ..sys::CS_ENCODE_OPTIONS_INIT
        })
    }
}

impl Model {
    /// Embeds texts: a slice, `Vec` or iterator of `&str`, `String`, or bytes. Invalid UTF-8 is
    /// read as U+FFFD, or is an error of kind Format if the model was loaded with `invalid_utf8 =
    /// "error"`. One call with many texts is faster than many calls. The embedding of a text does
    /// not depend on the other texts, except that the last bits may differ from those of the same
    /// text embedded alone, because the order of the sums differs.
    ///
    /// ```
    /// # fn main() -> contrastive::Result<()> {
    /// # let folder =
    /// #     concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/models/bert_st");
    /// let model = contrastive::Model::load(folder)?;
    /// let vectors = model.encode(&["A man is eating food.", "Someone has a meal."])?;
    /// assert_eq!(vectors.len(), 2);
    /// assert_eq!(vectors.row(0).len(), model.dimension());
    /// # Ok(()) }
    /// ```
    pub fn encode(&self, texts: impl IntoIterator<Item: AsRef<[u8]>>) -> Result<Vectors> {
        self.embed(texts, self.dimension(), ptr::null(), usize::MAX)
    }

    /// Embeds texts with options.
    pub fn encode_with(
        &self,
        texts: impl IntoIterator<Item: AsRef<[u8]>>,
        mut options: EncodeOptions<'_>,
    ) -> Result<Vectors> {
        let counts = options.counts();
        options.with(|options| self.embed(texts, self.dimension_under(options)?, options, counts))
    }

    /// Embeds one text.
    pub fn encode_text(&self, text: impl AsRef<[u8]>) -> Result<Vec<f32>> {
        Ok(self.encode([text])?.into_values())
    }

    /// Embeds texts into the caller's memory, [texts, dimension] row by row, without a copy. After
    /// an error of kind Cancelled, NoMemory or Numeric the content is undefined; after other errors
    /// nothing was written.
    pub fn encode_into(
        &self,
        texts: impl IntoIterator<Item: AsRef<[u8]>>,
        embeddings: &mut [f32],
    ) -> Result<()> {
        raw::texts(texts, |places, lengths, n| {
            let texts = Texts { places, lengths, n, counts: usize::MAX };
            self.write(texts, ptr::null(), embeddings.as_mut_ptr(), embeddings.len())
        })
    }

    /// Embeds texts into the caller's memory, with options.
    pub fn encode_into_with(
        &self,
        texts: impl IntoIterator<Item: AsRef<[u8]>>,
        embeddings: &mut [f32],
        mut options: EncodeOptions<'_>,
    ) -> Result<()> {
        let counts = options.counts();
        options.with(|options| {
            raw::texts(texts, |places, lengths, n| {
                let texts = Texts { places, lengths, n, counts };
                self.write(texts, options, embeddings.as_mut_ptr(), embeddings.len())
            })
        })
    }

    /// The number of floats in an embedding with these options.
    pub fn encode_dimension(&self, mut options: EncodeOptions<'_>) -> Result<usize> {
        options.with(|options| self.dimension_under(options))
    }

    fn dimension_under(&self, options: *const sys::cs_encode_options) -> Result<usize> {
        // SAFETY: the handle and the options live during the call.
        raw::check(|error| unsafe {
            sys::cs_encode_dimension(self.handle.as_ptr(), options, error)
        })
        .map(|dimension| dimension as usize)
    }

    fn embed(
        &self,
        texts: impl IntoIterator<Item: AsRef<[u8]>>,
        dimension: usize,
        options: *const sys::cs_encode_options,
        counts: usize,
    ) -> Result<Vectors> {
        raw::texts(texts, |places, lengths, n| {
            let floats = n.checked_mul(dimension);
            let mut values: Vec<f32> = raw::room("the embeddings", floats)?;
            let floats = floats.unwrap_or_default();
            let texts = Texts { places, lengths, n, counts };
            self.write(texts, options, values.as_mut_ptr(), floats)?;
            // SAFETY: the capacity suffices, and a call that succeeds has written all rows.
            unsafe { values.set_len(floats) };
            Ok(Vectors::whole(values, dimension))
        })
    }

    fn write(
        &self,
        texts: Texts,
        options: *const sys::cs_encode_options,
        embeddings: *mut f32,
        n_floats: usize,
    ) -> Result<()> {
        if texts.counts < texts.n {
            return Err(Error::new(
                ErrorKind::Buffer,
                format!("token_counts has {} elements for {} texts", texts.counts, texts.n),
            ));
        }
        // SAFETY: the handle and the options live during the call, and so do the given numbers of
        // texts and floats.
        raw::check(|error| unsafe {
            sys::cs_encode(
                self.handle.as_ptr(),
                texts.places,
                texts.lengths,
                texts.n as i64,
                options,
                embeddings,
                n_floats as i64,
                error,
            )
        })?;
        Ok(())
    }
}

/// Texts in C's form, and how many token counts the caller has room for.
struct Texts {
    places: *const *const c_char,
    lengths: *const i64,
    n: usize,
    counts: usize,
}
