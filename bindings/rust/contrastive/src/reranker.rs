//! Rerankers (cross-encoders): score queries and documents.
use std::collections::BTreeMap;
use std::path::Path;
use std::ptr;

use contrastive_sys as sys;
use serde::Deserialize;
use serde_json::Value;

use crate::cancel::Cancel;
use crate::config::Config;
use crate::error::{Error, ErrorKind, Result};
use crate::raw::{self, ModelHandle};

/// A cross-encoder: a model that reads a query and a document together and scores how well the
/// document answers the query. It is more accurate than comparing two embeddings, but slower,
/// because it must read every pair. Use it to sort search results. It never changes, and any number
/// of threads may use it at once. A clone is another owner of the same model and costs nothing.
///
/// ```
/// # fn main() -> contrastive::Result<()> {
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/rerankers/bert");
/// let reranker = contrastive::Reranker::load(folder)?;
/// for ranked in reranker.rank("who lives in the sea?", &["A fish swims.", "The sun is up."])? {
///     println!("{:.3} document {}", ranked.score, ranked.index);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Reranker {
    pub(crate) handle: ModelHandle,
}

/// A document in the result of [`Reranker::rank`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ranked {
    /// The document's index in the argument.
    pub index: usize,
    /// How well it answers the query.
    pub score: f32,
}

/// A description of a loaded reranker, from [`Reranker::info`].
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RerankerInfo {
    /// "bert", "roberta", "modernbert", ...
    pub family: String,
    /// The number of Transformer layers.
    pub layers: usize,
    /// The dimension of a token's state.
    pub hidden_size: usize,
    /// The number of trainable parameters.
    pub parameters: u64,
    /// The names of a pair's scores; most rerankers have one.
    pub labels: Vec<String>,
    /// The function that is applied to the logits: "sigmoid", "identity", ...
    pub activation: String,
    /// The maximum number of tokens of a pair.
    pub max_length: usize,
    /// "wordpiece", "bpe", ...
    pub tokenizer: String,
    /// Prompts that can be put before a query, by name.
    pub prompts: BTreeMap<String, String>,
    /// The prompt that is used by default, if any.
    #[serde(deserialize_with = "crate::stated")]
    pub default_prompt_name: Option<String>,
    /// The device on which the model runs.
    pub device: String,
    /// "kernels" or "libtorch".
    pub computed_by: String,
    /// The floating-point type of its computation.
    pub precision: String,
    /// Equal for equal rerankers.
    pub fingerprint: String,
    /// Settings that were defaulted, renamed or ignored.
    pub notes: Vec<String>,
    /// The members that have no field here.
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

/// Options for scoring pairs with a reranker. The default values mean the model's own defaults.
#[derive(Clone, Copy, Debug, Default)]
pub struct RerankOptions<'a> {
    /// The function that is applied to the logits: "identity", "sigmoid", "softmax" over the labels
    /// of a pair, ...
    pub activation: Option<&'a str>,
    /// A prompt that is put before every query; "" for none, even if the model has a default.
    pub prompt: Option<&'a str>,
    /// The name of one of the model's own prompts.
    pub prompt_name: Option<&'a str>,
    /// Cuts pairs to this many tokens; 0: the model's own limit.
    pub max_length: i32,
    /// The maximum number of tokens in an internal batch, which bounds memory; 0: chosen
    /// automatically.
    pub batch_tokens: i32,
    /// A flag that stops the call; polled between internal batches.
    pub cancel: Option<&'a Cancel>,
}

impl RerankOptions<'_> {
    /// Calls `call` with these options in C's form.
    fn with<R>(&self, call: impl FnOnce(*const sys::cs_rerank_options) -> Result<R>) -> Result<R> {
        let named =
            |what: &str, value: Option<&str>| value.map(|value| raw::name(what, value)).transpose();
        let (activation, prompt, prompt_name) = (
            named("the activation", self.activation)?,
            named("the prompt", self.prompt)?,
            named("the prompt's name", self.prompt_name)?,
        );
        call(&sys::cs_rerank_options {
            activation: raw::pointer(&activation),
            prompt: raw::pointer(&prompt),
            prompt_name: raw::pointer(&prompt_name),
            max_length: self.max_length,
            batch_tokens: self.batch_tokens,
            cancel: Cancel::pointer(self.cancel),
            ..sys::CS_RERANK_OPTIONS_INIT
        })
    }
}

impl Reranker {
    /// Whether a folder contains a reranker. False if the folder cannot be read;
    /// [`load`](Self::load) then reports the reason.
    pub fn detect(path: impl AsRef<Path>) -> bool {
        // SAFETY: a string that ends in NUL, alive during the call.
        raw::usable()
            && raw::path(path.as_ref()).is_ok_and(|path| unsafe {
                sys::cs_model_detect(path.as_ptr()) == sys::CS_KIND_RERANKER
            })
    }

    /// Loads a reranker: a Hugging Face folder of a `...ForSequenceClassification` model, or a
    /// folder that sentence-transformers' CrossEncoder saved.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, None)
    }

    /// Loads a reranker with options. Config keys: [`describe("model")`](crate::describe()). The
    /// key "kind" is always "reranker".
    pub fn load_with<'c>(
        path: impl AsRef<Path>,
        config: impl Into<Option<&'c Config>>,
    ) -> Result<Self> {
        let path = raw::path(path.as_ref())?;
        let config = Config::of_kind("reranker", config.into())?;
        // SAFETY: a string that ends in NUL and a config, both alive during the call.
        raw::create(|error| unsafe {
            sys::cs_model_load(path.as_ptr(), Config::pointer(Some(&config)), error)
        })
        .map(|handle| Self { handle: handle.into() })
    }

    /// Writes a folder that sentence-transformers' CrossEncoder loads too. The save is atomic: at
    /// every instant the path contains either the complete old folder or the complete new one.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = raw::path(path.as_ref())?;
        // SAFETY: the handle and the string live during the call.
        raw::check(|error| unsafe {
            sys::cs_model_save(self.handle.as_ptr(), path.as_ptr(), error)
        })?;
        Ok(())
    }

    /// The number of scores of a pair: 1 for most rerankers. [`info`](Self::info) has their names.
    pub fn labels(&self) -> usize {
        // SAFETY: the handle lives.
        unsafe { sys::cs_model_labels(self.handle.as_ptr()) }.max(0) as usize
    }

    /// The maximum number of tokens of a pair, special tokens included. Longer pairs are cut.
    pub fn max_length(&self) -> usize {
        // SAFETY: the handle lives.
        unsafe { sys::cs_model_max_length(self.handle.as_ptr()) }.max(0) as usize
    }

    /// The number of bytes of memory that the model's weights use.
    pub fn memory(&self) -> u64 {
        // SAFETY: the handle lives.
        unsafe { sys::cs_model_memory(self.handle.as_ptr()) }.max(0) as u64
    }

    /// Describes the loaded model. The first call reads all weights to compute the fingerprint.
    pub fn info(&self) -> Result<RerankerInfo> {
        // SAFETY: the handle lives.
        crate::json(&raw::text(|error| unsafe { sys::cs_model_info(self.handle.as_ptr(), error) })?)
    }

    /// Sorts documents by how well they answer the query, best first. Documents with equal scores
    /// are sorted by index. It returns an error of kind Argument if the model has several labels.
    pub fn rank(
        &self,
        query: impl AsRef<[u8]>,
        documents: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Result<Vec<Ranked>> {
        self.rank_with(query, documents, RerankOptions::default())
    }

    /// As [`rank`](Self::rank), with options.
    pub fn rank_with(
        &self,
        query: impl AsRef<[u8]>,
        documents: impl IntoIterator<Item: AsRef<[u8]>>,
        options: RerankOptions<'_>,
    ) -> Result<Vec<Ranked>> {
        if self.labels() != 1 {
            return Err(Error::new(
                ErrorKind::Argument,
                format!(
                    "the model has {} labels and gives no order: use score_pairs",
                    self.labels()
                ),
            ));
        }
        let scores = self.score_with(query, documents, options)?;
        let mut ranked: Vec<Ranked> =
            scores.into_iter().enumerate().map(|(index, score)| Ranked { index, score }).collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(ranked)
    }

    /// Scores each document for the query: [documents, labels] row by row.
    pub fn score(
        &self,
        query: impl AsRef<[u8]>,
        documents: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Result<Vec<f32>> {
        self.score_with(query, documents, RerankOptions::default())
    }

    /// As [`score`](Self::score), with options.
    pub fn score_with(
        &self,
        query: impl AsRef<[u8]>,
        documents: impl IntoIterator<Item: AsRef<[u8]>>,
        options: RerankOptions<'_>,
    ) -> Result<Vec<f32>> {
        let query = query.as_ref();
        options.with(|options| {
            raw::texts(documents, |places, lengths, n| {
                self.scored(n, |scores, n_scores| {
                    // SAFETY: the handle and the options live during the call, and so do the given
                    // numbers of texts and floats.
                    raw::check(|error| unsafe {
                        sys::cs_rerank(
                            self.handle.as_ptr(),
                            query.as_ptr().cast(),
                            query.len() as i64,
                            places,
                            lengths,
                            n as i64,
                            options,
                            scores,
                            n_scores,
                            error,
                        )
                    })
                })
            })
        })
    }

    /// Scores pairs of texts: [pairs, labels] row by row.
    pub fn score_pairs<A: AsRef<[u8]>, B: AsRef<[u8]>>(
        &self,
        pairs: &[(A, B)],
        options: RerankOptions<'_>,
    ) -> Result<Vec<f32>> {
        let mut data: Vec<u8> = Vec::new();
        let mut offsets: Vec<i32> = vec![0];
        for (first, second) in pairs {
            for text in [first.as_ref(), second.as_ref()] {
                data.extend_from_slice(text);
                offsets.push(i32::try_from(data.len()).map_err(|_| {
                    Error::new(
                        ErrorKind::Limit,
                        "the texts of one call have more than 2^31-1 bytes",
                    )
                })?);
            }
        }
        options.with(|options| {
            self.scored(pairs.len(), |scores, n_scores| {
                // SAFETY: the handle, the options, the texts and the given number of floats live
                // during the call.
                raw::check(|error| unsafe {
                    let (handle, n_pairs) = (self.handle.as_ptr(), pairs.len() as i64);
                    sys::cs_rerank_packed(
                        handle,
                        data.as_ptr().cast(),
                        offsets.as_ptr(),
                        n_pairs,
                        options,
                        scores,
                        n_scores,
                        error,
                    )
                })
            })
        })
    }

    fn scored(
        &self,
        pairs: usize,
        call: impl FnOnce(*mut f32, i64) -> Result<i32>,
    ) -> Result<Vec<f32>> {
        let mut scores = raw::array("the scores", pairs.checked_mul(self.labels()), 0.0)?;
        let n_scores = scores.len() as i64;
        call(if scores.is_empty() { ptr::null_mut() } else { scores.as_mut_ptr() }, n_scores)?;
        Ok(scores)
    }
}

impl std::fmt::Debug for Reranker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reranker")
            .field("labels", &self.labels())
            .field("max_length", &self.max_length())
            .finish_non_exhaustive()
    }
}
