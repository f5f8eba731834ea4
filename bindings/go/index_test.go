package contrastive_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	contrastive "contrastive.io/go"
)

func write(t testing.TB, file, text string) {
	t.Helper()
	must(t, os.WriteFile(file, []byte(text), 0o644))
}

func TestIndex(t *testing.T) {
	texts := []string{"the cat sat", "a dog runs", "two birds fly"}
	model := load(t)
	embedded, err := model.Encode(background, texts)
	must(t, err)
	index := contrastive.NewIndex(contrastive.Cosine)
	empty, err := index.Search(background, embedded, 2)
	must(t, err)
	equal(t, len(empty[0]), 0)
	must(t, index.Add(texts[:2], contrastive.Vectors{
		Values: embedded.Values[:2*embedded.Dimension], Dimension: embedded.Dimension,
	}))
	must(t, index.Add(texts[2:], contrastive.Vectors{
		Values: embedded.Row(2), Dimension: embedded.Dimension,
	}))
	check := func(index *contrastive.Index) {
		t.Helper()
		equal(t, index.Len(), 3)
		found, err := index.Search(background, embedded, 5)
		must(t, err)
		for i, hits := range found {
			equal(t, len(hits), 3)
			equal(t, hits[0].Text, texts[i])
			equal(t, hits[0].Index, i)
			equal(t, index.Text(i), texts[i])
		}
	}
	check(index)
	folder := filepath.Join(t.TempDir(), "index")
	for range 2 { // the second time an index is replaced
		must(t, index.Save(folder))
		again, err := contrastive.LoadIndex(folder)
		must(t, err)
		check(again)
		equal(t, slices.Equal(again.Vectors().Values, embedded.Values), true)
	}
	around, err := os.ReadDir(filepath.Dir(folder))
	must(t, err)
	equal(t, len(around), 1) // nothing temporary is left

	fails(t, index.Add([]string{"a"}, embedded), contrastive.ErrMismatch, "1 texts and 3 vectors")
	fails(t, index.Add([]string{"a"}, vectors(t, []float32{1})), contrastive.ErrMismatch,
		"dimension 32 and of 1")
	other := t.TempDir()
	write(t, other+"/letter.txt", "keep")
	fails(t, index.Save(other), contrastive.ErrArgument, "other files")
	fails(t, contrastive.NewIndex(contrastive.Dot).Save(folder), contrastive.ErrArgument, "empty")
	_, err = contrastive.LoadIndex(other)
	fails(t, err, contrastive.ErrNotFound, "vectors.npy")
	write(t, folder+"/index.json", `{"metric": "cosine", "texts": ["a"]}`)
	_, err = contrastive.LoadIndex(folder)
	fails(t, err, contrastive.ErrMismatch, "1 texts and 3 vectors")
	write(t, folder+"/index.json", `{"metric": "taxi", "texts": []}`)
	_, err = contrastive.LoadIndex(folder)
	fails(t, err, contrastive.ErrFormat, "taxi")
}

func TestVectorsAsNPY(t *testing.T) {
	file := filepath.Join(t.TempDir(), "vectors.npy")
	saved := vectors(t, []float32{1, 2, 3}, []float32{4, 5, float32(math.Pi)})
	must(t, saved.SaveNPY(file))
	loaded, err := contrastive.LoadNPY(file)
	must(t, err)
	equal(t, loaded.Dimension, 3)
	equal(t, slices.Equal(loaded.Values, saved.Values), true)
	_, err = contrastive.LoadNPY(file + "x")
	fails(t, err, fs.ErrNotExist, "vectors.npyx")
	write(t, file, "no numbers")
	_, err = contrastive.LoadNPY(file)
	fails(t, err, contrastive.ErrFormat, "vectors.npy")
	fails(t, contrastive.Vectors{}.SaveNPY(file), contrastive.ErrArgument, "dimension")
}

// A vector that is not finite is an error that names it, never a hit without an index.
func TestSearchRefusesNaN(t *testing.T) {
	good := vectors(t, []float32{1, 0}, []float32{0, 1})
	for _, value := range []float32{float32(math.NaN()), float32(math.Inf(1))} {
		bad := vectors(t, []float32{0, 1}, []float32{value, 0})
		for _, metric := range []contrastive.Metric{contrastive.Cosine, contrastive.Dot,
			contrastive.Euclidean, contrastive.Manhattan} {
			_, err := contrastive.Search(background, bad, good, 2, metric)
			fails(t, err, contrastive.ErrNumeric, "1")
			_, err = contrastive.Search(background, good, bad, 2, metric)
			fails(t, err, contrastive.ErrNumeric, "1")
		}
	}
}

func TestEncodeSeq(t *testing.T) {
	model := load(t)
	texts := make([]string, 600)
	for i := range texts {
		texts[i] = fmt.Sprint("the cat ", i)
	}
	expected, err := model.Encode(background, texts)
	must(t, err)
	rows := 0
	for vector, err := range model.EncodeSeq(background, slices.Values(texts)) {
		must(t, err)
		for k, value := range vector {
			if math.Abs(float64(value-expected.Row(rows)[k])) > 1e-6 {
				t.Fatalf("row %d: %g, expected %g", rows, value, expected.Row(rows)[k])
			}
		}
		rows++
	}
	equal(t, rows, len(texts))
	for range model.EncodeSeq(background, slices.Values(texts)) {
		rows++
		break
	}
	equal(t, rows, len(texts)+1)
	var failed []error
	for vector, err := range model.EncodeSeq(background, slices.Values(texts),
		contrastive.Pooling("nonsense")) {
		equal(t, vector == nil, true)
		failed = append(failed, err)
	}
	equal(t, len(failed), 1)
	equal(t, errors.Is(failed[0], contrastive.ErrArgument), true)
	for _, err := range model.EncodeSeq(background, nil) {
		fails(t, err, contrastive.ErrArgument, "nil")
	}
	for _, err := range model.EncodeSeq(background, slices.Values(texts),
		contrastive.TokenCounts(make([]int32, 600))) {
		fails(t, err, contrastive.ErrArgument, "TokenCounts")
	}
}
