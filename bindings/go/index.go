package contrastive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Index holds texts with their vectors, to search in memory. Any number of goroutines may search
// it while none adds to it.
type Index struct {
	vectors Vectors
	texts   []string
	metric  Metric
}

// NewIndex makes an empty index, whose vectors are compared by the metric.
func NewIndex(metric Metric) *Index { return &Index{metric: metric} }

// Add appends texts and their vectors, which it copies.
func (x *Index) Add(texts []string, vectors Vectors) error {
	if x == nil {
		return argument("the index is nil")
	}
	if len(texts) == 0 && len(vectors.Values) == 0 {
		return nil
	}
	if err := vectors.check("the vectors"); err != nil {
		return err
	}
	if len(texts) != vectors.Len() {
		return &Error{
			Code:    ErrMismatch,
			Message: fmt.Sprintf("there are %d texts and %d vectors", len(texts), vectors.Len()),
		}
	}
	if x.vectors.Dimension != 0 {
		if err := alike(x.vectors, vectors); err != nil {
			return err
		}
	}
	x.vectors.Dimension = vectors.Dimension
	x.vectors.Values = append(x.vectors.Values, vectors.Values...)
	x.texts = append(x.texts, texts...)
	return nil
}

// Len returns the number of texts; 0 if x is nil.
func (x *Index) Len() int {
	if x == nil {
		return 0
	}
	return len(x.texts)
}

// Text returns a text by its index.
func (x *Index) Text(i int) string { return x.texts[i] }

// Vectors returns the vectors. They share memory with the index.
func (x *Index) Vectors() Vectors {
	if x == nil {
		return Vectors{}
	}
	return x.vectors
}

// TextHit is a text of an index that Search found.
type TextHit struct {
	Hit
	Text string
}

// Search finds the k nearest texts for each query, best first, as the function Search does.
func (x *Index) Search(ctx context.Context, queries Vectors, k int) ([][]TextHit, error) {
	if x == nil {
		return nil, argument("the index is nil")
	}
	corpus := x.vectors
	if len(x.texts) == 0 {
		corpus.Dimension = queries.Dimension
	}
	found, err := Search(ctx, queries, corpus, k, x.metric)
	if err != nil {
		return nil, err
	}
	results := make([][]TextHit, len(found))
	for i, hits := range found {
		results[i] = make([]TextHit, len(hits))
		for j, hit := range hits {
			results[i][j] = TextHit{hit, x.texts[hit.Index]}
		}
	}
	return results, nil
}

// The files of the folder of an index.
const (
	indexVectors = "vectors.npy"
	indexTexts   = "index.json"
)

type indexFile struct {
	Metric string   `json:"metric"`
	Texts  []string `json:"texts"`
}

var metricNames = []string{"cosine", "dot", "euclidean", "manhattan"}

// Save writes a folder with the vectors (vectors.npy, for NumPy) and the texts (index.json). It
// replaces a folder only if that holds an index or nothing. The new folder takes its place when it
// is complete.
func (x *Index) Save(path string) error {
	if x.Len() == 0 {
		return argument("the index is nil or empty")
	}
	if int(x.metric) < 0 || int(x.metric) >= len(metricNames) {
		return argument(fmt.Sprintf("the index has the unknown metric %d", x.metric))
	}
	text, err := json.Marshal(indexFile{metricNames[x.metric], x.texts})
	if err != nil {
		return &Error{Code: ErrInternal, Message: err.Error(), cause: err}
	}
	existing, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &Error{Code: ErrIO, Message: err.Error(), cause: err}
	}
	if len(existing) > 0 && !slices.ContainsFunc(existing, func(file os.DirEntry) bool {
		return file.Name() == indexTexts
	}) {
		return argument(path + " has other files than those of an index")
	}
	work, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return &Error{Code: ErrIO, Message: err.Error(), cause: err}
	}
	defer os.RemoveAll(work)
	next, last := filepath.Join(work, "next"), filepath.Join(work, "last")
	err = errors.Join(
		os.Mkdir(next, 0o777), os.WriteFile(filepath.Join(next, indexTexts), text, 0o666))
	if err != nil {
		return &Error{Code: ErrIO, Message: err.Error(), cause: err}
	}
	if err := x.vectors.SaveNPY(filepath.Join(next, indexVectors)); err != nil {
		return err
	}
	if err = os.Rename(path, last); err == nil || errors.Is(err, fs.ErrNotExist) {
		if err = os.Rename(next, path); err != nil {
			_ = os.Rename(last, path)
		}
	}
	if err != nil {
		return &Error{Code: ErrIO, Message: err.Error(), cause: err}
	}
	return nil
}

// LoadIndex reads a folder that Save wrote.
func LoadIndex(path string) (*Index, error) {
	vectors, err := LoadNPY(filepath.Join(path, indexVectors))
	if err != nil {
		return nil, err
	}
	file := filepath.Join(path, indexTexts)
	text, err := os.ReadFile(file)
	if err != nil {
		code := ErrIO
		if errors.Is(err, fs.ErrNotExist) {
			code = ErrNotFound
		}
		return nil, &Error{Code: code, Message: err.Error(), cause: err}
	}
	var content indexFile
	if err := json.Unmarshal(text, &content); err != nil {
		return nil, &Error{Code: ErrFormat, Message: file + ": " + err.Error(), cause: err}
	}
	metric := slices.Index(metricNames, content.Metric)
	if metric < 0 {
		return nil, &Error{
			Code:    ErrFormat,
			Message: fmt.Sprintf("%s: the metric %q is unknown", file, content.Metric),
		}
	}
	index := NewIndex(Metric(metric))
	return index, index.Add(content.Texts, vectors)
}
