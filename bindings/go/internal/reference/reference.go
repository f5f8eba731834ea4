// Package reference calls the C API from C, for the tests of package contrastive. They compare
// results and times of Go with those of C.
package reference

/*
#cgo !contrastive_flags pkg-config: contrastive
#cgo contrastive_flags LDFLAGS: -lcontrastive
#include "reference.h"
*/
import "C"

import (
	"time"
	"unsafe"
)

// Encode embeds one text given by its length, and returns the status.
func Encode(model uintptr, text string, embedding []float32) int {
	bytes := append([]byte(text), 0) // never NULL
	return int(
		C.reference_encode(
			C.uintptr_t(model),
			(*C.char)(unsafe.Pointer(&bytes[0])),
			C.int64_t(len(text)),
			floats(embedding),
			C.int64_t(len(embedding)),
		),
	)
}

// TimeBare returns how long C takes to read a model's dimension.
func TimeBare(model uintptr, calls int) time.Duration {
	return duration(C.reference_time_bare(C.uintptr_t(model), C.int64_t(calls)))
}

// TimeEncode returns how long C takes to embed packed texts into C memory.
func TimeEncode(
	model uintptr,
	data []byte,
	offsets []int32,
	embeddings []float32,
	calls int,
) time.Duration {
	return duration(
		C.reference_time_encode(
			C.uintptr_t(model),
			(*C.char)(unsafe.Pointer(unsafe.SliceData(data))),
			(*C.int32_t)(
				unsafe.Pointer(unsafe.SliceData(offsets)),
			),
			C.int64_t(len(offsets)-1),
			floats(embeddings),
			C.int64_t(len(embeddings)),
			C.int64_t(calls),
		),
	)
}

// TimeSimilarity returns how long C takes to compare vectors.
func TimeSimilarity(a, b []float32, dimension int, scores []float32, calls int) time.Duration {
	return duration(
		C.reference_time_similarity(
			floats(a),
			C.int64_t(len(a)/dimension),
			floats(b),
			C.int64_t(len(b)/dimension),
			C.int64_t(dimension),
			floats(scores),
			C.int64_t(calls),
		),
	)
}

func floats(
	values []float32,
) *C.float {
	return (*C.float)(unsafe.Pointer(unsafe.SliceData(values)))
}

func duration(nanoseconds C.double) time.Duration { return time.Duration(float64(nanoseconds)) }
