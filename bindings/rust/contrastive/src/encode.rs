//! Embeds texts.
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
    /// Calls `call` with these options in C's form.
    fn with<R>(
        &mut self,
        n_texts: usize,
        call: impl FnOnce(*const sys::cs_encode_options) -> Result<R>,
    ) -> Result<R> {
        let named =
            |what: &str, value: Option<&str>| value.map(|value| raw::name(what, value)).transpose();
        let (pooling, prompt, prompt_name) = (
            named("the pooling", self.pooling)?,
            named("the prompt", self.prompt)?,
            named("the prompt's name", self.prompt_name)?,
        );
        if let Some(counts) = self.token_counts.as_deref() {
            if counts.len() < n_texts {
                return Err(Error::new(
                    ErrorKind::Buffer,
                    format!("token_counts has {} elements for {n_texts} texts", counts.len()),
                ));
            }
        }
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
    /// Embeds texts: `&[&str]`, `&[String]`, or bytes. Invalid UTF-8 is read as U+FFFD, or is an
    /// error of kind Format if the model was loaded with `invalid_utf8 = "error"`. One call with
    /// many texts is faster than many calls. The embedding of a text does not depend on the other
    /// texts, except that the last bits may differ from those of the same text embedded alone,
    /// because the order of the sums differs.
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
    pub fn encode<T: AsRef<[u8]>>(&self, texts: &[T]) -> Result<Vectors> {
        self.embed(texts, self.dimension(), ptr::null())
    }

    /// Embeds texts with options.
    pub fn encode_with<T: AsRef<[u8]>>(
        &self,
        texts: &[T],
        mut options: EncodeOptions<'_>,
    ) -> Result<Vectors> {
        options
            .with(texts.len(), |options| self.embed(texts, self.dimension_under(options)?, options))
    }

    /// Embeds one text.
    pub fn encode_text(&self, text: impl AsRef<[u8]>) -> Result<Vec<f32>> {
        Ok(self.encode(&[text])?.into_values())
    }

    /// Embeds texts into the caller's memory, [texts, dimension] row by row, without a copy. After
    /// an error of kind Cancelled, NoMemory or Numeric the content is undefined; after other errors
    /// nothing was written.
    pub fn encode_into<T: AsRef<[u8]>>(&self, texts: &[T], embeddings: &mut [f32]) -> Result<()> {
        self.write(texts, ptr::null(), embeddings.as_mut_ptr(), embeddings.len())
    }

    /// Embeds texts into the caller's memory, with options.
    pub fn encode_into_with<T: AsRef<[u8]>>(
        &self,
        texts: &[T],
        embeddings: &mut [f32],
        mut options: EncodeOptions<'_>,
    ) -> Result<()> {
        options.with(texts.len(), |options| {
            self.write(texts, options, embeddings.as_mut_ptr(), embeddings.len())
        })
    }

    /// The number of floats in an embedding with these options.
    pub fn encode_dimension(&self, mut options: EncodeOptions<'_>) -> Result<usize> {
        options.with(0, |options| self.dimension_under(options))
    }

    fn dimension_under(&self, options: *const sys::cs_encode_options) -> Result<usize> {
        // SAFETY: the handle and the options live during the call.
        raw::check(|error| unsafe {
            sys::cs_encode_dimension(self.handle.as_ptr(), options, error)
        })
        .map(|dimension| dimension as usize)
    }

    fn embed<T: AsRef<[u8]>>(
        &self,
        texts: &[T],
        dimension: usize,
        options: *const sys::cs_encode_options,
    ) -> Result<Vectors> {
        let floats = texts.len().checked_mul(dimension);
        let mut values: Vec<f32> = raw::room("the embeddings", floats)?;
        let floats = floats.unwrap_or_default();
        self.write(texts, options, values.as_mut_ptr(), floats)?;
        // SAFETY: the capacity suffices, and a call that succeeds has written all rows.
        unsafe { values.set_len(floats) };
        Ok(Vectors::whole(values, dimension))
    }

    fn write<T: AsRef<[u8]>>(
        &self,
        texts: &[T],
        options: *const sys::cs_encode_options,
        embeddings: *mut f32,
        n_floats: usize,
    ) -> Result<()> {
        raw::texts(texts, |places, lengths| {
            // SAFETY: the handle and the options live during the call, and so do the given numbers
            // of texts and floats.
            raw::check(|error| unsafe {
                sys::cs_encode(
                    self.handle.as_ptr(),
                    places,
                    lengths,
                    texts.len() as i64,
                    options,
                    embeddings,
                    n_floats as i64,
                    error,
                )
            })
        })?;
        Ok(())
    }
}
