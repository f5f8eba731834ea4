// Written by bindings/rust/generate.py from contrastive.h: do not edit.
// The comments are first sentences; the header is the manual.

use std::os::raw::{c_char, c_void};

opaque! {
    /// A handle: why a call failed.
    cs_error
    /// A handle: keys with values.
    cs_config
    /// A handle: a sentence encoder or a reranker.
    cs_model
    /// A handle: texts to train on.
    cs_dataset
    /// A handle: a training run.
    cs_trainer
    /// A handle: a flag that stops calls.
    cs_cancel
}

/// The first number of this header's version.
pub const CS_VERSION_MAJOR: i32 = 0;
/// The second number of the version.
pub const CS_VERSION_MINOR: i32 = 1;
/// The third number of the version.
pub const CS_VERSION_PATCH: i32 = 0;
/// Number of the binary interface.
pub const CS_ABI_VERSION: i32 = 0;
pub const CS_OK: i32 = 0;
/// success, and a trainer has no step left
pub const CS_DONE: i32 = 1;
/// an argument or a config value is not allowed
pub const CS_ERROR_ARGUMENT: i32 = -1;
/// a handle is NULL, freed, of another type, or from elsewhere
pub const CS_ERROR_HANDLE: i32 = -2;
/// the object cannot do this now, for instance after an error that it could not undo
pub const CS_ERROR_STATE: i32 = -3;
/// another thread or process uses the object: wait, and call again
pub const CS_ERROR_BUSY: i32 = -4;
/// the caller's buffer is too small; nothing was written
pub const CS_ERROR_BUFFER: i32 = -5;
/// a file, folder, tensor or key is not there
pub const CS_ERROR_NOT_FOUND: i32 = -6;
/// the operating system refused a read or write
pub const CS_ERROR_IO: i32 = -7;
/// the disk or quota is full; the folder that stood there before is intact
pub const CS_ERROR_NO_SPACE: i32 = -8;
/// a file is malformed, or a text if texts are checked; the message names the place in it
pub const CS_ERROR_FORMAT: i32 = -9;
/// well-formed, but of a kind that this library does not know; or training is not installed
pub const CS_ERROR_UNSUPPORTED: i32 = -10;
/// larger than a stated limit
pub const CS_ERROR_LIMIT: i32 = -11;
/// two things that must agree do not: shapes, or a resumed run and its configuration
pub const CS_ERROR_MISMATCH: i32 = -12;
/// a checksum or length is not what was written
pub const CS_ERROR_CORRUPT: i32 = -13;
/// host or device memory is exhausted; the objects stay usable, or say STATE
pub const CS_ERROR_NO_MEMORY: i32 = -14;
/// no such device, or its driver cannot be used
pub const CS_ERROR_DEVICE: i32 = -15;
/// NaN or infinity where a number is needed
pub const CS_ERROR_NUMERIC: i32 = -16;
/// a cs_cancel was triggered, or the process exits
pub const CS_ERROR_CANCELLED: i32 = -17;
/// another rank of the run failed, or did not come in time
pub const CS_ERROR_DISTRIBUTED: i32 = -18;
/// a bug of this library: please report the message
pub const CS_ERROR_INTERNAL: i32 = -99;
/// a sentence encoder: for cs_encode
pub const CS_KIND_ENCODER: i32 = 1;
/// a reranker (cross-encoder): for cs_rerank
pub const CS_KIND_RERANKER: i32 = 2;
/// in [-1, 1]; 0 where a vector is zero, never NaN
pub const CS_METRIC_COSINE: i32 = 0;
/// inner product
pub const CS_METRIC_DOT: i32 = 1;
/// minus the L2 distance
pub const CS_METRIC_EUCLIDEAN: i32 = 2;
/// minus the L1 distance
pub const CS_METRIC_MANHATTAN: i32 = 3;
/// IEEE half, 2 bytes a value, in the machine's byte order; rounded to nearest, ties to even
pub const CS_PRECISION_FLOAT16: i32 = 1;
/// 1 byte: (x - start) / step - 128 for the start and step of its dimension; beyond the range it
/// saturates
pub const CS_PRECISION_INT8: i32 = 2;
/// 1 bit: 1 where the value is above 0, highest bit first; (dimension + 7) / 8 bytes a row, padded
/// with 0
pub const CS_PRECISION_UBINARY: i32 = 3;
/// for debugging the library
pub const CS_LOG_DEBUG: i32 = 0;
/// what was done
pub const CS_LOG_INFO: i32 = 1;
/// what was not done as asked, or may be a mistake
pub const CS_LOG_WARNING: i32 = 2;

/// Result of a command: 0 is success, a value above 0 is a variant of success, a value below 0 is
/// an error.
pub type cs_status = i32;

/// How texts are embedded.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cs_encode_options {
    /// sizeof(cs_encode_options) of the caller
    pub struct_size: u32,
    /// 1: unit length; 0: as pooled; -1: as the model says
    pub normalize: i32,
    /// "mean", "cls", "max", "mean-sqrt", "first-last", "embed-last", "last2", ...; NULL: the
    /// model's
    pub pooling: *const c_char,
    /// text put before every text, "" for none; NULL: the model's default prompt, if it has one
    pub prompt: *const c_char,
    /// or the name of one of the model's prompts ("query"); NULL: none
    pub prompt_name: *const c_char,
    /// keep the first dimensions only (Matryoshka models); 0: as the model says (its truncate_dim,
    /// else all)
    pub truncate_dim: i32,
    /// tokens of a text at most, up to what the encoder can; 0: the model's own limit
    pub max_length: i32,
    /// token budget of one internal batch; 0: chosen. Bounds memory; changes no more than last
    /// bits
    pub batch_tokens: i32,
    /// 0
    pub reserved: u32,
    /// out, [n_texts], nullable: tokens of each text before truncation; above max_length: the text
    /// was cut
    pub token_counts: *mut i32,
    /// nullable: looked at between internal batches
    pub cancel: *const cs_cancel,
}

/// Initialiser of cs_encode_options: `cs_encode_options options = CS_ENCODE_OPTIONS_INIT;`.
pub const CS_ENCODE_OPTIONS_INIT: cs_encode_options = cs_encode_options {
    struct_size: std::mem::size_of::<cs_encode_options>() as u32,
    normalize: -1,
    pooling: std::ptr::null(),
    prompt: std::ptr::null(),
    prompt_name: std::ptr::null(),
    truncate_dim: 0,
    max_length: 0,
    batch_tokens: 0,
    reserved: 0,
    token_counts: std::ptr::null_mut(),
    cancel: std::ptr::null(),
};

/// How pairs are scored.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cs_rerank_options {
    /// sizeof(cs_rerank_options) of the caller
    pub struct_size: u32,
    /// tokens of a pair at most: no more than the encoder can, enough for one of each text; 0: the
    /// model's own
    pub max_length: i32,
    /// "identity" (the logits), "sigmoid", "softmax" over a pair's several labels, "tanh", ...;
    /// NULL: the model's
    pub activation: *const c_char,
    /// text put before every query, "" for none; NULL: the model's default prompt, if it has one
    pub prompt: *const c_char,
    /// or the name of one of the model's prompts; NULL: none
    pub prompt_name: *const c_char,
    /// token budget of one internal batch; 0: chosen. Bounds memory; changes no more than last
    /// bits
    pub batch_tokens: i32,
    /// 0
    pub reserved: u32,
    /// out, [pairs], nullable: tokens of each pair before truncation; above max_length: the pair
    /// was cut
    pub token_counts: *mut i32,
    /// nullable: looked at between internal batches
    pub cancel: *const cs_cancel,
}

/// Initialiser of cs_rerank_options: `cs_rerank_options options = CS_RERANK_OPTIONS_INIT;`.
pub const CS_RERANK_OPTIONS_INIT: cs_rerank_options = cs_rerank_options {
    struct_size: std::mem::size_of::<cs_rerank_options>() as u32,
    max_length: 0,
    activation: std::ptr::null(),
    prompt: std::ptr::null(),
    prompt_name: std::ptr::null(),
    batch_tokens: 0,
    reserved: 0,
    token_counts: std::ptr::null_mut(),
    cancel: std::ptr::null(),
};

/// Receives one message: UTF-8 without a newline, valid during the call.
pub type cs_log_function =
    Option<unsafe extern "C" fn(level: i32, message: *const c_char, user: *mut c_void)>;

extern "C" {
    /// The library's version, "MAJOR.MINOR.PATCH".
    pub fn cs_version() -> *const c_char;
    /// The library's CS_ABI_VERSION, for programs that load the library at run time.
    pub fn cs_abi_version() -> i32;
    /// Tells what this library is made of and where it lies, as a JSON object: "version", "abi",
    /// "compiler", "library_path", "cpu" (the instruction set that encoding uses), "threads",
    /// "libtorch" (its version), "libtorch_path", "libtorch_reason", "cuda" ({"devices",
    /// "reason"}).
    pub fn cs_build_info(error: *mut *mut cs_error) -> *mut c_char;
    /// How many handles of all types exist in this process: a leak test compares it before and
    /// after.
    pub fn cs_live_handles() -> i64;
    /// Sets how many threads one call may compute with.
    pub fn cs_set_threads(threads: i32, error: *mut *mut cs_error) -> cs_status;
    /// Names LibTorch's folder: the one that holds lib/libtorch_cpu.so, or lib itself.
    pub fn cs_set_libtorch(folder: *const c_char, error: *mut *mut cs_error) -> cs_status;
    /// Frees a `char *` that this library returned.
    pub fn cs_string_free(text: *mut c_char);
    /// The status of an error; CS_ERROR_HANDLE if `error` is not an error.
    pub fn cs_error_status(error: *const cs_error) -> cs_status;
    /// One or two sentences: what is wrong, where, what to do.
    pub fn cs_error_message(error: *const cs_error) -> *const c_char;
    /// Frees an error.
    pub fn cs_error_free(error: *mut cs_error);
    /// The name of a status without its prefix: "OK", "DONE", "FORMAT", ...; "UNKNOWN" for other
    /// numbers.
    pub fn cs_status_name(status: cs_status) -> *const c_char;
    /// Reads a config from JSON.
    pub fn cs_config_parse(json: *const c_char, error: *mut *mut cs_error) -> *mut cs_config;
    /// Sets one key as a person would type it: JSON where `value` is a JSON scalar or list ("0.1",
    /// "true", "[1,2]"), else text ("lars").
    pub fn cs_config_set(
        config: *mut cs_config,
        key: *const c_char,
        value: *const c_char,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Lays `other` over `config`: each entry of `other` replaces the entry with the same key.
    pub fn cs_config_merge(
        config: *mut cs_config,
        other: *const cs_config,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// The config as one flat JSON object, keys sorted.
    pub fn cs_config_to_json(config: *const cs_config, error: *mut *mut cs_error) -> *mut c_char;
    /// Lists the keys of a topic, as a JSON array of {"key", "type", "default", "range" or
    /// "values", "unit", "help", "source", "may_change"}.
    pub fn cs_config_describe(topic: *const c_char, error: *mut *mut cs_error) -> *mut c_char;
    /// Frees a config.
    pub fn cs_config_free(config: *mut cs_config);
    /// Loads a folder of sentence-transformers (old and new layout) or of Hugging Face
    /// (config.json + model.safetensors, sharded too).
    pub fn cs_model_load(
        path: *const c_char,
        config: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_model;
    /// Makes a new model: a BERT or RoBERTa encoder of any size with random weights, and the
    /// tokenizer of a folder (your own from cs_vocabulary_train, or an existing model's).
    pub fn cs_model_create(config: *const cs_config, error: *mut *mut cs_error) -> *mut cs_model;
    /// Learns a vocabulary from texts, one a line, and writes it as a folder that cs_model_create
    /// and Hugging Face's tokenizers read: WordPiece (vocab.txt), byte-level BPE (vocab.json,
    /// merges.txt) or Unigram (tokenizer.json).
    pub fn cs_vocabulary_train(
        input: *const c_char,
        output: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Writes a folder that sentence-transformers (a reranker's: its CrossEncoder), transformers
    /// and this library load.
    pub fn cs_model_save(
        model: *const cs_model,
        path: *const c_char,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Tells what cs_model_load would load a folder as, without config keys.
    pub fn cs_model_detect(path: *const c_char) -> i32;
    /// What the model is: CS_KIND_ENCODER or CS_KIND_RERANKER; CS_ERROR_HANDLE if `model` is not a
    /// model.
    pub fn cs_model_kind(model: *const cs_model) -> i32;
    /// Floats of one embedding with the model's own options; CS_ERROR_ARGUMENT for a reranker,
    /// CS_ERROR_HANDLE if `model` is not a model.
    pub fn cs_model_dimension(model: *const cs_model) -> i32;
    /// How many scores cs_rerank gives for a pair: one for each label, 1 for most rerankers;
    /// CS_ERROR_ARGUMENT for a sentence encoder, CS_ERROR_HANDLE if `model` is not a model.
    pub fn cs_model_labels(model: *const cs_model) -> i32;
    /// Tokens of the longest text that is embedded whole, or of the longest pair that is scored
    /// whole, special tokens included; CS_ERROR_HANDLE if `model` is not a model.
    pub fn cs_model_max_length(model: *const cs_model) -> i32;
    /// What was loaded, as a JSON object: "kind" ("encoder" or "reranker"), shape, tokenizer,
    /// prompts, device, and under "notes" what was defaulted, renamed or ignored.
    pub fn cs_model_info(model: *const cs_model, error: *mut *mut cs_error) -> *mut c_char;
    /// An independent copy with the same weights: the copies share no memory and no caches.
    pub fn cs_model_snapshot(model: *const cs_model, error: *mut *mut cs_error) -> *mut cs_model;
    /// Frees a model; trainers and calls that use it keep what they need.
    pub fn cs_model_free(model: *mut cs_model);
    /// The token ids of one text, special tokens included, equal to Hugging Face `tokenizers` id
    /// by id, with the place of each in the text.
    pub fn cs_tokenize(
        model: *const cs_model,
        text: *const c_char,
        length: i64,
        max_length: i32,
        ids: *mut i32,
        begins: *mut i32,
        ends: *mut i32,
        capacity: i64,
        count: *mut i32,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// The same for a pair of texts, with the type that the encoder is handed for each id
    /// (`type_ids`, [capacity], nullable): 0, or 1 in the second text where the model's tokenizer
    /// tells them apart.
    pub fn cs_tokenize_pair(
        model: *const cs_model,
        text_a: *const c_char,
        length_a: i64,
        text_b: *const c_char,
        length_b: i64,
        max_length: i32,
        ids: *mut i32,
        type_ids: *mut i32,
        capacity: i64,
        count: *mut i32,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// The vocabulary's text for an id, "" where it has none.
    pub fn cs_token(model: *const cs_model, id: i32, error: *mut *mut cs_error) -> *mut c_char;
    /// Embeds texts.
    pub fn cs_encode(
        model: *const cs_model,
        texts: *const *const c_char,
        lengths: *const i64,
        n_texts: i64,
        options: *const cs_encode_options,
        embeddings: *mut f32,
        n_floats: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// The same for texts in one buffer, as bindings pass them: text i is data[offsets[i]] ..
    /// data[offsets[i + 1]], without a NUL.
    pub fn cs_encode_packed(
        model: *const cs_model,
        data: *const c_char,
        offsets: *const i32,
        n_texts: i64,
        options: *const cs_encode_options,
        embeddings: *mut f32,
        n_floats: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Floats of one embedding under `options`, whose pooling and truncate_dim may change it.
    pub fn cs_encode_dimension(
        model: *const cs_model,
        options: *const cs_encode_options,
        error: *mut *mut cs_error,
    ) -> i32;
    /// Scores documents for a query.
    pub fn cs_rerank(
        model: *const cs_model,
        query: *const c_char,
        query_length: i64,
        documents: *const *const c_char,
        lengths: *const i64,
        n_documents: i64,
        options: *const cs_rerank_options,
        scores: *mut f32,
        n_scores: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Scores pairs of texts in one buffer, as bindings pass them: text j is data[offsets[j]] ..
    /// data[offsets[j + 1]], without a NUL, and pair i is the texts 2 i (the query) and 2 i + 1
    /// (the document).
    pub fn cs_rerank_packed(
        model: *const cs_model,
        data: *const c_char,
        offsets: *const i32,
        n_pairs: i64,
        options: *const cs_rerank_options,
        scores: *mut f32,
        n_scores: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Compares each vector of `a` with each of `b`: scores[i * n_b + j].
    pub fn cs_similarity(
        a: *const f32,
        n_a: i64,
        b: *const f32,
        n_b: i64,
        dimension: i64,
        metric: i32,
        scores: *mut f32,
        n_scores: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Finds the `k` nearest vectors of a corpus for each query, exactly.
    pub fn cs_search(
        queries: *const f32,
        n_queries: i64,
        corpus: *const f32,
        n_corpus: i64,
        dimension: i64,
        metric: i32,
        k: i32,
        indices: *mut i32,
        scores: *mut f32,
        capacity: i64,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Measures the range of each dimension over a sample, for CS_PRECISION_INT8.
    pub fn cs_quantize_calibrate(
        embeddings: *const f32,
        n: i64,
        dimension: i64,
        calibration: *mut f32,
        n_floats: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Stores embeddings in fewer bytes, as numpy and sentence-transformers do.
    pub fn cs_quantize(
        embeddings: *const f32,
        n: i64,
        dimension: i64,
        precision: i32,
        calibration: *const f32,
        output: *mut u8,
        n_bytes: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Opens a file of training texts.
    pub fn cs_dataset_open(
        path: *const c_char,
        config: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_dataset;
    /// An empty dataset.
    pub fn cs_dataset_new(error: *mut *mut cs_error) -> *mut cs_dataset;
    /// Appends one example; the texts are copied.
    pub fn cs_dataset_add(
        data: *mut cs_dataset,
        text_a: *const c_char,
        length_a: i64,
        text_b: *const c_char,
        length_b: i64,
        label: f64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Appends one example of any number of texts: one alone, a pair, or a pair and hard
    /// negatives.
    pub fn cs_dataset_add_texts(
        data: *mut cs_dataset,
        texts: *const *const c_char,
        lengths: *const i64,
        columns: i32,
        label: f64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// How many examples there are, or a negative cs_status: HANDLE, BUSY.
    pub fn cs_dataset_size(data: *const cs_dataset) -> i64;
    /// Frees a dataset; a trainer that uses it keeps what it needs.
    pub fn cs_dataset_free(data: *mut cs_dataset);
    /// Begins a training run.
    pub fn cs_trainer_new(
        model: *mut cs_model,
        data: *const cs_dataset,
        config: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_trainer;
    /// Finds mistakes in a training config before gigabytes of weights are loaded; cs_trainer_new
    /// makes the same checks first.
    pub fn cs_trainer_check(
        config: *const cs_config,
        data: *const cs_dataset,
        model_path: *const c_char,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Makes one update of the weights.
    pub fn cs_train_step(
        trainer: *mut cs_trainer,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Makes one update on a batch from the caller: from a queue, a cursor, a generator.
    pub fn cs_train_batch(
        trainer: *mut cs_trainer,
        texts: *const *const c_char,
        lengths: *const i64,
        n_examples: i64,
        columns: i32,
        labels: *const f64,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// The same for texts in one buffer: text i is data[offsets[i]] .. data[offsets[i + 1]], i =
    /// row * columns + column; offsets has n_examples * columns + 1 entries.
    pub fn cs_train_batch_packed(
        trainer: *mut cs_trainer,
        data: *const c_char,
        offsets: *const i32,
        n_examples: i64,
        columns: i32,
        labels: *const f64,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Scores the dev set of config key "dev" and runs the tasks of keys "evaluate.*" now.
    pub fn cs_trainer_evaluate(
        trainer: *mut cs_trainer,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// The current value of one metric, or the last one that was measured: "loss" and its parts
    /// "loss.\<term\>", "lr", "grad_norm", "step", "total_steps", "epoch", "steps_per_epoch",
    /// "skipped", "truncated" (texts that were cut; not counted for CLSR, which embeds texts
    /// once), "samples_per_second", "tokens_per_second"; with a dev set "dev"; "best_dev" and
    /// "best_step" of the figure of "dev_select"; the figures of tasks, "sts.spearman.all".
    pub fn cs_trainer_metric(trainer: *const cs_trainer, name: *const c_char) -> f64;
    /// All metrics as a JSON object; null for those without a value yet.
    pub fn cs_trainer_metrics(trainer: *const cs_trainer, error: *mut *mut cs_error) -> *mut c_char;
    /// The config in force with every default filled in, as JSON.
    pub fn cs_trainer_config(trainer: *const cs_trainer, error: *mut *mut cs_error) -> *mut c_char;
    /// The trained model: a sentence encoder, or a reranker with method "reranker".
    pub fn cs_trainer_model(
        trainer: *const cs_trainer,
        best: i32,
        error: *mut *mut cs_error,
    ) -> *mut cs_model;
    /// Writes the model as it is now, and beside it the state that cs_trainer_resume needs.
    pub fn cs_trainer_save(
        trainer: *const cs_trainer,
        path: *const c_char,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Writes the best model on the dev set (the current one if nothing was measured), without
    /// state.
    pub fn cs_trainer_save_best(
        trainer: *const cs_trainer,
        path: *const c_char,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Goes on with a run from what cs_trainer_save wrote.
    pub fn cs_trainer_resume(
        path: *const c_char,
        model: *mut cs_model,
        data: *const cs_dataset,
        overrides: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_trainer;
    /// Frees a trainer.
    pub fn cs_trainer_free(trainer: *mut cs_trainer);
    /// Measures a model.
    pub fn cs_evaluate(
        model: *const cs_model,
        task: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> *mut c_char;
    /// Tells what cs_evaluate will report with these keys, without a model: which figures the
    /// report has, and whether all files exist.
    pub fn cs_evaluate_outline(
        task: *const c_char,
        config: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut c_char;
    /// Mines hard negatives: for pairs (anchor, positive) it finds texts that resemble the anchor
    /// but do not answer it, and writes them as a file to train on.
    pub fn cs_mine(
        model: *const cs_model,
        guide: *const cs_model,
        pairs: *const cs_dataset,
        corpus: *const cs_dataset,
        output: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> *mut c_char;
    /// Adapts a model to pairs of a query and the document that answers it, and writes the result
    /// only if it is better.
    pub fn cs_adapt(
        model: *const cs_model,
        pairs: *const cs_dataset,
        corpus: *const cs_dataset,
        output: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> *mut c_char;
    /// A flag that stops long calls.
    pub fn cs_cancel_new(error: *mut *mut cs_error) -> *mut cs_cancel;
    /// Raises the flag permanently: calls that hold it return CANCELLED soon, later calls at once.
    pub fn cs_cancel_trigger(cancel: *mut cs_cancel);
    /// Frees a cancel flag; calls that hold it keep what they need.
    pub fn cs_cancel_free(cancel: *mut cs_cancel);
    /// Sets where messages go, for the whole process.
    pub fn cs_set_log_sink(
        sink: cs_log_function,
        lowest: i32,
        user: *mut c_void,
        error: *mut *mut cs_error,
    ) -> cs_status;
}
