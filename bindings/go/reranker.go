package contrastive

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"contrastive.io/go/internal/raw"
)

// Reranker is a cross-encoder: a model that reads a query and a document together and scores how
// well the document answers the query. It is more accurate than comparing two embeddings, but
// slower, because it must read every pair. Use it to sort the hits of Search. It never changes, and
// any number of goroutines may use it at once.
type Reranker struct {
	handle    *handle
	labels    int
	maxLength int
}

const kindReranker = 2 // CS_KIND_RERANKER

// DetectReranker reports whether a folder contains a reranker. It returns false if the folder
// cannot be read; LoadReranker then reports the reason.
func DetectReranker(path string) bool {
	folder, err := terminated("the path", path)
	return err == nil && raw.C().Cs_model_detect(folder) == kindReranker
}

// LoadReranker loads a reranker: a Hugging Face folder of a ...ForSequenceClassification model, or
// a folder that sentence-transformers' CrossEncoder saved. Options are the keys of
// Describe("model"); the key "kind" is always "reranker".
func LoadReranker(path string, options ...Option) (*Reranker, error) {
	folder, err := terminated("the path", path)
	if err != nil {
		return nil, err
	}
	var reranker *Reranker
	err = configured(ofKind("reranker", options), false, func(config uintptr) error {
		var failure uintptr
		pointer := raw.C().Cs_model_load(folder, config, &failure)
		reranker, err = newReranker(pointer, &failure)
		return err
	})
	return reranker, err
}

// newReranker wraps the handle that C returned, or returns its error.
func newReranker(pointer uintptr, failure *uintptr) (*Reranker, error) {
	if pointer == 0 {
		return nil, take(*failure)
	}
	labels, maxLength := raw.C().Cs_model_labels(pointer), raw.C().Cs_model_max_length(pointer)
	return &Reranker{
		own("reranker", pointer, max(0, raw.C().Cs_model_memory(pointer)), raw.C().Cs_model_free),
		max(0, int(labels)),
		max(0, int(maxLength)),
	}, nil
}

// Labels returns the number of scores of a pair: 1 for most rerankers. Info has their names. 0 if r
// is nil.
func (r *Reranker) Labels() int {
	if r == nil {
		return 0
	}
	return r.labels
}

// MaxLength returns the maximum number of tokens of a pair, special tokens included; 0 if r is nil.
// Longer pairs are cut.
func (r *Reranker) MaxLength() int {
	if r == nil {
		return 0
	}
	return r.maxLength
}

// RerankerInfo describes a loaded reranker. Raw is the whole description, including members that
// have no field here.
type RerankerInfo struct {
	Family            string            `json:"family"`
	Layers            int               `json:"layers"`
	HiddenSize        int               `json:"hidden_size"`
	Parameters        int64             `json:"parameters"`
	Labels            []string          `json:"labels"`
	Activation        string            `json:"activation"`
	MaxLength         int               `json:"max_length"`
	Tokenizer         string            `json:"tokenizer"`
	Prompts           map[string]string `json:"prompts"`
	DefaultPromptName *string           `json:"default_prompt_name"` // nil if there is none
	Device            string            `json:"device"`
	ComputedBy        string            `json:"computed_by"` // "kernels" or "libtorch"
	Precision         string            `json:"precision"`
	Fingerprint       string            `json:"fingerprint"` // equal for equal rerankers
	Notes             []string          `json:"notes"`       // on settings defaulted or ignored
	Raw               json.RawMessage   `json:"-"`
}

// Info describes the loaded reranker. The first call reads all weights to compute the fingerprint.
func (r *Reranker) Info() (RerankerInfo, error) {
	var info RerankerInfo
	err := r.use(func(pointer uintptr, failure *uintptr) error {
		result, err := text(raw.C().Cs_model_info(pointer, failure), failure)
		if err != nil {
			return err
		}
		info.Raw = json.RawMessage(result)
		err = decode(result, &info)
		info.DefaultPromptName = stated(info.DefaultPromptName)
		return err
	})
	return info, err
}

// Save writes a folder that sentence-transformers' CrossEncoder loads too. The save is atomic: at
// every instant the path contains either the complete old folder or the complete new one.
func (r *Reranker) Save(path string) error {
	folder, err := terminated("the path", path)
	if err != nil {
		return err
	}
	return r.use(func(pointer uintptr, failure *uintptr) error {
		return check(raw.C().Cs_model_save(pointer, folder, failure), failure)
	})
}

// Close frees the reranker. Running calls finish first.
func (r *Reranker) Close() error {
	r.owned().close()
	return nil
}

func (r *Reranker) use(call func(pointer uintptr, failure *uintptr) error) error {
	pointer, err := r.owned().acquire()
	if err != nil {
		return err
	}
	defer r.handle.release()
	var failure uintptr
	return call(pointer, &failure)
}

// TextPair is a query and a document.
type TextPair struct{ Query, Document string }

// Ranked is a document in the result of Rank.
type Ranked struct {
	Index int // the document's index in the argument
	Score float32
}

// RerankOption is an option for scoring pairs. Options that are not given have the model's
// defaults.
type RerankOption func(*reranking)

type reranking struct {
	activation, prompt, promptName []byte
	maxLength, batchTokens         int32
	err                            error
}

func (o *reranking) terminated(what, value string) []byte {
	bytes, err := terminated(what, value)
	if err != nil {
		o.err = err
	}
	return bytes
}

func (o *reranking) narrow(what string, value int) int32 {
	number, err := narrow(what, value)
	if err != nil {
		o.err = err
	}
	return number
}

// Activation sets the function that is applied to the logits: "identity", "sigmoid", "softmax" over
// the labels of a pair, ...
func Activation(name string) RerankOption {
	return func(o *reranking) { o.activation = o.terminated("the activation", name) }
}

// QueryPrompt sets a prompt that is put before every query; "" for none, even if the model has a
// default.
func QueryPrompt(prompt string) RerankOption {
	return func(o *reranking) { o.prompt = o.terminated("the prompt", prompt) }
}

// QueryPromptName chooses one of the reranker's prompts.
func QueryPromptName(name string) RerankOption {
	return func(o *reranking) { o.promptName = o.terminated("the prompt's name", name) }
}

// PairLength cuts pairs to this many tokens, up to the encoder's limit.
func PairLength(tokens int) RerankOption {
	return func(o *reranking) { o.maxLength = o.narrow("PairLength", tokens) }
}

// PairBatchTokens sets the maximum number of tokens in an internal batch, which bounds memory.
func PairBatchTokens(tokens int) RerankOption {
	return func(o *reranking) { o.batchTokens = o.narrow("PairBatchTokens", tokens) }
}

// Rank sorts documents by how well they answer the query, best first. Documents with equal scores
// are sorted by index. Rank returns ErrArgument if the model has several labels. When ctx is done,
// the call stops soon with ErrCancelled.
func (r *Reranker) Rank(
	ctx context.Context,
	query string,
	documents []string,
	options ...RerankOption,
) ([]Ranked, error) {
	if r.owned() != nil && r.labels != 1 {
		return nil, argument(
			"the model has " + strconv.Itoa(r.labels) + " labels and gives no order: use Score",
		)
	}
	pairs := make([]TextPair, len(documents))
	for i, document := range documents {
		pairs[i] = TextPair{query, document}
	}
	scores, err := r.Score(ctx, pairs, options...)
	if err != nil {
		return nil, err
	}
	ranked := make([]Ranked, len(pairs))
	for i := range ranked {
		ranked[i] = Ranked{i, scores[i]}
	}
	slices.SortStableFunc(ranked, func(a, b Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return ranked, nil
}

// Score scores pairs of texts: [len(pairs), Labels()] row by row. When ctx is done, the call stops
// soon with ErrCancelled.
func (r *Reranker) Score(
	ctx context.Context,
	pairs []TextPair,
	options ...RerankOption,
) ([]float32, error) {
	var o reranking
	for _, option := range options {
		if option == nil {
			return nil, errNilOption
		}
		option(&o)
	}
	if o.err != nil {
		return nil, o.err
	}
	texts := make([]string, 0, 2*len(pairs))
	for _, pair := range pairs {
		texts = append(texts, pair.Query, pair.Document)
	}
	p, err := pack(texts)
	if err != nil {
		return nil, err
	}
	defer p.free()
	scores := make([]float32, len(pairs)*r.Labels())
	err = r.use(func(pointer uintptr, failure *uintptr) error {
		return cancellable(ctx, func(flag uintptr) error {
			return check(
				raw.C().Cs_rerank_flat(
					pointer,
					p.data,
					p.offsets,
					int64(len(p.offsets)-1),
					o.activation,
					o.prompt,
					o.promptName,
					o.maxLength,
					o.batchTokens,
					flag,
					scores,
					int64(len(scores)),
					failure,
				),
				failure,
			)
		})
	})
	if err != nil {
		return nil, err
	}
	return scores, nil
}
