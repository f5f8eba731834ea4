package contrastive

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"

	"contrastive.io/go/internal/swig"
)

// Example is what training reads: one text, or the texts of a pair and hard negatives; and a score
// where there is one. See Text, Pair, ScoredPair and WithNegatives.
type Example struct {
	Texts []string
	Score *float64
}

// Text is an example of one text.
func Text(text string) Example { return Example{Texts: []string{text}} }

// Pair is an example of two texts that belong together.
func Pair(a, b string) Example { return Example{Texts: []string{a, b}} }

// ScoredPair is a pair with a score, such as how alike people found the texts.
func ScoredPair(a, b string, score float64) Example {
	return Example{Texts: []string{a, b}, Score: &score}
}

// WithNegatives is a pair and texts that resemble the first and must not be taken for its partner.
// Methods that know no hard negatives leave them aside.
func WithNegatives(a, b string, negatives ...string) Example {
	return Example{Texts: append([]string{a, b}, negatives...)}
}

// label is the score as the C API has it: NaN for none.
func (e Example) label() float64 {
	if e.Score == nil {
		return math.NaN()
	}
	return *e.Score
}

// Dataset is training examples: in memory, or the lines of a file. While a trainer uses it, it does
// not grow.
type Dataset struct {
	handle *handle
	size   *atomic.Int64 // as it was after the last change
}

// NewDataset makes a dataset in memory.
func NewDataset(examples ...Example) (*Dataset, error) {
	if err := ready(); err != nil {
		return nil, err
	}
	var failure uintptr
	d, err := newDataset(swig.Cs_dataset_new(&failure), &failure)
	if err != nil {
		return nil, err
	}
	if err := d.Add(examples...); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// OpenDataset opens a file of one example a line: .txt, .tsv, .jsonl, or what Set("data.format",
// ...) says. Lines stay on the disk, so the file may be larger than memory. Options are the keys of
// Describe("data").
func OpenDataset(path string, options ...Option) (*Dataset, error) {
	file, err := terminated("the path", path)
	if err != nil {
		return nil, err
	}
	var d *Dataset
	err = configured(options, false, func(config uintptr) error {
		var failure uintptr
		d, err = newDataset(swig.Cs_dataset_open(file, config, &failure), &failure)
		return err
	})
	return d, err
}

// ReadDataset reads examples, one a line, until the end of r. They are kept in an unnamed temporary
// file in os.TempDir, which vanishes with the last user of the dataset. Options are the keys of
// Describe("data"); without Set("data.format", ...) the first line tells the format.
func ReadDataset(r io.Reader, options ...Option) (*Dataset, error) {
	if r == nil {
		return nil, argument("the reader is nil")
	}
	file, err := os.CreateTemp("", "contrastive-*.data")
	if err != nil {
		return nil, &Error{Code: ErrIO, Message: err.Error(), cause: err}
	}
	defer os.Remove(file.Name()) // the library holds it open, and needs no name
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
	d := &Dataset{own("dataset", pointer, swig.Cs_dataset_free), new(atomic.Int64)}
	d.count(pointer)
	return d, nil
}

// Add appends examples to a dataset in memory; all are single texts, or all are pairs, with or
// without negatives. Those before one that fails stay.
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
		swig.Cs_dataset_add_packed(
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

// Len is the number of examples, after Close too; 0 if d is nil.
func (d *Dataset) Len() int {
	if d == nil || d.size == nil {
		return 0
	}
	return int(d.size.Load())
}

func (d *Dataset) count(pointer uintptr) {
	if size := swig.Cs_dataset_size(pointer); size >= 0 { // below 0 another goroutine adds to it, and counts after us
		d.size.Store(size)
	}
}

// Close frees the dataset. A trainer that uses it keeps what it needs.
func (d *Dataset) Close() error {
	d.owned().close()
	return nil
}
