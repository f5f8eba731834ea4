package contrastive_test

import "testing"

// The cost of a call, with either loader: go test -run none -bench Call. TestCallOverhead compares
// the calls of the one with cgo to C.
func BenchmarkCall(b *testing.B) {
	model := load(b)
	b.Run("dimension", func(b *testing.B) {
		for b.Loop() {
			model.Bare()
		}
	})
	out, one := make([]float32, model.Dimension()), []string{"cat"}
	b.Run("one text", func(b *testing.B) {
		for b.Loop() {
			if err := model.EncodeInto(background, out, one); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tokenize", func(b *testing.B) {
		for b.Loop() {
			if _, err := model.Tokenize("cat", 0); err != nil {
				b.Fatal(err)
			}
		}
	})
}
