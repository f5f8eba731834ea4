package swig

/*
#include <contrastive/contrastive.h>

typedef struct {
  cs_status status;
  uintptr_t failure;
} contrastive_go_result;

// Packed texts, or if offsets is NULL the one text data[0 .. length).
static contrastive_go_result contrastive_go_encode(uintptr_t model, const char *data, int32_t length, const int32_t *offsets, int64_t n_texts,
                                                   int32_t normalize, const char *pooling, const char *prompt, const char *prompt_name,
                                                   int32_t truncate_dim, int32_t max_length, int32_t batch_tokens, int32_t *token_counts,
                                                   uintptr_t cancel, float *embeddings, int64_t n_floats) {
  const int32_t one[2] = {0, length};
  cs_error *error = NULL;
  contrastive_go_result result;
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.normalize = normalize;
  options.pooling = pooling;
  options.prompt = prompt;
  options.prompt_name = prompt_name;
  options.truncate_dim = truncate_dim;
  options.max_length = max_length;
  options.batch_tokens = batch_tokens;
  options.token_counts = token_counts;
  options.cancel = (const cs_cancel *)cancel;
  result.status = cs_encode_packed((const cs_model *)model, data, offsets != NULL ? offsets : one, n_texts, &options, embeddings, n_floats, &error);
  result.failure = (uintptr_t)error;
  return result;
}
*/
import "C"

import "unsafe"

// Encoding is cs_encode_options without the cancel flag. Texts end at a NUL; nil is NULL.
type Encoding struct {
	Normalize                           int32
	Pooling, Prompt, PromptName         []byte
	TruncateDim, MaxLength, BatchTokens int32
	TokenCounts                         []int32
}

// Encode embeds packed texts, or data as one text if offsets is nil. failure is an error that the
// caller frees, or 0.
//
// It is not generated because it is the most frequent call. SWIG passes a slice as a struct of
// untyped pointers, each of which cgo looks up in the heap before the call, and stores the error in
// memory that must be allocated. Together that costs more than the call to C itself. Typed pointers
// to numbers need neither.
func Encode(
	model uintptr,
	data []byte,
	offsets []int32,
	e *Encoding,
	cancel uintptr,
	embeddings []float32,
) (status int32, failure uintptr) {
	length, texts := C.int32_t(0), C.int64_t(len(offsets)-1)
	if offsets == nil {
		length, texts = C.int32_t(len(data)), 1
	}
	result := C.contrastive_go_encode(
		C.uintptr_t(model),
		chars(data),
		length,
		ints(offsets),
		texts,
		C.int32_t(e.Normalize),
		chars(e.Pooling),
		chars(
			e.Prompt,
		),
		chars(e.PromptName),
		C.int32_t(e.TruncateDim),
		C.int32_t(e.MaxLength),
		C.int32_t(e.BatchTokens),
		ints(e.TokenCounts),
		C.uintptr_t(
			cancel,
		),
		(*C.float)(unsafe.Pointer(unsafe.SliceData(embeddings))),
		C.int64_t(len(embeddings)),
	)
	return int32(result.status), uintptr(result.failure)
}

func chars(bytes []byte) *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(bytes))) }

func ints(
	numbers []int32,
) *C.int32_t {
	return (*C.int32_t)(unsafe.Pointer(unsafe.SliceData(numbers)))
}
