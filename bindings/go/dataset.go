package contrastive

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"

	"contrastive.io/go/internal/raw"
)

// Example is a training example: one text, a pair, or a pair with hard negatives, and an optional
// score. See Text, Pair, ScoredPair and WithNegatives.
type Example struct {
	Texts []string
	Score *float64
}

// Text is an example of one text.
func Text(text string) Example { return Example{Texts: []string{text}} }

// Pair is an example of two texts that belong together.
func Pair(a, b string) Example { return Example{Texts: []string{a, b}} }

// ScoredPair is a pair with a score, such as a human rating of the texts' similarity.
func ScoredPair(a, b string, score float64) Example {
	return Example{Texts: []string{a, b}, Score: &score}
}

// WithNegatives is a pair with hard negatives: texts that are similar to the first text but do not
// belong to it. Methods without hard negatives ignore them.
func WithNegatives(a, b string, negatives ...string) Example {
	return Example{Texts: append([]string{a, b}, negatives...)}
}

// label is the score in the C API's form: NaN if there is none.
func (e Example) label() float64 {
	if e.Score == nil {
		return math.NaN()
	}
	return *e.Score
}

// Dataset is a set of training examples, in memory or in a file. You cannot add examples while a
// trainer uses it.
type Dataset struct {
	handle *handle
	size   *atomic.Int64 // after the last change
}

// NewDataset creates a dataset in memory.
func NewDataset(examples ...Example) (*Dataset, error) {
	if err := ready(); err != nil {
		return nil, err
	}
	var failure uintptr
	d, err := newDataset(raw.C().Cs_dataset_new(&failure), &failure)
	if err != nil {
		return nil, err
	}
	if err := d.Add(examples...); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// OpenDataset opens a file with one example per line: .txt, .tsv, .jsonl, or the format that
// Set("data.format", ...) names. The lines stay on disk, so the file may be larger than memory.
// Options are the keys of Describe("data").
func OpenDataset(path string, options ...Option) (*Dataset, error) {
	file, err := terminated("the path", path)
	if err != nil {
		return nil, err
	}
	var d *Dataset
	err = configured(options, false, func(config uintptr) error {
		var failure uintptr
		d, err = newDataset(raw.C().Cs_dataset_open(file, config, &failure), &failure)
		return err
	})
	return d, err
}

// ReadDataset reads examples, one per line, until the end of r. It keeps them in an unnamed
// temporary file in os.TempDir, which is removed with the last user of the dataset. Options are the
// keys of Describe("data"). Without Set("data.format", ...) the first line determines the format.
func ReadDataset(r io.Reader, options ...Option) (*Dataset, error) {
	if r == nil {
		return nil, argument("the reader is nil")
	}
	file, err := os.CreateTemp("", "contrastive-*.data")
	if err != nil {
		return nil, &Error{Code: ErrIO, Message: err.Error(), cause: err}
	}
	defer os.Remove(file.Name()) // the library has it open and does not need the name
	defer file.Close()
	if _, err := io.Copy(file, r); err != nil {
		return nil, &Error{Code: ErrIO, Message: "reading examples: " + err.Error(), cause: err}
	}
	return OpenDataset(file.Name(), options...)
}

func newDataset(pointer uintptr, failure *uintptr) (*Dataset, error) {
	if pointer == 0 {
		return nil, take(*failure)
	}
	d := &Dataset{own("dataset", pointer, 0, raw.C().Cs_dataset_free), new(atomic.Int64)}
	d.count(pointer)
	return d, nil
}

// Add appends examples to a dataset in memory. Either all are single texts, or all are pairs, with
// or without negatives. If one fails, the examples before it stay.
func (d *Dataset) Add(examples ...Example) error {
	pointer, err := d.owned().acquire()
	if err != nil {
		return err
	}
	defer d.handle.release()
	defer d.count(pointer)
	for i, example := range examples {
		if err := add(pointer, example); err != nil {
			return fmt.Errorf("example %d: %w", i, err)
		}
	}
	return nil
}

func add(dataset uintptr, example Example) error {
	p, err := pack(example.Texts)
	if err != nil {
		return err
	}
	defer p.free()
	var failure uintptr
	return check(
		raw.C().Cs_dataset_add_packed(
			dataset,
			p.data,
			p.offsets,
			p.texts(),
			example.label(),
			&failure,
		),
		&failure,
	)
}

// Len returns the number of examples, also after Close; 0 if d is nil.
func (d *Dataset) Len() int {
	if d == nil || d.size == nil {
		return 0
	}
	return int(d.size.Load())
}

func (d *Dataset) count(pointer uintptr) {
	// If it is below 0, another goroutine is adding examples and will update the size.
	if size := raw.C().Cs_dataset_size(pointer); size >= 0 {
		d.size.Store(size)
	}
}

// Close frees the dataset. Trainers that use it keep what they need.
func (d *Dataset) Close() error {
	d.owned().close()
	return nil
}
