// Written by bindings/options.py from the keys of core: do not edit.
//! Typed options of training runs and adaptations.
use serde_json::{Map, Value};

use crate::config::Config;
use crate::error::Result;

/// A training method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrainingMethod {
    /// The value "clsr".
    Clsr,
    /// The value "consert".
    Consert,
    /// The value "mnrl".
    #[default]
    Mnrl,
    /// The value "sgopt".
    Sgopt,
    /// The value "simcse".
    Simcse,
    /// The value "clear".
    Clear,
    /// The value "scored".
    Scored,
    /// The value "triplet".
    Triplet,
    /// The value "distill".
    Distill,
    /// The value "tsdae".
    Tsdae,
    /// The value "reranker".
    Reranker,
}

impl TrainingMethod {
    /// Its name in a config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clsr => "clsr",
            Self::Consert => "consert",
            Self::Mnrl => "mnrl",
            Self::Sgopt => "sgopt",
            Self::Simcse => "simcse",
            Self::Clear => "clear",
            Self::Scored => "scored",
            Self::Triplet => "triplet",
            Self::Distill => "distill",
            Self::Tsdae => "tsdae",
            Self::Reranker => "reranker",
        }
    }
}

/// How the learning rate changes during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LearningRateSchedule {
    /// The value "constant".
    Constant,
    /// The value "warmup-linear".
    WarmupLinear,
    /// The value "warmup-cosine".
    WarmupCosine,
    /// The value "fairseq-linear".
    FairseqLinear,
}

impl LearningRateSchedule {
    /// Its name in a config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::WarmupLinear => "warmup-linear",
            Self::WarmupCosine => "warmup-cosine",
            Self::FairseqLinear => "fairseq-linear",
        }
    }
}

/// An optimizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TrainingOptimizer {
    /// The value "lars".
    Lars,
    /// The value "sgd".
    Sgd,
    /// The value "adam".
    Adam,
    /// The value "adamw".
    Adamw,
    /// The value "adamw-hf".
    AdamwHf,
}

impl TrainingOptimizer {
    /// Its name in a config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lars => "lars",
            Self::Sgd => "sgd",
            Self::Adam => "adam",
            Self::Adamw => "adamw",
            Self::AdamwHf => "adamw-hf",
        }
    }
}

/// The type in which the encoder multiplies during training.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MixedPrecision {
    /// The value "off".
    Off,
    /// The value "bfloat16".
    Bfloat16,
    /// The value "float16".
    Float16,
}

impl MixedPrecision {
    /// Its name in a config.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Bfloat16 => "bfloat16",
            Self::Float16 => "float16",
        }
    }
}

/// A metric of search results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SearchMetric {
    /// The value "ndcg@10".
    NdcgAt10,
    /// The value "mrr@10".
    MrrAt10,
    /// The value "recall@1".
    RecallAt1,
    /// The value "recall@10".
    RecallAt10,
}

impl SearchMetric {
    /// Its name in a config.
    pub fn name(self) -> &'static str {
        match self {
            Self::NdcgAt10 => "ndcg@10",
            Self::MrrAt10 => "mrr@10",
            Self::RecallAt1 => "recall@1",
            Self::RecallAt10 => "recall@10",
        }
    }
}

/// Typed options of a training run. An option that is not set has the default of the library or of
/// the method. [`to_config`](Self::to_config) makes a config, to which you can add any other key.
/// Keys "METHOD.name" belong to the chosen method; not every method has each of them.
///
/// ```
/// # fn main() -> contrastive::Result<()> {
/// use contrastive::TrainOptions;
/// let options = TrainOptions::default().learning_rate(2e-5).epochs(1).max_length(64);
/// let mut config = options.to_config()?;
/// config.set("eps", 1e-6)?; // any other key
/// assert_eq!(config.to_value()?["mnrl.max_length"], 64);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainOptions {
    method: TrainingMethod,
    entries: Map<String, Value>,
}

impl TrainOptions {
    /// Options that are not set, with the method mnrl.
    pub fn new() -> Self {
        Self::default()
    }

    /// The training method; default mnrl. Key method.
    pub fn method(mut self, method: TrainingMethod) -> Self {
        self.method = method;
        self
    }

    /// Decides every random choice: order, initial weights, augmentations, dropout. Key seed, at
    /// least 0.
    pub fn seed(self, seed: u64) -> Self {
        self.with("seed", seed)
    }

    /// Examples of a batch; the loss is taken over one batch. Key batch_size, from 1 to 1048576.
    pub fn batch_size(self, batch_size: u64) -> Self {
        self.with("batch_size", batch_size)
    }

    /// Batches of one update; 'negatives' decides how they are combined. Key accumulate, from 1 to
    /// 1048576.
    pub fn accumulate(self, accumulate: u64) -> Self {
        self.with("accumulate", accumulate)
    }

    /// Passes over the dataset. Key epochs, at least 1.
    pub fn epochs(self, epochs: u64) -> Self {
        self.with("epochs", epochs)
    }

    /// Number of updates; 0 = as 'epochs' says; if both are set, the shorter run applies. Key
    /// max_steps, at least 0.
    pub fn max_steps(self, max_steps: u64) -> Self {
        self.with("max_steps", max_steps)
    }

    /// Peak learning rate. Key lr, above 0 to 1000.
    pub fn learning_rate(self, learning_rate: f64) -> Self {
        self.with("lr", learning_rate)
    }

    /// Schedule of the learning rate. Key schedule.
    pub fn schedule(self, schedule: LearningRateSchedule) -> Self {
        self.with("schedule", schedule.name())
    }

    /// Updates in which the learning rate rises from 0. Key warmup_steps, at least 0.
    pub fn warmup_steps(self, warmup_steps: u64) -> Self {
        self.with("warmup_steps", warmup_steps)
    }

    /// Warm-up as a share of the run. Key warmup_ratio, from 0 to 1.
    pub fn warmup_ratio(self, warmup_ratio: f64) -> Self {
        self.with("warmup_ratio", warmup_ratio)
    }

    /// Optimizer: adamw is PyTorch's variant, adamw-hf that of transformers, which ConSERT and
    /// SG-OPT used. Key optimizer.
    pub fn optimizer(self, optimizer: TrainingOptimizer) -> Self {
        self.with("optimizer", optimizer.name())
    }

    /// Weight decay, for every weight that is neither a bias nor a LayerNorm weight. Key
    /// weight_decay, from 0 to 10.
    pub fn weight_decay(self, weight_decay: f64) -> Self {
        self.with("weight_decay", weight_decay)
    }

    /// Maximum norm of the gradient; 0 = no limit. Key clip_norm, at least 0.
    pub fn clip_norm(self, clip_norm: f64) -> Self {
        self.with("clip_norm", clip_norm)
    }

    /// Mixed precision: the encoder's products in 16 bits, weights and objectives in float32;
    /// float16 needs a CUDA device and scales the loss. Key amp.
    pub fn mixed_precision(self, mixed_precision: MixedPrecision) -> Self {
        self.with("amp", mixed_precision.name())
    }

    /// Keep only each layer's input for the backward pass and recompute the rest: less memory, a
    /// third more work, bit-identical results on the CPU. Key gradient_checkpointing.
    pub fn gradient_checkpointing(self, gradient_checkpointing: bool) -> Self {
        self.with("gradient_checkpointing", gradient_checkpointing)
    }

    /// Threads that an update or evaluation uses at most, besides data_threads, so that training in
    /// the background leaves processors to others; 0 = all threads of the process. Key threads,
    /// from 0 to 1024.
    pub fn threads(self, threads: u64) -> Self {
        self.with("threads", threads)
    }

    /// Threads that read and tokenise the texts of the next updates during training; 0 = the
    /// training thread does it. Results do not depend on it. Key data_threads, from 0 to 64.
    pub fn data_threads(self, data_threads: u64) -> Self {
        self.with("data_threads", data_threads)
    }

    /// Maximum number of ids of a text, special tokens included; longer texts are cut; 0 = the
    /// model's. Key METHOD.max_length, from 0 to 1000000.
    pub fn max_length(self, max_length: u64) -> Self {
        self.with("METHOD.max_length", max_length)
    }

    /// Divides every cosine. Key METHOD.temperature, from 0.0001 to 10000.
    pub fn temperature(self, temperature: f64) -> Self {
        self.with("METHOD.temperature", temperature)
    }

    /// Multiplies every similarity (1 / temperature): 20 for cosines, 1 for dot products of vectors
    /// that are not normalized. Key METHOD.scale, above 0 to 10000.
    pub fn scale(self, scale: f64) -> Self {
        self.with("METHOD.scale", scale)
    }

    /// Train low-rank adapters of this rank for the encoder's matrices, which do not change: far
    /// less memory for gradients and moments; 0 = train the encoder itself. Key METHOD.lora_rank,
    /// from 0 to 4096.
    pub fn lora_rank(self, lora_rank: u64) -> Self {
        self.with("METHOD.lora_rank", lora_rank)
    }

    /// Dimensions to cut the vectors to: the losses of the cut vectors are added, so that users may
    /// cut stored vectors. Include the model's own dimension. Empty = whole vectors only. Key
    /// matryoshka.dims, from 1 to 131072.
    pub fn matryoshka_dims(self, matryoshka_dims: impl IntoIterator<Item = u64>) -> Self {
        self.with("matryoshka.dims", matryoshka_dims.into_iter().collect::<Vec<u64>>())
    }

    /// File to measure progress on: lines 'score TAB text TAB text', or 'text TAB text' for pairs
    /// to retrieve; for a reranker, lines with scores, or queries with right and wrong documents,
    /// as mining writes them. Key dev.
    pub fn dev(self, dev: impl Into<String>) -> Self {
        let dev: String = dev.into();
        self.with("dev", dev)
    }

    /// Updates between dev evaluations; 0 = at the end. Key eval_every, at least 0.
    pub fn eval_every(self, eval_every: u64) -> Self {
        self.with("eval_every", eval_every)
    }

    /// Updates between two runs of the tasks in keys 'evaluate.*', which also run at the end; 0 =
    /// with the dev evaluations. Key evaluate_every, at least 0.
    pub fn evaluate_every(self, evaluate_every: u64) -> Self {
        self.with("evaluate_every", evaluate_every)
    }

    /// Dev evaluations that 'early_stop' counts before the run ends early; an undefined score
    /// counts too; 0 = never. Key patience, at least 0.
    pub fn patience(self, patience: u64) -> Self {
        self.with("patience", patience)
    }

    /// Folder for automatic checkpoints: step-N every 'save_every' updates and at the end, and
    /// best, the best weights on 'dev'; a run with stages has a subfolder for each stage. Key
    /// checkpoints.
    pub fn checkpoints(self, checkpoints: impl Into<String>) -> Self {
        let checkpoints: String = checkpoints.into();
        self.with("checkpoints", checkpoints)
    }

    /// Updates between two automatic checkpoints; 0 = at the end only. Key save_every, at least 0.
    pub fn save_every(self, save_every: u64) -> Self {
        self.with("save_every", save_every)
    }

    /// Number of newest automatic checkpoints to keep; 0 = all. Key keep, at least 0.
    pub fn keep(self, keep: u64) -> Self {
        self.with("keep", keep)
    }

    /// File to which JSON lines of metrics are appended; null means not measured since the previous
    /// line. A killed run that resumes from its last save repeats the steps after it: use the last
    /// line of each step. An existing file without such lines is refused. Key metrics_file.
    pub fn metrics_file(self, metrics_file: impl Into<String>) -> Self {
        let metrics_file: String = metrics_file.into();
        self.with("metrics_file", metrics_file)
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.entries.insert(key.to_string(), value.into());
        self
    }

    /// The options as a config. [`Config::set`] adds any other key:
    /// [`describe("train")`](crate::describe()) lists every key of a run.
    pub fn to_config(&self) -> Result<Config> {
        config_of(self.method, &self.entries)
    }
}

/// Typed options of an adaptation. An option that is not set has the default of the library or of
/// the method. [`to_config`](Self::to_config) makes a config, to which you can add any other key.
/// Keys "METHOD.name" belong to the chosen method; not every method has each of them.
///
/// ```
/// # fn main() -> contrastive::Result<()> {
/// use contrastive::AdaptOptions;
/// let options = AdaptOptions::default().learning_rate(2e-5).epochs(1).max_length(64);
/// let mut config = options.to_config()?;
/// config.set("eps", 1e-6)?; // any other key
/// assert_eq!(config.to_value()?["mnrl.max_length"], 64);
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AdaptOptions {
    method: TrainingMethod,
    entries: Map<String, Value>,
}

impl AdaptOptions {
    /// Options that are not set, with the method mnrl.
    pub fn new() -> Self {
        Self::default()
    }

    /// The training method (reranker is not one of them); default mnrl. Key method.
    pub fn method(mut self, method: TrainingMethod) -> Self {
        self.method = method;
        self
    }

    /// Decides every random choice: the split, what is drawn, the training, the resamples. Key
    /// seed, at least 0.
    pub fn seed(self, seed: u64) -> Self {
        self.with("seed", seed)
    }

    /// File of pairs by which the best weights are chosen, read with the keys data.*; empty: a part
    /// of the pairs. Key dev.
    pub fn dev(self, dev: impl Into<String>) -> Self {
        let dev: String = dev.into();
        self.with("dev", dev)
    }

    /// Share of the pairs that is held out and decides whether the model is better. Key test_share,
    /// from 0.01 to 0.9.
    pub fn test_share(self, test_share: f64) -> Self {
        self.with("test_share", test_share)
    }

    /// Share of the pairs that is held out to choose the best weights, if dev is empty. Key
    /// dev_share, from 0.01 to 0.9.
    pub fn dev_share(self, dev_share: f64) -> Self {
        self.with("dev_share", dev_share)
    }

    /// Metric that decides the test. Key metric.
    pub fn metric(self, metric: SearchMetric) -> Self {
        self.with("metric", metric.name())
    }

    /// A model is written if the metric rises by at least this; with 0 it must rise. Key min_gain,
    /// from 0 to 1.
    pub fn min_gain(self, min_gain: f64) -> Self {
        self.with("min_gain", min_gain)
    }

    /// Write the model only if the interval of the gain is above 0 too. Key require_significant.
    pub fn require_significant(self, require_significant: bool) -> Self {
        self.with("require_significant", require_significant)
    }

    /// Mine hard negatives for the training pairs; false: train on the plain pairs. Key mine.
    pub fn mine(self, mine: bool) -> Self {
        self.with("mine", mine)
    }

    /// Negatives of each pair. Key mining.num_negatives, from 1 to 1000.
    pub fn num_negatives(self, num_negatives: u64) -> Self {
        self.with("mining.num_negatives", num_negatives)
    }

    /// Text put before queries; empty: the model's own prompt named query, if it has one. Key
    /// query_prompt.
    pub fn query_prompt(self, query_prompt: impl Into<String>) -> Self {
        let query_prompt: String = query_prompt.into();
        self.with("query_prompt", query_prompt)
    }

    /// Text put before documents; empty: the model's own prompt named document, passage or corpus,
    /// if it has one. Key document_prompt.
    pub fn document_prompt(self, document_prompt: impl Into<String>) -> Self {
        let document_prompt: String = document_prompt.into();
        self.with("document_prompt", document_prompt)
    }

    /// Examples of a batch; the loss is taken over one batch. Key batch_size, from 1 to 1048576.
    pub fn batch_size(self, batch_size: u64) -> Self {
        self.with("batch_size", batch_size)
    }

    /// Batches of one update; 'negatives' decides how they are combined. Key accumulate, from 1 to
    /// 1048576.
    pub fn accumulate(self, accumulate: u64) -> Self {
        self.with("accumulate", accumulate)
    }

    /// Passes over the training pairs; if neither this nor max_steps is set, 3 to 20, for about 200
    /// updates. Key epochs, at least 1.
    pub fn epochs(self, epochs: u64) -> Self {
        self.with("epochs", epochs)
    }

    /// Number of updates; 0 = as 'epochs' says; if both are set, the shorter run applies. Key
    /// max_steps, at least 0.
    pub fn max_steps(self, max_steps: u64) -> Self {
        self.with("max_steps", max_steps)
    }

    /// Peak learning rate. Key lr, above 0 to 1000.
    pub fn learning_rate(self, learning_rate: f64) -> Self {
        self.with("lr", learning_rate)
    }

    /// Warm-up as a share of the run. Key warmup_ratio, from 0 to 1.
    pub fn warmup_ratio(self, warmup_ratio: f64) -> Self {
        self.with("warmup_ratio", warmup_ratio)
    }

    /// Mixed precision: the encoder's products in 16 bits, weights and objectives in float32;
    /// float16 needs a CUDA device and scales the loss. Key amp.
    pub fn mixed_precision(self, mixed_precision: MixedPrecision) -> Self {
        self.with("amp", mixed_precision.name())
    }

    /// Keep only each layer's input for the backward pass and recompute the rest: less memory, a
    /// third more work, bit-identical results on the CPU. Key gradient_checkpointing.
    pub fn gradient_checkpointing(self, gradient_checkpointing: bool) -> Self {
        self.with("gradient_checkpointing", gradient_checkpointing)
    }

    /// Threads that an update or evaluation uses at most, besides data_threads, so that training in
    /// the background leaves processors to others; 0 = all threads of the process. Key threads,
    /// from 0 to 1024.
    pub fn threads(self, threads: u64) -> Self {
        self.with("threads", threads)
    }

    /// Maximum number of ids of a text, special tokens included; longer texts are cut; 0 = the
    /// model's. Key METHOD.max_length, from 0 to 1000000.
    pub fn max_length(self, max_length: u64) -> Self {
        self.with("METHOD.max_length", max_length)
    }

    /// Multiplies every similarity (1 / temperature): 20 for cosines, 1 for dot products of vectors
    /// that are not normalized. Key METHOD.scale, above 0 to 10000.
    pub fn scale(self, scale: f64) -> Self {
        self.with("METHOD.scale", scale)
    }

    /// Train low-rank adapters of this rank for the encoder's matrices, which do not change: far
    /// less memory for gradients and moments; 0 = train the encoder itself. Key METHOD.lora_rank,
    /// from 0 to 4096.
    pub fn lora_rank(self, lora_rank: u64) -> Self {
        self.with("METHOD.lora_rank", lora_rank)
    }

    /// Updates between dev evaluations; if no key sets this, the run has 10 evaluations. Key
    /// eval_every, at least 0.
    pub fn eval_every(self, eval_every: u64) -> Self {
        self.with("eval_every", eval_every)
    }

    /// Dev evaluations that 'early_stop' counts before the run ends early; an undefined score
    /// counts too; 0 = never. Key patience, at least 0.
    pub fn patience(self, patience: u64) -> Self {
        self.with("patience", patience)
    }

    /// Updates between two saves of the training, so that it can resume after a kill. Key
    /// save_every, at least 1.
    pub fn save_every(self, save_every: u64) -> Self {
        self.with("save_every", save_every)
    }

    /// Folder that gets the report as adapt.json; empty: none is written. Key report.
    pub fn report(self, report: impl Into<String>) -> Self {
        let report: String = report.into();
        self.with("report", report)
    }

    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.entries.insert(key.to_string(), value.into());
        self
    }

    /// The options as a config. [`Config::set`] adds any other key:
    /// [`describe("adapt")`](crate::describe()) lists every key of an adaptation.
    pub fn to_config(&self) -> Result<Config> {
        config_of(self.method, &self.entries)
    }
}

fn config_of(method: TrainingMethod, entries: &Map<String, Value>) -> Result<Config> {
    let mut config = Config::new()?;
    config.set("method", method.name())?;
    for (key, value) in entries {
        match key.strip_prefix("METHOD.") {
            Some(own) => config.set(&format!("{}.{own}", method.name()), value)?,
            None => config.set(key, value)?,
        };
    }
    Ok(config)
}
