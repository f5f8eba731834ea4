//! Sentence encoders: load, create and save them.
use std::collections::BTreeMap;
use std::path::Path;

use contrastive_sys as sys;
use serde::Deserialize;
use serde_json::Value;

use crate::cancel::Cancel;
use crate::config::Config;
use crate::error::Result;
use crate::raw::{self, ModelHandle};

/// A sentence encoder, which turns texts into vectors (embeddings). It consists of a tokenizer, an
/// encoder, a pooling and any layers after it. It never changes, not even during training, and any
/// number of threads may use it at once. A clone is another owner of the same model and costs
/// nothing; the last owner frees the model.
///
/// It cannot be freed while a call uses it, because the call borrows it.
///
/// ```compile_fail,E0505
/// # fn f(model: contrastive::Model) {
/// let borrowed = &model;
/// std::thread::scope(|scope| {
///     scope.spawn(|| borrowed.encode(&["a text"]));
///     drop(model); // does not compile: the thread borrows it
/// });
/// # }
/// ```
#[derive(Clone)]
pub struct Model {
    pub(crate) handle: ModelHandle,
}

/// A description of a loaded model, from [`Model::info`].
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ModelInfo {
    /// "bert", "roberta", "mpnet", ...: the model_type of its config.json.
    pub family: String,
    /// The number of Transformer layers.
    pub layers: usize,
    /// The dimension of a token's state.
    pub hidden_size: usize,
    /// The number of trainable parameters.
    pub parameters: u64,
    /// The number of floats in an embedding.
    pub dimension: usize,
    /// The maximum number of tokens of a text.
    pub max_length: usize,
    /// "wordpiece", "bpe".
    pub tokenizer: String,
    /// How token states are pooled into one vector.
    pub pooling: Vec<String>,
    /// Whether embeddings have unit length.
    pub normalize: bool,
    /// The model's prompts by name.
    #[serde(default)]
    pub prompts: BTreeMap<String, String>,
    /// The prompt that is used by default, if any.
    #[serde(deserialize_with = "crate::stated")]
    pub default_prompt_name: Option<String>,
    /// The measure with which to compare embeddings, if the model specifies one.
    #[serde(deserialize_with = "crate::stated")]
    pub similarity: Option<String>,
    /// The device on which the model runs.
    pub device: String,
    /// "kernels" or "libtorch".
    pub computed_by: String,
    /// The floating-point type of its computation.
    pub precision: String,
    /// Equal for equal models; store it with your embeddings.
    pub fingerprint: String,
    /// Settings that were defaulted, renamed or ignored.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The members that have no field here.
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

impl Model {
    /// Loads a sentence-transformers or Hugging Face model folder.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, None)
    }

    /// Loads a model folder with options. Config keys: [`describe("model")`](crate::describe()),
    /// such as "device", or "pooling" for a folder that does not specify one. The key "kind" is
    /// always "encoder".
    pub fn load_with<'c>(
        path: impl AsRef<Path>,
        config: impl Into<Option<&'c Config>>,
    ) -> Result<Self> {
        let path = raw::path(path.as_ref())?;
        let config = Config::of_kind("encoder", config.into())?;
        // SAFETY: a string that ends in NUL and a config, both alive during the call.
        raw::create(|error| unsafe {
            sys::cs_model_load(path.as_ptr(), Config::pointer(Some(&config)), error)
        })
        .map(|handle| Self { handle: handle.into() })
    }

    /// Creates a model with random weights, to train from scratch, around the tokenizer of a
    /// folder. Config keys: [`describe("recipe")`](crate::describe()).
    pub fn create(recipe: &Config) -> Result<Self> {
        // SAFETY: the config lives during the call.
        raw::create(|error| unsafe { sys::cs_model_create(Config::pointer(Some(recipe)), error) })
            .map(|handle| Self { handle: handle.into() })
    }

    /// Writes a sentence-transformers folder. The save is atomic: at every instant, even after a
    /// crash, the path contains either the complete old folder or the complete new one. On a file
    /// system that cannot exchange two folders, such as NFS, the path does not exist for a moment.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = raw::path(path.as_ref())?;
        // SAFETY: the handle and the string live during the call.
        raw::check(|error| unsafe {
            sys::cs_model_save(self.handle.as_ptr(), path.as_ptr(), error)
        })?;
        Ok(())
    }

    /// The number of floats in an embedding with the model's own options.
    pub fn dimension(&self) -> usize {
        // SAFETY: the handle lives.
        unsafe { sys::cs_model_dimension(self.handle.as_ptr()) }.max(0) as usize
    }

    /// The maximum number of tokens of a text, special tokens included. Longer texts are cut.
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
    pub fn info(&self) -> Result<ModelInfo> {
        // SAFETY: the handle lives.
        crate::json(&raw::text(|error| unsafe { sys::cs_model_info(self.handle.as_ptr(), error) })?)
    }

    /// Returns an independent copy with the same weights.
    pub fn snapshot(&self) -> Result<Self> {
        // SAFETY: the handle lives.
        raw::create(|error| unsafe { sys::cs_model_snapshot(self.handle.as_ptr(), error) })
            .map(|handle| Self { handle: handle.into() })
    }
}

/// Learns a vocabulary from a file of texts, one per line, and writes it as a folder that
/// [`Model::create`] reads. Config keys: [`describe("vocabulary")`](crate::describe()).
pub fn train_vocabulary<'c>(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    config: impl Into<Option<&'c Config>>,
    cancel: impl Into<Option<&'c Cancel>>,
) -> Result<()> {
    let (input, output) = (raw::path(input.as_ref())?, raw::path(output.as_ref())?);
    let (config, cancel) = (Config::pointer(config.into()), Cancel::pointer(cancel.into()));
    // SAFETY: strings and handles live during the call.
    raw::check(|error| unsafe {
        sys::cs_vocabulary_train(input.as_ptr(), output.as_ptr(), config, cancel, error)
    })?;
    Ok(())
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("dimension", &self.dimension())
            .field("max_length", &self.max_length())
            .finish_non_exhaustive()
    }
}
