package contrastive

import (
	"context"

	"contrastive.io/go/internal/raw"
)

// Metric is a similarity measure for two embeddings. A larger value always means more similar: the
// two distances are negated.
type Metric int32

// The metrics.
const (
	Cosine    Metric = 0
	Dot       Metric = 1
	Euclidean Metric = 2
	Manhattan Metric = 3
)

// Similarity compares each vector of a with each of b. Row i of the result has the scores of a's
// vector i.
func Similarity(a, b Vectors, metric Metric) (Vectors, error) {
	scores := Vectors{Values: make([]float32, a.Len()*b.Len()), Dimension: b.Len()}
	return scores, SimilarityInto(scores.Values, a, b, metric)
}

// SimilarityInto writes the scores, [a.Len(), b.Len()], into the caller's memory.
func SimilarityInto(scores []float32, a, b Vectors, metric Metric) error {
	if err := ready(); err != nil {
		return err
	}
	if err := alike(a, b); err != nil {
		return err
	}
	var failure uintptr
	status := raw.C().Cs_similarity(
		a.Values,
		int64(a.Len()),
		b.Values,
		int64(b.Len()),
		int64(a.Dimension),
		int32(metric),
		scores,
		int64(len(scores)),
		&failure,
	)
	return check(status, &failure)
}

// Score compares two vectors.
func Score(a, b []float32, metric Metric) (float32, error) {
	var score [1]float32
	err := SimilarityInto(score[:], Vectors{a, len(a)}, Vectors{b, len(b)}, metric)
	return score[0], err
}

// Hit is a vector of the corpus that Search found.
type Hit struct {
	Index int
	Score float32
}

// Search finds the k nearest vectors of a corpus for each query, best first. The search is exact.
// Hits with equal scores are sorted by index. A corpus of fewer than k vectors gives fewer hits.
func Search(ctx context.Context, queries, corpus Vectors, k int, metric Metric) ([][]Hit, error) {
	if err := ready(); err != nil {
		return nil, err
	}
	if err := alike(queries, corpus); err != nil {
		return nil, err
	}
	limit, err := narrow("k", k)
	if err != nil {
		return nil, err
	}
	width := min(int(limit), max(1, corpus.Len())) // the rest would be empty
	room := queries.Len() * max(0, width)
	indices, scores := make([]int32, room), make([]float32, room)
	err = cancellable(ctx, func(flag uintptr) error {
		var failure uintptr
		status := raw.C().Cs_search(
			queries.Values,
			int64(queries.Len()),
			corpus.Values,
			int64(corpus.Len()),
			int64(queries.Dimension),
			int32(metric),
			int32(width),
			indices,
			scores,
			int64(len(indices)),
			flag,
			&failure,
		)
		return check(status, &failure)
	})
	if err != nil {
		return nil, err
	}
	results := make([][]Hit, queries.Len())
	for i := range results {
		results[i] = make([]Hit, 0, width)
		for j := i * width; j < (i+1)*width && indices[j] >= 0; j++ {
			results[i] = append(results[i], Hit{Index: int(indices[j]), Score: scores[j]})
		}
	}
	return results, nil
}
