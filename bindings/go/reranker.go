package contrastive

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"contrastive.io/go/internal/swig"
)

// Reranker is a cross-encoder: it reads a query and a document together and gives their score. It
// is more accurate than comparing two embeddings, and must read each pair anew: let it order what
// Search has found. It never changes, and any number of goroutines may use it at once.
type Reranker struct {
	handle    *handle
	labels    int
	maxLength int
}

const kindReranker = 2 // CS_KIND_RERANKER

// DetectReranker tells whether a folder says that it is a reranker. False where nothing can be
// read: loading says what is wrong.
func DetectReranker(path string) bool {
	folder, err := terminated("the path", path)
	return err == nil && swig.Cs_model_detect(folder) == kindReranker
}

// LoadReranker reads a reranker: a Hugging Face folder of ...ForSequenceClassification, or one that
// sentence-transformers' CrossEncoder saved. Options are the keys of Describe("model"); "kind" is
// always "reranker".
func LoadReranker(path string, options ...Option) (*Reranker, error) {
	folder, err := terminated("the path", path)
	if err != nil {
		return nil, err
	}
	var reranker *Reranker
	err = configured(ofKind("reranker", options), false, func(config uintptr) error {
		var failure uintptr
		pointer := swig.Cs_model_load(folder, config, &failure)
		reranker, err = newReranker(pointer, &failure)
		return err
	})
	return reranker, err
}

// newReranker owns what C made, or takes its error.
func newReranker(pointer uintptr, failure *uintptr) (*Reranker, error) {
	if pointer == 0 {
		return nil, take(*failure)
	}
	labels, maxLength := swig.Cs_model_labels(pointer), swig.Cs_model_max_length(pointer)
	return &Reranker{
		own("reranker", pointer, swig.Cs_model_free),
		max(0, int(labels)),
		max(0, int(maxLength)),
	}, nil
}

// Labels is the number of scores of one pair: 1 for most rerankers. Info has their names. 0 if r is
// nil.
func (r *Reranker) Labels() int {
	if r == nil {
		return 0
	}
	return r.labels
}

// MaxLength is the number of tokens of the longest pair that is read whole, special tokens
// included; 0 if r is nil.
func (r *Reranker) MaxLength() int {
	if r == nil {
		return 0
	}
	return r.maxLength
}

// RerankerInfo is what was loaded. Raw is all of it, with the members that have no field here.
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
	DefaultPromptName *string           `json:"default_prompt_name"` // nil if the reranker puts no prompt before a query by default
	Device            string            `json:"device"`
	ComputedBy        string            `json:"computed_by"` // "kernels" or "libtorch"
	Precision         string            `json:"precision"`
	Fingerprint       string            `json:"fingerprint"` // equal fingerprints are equal rerankers
	Notes             []string          `json:"notes"`       // what was defaulted, renamed or ignored
	Raw               json.RawMessage   `json:"-"`
}

// Info tells what was loaded.
func (r *Reranker) Info() (RerankerInfo, error) {
	var info RerankerInfo
	err := r.use(func(pointer uintptr, failure *uintptr) error {
		result, err := text(swig.Cs_model_info(pointer, failure), failure)
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

// Save writes a folder that sentence-transformers' CrossEncoder loads too. At every instant the
// path holds the old complete folder or the new one.
func (r *Reranker) Save(path string) error {
	folder, err := terminated("the path", path)
	if err != nil {
		return err
	}
	return r.use(func(pointer uintptr, failure *uintptr) error {
		return check(swig.Cs_model_save(pointer, folder, failure), failure)
	})
}

// Close frees the reranker. Calls that use it finish first.
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

// Ranked is a document in the order of Rank.
type Ranked struct {
	Index int // which document
	Score float32
}

// RerankOption changes how pairs are scored; without one everything is as the model says.
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

// Activation chooses what the logits go through: "identity", "sigmoid", "softmax" over a pair's
// several labels, ...
func Activation(name string) RerankOption {
	return func(o *reranking) { o.activation = o.terminated("the activation", name) }
}

// QueryPrompt is text put before every query; "" for none, even where the model has a default.
func QueryPrompt(prompt string) RerankOption {
	return func(o *reranking) { o.prompt = o.terminated("the prompt", prompt) }
}

// QueryPromptName chooses one of the reranker's prompts.
func QueryPromptName(name string) RerankOption {
	return func(o *reranking) { o.promptName = o.terminated("the prompt's name", name) }
}

// PairLength cuts pairs to this many tokens, up to what the encoder can.
func PairLength(tokens int) RerankOption {
	return func(o *reranking) { o.maxLength = o.narrow("PairLength", tokens) }
}

// PairBatchTokens bounds the tokens of one internal batch, and so memory.
func PairBatchTokens(tokens int) RerankOption {
	return func(o *reranking) { o.batchTokens = o.narrow("PairBatchTokens", tokens) }
}

// Rank orders documents by how well they answer the query, the best first; of equal scores the
// lower index comes first. ErrArgument where the model has several labels. When ctx is over the
// call stops soon with ErrCancelled.
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

// Score gives the scores of pairs, [len(pairs), Labels()] row by row. When ctx is over the call
// stops soon with ErrCancelled.
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
				swig.Cs_rerank_flat(
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
