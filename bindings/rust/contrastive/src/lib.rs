//! Sentence embeddings with contrastive learning, in your own process: load an encoder, embed,
//! compare and search texts, train it on your own texts, and save it.
//!
//! ```
//! # fn main() -> contrastive::Result<()> {
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures/models/bert_st");
//! use contrastive::{score, Metric, Model};
//! let model = Model::load(folder)?; // a sentence-transformers or Hugging Face folder
//! let vectors = model.encode(&["A man is eating food.", "Someone has a meal."])?;
//! println!("{:.3}", score(vectors.row(0), vectors.row(1), Metric::Cosine)?);
//! # Ok(()) }
//! ```
//!
//! You write the training loop: see [`Trainer`]. [`describe()`] lists every config key;
//! [`TrainOptions`] and [`AdaptOptions`] have the common ones with types.
//!
//! A [`Reranker`] scores a query and a document together. Use it to sort search results.
//!
//! [`Index`] holds texts with their vectors.
//!
//! Features:
//!
//! - `load`: the program finds libcontrastive when it runs: the file or folder that the environment
//!   variable `CONTRASTIVE_LIBRARY` names, else the program's own folder, else where the system
//!   looks. No library is needed to build. If it is missing, every call fails with
//!   [`ErrorKind::NotFound`], and the message says what was tried.
//! - `bundled`: the library that the build found is put into the program, with the training plugin
//!   if it is beside it. The program unpacks them into the user's cache when it first needs them.
//! - `serde`: results and configs implement `Serialize`, and most of them `Deserialize`.
//! - `log`, `tracing`: functions that pass the library's log messages to these crates.
//!
//! - **Errors** have a [`kind`](Error::kind) for programs and a message that says what is wrong,
//!   where, and what to do.
//! - **Threads**: a [`Model`], a [`Reranker`] and a [`Cancel`] are `Sync`; a [`Trainer`],
//!   [`Dataset`] and [`Config`] are `Send`. An object cannot be freed while a call uses it.
//! - **Texts** are `&str`, `String`, or bytes, and may contain NUL. They are not copied. Invalid
//!   UTF-8 is read as U+FFFD, or is an error of kind Format if the model was loaded with
//!   `invalid_utf8 = "error"`. Paths and names cannot contain a NUL.
#![warn(missing_docs)]

mod adapt;
mod callback;
mod cancel;
mod config;
mod dataset;
mod describe;
mod encode;
mod error;
mod evaluate;
mod index;
mod info;
mod log;
mod mine;
mod model;
mod options;
mod quantize;
mod raw;
mod reranker;
mod similarity;
mod tokenize;
mod trainer;
mod vectors;

pub use cancel::{CallProgress, Cancel};
pub use config::Config;
pub use dataset::{Dataset, Example};
pub use describe::{describe, describe_all, Key};
pub use encode::EncodeOptions;
pub use error::{Error, ErrorKind, Result};
pub use evaluate::Report;
pub use index::{Found, Index};
pub use info::{build_info, live_handles, set_libtorch, set_threads, version, BuildInfo, Cuda};
#[cfg(feature = "log")]
pub use log::forward_to_log;
#[cfg(feature = "tracing")]
pub use log::forward_to_tracing;
pub use log::{clear_log_sink, set_log_sink, LogLevel};
pub use model::{train_vocabulary, Model, ModelInfo};
pub use options::{
    AdaptOptions, LearningRateSchedule, MixedPrecision, SearchMetric, TrainOptions, TrainingMethod,
    TrainingOptimizer,
};
pub use quantize::{quantize_binary, quantize_float16, quantize_int8, Calibration};
pub use reranker::{Ranked, RerankOptions, Reranker, RerankerInfo};
pub use similarity::{score, search, search_with, similarity, similarity_into, Hit, Metric};
pub use tokenize::{Limit, PairTokens, Tokens};
pub use trainer::{Progress, Run, Step, Trainer};
pub use vectors::{Rows, Vectors};

/// Parses JSON from the library.
fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text)
        .map_err(|error| Error::caused(ErrorKind::Internal, "the library's JSON", error))
}

/// Deserializes an optional string, for which the library writes "" if there is no value.
fn stated<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<String>, D::Error> {
    let text: String = serde::Deserialize::deserialize(deserializer)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}
