/* The raw layer of the Java, C# and Go bindings. SWIG reads the signatures from contrastive.h, so
 * no prototype is repeated here. This file says which functions are left out, and what replaces
 * them. Nothing generated from it is public: each language has an idiomatic layer above it, written
 * by hand.
 *
 * The typemaps of a language are in java_types.swg, csharp_types.swg or go_types.swg. (A file
 * java.swg would hide the one of that name in SWIG's own library.) These files also declare what
 * only one language needs, such as its way to read an error or to receive log messages.
 *
 * Typemaps select parameters by their type and name in the header, so a parameter with one meaning
 * has one name throughout the header:
 *
 *   cs_config *, cs_model *, ...     a handle, as a parameter and as a result
 *   cs_status                        the result of a command; below 0 `error` is set
 *   cs_error **error                 an exception in Java and C#, never an argument; in Go the
 *                                    last argument
 *   const char *                     text that ends at its NUL; nullable where the header says so
 *   (const char *text, int64_t length), also text_a and text_b
 *                                    one text, which may hold NUL bytes
 *   (const char *data, const int32_t *offsets, int64_t n_texts), also n_examples
 *                                    packed texts
 *   char * as a result               UTF-8 that the wrapper copies, then frees by cs_string_free
 *   const char * as a result         a static string
 *   const float *, const double *    an array in; the layer above checks its size
 *   float *, int32_t *, uint8_t *    an array out, followed by its capacity
 *
 * SWIG invents a class for a type without a typemap: tests/guards/generated.sh refuses that.
 *
 * <stdint.i> is not included on purpose. It makes int64_t a long long, whose pointers do not
 * compile on Linux. The names stay opaque instead, and use the typemaps of the builtin type of
 * their width.
 */
%module contrastive

%{
#include <contrastive/contrastive.h>
%}

%apply int { int32_t };
%apply unsigned int { uint32_t };
%apply long long { int64_t };

/* ---- What is not wrapped */

/* Constants: every binding has its own. SWIG leaves out only enums with a name: see below. */
%rename("$ignore", %$isenum) "";
%rename("$ignore", %$isconstant) "";

/* Memory: the typemaps of results free what a language has copied. */
%ignore cs_string_free;

/* Arrays of pointers cross no language boundary well. Bindings pass packed texts. */
%ignore cs_encode;
%ignore cs_rerank;
%ignore cs_train_batch;

/* Structs of options do not either. The functions at the end take the fields as arguments. */
%ignore cs_encode_options;
%ignore cs_encode_packed;
%ignore cs_encode_dimension;
%ignore cs_rerank_options;
%ignore cs_rerank_packed;
%ignore cs_dataset_add_texts;

/* A callback: each language receives messages in its own way. */
%ignore cs_set_log_sink;

#if defined(SWIGJAVA)
%include "java_types.swg"
#elif defined(SWIGCSHARP)
%include "csharp_types.swg"
#elif defined(SWIGGO)
%include "go_types.swg"
#else
#error "contrastive.i knows Java, C# and Go"
#endif

/* ---- The functions of the header; the path is relative to this folder, which -I names. */
#define enum enum cs_constants
%include "../../capi/include/contrastive/contrastive.h"
#undef enum

/* ---- What replaces the functions that are left out */

%inline %{
/* The header's number when the wrapper was compiled. The loaded library may have another one. */
static int32_t cs_header_abi_version(void) { return CS_ABI_VERSION; }

static cs_status cs_encode_flat(const cs_model *model, const char *data, const int32_t *offsets,
                                int64_t n_texts, int32_t normalize, const char *pooling,
                                const char *prompt, const char *prompt_name, int32_t truncate_dim,
                                int32_t max_length, int32_t batch_tokens, int32_t *token_counts,
                                const cs_cancel *cancel, float *embeddings, int64_t n_floats,
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

/* The number of floats of one embedding. No other option changes it. */
static int32_t cs_encode_dimension_flat(const cs_model *model, const char *pooling,
                                        int32_t truncate_dim, cs_error **error) {
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.pooling = pooling;
  options.truncate_dim = truncate_dim;
  return cs_encode_dimension(model, &options, error);
}

/* The texts are query and document of each pair in turn, so there are twice as many as pairs. */
static cs_status cs_rerank_flat(const cs_model *model, const char *data,
                                const int32_t *offsets, int64_t n_texts, const char *activation,
                                const char *prompt, const char *prompt_name, int32_t max_length,
                                int32_t batch_tokens, const cs_cancel *cancel, float *scores,
                                int64_t n_scores, cs_error **error) {
  cs_rerank_options options = CS_RERANK_OPTIONS_INIT;
  options.activation = activation;
  options.prompt = prompt;
  options.prompt_name = prompt_name;
  options.max_length = max_length;
  options.batch_tokens = batch_tokens;
  options.cancel = cancel;
  return cs_rerank_packed(model, data, offsets, n_texts / 2, &options, scores, n_scores, error);
}

/* cs_dataset_add_texts for packed texts. It refuses a number of texts that does not fit here. */
static cs_status cs_dataset_add_packed(cs_dataset *dataset, const char *data,
                                       const int32_t *offsets, int64_t n_texts, double label,
                                       cs_error **error) {
  const char *texts[64];
  int64_t lengths[64];
  for (int64_t i = 0; i < n_texts && i < 64; ++i) {
    texts[i] = data != NULL ? data + offsets[i] : "";
    lengths[i] = offsets[i + 1] - offsets[i];
  }
  return cs_dataset_add_texts(dataset, texts, lengths, n_texts <= 64 ? (int32_t)n_texts : 65, label,
                              error);
}
%}
