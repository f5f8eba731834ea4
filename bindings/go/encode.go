package contrastive

import (
	"context"
	"fmt"

	"contrastive.io/go/internal/swig"
)

type encoding struct {
	normalize                           int32
	pooling, prompt, promptName         []byte
	truncateDim, maxLength, batchTokens int32
	tokenCounts                         []int32
	err                                 error
}

// asTheModelSays is what the C API calls CS_ENCODE_OPTIONS_INIT: every field leaves the choice to the model.
var asTheModelSays = encoding{normalize: -1}

// EncodeOption changes how texts are embedded; without one everything is as the model says.
type EncodeOption func(*encoding)

// Normalize scales embeddings to unit length, or with false leaves them as pooled.
func Normalize(on bool) EncodeOption {
	return func(e *encoding) {
		e.normalize = 0
		if on {
			e.normalize = 1
		}
	}
}

// Pooling chooses how token states become one vector: "mean", "cls", "max", "mean-sqrt", "first-last", "embed-last", "last2", ...
func Pooling(name string) EncodeOption {
	return func(e *encoding) { e.pooling = e.terminated("the pooling", name) }
}

// Prompt is text put before every text; "" for none, even where the model has a default.
func Prompt(prompt string) EncodeOption {
	return func(e *encoding) { e.prompt = e.terminated("the prompt", prompt) }
}

// PromptName chooses one of the model's prompts, such as "query".
func PromptName(name string) EncodeOption {
	return func(e *encoding) { e.promptName = e.terminated("the prompt's name", name) }
}

// TruncateDim keeps the first dimensions only, for Matryoshka models.
func TruncateDim(dimensions int) EncodeOption {
	return func(e *encoding) { e.truncateDim = e.narrow("TruncateDim", dimensions) }
}

// MaxLength cuts texts to this many tokens, up to what the encoder can.
func MaxLength(tokens int) EncodeOption {
	return func(e *encoding) { e.maxLength = e.narrow("MaxLength", tokens) }
}

// BatchTokens bounds the tokens of one internal batch, and so memory. It does not change results.
func BatchTokens(tokens int) EncodeOption {
	return func(e *encoding) { e.batchTokens = e.narrow("BatchTokens", tokens) }
}

// TokenCounts receives the tokens of each text before truncation: above the maximum length, the text was cut.
func TokenCounts(counts []int32) EncodeOption { return func(e *encoding) { e.tokenCounts = counts } }

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
		option(&e)
	}
	if e.err == nil && e.tokenCounts != nil && len(e.tokenCounts) < texts {
		e.err = &Error{Code: ErrBuffer, Message: fmt.Sprintf("TokenCounts has %d elements for %d texts", len(e.tokenCounts), texts)}
	}
	return &e, e.err
}

// EncodeDimension is the number of floats of one embedding under these options.
func (m *Model) EncodeDimension(options ...EncodeOption) (int, error) {
	e, err := encodingOf(options, 0)
	if err != nil {
		return 0, err
	}
	pointer, err := m.handle.acquire()
	if err != nil {
		return 0, err
	}
	defer m.handle.release()
	var failure uintptr
	dimension := swig.Cs_encode_dimension_flat(pointer, e.pooling, e.truncateDim, &failure)
	return int(dimension), check(dimension, &failure)
}

// Encode embeds texts. One call with many texts is faster than many calls; the embedding of a text does not depend on the others. Invalid UTF-8
// reads as U+FFFD. When ctx is over the call stops soon with ErrCancelled.
func (m *Model) Encode(ctx context.Context, texts []string, options ...EncodeOption) (Vectors, error) {
	dimension, err := m.EncodeDimension(options...)
	if err != nil {
		return Vectors{}, err
	}
	vectors := Vectors{Values: make([]float32, len(texts)*dimension), Dimension: dimension}
	if err := m.EncodeInto(ctx, vectors.Values, texts, options...); err != nil {
		return Vectors{}, err
	}
	return vectors, nil
}

// EncodeText embeds one text.
func (m *Model) EncodeText(ctx context.Context, text string, options ...EncodeOption) ([]float32, error) {
	vectors, err := m.Encode(ctx, []string{text}, options...)
	return vectors.Values, err
}

// EncodeInto embeds texts into memory of the caller, [len(texts), dimension] row by row; nothing is copied. After an error of kind ErrCancelled,
// ErrNoMemory or ErrNumeric the content is undefined; after others nothing was written.
func (m *Model) EncodeInto(ctx context.Context, embeddings []float32, texts []string, options ...EncodeOption) error {
	e, err := encodingOf(options, len(texts))
	if err != nil {
		return err
	}
	pointer, err := m.handle.acquire()
	if err != nil {
		return err
	}
	defer m.handle.release()
	p, err := pack(texts)
	if err != nil {
		return err
	}
	defer p.free()
	if ctx.Done() == nil {
		return encodePacked(pointer, p, e, 0, embeddings)
	}
	return cancellable(ctx, func(flag uintptr) error { return encodePacked(pointer, p, e, flag, embeddings) })
}

func encodePacked(model uintptr, p *packed, e *encoding, flag uintptr, embeddings []float32) error {
	var failure uintptr
	status := swig.Cs_encode_flat(model, p.data, p.offsets, int64(len(p.offsets)-1), e.normalize, e.pooling, e.prompt, e.promptName, e.truncateDim,
		e.maxLength, e.batchTokens, e.tokenCounts, flag, embeddings, int64(len(embeddings)), &failure)
	return check(status, &failure)
}
