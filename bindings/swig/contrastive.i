/* The raw layer of the Java, C# and Go bindings: which functions of the C API are wrapped, and the same shims for all three.
 *
 * Nothing generated from this file is public. Each language writes a thin idiomatic layer over it by hand, and keeps its typemaps in a file of its
 * own (java_types.swg, csharp_types.swg, go_types.swg; never java.swg, which would hide the file of that name in SWIG's own library) that also
 * declares what only that language needs, such as its way to read an error or to receive log messages.
 *
 * What a language file maps. Parameters of one meaning have one name throughout, so a typemap names type and name:
 *   cs_config *, cs_model *, cs_reranker *, cs_dataset *, cs_trainer *, cs_cancel *   handles, in (nullable where the C API says so) and as results
 *   cs_status                                                            results of commands; below 0 `error` is set
 *   cs_error **error                                                     an exception in Java and C#, never an argument; in Go the last argument
 *   const char *path, folder, input, output, key, value, json, topic, name, ...  text that ends at its NUL, nullable where the C API says so
 *   (const char *text, int64_t length), (text_a, length_a), (text_b, length_b)        one text, NUL bytes allowed; text_b is nullable
 *   (const char *data, const int32_t *offsets, int64_t n_texts), (..., n_examples)    packed texts
 *   char * as a result (not const)                                       UTF-8 that the wrapper copies, then frees with cs_string_free
 *   const char * as a result                                             a static string
 *   const float *a, *b, *queries, *corpus, *vectors, *ranges             arrays in; their sizes are checked by the layer above
 *   float *embeddings, float *scores, float *calibration, uint8_t *output, int32_t *ids, ...      arrays out, followed by their capacity
 *
 * <stdint.i> is not included on purpose: it makes int64_t a long long, whose pointers do not compile on Linux. The names stay opaque instead, and
 * borrow the typemaps of the builtin type of the same width.
 */
%module contrastive

%{
#include <contrastive/contrastive.h>
%}

%apply int { int32_t };
%apply unsigned int { uint32_t };
%apply long long { int64_t };

#if defined(SWIGJAVA)
%include "java_types.swg"
#elif defined(SWIGCSHARP)
%include "csharp_types.swg"
#elif defined(SWIGGO)
%include "go_types.swg"
#else
#error "contrastive.i knows Java, C# and Go"
#endif

typedef int32_t cs_status;

/* ---- Version and build */
const char *cs_version(void);
int32_t cs_abi_version(void);
%inline %{
/* That of the header which the wrapper was compiled with: the library that is loaded may have another. */
static int32_t cs_header_abi_version(void) { return CS_ABI_VERSION; }
%}
char *cs_build_info(cs_error **error);
int64_t cs_live_handles(void);
cs_status cs_set_threads(int32_t threads, cs_error **error);
cs_status cs_set_libtorch(const char *folder, cs_error **error);
const char *cs_status_name(cs_status status);

/* ---- Config */
cs_config *cs_config_parse(const char *json, cs_error **error);
cs_status cs_config_set(cs_config *config, const char *key, const char *value, cs_error **error);
cs_status cs_config_merge(cs_config *config, const cs_config *other, cs_error **error);
char *cs_config_to_json(const cs_config *config, cs_error **error);
char *cs_config_describe(const char *topic, cs_error **error);
void cs_config_free(cs_config *config);

/* ---- Model */
cs_model *cs_model_load(const char *path, const cs_config *config, cs_error **error);
cs_model *cs_model_create(const cs_config *config, cs_error **error);
cs_status cs_vocabulary_train(const char *input, const char *output, const cs_config *config, const cs_cancel *cancel, cs_error **error);
cs_status cs_model_save(const cs_model *model, const char *path, cs_error **error);
int32_t cs_model_dimension(const cs_model *model);
int32_t cs_model_max_length(const cs_model *model);
char *cs_model_info(const cs_model *model, cs_error **error);
cs_model *cs_model_snapshot(const cs_model *model, cs_error **error);
void cs_model_free(cs_model *model);

/* ---- Tokenize */
cs_status cs_tokenize(const cs_model *model, const char *text, int64_t length, int32_t max_length, int32_t *ids, int32_t *begins, int32_t *ends,
                      int64_t capacity, int32_t *count, cs_error **error);
cs_status cs_tokenize_pair(const cs_model *model, const char *text_a, int64_t length_a, const char *text_b, int64_t length_b, int32_t max_length,
                           int32_t *ids, int32_t *type_ids, int64_t capacity, int32_t *count, cs_error **error);
char *cs_token(const cs_model *model, int32_t id, cs_error **error);

/* ---- Encode: the fields of cs_encode_options as arguments, for a struct of pointers crosses no language boundary well */
%inline %{
static cs_status cs_encode_flat(const cs_model *model, const char *data, const int32_t *offsets, int64_t n_texts, int32_t normalize,
                                const char *pooling, const char *prompt, const char *prompt_name, int32_t truncate_dim, int32_t max_length,
                                int32_t batch_tokens, int32_t *token_counts, const cs_cancel *cancel, float *embeddings, int64_t n_floats,
                                cs_error **error) {
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.normalize = normalize;
  options.pooling = pooling;
  options.prompt = prompt;
  options.prompt_name = prompt_name;
  options.truncate_dim = truncate_dim;
  options.max_length = max_length;
  options.batch_tokens = batch_tokens;
  options.token_counts = token_counts;
  options.cancel = cancel;
  return cs_encode_packed(model, data, offsets, n_texts, &options, embeddings, n_floats, error);
}

/* The floats of one embedding; of the options only these two change it. */
static int32_t cs_encode_dimension_flat(const cs_model *model, const char *pooling, int32_t truncate_dim, cs_error **error) {
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.pooling = pooling;
  options.truncate_dim = truncate_dim;
  return cs_encode_dimension(model, &options, error);
}
%}

/* ---- Rerank: pairs of texts, one behind the other, so that there are twice as many texts as pairs */
cs_reranker *cs_reranker_load(const char *path, const cs_config *config, cs_error **error);
cs_status cs_reranker_save(const cs_reranker *reranker, const char *path, cs_error **error);
int32_t cs_reranker_labels(const cs_reranker *reranker);
int32_t cs_reranker_max_length(const cs_reranker *reranker);
int32_t cs_reranker_detect(const char *path);
char *cs_reranker_info(const cs_reranker *reranker, cs_error **error);
void cs_reranker_free(cs_reranker *reranker);
%inline %{
static cs_status cs_rerank_flat(const cs_reranker *reranker, const char *data, const int32_t *offsets, int64_t n_texts, const char *activation,
                                const char *prompt, const char *prompt_name, int32_t max_length, int32_t batch_tokens, const cs_cancel *cancel,
                                float *scores, int64_t n_scores, cs_error **error) {
  cs_rerank_options options = CS_RERANK_OPTIONS_INIT;
  options.activation = activation;
  options.prompt = prompt;
  options.prompt_name = prompt_name;
  options.max_length = max_length;
  options.batch_tokens = batch_tokens;
  options.cancel = cancel;
  return cs_rerank_packed(reranker, data, offsets, n_texts / 2, &options, scores, n_scores, error);
}
%}

/* ---- Similarity, search, quantisation */
cs_status cs_similarity(const float *a, int64_t n_a, const float *b, int64_t n_b, int64_t dimension, int32_t metric, float *scores,
                        int64_t n_scores, cs_error **error);
cs_status cs_search(const float *queries, int64_t n_queries, const float *corpus, int64_t n_corpus, int64_t dimension, int32_t metric, int32_t k,
                    int32_t *indices, float *scores, int64_t capacity, const cs_cancel *cancel, cs_error **error);
cs_status cs_quantize_calibrate(const float *vectors, int64_t n, int64_t dimension, float *calibration, int64_t n_floats, cs_error **error);
cs_status cs_quantize(const float *vectors, int64_t n, int64_t dimension, int32_t precision, const float *ranges, uint8_t *output,
                      int64_t n_bytes, cs_error **error);

/* ---- Dataset */
cs_dataset *cs_dataset_open(const char *path, const cs_config *config, cs_error **error);
cs_dataset *cs_dataset_new(cs_error **error);
cs_status cs_dataset_add(cs_dataset *data, const char *text_a, int64_t length_a, const char *text_b, int64_t length_b, double label,
                         cs_error **error);

/* cs_dataset_add_texts for texts in one buffer, which is how bindings pass them; it refuses a number of texts that does not fit here. */
%inline %{
static cs_status cs_dataset_add_packed(cs_dataset *dataset, const char *data, const int32_t *offsets, int64_t n_texts, double label,
                                       cs_error **error) {
  const char *texts[64];
  int64_t lengths[64];
  for (int64_t i = 0; i < n_texts && i < 64; ++i) {
    texts[i] = data != NULL ? data + offsets[i] : "";
    lengths[i] = offsets[i + 1] - offsets[i];
  }
  return cs_dataset_add_texts(dataset, texts, lengths, n_texts <= 64 ? (int32_t)n_texts : 65, label, error);
}
%}
int64_t cs_dataset_size(const cs_dataset *data);
void cs_dataset_free(cs_dataset *data);

/* ---- Trainer */
cs_trainer *cs_trainer_new(cs_model *model, const cs_dataset *data, const cs_config *config, cs_error **error);
cs_status cs_trainer_check(const cs_config *config, const cs_dataset *data, const char *model_path, cs_error **error);
cs_status cs_train_step(cs_trainer *trainer, const cs_cancel *cancel, cs_error **error);
cs_status cs_train_batch_packed(cs_trainer *trainer, const char *data, const int32_t *offsets, int64_t n_examples, int32_t columns,
                                const double *labels, const cs_cancel *cancel, cs_error **error);
cs_status cs_trainer_evaluate(cs_trainer *trainer, const cs_cancel *cancel, cs_error **error);
double cs_trainer_metric(const cs_trainer *trainer, const char *name);
char *cs_trainer_metrics(const cs_trainer *trainer, cs_error **error);
char *cs_trainer_config(const cs_trainer *trainer, cs_error **error);
cs_model *cs_trainer_model(const cs_trainer *trainer, int32_t best, cs_error **error);
cs_status cs_trainer_save(const cs_trainer *trainer, const char *path, cs_error **error);
cs_status cs_trainer_save_best(const cs_trainer *trainer, const char *path, cs_error **error);
cs_trainer *cs_trainer_resume(const char *path, cs_model *model, const cs_dataset *data, const cs_config *overrides, cs_error **error);
cs_trainer *cs_reranker_trainer_new(cs_reranker *reranker, const cs_dataset *data, const cs_config *config, cs_error **error);
cs_trainer *cs_reranker_trainer_resume(const char *path, cs_reranker *reranker, const cs_dataset *data, const cs_config *overrides, cs_error **error);
cs_reranker *cs_trainer_reranker(const cs_trainer *trainer, int32_t best, cs_error **error);
void cs_trainer_free(cs_trainer *trainer);

/* ---- Evaluate */
char *cs_evaluate(const cs_model *model, const char *task, const cs_config *config, const cs_cancel *cancel, cs_error **error);
char *cs_mine(const cs_model *model, const cs_model *guide, const cs_dataset *pairs, const cs_dataset *corpus, const char *output,
              const cs_config *config, const cs_cancel *cancel, cs_error **error);
char *cs_adapt(const cs_model *model, const cs_dataset *pairs, const cs_dataset *corpus, const char *output, const cs_config *config,
               const cs_cancel *cancel, cs_error **error);
char *cs_mine_reranked(const cs_model *model, const cs_reranker *guide, const cs_dataset *pairs, const cs_dataset *corpus, const char *output,
                       const cs_config *config, const cs_cancel *cancel, cs_error **error);
char *cs_evaluate_outline(const char *task, const cs_config *config, cs_error **error);

/* ---- Cancel */
cs_cancel *cs_cancel_new(cs_error **error);
void cs_cancel_trigger(cs_cancel *cancel);
void cs_cancel_free(cs_cancel *cancel);
