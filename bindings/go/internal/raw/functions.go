// Package raw calls the C library. Two loaders fill one table of functions: cgo.go links the
// library with cgo and the wrapper that SWIG generates; purego.go opens it when the program runs,
// without cgo. The build chooses purego.go if cgo is off (CGO_ENABLED=0), or with the tag
// contrastive_purego. Only package contrastive is public.
package raw

// Functions are those of contrastive.h, with a handle as uintptr and an array or text as a slice.
// A text that ends at its NUL contains the NUL. The last argument of a function that can fail is
// the place for its error. Names that are not in contrastive.h (..._flat, ..._packed, ..._to_go)
// are forms without structs and callbacks.
type Functions struct {
	Cs_log_to_go        func(int32, int32, *uintptr) int32
	Cs_version          func() string
	Cs_abi_version      func() int32
	Cs_build_info       func(*uintptr) string
	Cs_live_handles     func() int64
	Cs_set_threads      func(int32, *uintptr) int32
	Cs_set_libtorch     func([]byte, *uintptr) int32
	Cs_error_status     func(uintptr) int32
	Cs_error_message    func(uintptr) string
	Cs_error_free       func(uintptr)
	Cs_status_name      func(int32) string
	Cs_config_parse     func([]byte, *uintptr) uintptr
	Cs_config_merge     func(uintptr, uintptr, *uintptr) int32
	Cs_config_to_json   func(uintptr, *uintptr) string
	Cs_config_describe  func([]byte, *uintptr) string
	Cs_config_free      func(uintptr)
	Cs_model_load       func([]byte, uintptr, *uintptr) uintptr
	Cs_model_create     func(uintptr, *uintptr) uintptr
	Cs_vocabulary_train func([]byte, []byte, uintptr, uintptr, *uintptr) int32
	Cs_model_save       func(uintptr, []byte, *uintptr) int32
	Cs_model_detect     func([]byte) int32
	Cs_model_kind       func(uintptr) int32
	Cs_model_dimension  func(uintptr) int32
	Cs_model_labels     func(uintptr) int32
	Cs_model_max_length func(uintptr) int32
	Cs_model_info       func(uintptr, *uintptr) string
	Cs_model_snapshot   func(uintptr, *uintptr) uintptr
	Cs_model_memory     func(uintptr) int64
	Cs_model_free       func(uintptr)
	Cs_tokenize         func(
		uintptr, []byte, int64, int32, []int32, []int32, []int32, int64, *int32, *uintptr,
	) int32
	Cs_tokenize_pair func(
		uintptr, []byte, int64, []byte, int64, int32, []int32, []int32, int64, *int32,
		*uintptr,
	) int32
	Cs_token      func(uintptr, int32, *uintptr) string
	Cs_similarity func(
		[]float32, int64, []float32, int64, int64, int32, []float32, int64, *uintptr,
	) int32
	Cs_search func(
		[]float32, int64, []float32, int64, int64, int32, int32, []int32, []float32, int64,
		uintptr, *uintptr,
	) int32
	Cs_quantize_calibrate func([]float32, int64, int64, []float32, int64, *uintptr) int32
	Cs_quantize           func(
		[]float32, int64, int64, int32, []float32, []byte, int64, *uintptr,
	) int32
	Cs_npy_save           func([]byte, []float32, int64, int64, *uintptr) int32
	Cs_npy_load           func([]byte, []float32, int64, *int64, *int64, *uintptr) int32
	Cs_dataset_open       func([]byte, uintptr, *uintptr) uintptr
	Cs_dataset_new        func(*uintptr) uintptr
	Cs_dataset_size       func(uintptr) int64
	Cs_dataset_free       func(uintptr)
	Cs_trainer_new        func(uintptr, uintptr, uintptr, *uintptr) uintptr
	Cs_trainer_check      func(uintptr, uintptr, []byte, *uintptr) int32
	Cs_train_step         func(uintptr, uintptr, *uintptr) int32
	Cs_train_batch_packed func(
		uintptr, []byte, []int32, int64, int32, []float64, uintptr, *uintptr,
	) int32
	Cs_trainer_evaluate  func(uintptr, uintptr, *uintptr) int32
	Cs_trainer_metric    func(uintptr, []byte) float64
	Cs_trainer_metrics   func(uintptr, *uintptr) string
	Cs_trainer_config    func(uintptr, *uintptr) string
	Cs_trainer_model     func(uintptr, int32, *uintptr) uintptr
	Cs_trainer_save      func(uintptr, []byte, *uintptr) int32
	Cs_trainer_save_best func(uintptr, []byte, *uintptr) int32
	Cs_trainer_resume    func([]byte, uintptr, uintptr, uintptr, *uintptr) uintptr
	Cs_trainer_free      func(uintptr)
	Cs_evaluate          func(uintptr, []byte, uintptr, uintptr, *uintptr) string
	Cs_mine              func(
		uintptr, uintptr, uintptr, uintptr, []byte, uintptr, uintptr, *uintptr,
	) string
	Cs_adapt func(
		uintptr, uintptr, uintptr, []byte, uintptr, uintptr, *uintptr,
	) string
	Cs_cancel_new            func(*uintptr) uintptr
	Cs_cancel_trigger        func(uintptr)
	Cs_progress_to_go        func(uintptr, int32, *uintptr) int32
	Cs_cancel_free           func(uintptr)
	Cs_header_abi_version    func() int32
	Cs_encode_dimension_flat func(uintptr, []byte, int32, *uintptr) int32
	Cs_rerank_flat           func(
		uintptr, []byte, []int32, int64, []byte, []byte, []byte, int32, int32, uintptr,
		[]float32, int64, *uintptr,
	) int32
	Cs_dataset_add_packed func(uintptr, []byte, []int32, int64, float64, *uintptr) int32
}

// Encoding is cs_encode_options without the cancel flag. Texts end at a NUL; nil is NULL.
type Encoding struct {
	Normalize                           int32
	Pooling, Prompt, PromptName         []byte
	TruncateDim, MaxLength, BatchTokens int32
	TokenCounts                         []int32
}
