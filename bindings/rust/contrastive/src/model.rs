//! Models: loaded, made from nothing, saved.
use std::collections::BTreeMap;
use std::path::Path;
use std::ptr::NonNull;

use contrastive_sys as sys;
use serde::Deserialize;
use serde_json::Value;

use crate::cancel::Cancel;
use crate::config::Config;
use crate::error::Result;
use crate::raw;

/// A sentence encoder: tokenizer, encoder, pooling and what follows it. It never changes, during
/// training too, and any number of threads may use it at once; share it by reference or `Arc`.
///
/// It cannot be freed while a call uses it: the call borrows it.
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
pub struct Model {
    pub(crate) handle: NonNull<sys::cs_model>,
}

// SAFETY: "A cs_model may be used by any number of threads at once."
unsafe impl Send for Model {}
unsafe impl Sync for Model {}

/// What was loaded; see [`Model::info`].
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ModelInfo {
    /// "bert", "roberta", "mpnet", ...: the model_type of its config.json.
    pub family: String,
    /// Transformer layers.
    pub layers: usize,
    /// Width of a token's state.
    pub hidden_size: usize,
    /// Numbers that were learnt.
    pub parameters: u64,
    /// Floats of one embedding.
    pub dimension: usize,
    /// Tokens of the longest text that is embedded whole.
    pub max_length: usize,
    /// "wordpiece", "bpe".
    pub tokenizer: String,
    /// How token states become one vector.
    pub pooling: Vec<String>,
    /// Whether embeddings have unit length.
    pub normalize: bool,
    /// The model's prompts by name.
    #[serde(default)]
    pub prompts: BTreeMap<String, String>,
    /// Which of them is put before a text by default.
    #[serde(deserialize_with = "crate::stated")]
    pub default_prompt_name: Option<String>,
    /// How embeddings are to be compared, if the model says so.
    #[serde(deserialize_with = "crate::stated")]
    pub similarity: Option<String>,
    /// Where it computes.
    pub device: String,
    /// "kernels" or "libtorch".
    pub computed_by: String,
    /// What it computes with.
    pub precision: String,
    /// Equal fingerprints are equal models: store it beside embeddings.
    pub fingerprint: String,
    /// What was defaulted, renamed or ignored.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The members that have no field here.
    #[serde(flatten)]
    pub more: BTreeMap<String, Value>,
}

impl Model {
    /// Loads a model folder: sentence-transformers' or Hugging Face's.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        Self::load_with(path, None)
    }

    /// The same with keys of [`describe("model")`](crate::describe()): "device", or "pooling" for a
    /// folder that states none. "kind" is always "encoder".
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
        .map(|handle| Self { handle })
    }

    /// Makes a model that does not exist yet, with random weights around the tokenizer of a folder.
    /// Keys: [`describe("recipe")`](crate::describe()).
    pub fn create(recipe: &Config) -> Result<Self> {
        // SAFETY: the config lives during the call.
        raw::create(|error| unsafe { sys::cs_model_create(Config::pointer(Some(recipe)), error) })
            .map(|handle| Self { handle })
    }

    /// Writes a sentence-transformers folder. At every instant, through a crash too, the path holds
    /// the old complete folder or the new one. A file system that cannot exchange two folders, such
    /// as NFS, has none there for a moment.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = raw::path(path.as_ref())?;
        // SAFETY: the handle and the string live during the call.
        raw::check(|error| unsafe {
            sys::cs_model_save(self.handle.as_ptr(), path.as_ptr(), error)
        })?;
        Ok(())
    }

    /// Floats of one embedding with the model's own options.
    pub fn dimension(&self) -> usize {
        // SAFETY: the handle lives.
        unsafe { sys::cs_model_dimension(self.handle.as_ptr()) }.max(0) as usize
    }

    /// Tokens of the longest text that is embedded whole, special tokens included.
    pub fn max_length(&self) -> usize {
        // SAFETY: the handle lives.
        unsafe { sys::cs_model_max_length(self.handle.as_ptr()) }.max(0) as usize
    }

    /// What was loaded.
    pub fn info(&self) -> Result<ModelInfo> {
        // SAFETY: the handle lives.
        crate::json(&raw::text(|error| unsafe { sys::cs_model_info(self.handle.as_ptr(), error) })?)
    }

    /// An independent copy with the same weights.
    pub fn snapshot(&self) -> Result<Self> {
        // SAFETY: the handle lives.
        raw::create(|error| unsafe { sys::cs_model_snapshot(self.handle.as_ptr(), error) })
            .map(|handle| Self { handle })
    }
}

/// Learns a vocabulary from a file of texts, one a line, and writes it as a folder that
/// [`Model::create`] reads. Keys: [`describe("vocabulary")`](crate::describe()).
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

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: made by the library, freed once.
        unsafe { sys::cs_model_free(self.handle.as_ptr()) }
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("dimension", &self.dimension())
            .field("max_length", &self.max_length())
            .finish_non_exhaustive()
    }
}
