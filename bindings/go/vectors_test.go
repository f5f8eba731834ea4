package contrastive_test

import (
	"math"
	"slices"
	"testing"

	contrastive "contrastive.io/go"
)

func vectors(t *testing.T, rows ...[]float32) contrastive.Vectors {
	t.Helper()
	v, err := contrastive.VectorsOf(rows)
	must(t, err)
	return v
}

func TestMetrics(t *testing.T) {
	a, b := []float32{3, 4}, []float32{4, 3}
	for metric, expected := range map[contrastive.Metric]float64{
		contrastive.Cosine: 24.0 / 25, contrastive.Dot: 24, contrastive.Euclidean: -math.Sqrt2,
		contrastive.Manhattan: -2,
	} {
		score, err := contrastive.Score(a, b, metric)
		must(t, err)
		if math.Abs(float64(score)-expected) > 1e-6 {
			t.Errorf("metric %d: %g, expected %g", metric, score, expected)
		}
	}
	_, err := contrastive.Score(a, []float32{1}, contrastive.Cosine)
	fails(t, err, contrastive.ErrMismatch, "dimension 2 and of 1")
	_, err = contrastive.Score(nil, nil, contrastive.Cosine)
	fails(t, err, contrastive.ErrArgument, "dimension 0")
	_, err = contrastive.Score(a, b, 9)
	fails(t, err, contrastive.ErrArgument, "9")
}

func TestSimilarityIsRowsByColumns(t *testing.T) {
	scores, err := contrastive.Similarity(
		vectors(t, []float32{1, 0}, []float32{0, 2}),
		vectors(t, []float32{1, 0}, []float32{0, 1}, []float32{1, 1}),
		contrastive.Dot,
	)
	must(t, err)
	if !slices.Equal(scores.Values, []float32{1, 0, 1, 0, 2, 2}) || scores.Dimension != 3 ||
		len(scores.Rows()) != 2 {
		t.Fatalf("%+v", scores)
	}
	fails(
		t,
		contrastive.SimilarityInto(make([]float32, 1), scores, scores, contrastive.Dot),
		contrastive.ErrBuffer,
		"4",
	)
	_, err = contrastive.VectorsOf([][]float32{{1, 2}, {1}})
	fails(t, err, contrastive.ErrArgument, "row 1 has 1")
}

func TestSearch(t *testing.T) {
	corpus := vectors(t, []float32{0, 1}, []float32{1, 0}, []float32{1, 1}, []float32{1, 0})
	hits, err := contrastive.Search(
		background,
		vectors(t, []float32{2, 0}, []float32{0, 5}),
		corpus,
		3,
		contrastive.Cosine,
	)
	must(t, err)
	equal(t, hits[0][0], contrastive.Hit{Index: 1, Score: 1})
	equal(t, hits[0][1], contrastive.Hit{Index: 3, Score: 1})
	equal(t, hits[0][2].Index, 2)
	equal(t, hits[1][0].Index, 0)
	few, err := contrastive.Search(background, corpus, corpus, 100, contrastive.Dot)
	must(t, err)
	equal(t, len(few), 4)
	equal(t, len(few[0]), 4)
	none, err := contrastive.Search(
		background,
		corpus,
		contrastive.Vectors{Dimension: 2},
		5,
		contrastive.Dot,
	)
	must(t, err)
	equal(t, len(none[3]), 0)
	_, err = contrastive.Search(background, corpus, corpus, 0, contrastive.Dot)
	fails(t, err, contrastive.ErrArgument, "k is 0")
}

func TestQuantize(t *testing.T) {
	v := vectors(t, []float32{0, -1, 0.5}, []float32{1, 1, -0.5})
	halves, err := contrastive.QuantizeFloat16(v)
	must(t, err)
	if !slices.Equal(halves, []uint16{0, 0xbc00, 0x3800, 0x3c00, 0x3c00, 0xb800}) {
		t.Fatalf("%x", halves)
	}
	calibration, err := contrastive.Calibrate(
		vectors(t, []float32{0, 1, 2}, []float32{255, 256, 257}),
	)
	must(t, err)
	bytes, err := contrastive.QuantizeInt8(
		vectors(t, []float32{0, 256, 130}, []float32{1000, -1000, 3}),
		calibration,
	)
	must(t, err)
	if !slices.Equal(bytes, []int8{-128, 127, 0, 127, -128, -127}) {
		t.Fatalf("%v", bytes)
	}
	signs, err := contrastive.QuantizeBinary(v)
	must(t, err)
	if !slices.Equal(signs, []byte{0b00100000, 0b11000000}) {
		t.Fatalf("%08b", signs)
	}
	_, err = contrastive.QuantizeInt8(v, contrastive.Calibration{})
	fails(t, err, contrastive.ErrMismatch, "dimension 3")
	_, err = contrastive.Calibrate(contrastive.Vectors{Dimension: 3})
	fails(t, err, contrastive.ErrArgument, "")
	_, err = contrastive.Calibrate(vectors(t, []float32{float32(math.NaN())}))
	fails(t, err, contrastive.ErrNumeric, "")
}
