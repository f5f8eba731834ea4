package contrastive

import (
	"context"
	"iter"
)

// seqBatch is how many texts EncodeSeq embeds in one call.
const seqBatch = 256

// EncodeSeq embeds the texts of a sequence of any length and yields one vector for each, in order.
// It reads and embeds 256 texts at a time. After an error, which it yields once, it stops.
// TokenCounts is not possible.
//
//	for vector, err := range model.EncodeSeq(ctx, slices.Values(texts)) {
func (m *Model) EncodeSeq(
	ctx context.Context,
	texts iter.Seq[string],
	options ...EncodeOption,
) iter.Seq2[[]float32, error] {
	return func(yield func([]float32, error) bool) {
		if texts == nil {
			yield(nil, argument("the sequence of texts is nil"))
			return
		}
		if e, err := encodingOf(options, 0); err == nil && e.TokenCounts != nil {
			yield(nil, argument("EncodeSeq does not fill TokenCounts: use Encode"))
			return
		}
		batch := make([]string, 0, seqBatch)
		flush := func() bool {
			vectors, err := m.Encode(ctx, batch, options...)
			batch = batch[:0]
			if err != nil {
				yield(nil, err)
				return false
			}
			for _, vector := range vectors.All() {
				if !yield(vector, nil) {
					return false
				}
			}
			return true
		}
		for text := range texts {
			if batch = append(batch, text); len(batch) == seqBatch && !flush() {
				return
			}
		}
		if len(batch) > 0 {
			flush()
		}
	}
}

// All iterates over the vectors with their indices. They share memory with v.
func (v Vectors) All() iter.Seq2[int, []float32] {
	return func(yield func(int, []float32) bool) {
		for i := range v.Len() {
			if !yield(i, v.Row(i)) {
				return
			}
		}
	}
}
