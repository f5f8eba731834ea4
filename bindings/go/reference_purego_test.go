//go:build !cgo || contrastive_purego

package contrastive_test

import (
	contrastive "contrastive.io/go"
	"contrastive.io/go/internal/raw"
	"github.com/ebitengine/purego"
)

const conformanceFile = "go-purego.jsonl"

// encodeInC embeds one text given by its length, and returns the status.
func encodeInC(model uintptr, text string, embedding []float32) int {
	build, err := contrastive.BuildInfo()
	if err != nil {
		panic(err)
	}
	library, err := raw.OpenLibrary(build.LibraryPath)
	if err != nil {
		panic(err)
	}
	var encode func(model uintptr, texts []*byte, lengths []int64, n int64, options uintptr,
		embedding []float32, floats int64, failure uintptr) int32
	address, err := raw.Symbol(library, "cs_encode")
	if err != nil {
		panic(err)
	}
	purego.RegisterFunc(&encode, address)
	bytes := append([]byte(text), 0) // never NULL
	status := encode(model, []*byte{&bytes[0]}, []int64{int64(len(text))}, 1, 0, embedding,
		int64(len(embedding)), 0)
	return int(status)
}
