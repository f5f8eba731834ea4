//go:build !cgo || contrastive_purego

package raw

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// forms are the functions that are not in contrastive.h.
var forms = Functions{
	Cs_header_abi_version: func() int32 { return abi },
	Cs_log_to_go: func(on, lowest int32, failure *uintptr) int32 {
		return structs.Cs_set_log_sink(callback(on, &logCallback), lowest, 0, failure)
	},
	Cs_progress_to_go: func(flag uintptr, on int32, failure *uintptr) int32 {
		return structs.Cs_cancel_set_progress(flag, callback(on, &progressCallback), flag, failure)
	},
	Cs_encode_dimension_flat: func(model uintptr, pooling []byte, dimensions int32,
		failure *uintptr) int32 {
		options := asTheModelSays
		options.pooling, options.truncateDim = unsafe.SliceData(pooling), dimensions
		return structs.Cs_encode_dimension(model, &options, failure)
	},
	Cs_rerank_flat: func(model uintptr, data []byte, offsets []int32, texts int64,
		activation, prompt, promptName []byte, maxLength, batchTokens int32, flag uintptr,
		scores []float32, room int64, failure *uintptr) int32 {
		options := rerankOptions{
			size:        uint32(unsafe.Sizeof(rerankOptions{})),
			maxLength:   maxLength,
			activation:  unsafe.SliceData(activation),
			prompt:      unsafe.SliceData(prompt),
			promptName:  unsafe.SliceData(promptName),
			batchTokens: batchTokens,
			cancel:      flag,
		}
		return structs.Cs_rerank_packed(model, data, offsets, texts/2, &options, scores, room,
			failure)
	},
	Cs_dataset_add_packed: func(dataset uintptr, data []byte, offsets []int32, texts int64,
		label float64, failure *uintptr) int32 {
		starts, lengths := make([]*byte, texts), make([]int64, texts)
		data = append(data, 0) // so that an empty text at the end has an address
		for i := range starts {
			starts[i], lengths[i] = &data[offsets[i]], int64(offsets[i+1]-offsets[i])
		}
		return structs.Cs_dataset_add_texts(dataset, starts, lengths, int32(texts), label, failure)
	},
}

// The system keeps callbacks for as long as the process runs, so there is one of each kind.
var (
	logCallback = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(level int32, message *byte, _ uintptr) uintptr {
			onLog(level, copyText(message))
			return 0
		})
	})
	progressCallback = sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(what *byte, done, total int64, flag uintptr) uintptr {
			onProgress(flag, copyText(what), done, total)
			return 0
		})
	})
)

func callback(on int32, make *func() uintptr) uintptr {
	if on == 0 {
		return 0
	}
	return (*make)()
}

// encodeOptions is cs_encode_options.
type encodeOptions struct {
	size                                uint32
	normalize                           int32
	pooling, prompt, promptName         *byte
	truncateDim, maxLength, batchTokens int32
	reserved                            uint32
	tokenCounts                         *int32
	cancel                              uintptr
}

var asTheModelSays = encodeOptions{size: uint32(unsafe.Sizeof(encodeOptions{})), normalize: -1}

// rerankOptions is cs_rerank_options.
type rerankOptions struct {
	size                           uint32
	maxLength                      int32
	activation, prompt, promptName *byte
	batchTokens                    int32
	reserved                       uint32
	tokenCounts                    *int32
	cancel                         uintptr
}

// Encode embeds packed texts, or data as one text if offsets is nil. failure is an error that the
// caller frees, or 0.
func Encode(model uintptr, data []byte, offsets []int32, e *Encoding, cancel uintptr,
	embeddings []float32) (status int32, failure uintptr) {
	if offsets == nil {
		offsets = []int32{0, int32(len(data))}
	}
	options := asTheModelSays
	options.normalize, options.truncateDim = e.Normalize, e.TruncateDim
	options.maxLength, options.batchTokens = e.MaxLength, e.BatchTokens
	options.pooling = unsafe.SliceData(e.Pooling)
	options.prompt = unsafe.SliceData(e.Prompt)
	options.promptName = unsafe.SliceData(e.PromptName)
	options.tokenCounts, options.cancel = unsafe.SliceData(e.TokenCounts), cancel
	_ = Loaded()
	status = structs.Cs_encode_packed(model, data, offsets, int64(len(offsets)-1), &options,
		embeddings, int64(len(embeddings)), &failure)
	return status, failure
}
