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
/// The second number of this header's version.
pub const CS_VERSION_MINOR: i32 = 1;
/// The third number of this header's version.
pub const CS_VERSION_PATCH: i32 = 0;
/// The number of the binary interface.
pub const CS_ABI_VERSION: i32 = 0;
/// success
pub const CS_OK: i32 = 0;
/// success, and the trainer has no step left
pub const CS_DONE: i32 = 1;
/// an argument or a config value is not allowed
pub const CS_ERROR_ARGUMENT: i32 = -1;
/// a handle is NULL, freed, of another type, or of another copy of the library
pub const CS_ERROR_HANDLE: i32 = -2;
/// the object cannot do this now, for instance after an error that left it half changed
pub const CS_ERROR_STATE: i32 = -3;
/// another thread or process uses the object: wait and try again
pub const CS_ERROR_BUSY: i32 = -4;
/// the caller's buffer is too small; nothing was written
pub const CS_ERROR_BUFFER: i32 = -5;
/// a file, folder, tensor or key does not exist
pub const CS_ERROR_NOT_FOUND: i32 = -6;
/// the operating system refused a read or write
pub const CS_ERROR_IO: i32 = -7;
/// the disk or quota is full; an older folder is still intact
pub const CS_ERROR_NO_SPACE: i32 = -8;
/// a file, or a text that is checked, is malformed; the message names the place
pub const CS_ERROR_FORMAT: i32 = -9;
/// well-formed, but of a kind that this library does not support; or training is not installed
pub const CS_ERROR_UNSUPPORTED: i32 = -10;
/// larger than a documented limit
pub const CS_ERROR_LIMIT: i32 = -11;
/// two things that must agree do not: shapes, or a resumed run and its configuration
pub const CS_ERROR_MISMATCH: i32 = -12;
/// a checksum or length is not what was written
pub const CS_ERROR_CORRUPT: i32 = -13;
/// host or device memory is exhausted; objects stay usable unless later calls return
/// CS_ERROR_STATE
pub const CS_ERROR_NO_MEMORY: i32 = -14;
/// no such device, or its driver cannot be used
pub const CS_ERROR_DEVICE: i32 = -15;
/// NaN or infinity where a finite number is needed
pub const CS_ERROR_NUMERIC: i32 = -16;
/// a cs_cancel was triggered, or the process exits
pub const CS_ERROR_CANCELLED: i32 = -17;
/// another rank of the run failed, or did not arrive in time
pub const CS_ERROR_DISTRIBUTED: i32 = -18;
/// a bug in this library: please report the message
pub const CS_ERROR_INTERNAL: i32 = -99;
/// a sentence encoder: for cs_encode
pub const CS_KIND_ENCODER: i32 = 1;
/// a reranker (cross-encoder): for cs_rerank
pub const CS_KIND_RERANKER: i32 = 2;
/// in [-1, 1]; 0 if a vector is zero, never NaN
pub const CS_METRIC_COSINE: i32 = 0;
/// inner product
pub const CS_METRIC_DOT: i32 = 1;
/// minus the L2 distance
pub const CS_METRIC_EUCLIDEAN: i32 = 2;
/// minus the L1 distance
pub const CS_METRIC_MANHATTAN: i32 = 3;
/// IEEE half precision, 2 bytes a value, in the byte order of the machine; rounded to nearest,
/// ties to even
pub const CS_PRECISION_FLOAT16: i32 = 1;
/// 1 byte a value: (x - start) / step - 128 with the start and step of its dimension; saturates
/// outside the range
pub const CS_PRECISION_INT8: i32 = 2;
/// 1 bit a value: 1 for a value above 0, highest bit first; (dimension + 7) / 8 bytes a row,
/// padded with 0
pub const CS_PRECISION_UBINARY: i32 = 3;
/// for debugging the library
pub const CS_LOG_DEBUG: i32 = 0;
/// what was done
pub const CS_LOG_INFO: i32 = 1;
/// what was not done as requested, or may be a mistake
pub const CS_LOG_WARNING: i32 = 2;

/// The result of a command.
pub type cs_status = i32;

/// Options of cs_encode.
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
    /// a text that is put before every text, "" for none; NULL: the model's default prompt, if it
    /// has one
    pub prompt: *const c_char,
    /// or the name of one of the model's prompts ("query"); NULL: none
    pub prompt_name: *const c_char,
    /// keep only the first dimensions (Matryoshka models); 0: as the model says (its truncate_dim,
    /// or else all)
    pub truncate_dim: i32,
    /// the most tokens of a text, up to the limit of the encoder; 0: the model's own limit
    pub max_length: i32,
    /// the most tokens of one internal batch; 0: the library chooses. It bounds memory and changes
    /// at most the last bits
    pub batch_tokens: i32,
    /// 0
    pub reserved: u32,
    /// out, [n_texts], nullable: the tokens of each text before it is cut; a number above
    /// max_length means that the text was cut
    pub token_counts: *mut i32,
    /// nullable: checked between internal batches
    pub cancel: *const cs_cancel,
}

/// Initialises a cs_encode_options: `cs_encode_options options = CS_ENCODE_OPTIONS_INIT;`.
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

/// Options of cs_rerank.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct cs_rerank_options {
    /// sizeof(cs_rerank_options) of the caller
    pub struct_size: u32,
    /// the most tokens of a pair: at least enough for one token of each text, at most the limit of
    /// the encoder; 0: the model's own limit
    pub max_length: i32,
    /// "identity" (the logits), "sigmoid", "softmax" over the labels of a pair, "tanh", ...; NULL:
    /// the model's
    pub activation: *const c_char,
    /// a text that is put before every query, "" for none; NULL: the model's default prompt, if it
    /// has one
    pub prompt: *const c_char,
    /// or the name of one of the model's prompts; NULL: none
    pub prompt_name: *const c_char,
    /// the most tokens of one internal batch; 0: the library chooses. It bounds memory and changes
    /// at most the last bits
    pub batch_tokens: i32,
    /// 0
    pub reserved: u32,
    /// out, [pairs], nullable: the tokens of each pair before it is cut; a number above max_length
    /// means that the pair was cut
    pub token_counts: *mut i32,
    /// nullable: checked between internal batches
    pub cancel: *const cs_cancel,
}

/// Initialises a cs_rerank_options: `cs_rerank_options options = CS_RERANK_OPTIONS_INIT;`.
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

/// The type of a progress function.
pub type cs_progress_function =
    Option<unsafe extern "C" fn(what: *const c_char, done: i64, total: i64, user: *mut c_void)>;

/// The type of a log sink, a function that receives one message.
pub type cs_log_function =
    Option<unsafe extern "C" fn(level: i32, message: *const c_char, user: *mut c_void)>;

functions! {
    /// Returns the version of the library as "MAJOR.MINOR.PATCH".
    pub fn cs_version() -> *const c_char;
    /// Returns the CS_ABI_VERSION of the library.
    pub fn cs_abi_version() -> i32;
    /// Describes the library, its location and its hardware support as a JSON object.
    pub fn cs_build_info(error: *mut *mut cs_error) -> *mut c_char;
    /// Returns how many handles of all types exist in this process.
    pub fn cs_live_handles() -> i64;
    /// Sets how many threads one call may compute with.
    pub fn cs_set_threads(threads: i32, error: *mut *mut cs_error) -> cs_status;
    /// Sets the folder of LibTorch.
    pub fn cs_set_libtorch(folder: *const c_char, error: *mut *mut cs_error) -> cs_status;
    /// Frees a `char *` that this library returned.
    pub fn cs_string_free(text: *mut c_char);
    /// Returns the status of an error.
    pub fn cs_error_status(error: *const cs_error) -> cs_status;
    /// Returns the message of an error: what is wrong, where, and what to do.
    pub fn cs_error_message(error: *const cs_error) -> *const c_char;
    /// Frees an error.
    pub fn cs_error_free(error: *mut cs_error);
    /// Returns the name of a status without its prefix, such as "OK", "DONE" or "FORMAT".
    pub fn cs_status_name(status: cs_status) -> *const c_char;
    /// Creates a config from JSON.
    pub fn cs_config_parse(json: *const c_char, error: *mut *mut cs_error) -> *mut cs_config;
    /// Sets one key to a value, written as on a command line.
    pub fn cs_config_set(
        config: *mut cs_config,
        key: *const c_char,
        value: *const c_char,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Copies every entry of `other` into `config`, where it replaces an entry with the same key.
    pub fn cs_config_merge(
        config: *mut cs_config,
        other: *const cs_config,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Returns a config as one flat JSON object with sorted keys.
    pub fn cs_config_to_json(config: *const cs_config, error: *mut *mut cs_error) -> *mut c_char;
    /// Lists the keys of a topic as JSON.
    pub fn cs_config_describe(topic: *const c_char, error: *mut *mut cs_error) -> *mut c_char;
    /// Frees a config.
    pub fn cs_config_free(config: *mut cs_config);
    /// Loads a model from a folder of sentence-transformers (old and new layout) or of Hugging
    /// Face (config.json and model.safetensors, which may be sharded).
    pub fn cs_model_load(
        path: *const c_char,
        config: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_model;
    /// Creates a new model: an encoder with random weights, a static model, or a student of
    /// another model.
    pub fn cs_model_create(config: *const cs_config, error: *mut *mut cs_error) -> *mut cs_model;
    /// Learns a vocabulary from a file of texts and writes it as a folder.
    pub fn cs_vocabulary_train(
        input: *const c_char,
        output: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Saves a model as a folder that sentence-transformers, transformers and this library can
    /// load.
    pub fn cs_model_save(
        model: *const cs_model,
        path: *const c_char,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Tells which kind of model cs_model_load, without config keys, would load from a folder.
    pub fn cs_model_detect(path: *const c_char) -> i32;
    /// Returns the kind of a model.
    pub fn cs_model_kind(model: *const cs_model) -> i32;
    /// Returns the number of floats in one embedding with the model's own options.
    pub fn cs_model_dimension(model: *const cs_model) -> i32;
    /// Returns how many scores cs_rerank gives for each pair.
    pub fn cs_model_labels(model: *const cs_model) -> i32;
    /// Returns the maximum number of tokens of a text, or of a pair for a reranker, special tokens
    /// included.
    pub fn cs_model_max_length(model: *const cs_model) -> i32;
    /// Returns the bytes of memory that the weights of a model use, on all of its devices.
    pub fn cs_model_memory(model: *const cs_model) -> i64;
    /// Describes a model as a JSON object.
    pub fn cs_model_info(model: *const cs_model, error: *mut *mut cs_error) -> *mut c_char;
    /// Makes an independent copy of a model.
    pub fn cs_model_snapshot(model: *const cs_model, error: *mut *mut cs_error) -> *mut cs_model;
    /// Frees a model.
    pub fn cs_model_free(model: *mut cs_model);
    /// Converts a text to token ids and gives the place of each token in the text.
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
    /// Converts a pair of texts to token ids, with a type for each id.
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
    /// Returns the text of a token id in the vocabulary.
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
    /// Embeds texts that are in one buffer, as bindings pass them.
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
    /// Returns the number of floats in one embedding with these options.
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
    /// Scores pairs of texts that are in one buffer, as in cs_encode_packed.
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
    /// Compares each vector of `a` with each vector of `b`.
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
    /// Finds the k nearest vectors of a corpus for each query.
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
    /// Measures the range of each dimension in a sample of embeddings, for CS_PRECISION_INT8.
    pub fn cs_quantize_calibrate(
        embeddings: *const f32,
        n: i64,
        dimension: i64,
        calibration: *mut f32,
        n_floats: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Converts embeddings to fewer bytes, as numpy and sentence-transformers do.
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
    /// Saves embeddings in a .npy file, which NumPy reads: float32 in C order.
    pub fn cs_npy_save(
        path: *const c_char,
        embeddings: *const f32,
        n: i64,
        dimension: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Loads embeddings from a .npy file: a matrix of little-endian float32 in C order, as
    /// cs_npy_save, `contrastive encode` and numpy.save() write it.
    pub fn cs_npy_load(
        path: *const c_char,
        embeddings: *mut f32,
        n_floats: i64,
        n: *mut i64,
        dimension: *mut i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Opens a file of training examples.
    pub fn cs_dataset_open(
        path: *const c_char,
        config: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_dataset;
    /// Creates an empty dataset in memory.
    pub fn cs_dataset_new(error: *mut *mut cs_error) -> *mut cs_dataset;
    /// Appends a copy of one example: a text or a pair of texts.
    pub fn cs_dataset_add(
        data: *mut cs_dataset,
        text_a: *const c_char,
        length_a: i64,
        text_b: *const c_char,
        length_b: i64,
        label: f64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Appends a copy of one example with any number of texts: one text, a pair, or a pair with
    /// hard negatives.
    pub fn cs_dataset_add_texts(
        data: *mut cs_dataset,
        texts: *const *const c_char,
        lengths: *const i64,
        columns: i32,
        label: f64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Returns the number of examples in a dataset.
    pub fn cs_dataset_size(data: *const cs_dataset) -> i64;
    /// Frees a dataset.
    pub fn cs_dataset_free(data: *mut cs_dataset);
    /// Starts a training run.
    pub fn cs_trainer_new(
        model: *mut cs_model,
        data: *const cs_dataset,
        config: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_trainer;
    /// Checks a training config without loading the weights of a model.
    pub fn cs_trainer_check(
        config: *const cs_config,
        data: *const cs_dataset,
        model_path: *const c_char,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Makes one update of the weights on the next batch of the dataset.
    pub fn cs_train_step(
        trainer: *mut cs_trainer,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Makes one update of the weights on a batch from the caller, such as from a queue, a cursor
    /// or a generator.
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
    /// Makes one update of the weights on a batch from the caller whose texts are in one buffer,
    /// as in cs_encode_packed.
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
    /// Evaluates the model of a trainer now.
    pub fn cs_trainer_evaluate(
        trainer: *mut cs_trainer,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Returns the latest value of one metric.
    pub fn cs_trainer_metric(trainer: *const cs_trainer, name: *const c_char) -> f64;
    /// Returns all metrics as a JSON object.
    pub fn cs_trainer_metrics(trainer: *const cs_trainer, error: *mut *mut cs_error) -> *mut c_char;
    /// Returns the config of a trainer with every default filled in, as JSON.
    pub fn cs_trainer_config(trainer: *const cs_trainer, error: *mut *mut cs_error) -> *mut c_char;
    /// Returns the trained model: a reranker with method "reranker", a sentence encoder with any
    /// other method.
    pub fn cs_trainer_model(
        trainer: *const cs_trainer,
        best: i32,
        error: *mut *mut cs_error,
    ) -> *mut cs_model;
    /// Saves the current model and the state that cs_trainer_resume needs.
    pub fn cs_trainer_save(
        trainer: *const cs_trainer,
        path: *const c_char,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Saves the best model on the dev set, or the current one if nothing was measured.
    pub fn cs_trainer_save_best(
        trainer: *const cs_trainer,
        path: *const c_char,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Resumes a run that cs_trainer_save wrote.
    pub fn cs_trainer_resume(
        path: *const c_char,
        model: *mut cs_model,
        data: *const cs_dataset,
        overrides: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_trainer;
    /// Frees a trainer.
    pub fn cs_trainer_free(trainer: *mut cs_trainer);
    /// Measures a model with one task and returns a report as JSON.
    pub fn cs_evaluate(
        model: *const cs_model,
        task: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> *mut c_char;
    /// Returns the outline of a report of cs_evaluate without a model: which results it will have.
    pub fn cs_evaluate_outline(
        task: *const c_char,
        config: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut c_char;
    /// Mines hard negatives.
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
    /// Adapts a model to pairs of a query and the document that answers it.
    pub fn cs_adapt(
        model: *const cs_model,
        pairs: *const cs_dataset,
        corpus: *const cs_dataset,
        output: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> *mut c_char;
    /// Creates a flag that stops long calls.
    pub fn cs_cancel_new(error: *mut *mut cs_error) -> *mut cs_cancel;
    /// Triggers a flag permanently.
    pub fn cs_cancel_trigger(cancel: *mut cs_cancel);
    /// Sets the progress function of a flag.
    pub fn cs_cancel_set_progress(
        cancel: *mut cs_cancel,
        function: cs_progress_function,
        user: *mut c_void,
        error: *mut *mut cs_error,
    ) -> cs_status;
    /// Frees a cancel flag.
    pub fn cs_cancel_free(cancel: *mut cs_cancel);
    /// Sets the log sink of the process.
    pub fn cs_set_log_sink(
        sink: cs_log_function,
        lowest: i32,
        user: *mut c_void,
        error: *mut *mut cs_error,
    ) -> cs_status;
}
