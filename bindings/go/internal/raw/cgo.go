//go:build cgo && !contrastive_purego

package raw

import "contrastive.io/go/internal/swig"

var functions = Functions{
	Cs_log_to_go:             swig.Cs_log_to_go,
	Cs_version:               swig.Cs_version,
	Cs_abi_version:           swig.Cs_abi_version,
	Cs_build_info:            swig.Cs_build_info,
	Cs_live_handles:          swig.Cs_live_handles,
	Cs_set_threads:           swig.Cs_set_threads,
	Cs_set_libtorch:          swig.Cs_set_libtorch,
	Cs_error_status:          swig.Cs_error_status,
	Cs_error_message:         swig.Cs_error_message,
	Cs_error_free:            swig.Cs_error_free,
	Cs_status_name:           swig.Cs_status_name,
	Cs_config_parse:          swig.Cs_config_parse,
	Cs_config_merge:          swig.Cs_config_merge,
	Cs_config_to_json:        swig.Cs_config_to_json,
	Cs_config_describe:       swig.Cs_config_describe,
	Cs_config_free:           swig.Cs_config_free,
	Cs_model_load:            swig.Cs_model_load,
	Cs_model_create:          swig.Cs_model_create,
	Cs_vocabulary_train:      swig.Cs_vocabulary_train,
	Cs_model_save:            swig.Cs_model_save,
	Cs_model_detect:          swig.Cs_model_detect,
	Cs_model_kind:            swig.Cs_model_kind,
	Cs_model_dimension:       swig.Cs_model_dimension,
	Cs_model_labels:          swig.Cs_model_labels,
	Cs_model_max_length:      swig.Cs_model_max_length,
	Cs_model_info:            swig.Cs_model_info,
	Cs_model_snapshot:        swig.Cs_model_snapshot,
	Cs_model_memory:          swig.Cs_model_memory,
	Cs_model_free:            swig.Cs_model_free,
	Cs_tokenize:              swig.Cs_tokenize,
	Cs_tokenize_pair:         swig.Cs_tokenize_pair,
	Cs_token:                 swig.Cs_token,
	Cs_similarity:            swig.Cs_similarity,
	Cs_search:                swig.Cs_search,
	Cs_quantize_calibrate:    swig.Cs_quantize_calibrate,
	Cs_quantize:              swig.Cs_quantize,
	Cs_npy_save:              swig.Cs_npy_save,
	Cs_npy_load:              swig.Cs_npy_load,
	Cs_dataset_open:          swig.Cs_dataset_open,
	Cs_dataset_new:           swig.Cs_dataset_new,
	Cs_dataset_size:          swig.Cs_dataset_size,
	Cs_dataset_free:          swig.Cs_dataset_free,
	Cs_trainer_new:           swig.Cs_trainer_new,
	Cs_trainer_check:         swig.Cs_trainer_check,
	Cs_train_step:            swig.Cs_train_step,
	Cs_train_batch_packed:    swig.Cs_train_batch_packed,
	Cs_trainer_evaluate:      swig.Cs_trainer_evaluate,
	Cs_trainer_metric:        swig.Cs_trainer_metric,
	Cs_trainer_metrics:       swig.Cs_trainer_metrics,
	Cs_trainer_config:        swig.Cs_trainer_config,
	Cs_trainer_model:         swig.Cs_trainer_model,
	Cs_trainer_save:          swig.Cs_trainer_save,
	Cs_trainer_save_best:     swig.Cs_trainer_save_best,
	Cs_trainer_resume:        swig.Cs_trainer_resume,
	Cs_trainer_free:          swig.Cs_trainer_free,
	Cs_evaluate:              swig.Cs_evaluate,
	Cs_mine:                  swig.Cs_mine,
	Cs_adapt:                 swig.Cs_adapt,
	Cs_cancel_new:            swig.Cs_cancel_new,
	Cs_cancel_trigger:        swig.Cs_cancel_trigger,
	Cs_progress_to_go:        swig.Cs_progress_to_go,
	Cs_cancel_free:           swig.Cs_cancel_free,
	Cs_header_abi_version:    swig.Cs_header_abi_version,
	Cs_encode_dimension_flat: swig.Cs_encode_dimension_flat,
	Cs_rerank_flat:           swig.Cs_rerank_flat,
	Cs_dataset_add_packed:    swig.Cs_dataset_add_packed,
}

func init() { swig.OnLog, swig.OnProgress = onLog, onProgress }

// C returns the functions of the library, which the program is linked with.
func C() *Functions { return &functions }

// Loaded returns nil: a program that is linked with the library does not start without it.
func Loaded() error { return nil }

// Encode embeds packed texts, or data as one text if offsets is nil. failure is an error that the
// caller frees, or 0.
func Encode(model uintptr, data []byte, offsets []int32, e *Encoding, cancel uintptr,
	embeddings []float32) (status int32, failure uintptr) {
	return swig.Encode(model, data, offsets, (*swig.Encoding)(e), cancel, embeddings)
}
