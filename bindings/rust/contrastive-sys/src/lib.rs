//! Declarations of libcontrastive's C interface, one by one as `contrastive.h` has them; the header is their manual. A test holds the two equal.
//!
//! Everything here is unsafe to call and says nothing of lifetimes: the crate `contrastive` does.
#![allow(non_camel_case_types, missing_docs)]

use std::marker::{PhantomData, PhantomPinned};
use std::os::raw::{c_char, c_void};

macro_rules! opaque {
    ($($name:ident)*) => {$(
        /// A handle: only ever behind a pointer.
        #[repr(C)]
        pub struct $name {
            _nothing: [u8; 0],
            _neither_send_nor_sync: PhantomData<(*mut u8, PhantomPinned)>,
        }
    )*};
}
opaque!(cs_error cs_config cs_model cs_reranker cs_dataset cs_trainer cs_cancel);

pub type cs_status = i32;

pub const CS_OK: i32 = 0;
pub const CS_DONE: i32 = 1;
pub const CS_ERROR_ARGUMENT: i32 = -1;
pub const CS_ERROR_HANDLE: i32 = -2;
pub const CS_ERROR_STATE: i32 = -3;
pub const CS_ERROR_BUSY: i32 = -4;
pub const CS_ERROR_BUFFER: i32 = -5;
pub const CS_ERROR_NOT_FOUND: i32 = -6;
pub const CS_ERROR_IO: i32 = -7;
pub const CS_ERROR_NO_SPACE: i32 = -8;
pub const CS_ERROR_FORMAT: i32 = -9;
pub const CS_ERROR_UNSUPPORTED: i32 = -10;
pub const CS_ERROR_LIMIT: i32 = -11;
pub const CS_ERROR_MISMATCH: i32 = -12;
pub const CS_ERROR_CORRUPT: i32 = -13;
pub const CS_ERROR_NO_MEMORY: i32 = -14;
pub const CS_ERROR_DEVICE: i32 = -15;
pub const CS_ERROR_NUMERIC: i32 = -16;
pub const CS_ERROR_CANCELLED: i32 = -17;
pub const CS_ERROR_DISTRIBUTED: i32 = -18;
pub const CS_ERROR_INTERNAL: i32 = -99;
pub const CS_METRIC_COSINE: i32 = 0;
pub const CS_METRIC_DOT: i32 = 1;
pub const CS_METRIC_EUCLIDEAN: i32 = 2;
pub const CS_METRIC_MANHATTAN: i32 = 3;
pub const CS_PRECISION_FLOAT16: i32 = 1;
pub const CS_PRECISION_INT8: i32 = 2;
pub const CS_PRECISION_UBINARY: i32 = 3;
pub const CS_LOG_DEBUG: i32 = 0;
pub const CS_LOG_INFO: i32 = 1;
pub const CS_LOG_WARNING: i32 = 2;
pub const CS_VERSION_MAJOR: i32 = 0;
pub const CS_VERSION_MINOR: i32 = 1;
pub const CS_VERSION_PATCH: i32 = 0;
pub const CS_ABI_VERSION: i32 = 0;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cs_encode_options {
    pub struct_size: u32,
    pub normalize: i32,
    pub pooling: *const c_char,
    pub prompt: *const c_char,
    pub prompt_name: *const c_char,
    pub truncate_dim: i32,
    pub max_length: i32,
    pub batch_tokens: i32,
    pub reserved: u32,
    pub token_counts: *mut i32,
    pub cancel: *const cs_cancel,
}

/// Every field leaves the choice to the model.
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

#[repr(C)]
#[derive(Clone, Copy)]
pub struct cs_rerank_options {
    pub struct_size: u32,
    pub max_length: i32,
    pub activation: *const c_char,
    pub prompt: *const c_char,
    pub prompt_name: *const c_char,
    pub batch_tokens: i32,
    pub reserved: u32,
    pub token_counts: *mut i32,
    pub cancel: *const cs_cancel,
}

/// Every field leaves the choice to the model.
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

pub type cs_log_function = Option<unsafe extern "C" fn(level: i32, message: *const c_char, user: *mut c_void)>;

extern "C" {
    pub fn cs_version() -> *const c_char;
    pub fn cs_abi_version() -> i32;
    pub fn cs_build_info(error: *mut *mut cs_error) -> *mut c_char;
    pub fn cs_live_handles() -> i64;
    pub fn cs_set_threads(threads: i32, error: *mut *mut cs_error) -> cs_status;
    pub fn cs_set_libtorch(folder: *const c_char, error: *mut *mut cs_error) -> cs_status;
    pub fn cs_string_free(text: *mut c_char);
    pub fn cs_error_status(error: *const cs_error) -> cs_status;
    pub fn cs_error_message(error: *const cs_error) -> *const c_char;
    pub fn cs_error_free(error: *mut cs_error);
    pub fn cs_status_name(status: cs_status) -> *const c_char;
    pub fn cs_config_parse(json: *const c_char, error: *mut *mut cs_error) -> *mut cs_config;
    pub fn cs_config_set(config: *mut cs_config, key: *const c_char, value: *const c_char, error: *mut *mut cs_error) -> cs_status;
    pub fn cs_config_merge(config: *mut cs_config, other: *const cs_config, error: *mut *mut cs_error) -> cs_status;
    pub fn cs_config_to_json(config: *const cs_config, error: *mut *mut cs_error) -> *mut c_char;
    pub fn cs_config_describe(topic: *const c_char, error: *mut *mut cs_error) -> *mut c_char;
    pub fn cs_config_free(config: *mut cs_config);
    pub fn cs_model_load(path: *const c_char, config: *const cs_config, error: *mut *mut cs_error) -> *mut cs_model;
    pub fn cs_model_create(config: *const cs_config, error: *mut *mut cs_error) -> *mut cs_model;
    pub fn cs_vocabulary_train(
        input: *const c_char,
        output: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> cs_status;
    pub fn cs_model_save(model: *const cs_model, path: *const c_char, error: *mut *mut cs_error) -> cs_status;
    pub fn cs_model_dimension(model: *const cs_model) -> i32;
    pub fn cs_model_max_length(model: *const cs_model) -> i32;
    pub fn cs_model_info(model: *const cs_model, error: *mut *mut cs_error) -> *mut c_char;
    pub fn cs_model_snapshot(model: *const cs_model, error: *mut *mut cs_error) -> *mut cs_model;
    pub fn cs_model_free(model: *mut cs_model);
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
    pub fn cs_token(model: *const cs_model, id: i32, error: *mut *mut cs_error) -> *mut c_char;
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
    pub fn cs_encode_dimension(model: *const cs_model, options: *const cs_encode_options, error: *mut *mut cs_error) -> i32;
    pub fn cs_reranker_load(path: *const c_char, config: *const cs_config, error: *mut *mut cs_error) -> *mut cs_reranker;
    pub fn cs_reranker_save(reranker: *const cs_reranker, path: *const c_char, error: *mut *mut cs_error) -> cs_status;
    pub fn cs_reranker_labels(reranker: *const cs_reranker) -> i32;
    pub fn cs_reranker_detect(path: *const c_char) -> i32;
    pub fn cs_reranker_max_length(reranker: *const cs_reranker) -> i32;
    pub fn cs_reranker_info(reranker: *const cs_reranker, error: *mut *mut cs_error) -> *mut c_char;
    pub fn cs_reranker_free(reranker: *mut cs_reranker);
    pub fn cs_rerank(
        reranker: *const cs_reranker,
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
    pub fn cs_rerank_packed(
        reranker: *const cs_reranker,
        data: *const c_char,
        offsets: *const i32,
        n_pairs: i64,
        options: *const cs_rerank_options,
        scores: *mut f32,
        n_scores: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
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
    pub fn cs_quantize_calibrate(
        embeddings: *const f32,
        n: i64,
        dimension: i64,
        calibration: *mut f32,
        n_floats: i64,
        error: *mut *mut cs_error,
    ) -> cs_status;
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
    pub fn cs_dataset_open(path: *const c_char, config: *const cs_config, error: *mut *mut cs_error) -> *mut cs_dataset;
    pub fn cs_dataset_new(error: *mut *mut cs_error) -> *mut cs_dataset;
    pub fn cs_dataset_add(
        data: *mut cs_dataset,
        text_a: *const c_char,
        length_a: i64,
        text_b: *const c_char,
        length_b: i64,
        label: f64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    pub fn cs_dataset_add_texts(
        data: *mut cs_dataset,
        texts: *const *const c_char,
        lengths: *const i64,
        columns: i32,
        label: f64,
        error: *mut *mut cs_error,
    ) -> cs_status;
    pub fn cs_dataset_size(data: *const cs_dataset) -> i64;
    pub fn cs_dataset_free(data: *mut cs_dataset);
    pub fn cs_trainer_new(model: *mut cs_model, data: *const cs_dataset, config: *const cs_config, error: *mut *mut cs_error) -> *mut cs_trainer;
    pub fn cs_trainer_check(config: *const cs_config, data: *const cs_dataset, model_path: *const c_char, error: *mut *mut cs_error) -> cs_status;
    pub fn cs_train_step(trainer: *mut cs_trainer, cancel: *const cs_cancel, error: *mut *mut cs_error) -> cs_status;
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
    pub fn cs_trainer_evaluate(trainer: *mut cs_trainer, cancel: *const cs_cancel, error: *mut *mut cs_error) -> cs_status;
    pub fn cs_trainer_metric(trainer: *const cs_trainer, name: *const c_char) -> f64;
    pub fn cs_trainer_metrics(trainer: *const cs_trainer, error: *mut *mut cs_error) -> *mut c_char;
    pub fn cs_trainer_config(trainer: *const cs_trainer, error: *mut *mut cs_error) -> *mut c_char;
    pub fn cs_trainer_model(trainer: *const cs_trainer, best: i32, error: *mut *mut cs_error) -> *mut cs_model;
    pub fn cs_trainer_save(trainer: *const cs_trainer, path: *const c_char, error: *mut *mut cs_error) -> cs_status;
    pub fn cs_trainer_save_best(trainer: *const cs_trainer, path: *const c_char, error: *mut *mut cs_error) -> cs_status;
    pub fn cs_trainer_resume(
        path: *const c_char,
        model: *mut cs_model,
        data: *const cs_dataset,
        overrides: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_trainer;
    pub fn cs_reranker_trainer_new(
        reranker: *mut cs_reranker,
        data: *const cs_dataset,
        config: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_trainer;
    pub fn cs_reranker_trainer_resume(
        path: *const c_char,
        reranker: *mut cs_reranker,
        data: *const cs_dataset,
        overrides: *const cs_config,
        error: *mut *mut cs_error,
    ) -> *mut cs_trainer;
    pub fn cs_trainer_reranker(trainer: *const cs_trainer, best: i32, error: *mut *mut cs_error) -> *mut cs_reranker;
    pub fn cs_trainer_free(trainer: *mut cs_trainer);
    pub fn cs_evaluate(
        model: *const cs_model,
        task: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> *mut c_char;
    pub fn cs_evaluate_outline(task: *const c_char, config: *const cs_config, error: *mut *mut cs_error) -> *mut c_char;
    pub fn cs_adapt(
        model: *const cs_model,
        pairs: *const cs_dataset,
        corpus: *const cs_dataset,
        output: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> *mut c_char;
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
    pub fn cs_mine_reranked(
        model: *const cs_model,
        guide: *const cs_reranker,
        pairs: *const cs_dataset,
        corpus: *const cs_dataset,
        output: *const c_char,
        config: *const cs_config,
        cancel: *const cs_cancel,
        error: *mut *mut cs_error,
    ) -> *mut c_char;
    pub fn cs_cancel_new(error: *mut *mut cs_error) -> *mut cs_cancel;
    pub fn cs_cancel_trigger(cancel: *mut cs_cancel);
    pub fn cs_cancel_free(cancel: *mut cs_cancel);
    pub fn cs_set_log_sink(sink: cs_log_function, lowest: i32, user: *mut c_void, error: *mut *mut cs_error) -> cs_status;
}
