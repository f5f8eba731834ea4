/* The declarations of contrastive.h as version 0.1.0 published them. Written by packaging/abi.sh record. */
#ifndef CONTRASTIVE_CONTRASTIVE_H
#define CONTRASTIVE_CONTRASTIVE_H 
#include <stddef.h>
#include <stdint.h>
#define CS_VERSION_MAJOR 0
#define CS_VERSION_MINOR 1
#define CS_VERSION_PATCH 0
#define CS_ABI_VERSION 0
#if defined(__GNUC__)
#define CS_API __attribute__((visibility("default")))
#else
#define CS_API 
#endif
#ifdef __cplusplus
extern "C" {
#endif
typedef struct cs_error cs_error;
typedef struct cs_config cs_config;
typedef struct cs_model cs_model;
typedef struct cs_dataset cs_dataset;
typedef struct cs_trainer cs_trainer;
typedef struct cs_cancel cs_cancel;
typedef int32_t cs_status;
enum {
  CS_OK = 0,
  CS_DONE = 1,
  CS_ERROR_ARGUMENT = -1,
  CS_ERROR_HANDLE = -2,
  CS_ERROR_STATE = -3,
  CS_ERROR_BUSY = -4,
  CS_ERROR_BUFFER = -5,
  CS_ERROR_NOT_FOUND = -6,
  CS_ERROR_IO = -7,
  CS_ERROR_NO_SPACE = -8,
  CS_ERROR_FORMAT = -9,
  CS_ERROR_UNSUPPORTED = -10,
  CS_ERROR_LIMIT = -11,
  CS_ERROR_MISMATCH = -12,
  CS_ERROR_CORRUPT = -13,
  CS_ERROR_NO_MEMORY = -14,
  CS_ERROR_DEVICE = -15,
  CS_ERROR_NUMERIC = -16,
  CS_ERROR_CANCELLED = -17,
  CS_ERROR_DISTRIBUTED = -18,
  CS_ERROR_INTERNAL = -99
};
CS_API const char *cs_version(void);
CS_API int32_t cs_abi_version(void);
CS_API char *cs_build_info(cs_error **error);
CS_API int64_t cs_live_handles(void);
CS_API cs_status cs_set_threads(int32_t threads, cs_error **error);
CS_API cs_status cs_set_libtorch(const char *folder, cs_error **error);
CS_API void cs_string_free(char *text);
CS_API cs_status cs_error_status(const cs_error *error);
CS_API const char *cs_error_message(const cs_error *error);
CS_API void cs_error_free(cs_error *error);
CS_API const char *cs_status_name(cs_status status);
CS_API cs_config *cs_config_parse(const char *json, cs_error **error);
CS_API cs_status cs_config_set(cs_config *config, const char *key, const char *value, cs_error **error);
CS_API cs_status cs_config_merge(cs_config *config, const cs_config *other, cs_error **error);
CS_API char *cs_config_to_json(const cs_config *config, cs_error **error);
CS_API char *cs_config_describe(const char *topic, cs_error **error);
CS_API void cs_config_free(cs_config *config);
CS_API cs_model *cs_model_load(const char *path, const cs_config *config, cs_error **error);
CS_API cs_model *cs_model_create(const cs_config *config, cs_error **error);
CS_API cs_status cs_vocabulary_train(const char *input, const char *output, const cs_config *config, const cs_cancel *cancel, cs_error **error);
CS_API cs_status cs_model_save(const cs_model *model, const char *path, cs_error **error);
CS_API int32_t cs_model_dimension(const cs_model *model);
CS_API int32_t cs_model_max_length(const cs_model *model);
CS_API char *cs_model_info(const cs_model *model, cs_error **error);
CS_API cs_model *cs_model_snapshot(const cs_model *model, cs_error **error);
CS_API void cs_model_free(cs_model *model);
CS_API cs_status cs_tokenize(const cs_model *model, const char *text, int64_t length, int32_t max_length, int32_t *ids, int32_t *begins, int32_t *ends,
                             int64_t capacity, int32_t *count, cs_error **error);
CS_API cs_status cs_tokenize_pair(const cs_model *model, const char *text_a, int64_t length_a, const char *text_b, int64_t length_b, int32_t max_length,
                                  int32_t *ids, int32_t *type_ids, int64_t capacity, int32_t *count, cs_error **error);
CS_API char *cs_token(const cs_model *model, int32_t id, cs_error **error);
typedef struct cs_encode_options {
  uint32_t struct_size;
  int32_t normalize;
  const char *pooling;
  const char *prompt;
  const char *prompt_name;
  int32_t truncate_dim;
  int32_t max_length;
  int32_t batch_tokens;
  uint32_t reserved;
  int32_t *token_counts;
  const cs_cancel *cancel;
} cs_encode_options;
#define CS_ENCODE_OPTIONS_INIT {(uint32_t)sizeof(cs_encode_options), -1, NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL}
CS_API cs_status cs_encode(const cs_model *model, const char *const *texts, const int64_t *lengths, int64_t n_texts, const cs_encode_options *options,
                           float *embeddings, int64_t n_floats, cs_error **error);
CS_API cs_status cs_encode_packed(const cs_model *model, const char *data, const int32_t *offsets, int64_t n_texts, const cs_encode_options *options,
                                  float *embeddings, int64_t n_floats, cs_error **error);
CS_API int32_t cs_encode_dimension(const cs_model *model, const cs_encode_options *options, cs_error **error);
enum {
  CS_METRIC_COSINE = 0,
  CS_METRIC_DOT = 1,
  CS_METRIC_EUCLIDEAN = 2,
  CS_METRIC_MANHATTAN = 3
};
CS_API cs_status cs_similarity(const float *a, int64_t n_a, const float *b, int64_t n_b, int64_t dimension, int32_t metric, float *scores,
                               int64_t n_scores, cs_error **error);
CS_API cs_status cs_search(const float *queries, int64_t n_queries, const float *corpus, int64_t n_corpus, int64_t dimension, int32_t metric, int32_t k,
                           int32_t *indices, float *scores, int64_t capacity, const cs_cancel *cancel, cs_error **error);
enum {
  CS_PRECISION_FLOAT16 = 1,
  CS_PRECISION_INT8 = 2,
  CS_PRECISION_UBINARY = 3
};
CS_API cs_status cs_quantize_calibrate(const float *embeddings, int64_t n, int64_t dimension, float *calibration, int64_t n_floats, cs_error **error);
CS_API cs_status cs_quantize(const float *embeddings, int64_t n, int64_t dimension, int32_t precision, const float *calibration, uint8_t *output,
                             int64_t n_bytes, cs_error **error);
CS_API cs_dataset *cs_dataset_open(const char *path, const cs_config *config, cs_error **error);
CS_API cs_dataset *cs_dataset_new(cs_error **error);
CS_API cs_status cs_dataset_add(cs_dataset *data, const char *text_a, int64_t length_a, const char *text_b, int64_t length_b, double label,
                                cs_error **error);
CS_API cs_status cs_dataset_add_texts(cs_dataset *data, const char *const *texts, const int64_t *lengths, int32_t columns, double label,
                                      cs_error **error);
CS_API int64_t cs_dataset_size(const cs_dataset *data);
CS_API void cs_dataset_free(cs_dataset *data);
CS_API cs_trainer *cs_trainer_new(cs_model *model, const cs_dataset *data, const cs_config *config, cs_error **error);
CS_API cs_status cs_trainer_check(const cs_config *config, const cs_dataset *data, const char *model_path, cs_error **error);
CS_API cs_status cs_train_step(cs_trainer *trainer, const cs_cancel *cancel, cs_error **error);
CS_API cs_status cs_train_batch(cs_trainer *trainer, const char *const *texts, const int64_t *lengths, int64_t n_examples, int32_t columns,
                                const double *labels, const cs_cancel *cancel, cs_error **error);
CS_API cs_status cs_train_batch_packed(cs_trainer *trainer, const char *data, const int32_t *offsets, int64_t n_examples, int32_t columns,
                                       const double *labels, const cs_cancel *cancel, cs_error **error);
CS_API cs_status cs_trainer_evaluate(cs_trainer *trainer, const cs_cancel *cancel, cs_error **error);
CS_API double cs_trainer_metric(const cs_trainer *trainer, const char *name);
CS_API char *cs_trainer_metrics(const cs_trainer *trainer, cs_error **error);
CS_API char *cs_trainer_config(const cs_trainer *trainer, cs_error **error);
CS_API cs_model *cs_trainer_model(const cs_trainer *trainer, int32_t best, cs_error **error);
CS_API cs_status cs_trainer_save(const cs_trainer *trainer, const char *path, cs_error **error);
CS_API cs_status cs_trainer_save_best(const cs_trainer *trainer, const char *path, cs_error **error);
CS_API cs_trainer *cs_trainer_resume(const char *path, cs_model *model, const cs_dataset *data, const cs_config *overrides, cs_error **error);
CS_API void cs_trainer_free(cs_trainer *trainer);
CS_API char *cs_evaluate(const cs_model *model, const char *task, const cs_config *config, const cs_cancel *cancel, cs_error **error);
CS_API char *cs_evaluate_outline(const char *task, const cs_config *config, cs_error **error);
CS_API cs_cancel *cs_cancel_new(cs_error **error);
CS_API void cs_cancel_trigger(cs_cancel *cancel);
CS_API void cs_cancel_free(cs_cancel *cancel);
enum { CS_LOG_DEBUG = 0, CS_LOG_INFO = 1, CS_LOG_WARNING = 2 };
typedef void (*cs_log_function)(int32_t level, const char *message, void *user);
CS_API cs_status cs_set_log_sink(cs_log_function sink, int32_t lowest, void *user, cs_error **error);
#ifdef __cplusplus
}
#endif
#endif
