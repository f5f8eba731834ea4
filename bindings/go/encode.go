package contrastive

import (
	"context"
	"fmt"
	"math"

	"contrastive.io/go/internal/raw"
)

type encoding struct {
	raw.Encoding
	err error
}

// asTheModelSays corresponds to CS_ENCODE_OPTIONS_INIT of the C API: every option has the model's
// default.
var asTheModelSays = encoding{Encoding: raw.Encoding{Normalize: -1}}

// EncodeOption is an option for embedding texts. Options that are not given have the model's
// defaults.
type EncodeOption func(*encoding)

// Normalize sets whether embeddings are normalized to unit length.
func Normalize(on bool) EncodeOption {
	return func(e *encoding) {
		e.Normalize = 0
		if on {
			e.Normalize = 1
		}
	}
}

// Pooling sets how token states are pooled into one vector: "mean", "cls", "max", "mean-sqrt",
// "first-last", "embed-last", "last2", ...
func Pooling(name string) EncodeOption {
	return func(e *encoding) { e.Pooling = e.terminated("the pooling", name) }
}

// Prompt sets a prompt that is put before every text; "" for none, even if the model has a default.
func Prompt(prompt string) EncodeOption {
	return func(e *encoding) { e.Prompt = e.terminated("the prompt", prompt) }
}

// PromptName chooses one of the model's prompts, such as "query".
func PromptName(name string) EncodeOption {
	return func(e *encoding) { e.PromptName = e.terminated("the prompt's name", name) }
}

// TruncateDim keeps only the first dimensions, for Matryoshka models.
func TruncateDim(dimensions int) EncodeOption {
	return func(e *encoding) { e.TruncateDim = e.narrow("TruncateDim", dimensions) }
}

// MaxLength cuts texts to this many tokens, up to the encoder's limit.
func MaxLength(tokens int) EncodeOption {
	return func(e *encoding) { e.MaxLength = e.narrow("MaxLength", tokens) }
}

// BatchTokens sets the maximum number of tokens in an internal batch. It bounds memory and changes
// at most the last bits of the result.
func BatchTokens(tokens int) EncodeOption {
	return func(e *encoding) { e.BatchTokens = e.narrow("BatchTokens", tokens) }
}

// TokenCounts receives the number of tokens of each text before truncation. If a number is above
// the maximum length, the text was cut.
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

// keepsDimension reports whether embeddings have the model's own dimension.
func (e *encoding) keepsDimension() bool { return e.Pooling == nil && e.TruncateDim == 0 }

// EncodeDimension returns the number of floats in an embedding with these options.
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
	dimension := raw.C().Cs_encode_dimension_flat(pointer, e.Pooling, e.TruncateDim, &failure)
	return int(dimension), check(dimension, &failure)
}

// Encode embeds texts. One call with many texts is faster than many calls. The embedding of a text
// does not depend on the other texts, except that the last bits may differ from those of the same
// text embedded alone, because the order of the sums differs. Invalid UTF-8 is read as U+FFFD, or
// gives ErrFormat if the model was loaded with Set("invalid_utf8", "error"). When ctx is done, the
// call stops soon with ErrCancelled.
func (m *Model) Encode(
	ctx context.Context,
	texts []string,
	options ...EncodeOption,
) (Vectors, error) {
	// Evaluated once, so that the dimension is that of the options used for embedding.
	e, err := encodingOf(options, len(texts))
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

// EncodeInto embeds texts into the caller's memory, [len(texts), dimension] row by row. Floats are
// not copied, and neither is the text if there is only one. After an error of kind ErrCancelled,
// ErrNoMemory or ErrNumeric the content is undefined; after other errors nothing was written.
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
		) <= math.MaxInt32 { // read once: another goroutine may replace it by a longer text
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

// encode embeds packed texts, or data as one text if offsets is nil.
func encode(
	ctx context.Context,
	model uintptr,
	data []byte,
	offsets []int32,
	e *encoding,
	embeddings []float32,
) error {
	// as cancellable does, but without a closure
	if ctx != nil && ctx.Done() == nil && listenerOf(ctx) == nil {
		status, failure := raw.Encode(model, data, offsets, &e.Encoding, 0, embeddings)
		return check(status, &failure)
	}
	return cancellable(ctx, func(flag uintptr) error {
		status, failure := raw.Encode(model, data, offsets, &e.Encoding, flag, embeddings)
		return check(status, &failure)
	})
}
