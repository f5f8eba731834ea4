package contrastive

import (
	"context"
	"fmt"
	"math"

	"contrastive.io/go/internal/swig"
)

type encoding struct {
	swig.Encoding
	err error
}

// asTheModelSays is what the C API calls CS_ENCODE_OPTIONS_INIT: every field leaves the choice to
// the model.
var asTheModelSays = encoding{Encoding: swig.Encoding{Normalize: -1}}

// EncodeOption changes how texts are embedded; without one everything is as the model says.
type EncodeOption func(*encoding)

// Normalize scales embeddings to unit length, or with false leaves them as pooled.
func Normalize(on bool) EncodeOption {
	return func(e *encoding) {
		e.Normalize = 0
		if on {
			e.Normalize = 1
		}
	}
}

// Pooling chooses how token states become one vector: "mean", "cls", "max", "mean-sqrt",
// "first-last", "embed-last", "last2", ...
func Pooling(name string) EncodeOption {
	return func(e *encoding) { e.Pooling = e.terminated("the pooling", name) }
}

// Prompt is text put before every text; "" for none, even where the model has a default.
func Prompt(prompt string) EncodeOption {
	return func(e *encoding) { e.Prompt = e.terminated("the prompt", prompt) }
}

// PromptName chooses one of the model's prompts, such as "query".
func PromptName(name string) EncodeOption {
	return func(e *encoding) { e.PromptName = e.terminated("the prompt's name", name) }
}

// TruncateDim keeps the first dimensions only, for Matryoshka models.
func TruncateDim(dimensions int) EncodeOption {
	return func(e *encoding) { e.TruncateDim = e.narrow("TruncateDim", dimensions) }
}

// MaxLength cuts texts to this many tokens, up to what the encoder can.
func MaxLength(tokens int) EncodeOption {
	return func(e *encoding) { e.MaxLength = e.narrow("MaxLength", tokens) }
}

// BatchTokens bounds the tokens of one internal batch, and so memory. It changes no more than last
// bits.
func BatchTokens(tokens int) EncodeOption {
	return func(e *encoding) { e.BatchTokens = e.narrow("BatchTokens", tokens) }
}

// TokenCounts receives the tokens of each text before truncation: above the maximum length, the
// text was cut.
func TokenCounts(
	counts []int32,
) EncodeOption {
	return func(e *encoding) { e.TokenCounts = counts }
}

func (e *encoding) terminated(what, value string) []byte {
	bytes, err := terminated(what, value)
	if err != nil {
		e.err = err
	}
	return bytes
}

func (e *encoding) narrow(what string, value int) int32 {
	number, err := narrow(what, value)
	if err != nil {
		e.err = err
	}
	return number
}

func encodingOf(options []EncodeOption, texts int) (*encoding, error) {
	if len(options) == 0 {
		return &asTheModelSays, nil
	}
	e := asTheModelSays
	for _, option := range options {
		if option == nil {
			return nil, errNilOption
		}
		option(&e)
	}
	if e.err == nil && e.TokenCounts != nil && len(e.TokenCounts) < texts {
		e.err = &Error{
			Code: ErrBuffer,
			Message: fmt.Sprintf(
				"TokenCounts has %d elements for %d texts",
				len(e.TokenCounts),
				texts,
			),
		}
	}
	return &e, e.err
}

// keepsDimension tells whether embeddings are as wide as the model's own.
func (e *encoding) keepsDimension() bool { return e.Pooling == nil && e.TruncateDim == 0 }

// EncodeDimension is the number of floats of one embedding under these options.
func (m *Model) EncodeDimension(options ...EncodeOption) (int, error) {
	e, err := encodingOf(options, 0)
	if err != nil {
		return 0, err
	}
	pointer, err := m.owned().acquire()
	if err != nil {
		return 0, err
	}
	defer m.handle.release()
	return m.dimensionUnder(pointer, e)
}

func (m *Model) dimensionUnder(pointer uintptr, e *encoding) (int, error) {
	if e.keepsDimension() {
		return m.dimension, nil
	}
	var failure uintptr
	dimension := swig.Cs_encode_dimension_flat(pointer, e.Pooling, e.TruncateDim, &failure)
	return int(dimension), check(dimension, &failure)
}

// Encode embeds texts. One call with many texts is faster than many calls; the embedding of a text
// does not depend on the others, last bits aside: a text alone is summed in another order. Invalid
// UTF-8 reads as U+FFFD, or is ErrFormat where the model was loaded with Set("invalid_utf8",
// "error"). When ctx is over the call stops soon with ErrCancelled.
func (m *Model) Encode(
	ctx context.Context,
	texts []string,
	options ...EncodeOption,
) (Vectors, error) {
	e, err := encodingOf(
		options,
		len(texts),
	) // once: what the dimension was asked for is what the texts are embedded with
	if err != nil {
		return Vectors{}, err
	}
	pointer, err := m.owned().acquire()
	if err != nil {
		return Vectors{}, err
	}
	defer m.handle.release()
	dimension, err := m.dimensionUnder(pointer, e)
	if err != nil {
		return Vectors{}, err
	}
	vectors := Vectors{Values: make([]float32, len(texts)*dimension), Dimension: dimension}
	if err := encodeAll(ctx, pointer, texts, e, vectors.Values); err != nil {
		return Vectors{}, err
	}
	return vectors, nil
}

// EncodeText embeds one text.
func (m *Model) EncodeText(
	ctx context.Context,
	text string,
	options ...EncodeOption,
) ([]float32, error) {
	vectors, err := m.Encode(ctx, []string{text}, options...)
	return vectors.Values, err
}

// EncodeInto embeds texts into memory of the caller, [len(texts), dimension] row by row; no float
// is copied, nor is a text that comes alone. After an error of kind ErrCancelled, ErrNoMemory or
// ErrNumeric the content is undefined; after others nothing was written.
func (m *Model) EncodeInto(
	ctx context.Context,
	embeddings []float32,
	texts []string,
	options ...EncodeOption,
) error {
	e, err := encodingOf(options, len(texts))
	if err != nil {
		return err
	}
	pointer, err := m.owned().acquire()
	if err != nil {
		return err
	}
	defer m.handle.release()
	return encodeAll(ctx, pointer, texts, e, embeddings)
}

func encodeAll(
	ctx context.Context,
	model uintptr,
	texts []string,
	e *encoding,
	embeddings []float32,
) error {
	if len(texts) == 1 {
		if text := texts[0]; len(
			text,
		) <= math.MaxInt32 { // read once: another goroutine may put a longer one there
			return encode(ctx, model, bytesOf(text), nil, e, embeddings)
		}
	}
	p, err := pack(texts)
	if err != nil {
		return err
	}
	defer p.free()
	return encode(ctx, model, p.data, p.offsets, e, embeddings)
}

// encode embeds packed texts, or where offsets is nil the one text that data is.
func encode(
	ctx context.Context,
	model uintptr,
	data []byte,
	offsets []int32,
	e *encoding,
	embeddings []float32,
) error {
	if ctx != nil && ctx.Done() == nil { // what cancellable does, without its closure
		status, failure := swig.Encode(model, data, offsets, &e.Encoding, 0, embeddings)
		return check(status, &failure)
	}
	return cancellable(ctx, func(flag uintptr) error {
		status, failure := swig.Encode(model, data, offsets, &e.Encoding, flag, embeddings)
		return check(status, &failure)
	})
}
