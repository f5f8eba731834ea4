package contrastive

import (
	"encoding/json"

	"contrastive.io/go/internal/swig"
)

// Model is a sentence encoder: tokenizer, encoder, pooling and what follows it. It never changes,
// during training too, and any number of goroutines may use it at once.
type Model struct {
	handle    *handle
	dimension int // these under its own options, which never change
	maxLength int
}

// Load reads a model folder: sentence-transformers' or Hugging Face's. Options are the keys of
// Describe("model"), such as Set("device", "cuda"), or Set("pooling", "mean") for a folder that
// states none; "kind" is always "encoder".
func Load(path string, options ...Option) (*Model, error) {
	folder, err := terminated("the path", path)
	if err != nil {
		return nil, err
	}
	var model *Model
	err = configured(ofKind("encoder", options), false, func(config uintptr) error {
		var failure uintptr
		model, err = newModel(swig.Cs_model_load(folder, config, &failure), &failure)
		return err
	})
	return model, err
}

func newModel(pointer uintptr, failure *uintptr) (*Model, error) {
	if pointer == 0 {
		return nil, take(*failure)
	}
	dimension, maxLength := swig.Cs_model_dimension(pointer), swig.Cs_model_max_length(pointer)
	return &Model{
		own("model", pointer, swig.Cs_model_free),
		max(0, int(dimension)),
		max(0, int(maxLength)),
	}, nil
}

// Save writes a sentence-transformers folder. At every instant, through a crash too, the path holds
// the old complete folder or the new one. A file system that cannot exchange two folders, such as
// NFS, has none there for a moment.
func (m *Model) Save(path string) error {
	folder, err := terminated("the path", path)
	if err != nil {
		return err
	}
	return m.use(func(pointer uintptr, failure *uintptr) error {
		return check(swig.Cs_model_save(pointer, folder, failure), failure)
	})
}

// Dimension is the number of floats of one embedding, after Close too; 0 if m is nil.
func (m *Model) Dimension() int {
	if m == nil {
		return 0
	}
	return m.dimension
}

// MaxLength is the number of tokens of the longest text that is embedded whole, special tokens
// included; after Close too. 0 if m is nil.
func (m *Model) MaxLength() int {
	if m == nil {
		return 0
	}
	return m.maxLength
}

// ModelInfo is what was loaded. Raw is all of it, with the members that have no field here.
type ModelInfo struct {
	Family            string            `json:"family"`
	Layers            int               `json:"layers"`
	HiddenSize        int               `json:"hidden_size"`
	Parameters        int64             `json:"parameters"`
	Dimension         int               `json:"dimension"`
	MaxLength         int               `json:"max_length"`
	Tokenizer         string            `json:"tokenizer"`
	Pooling           []string          `json:"pooling"`
	Normalize         bool              `json:"normalize"`
	Prompts           map[string]string `json:"prompts"`
	DefaultPromptName *string           `json:"default_prompt_name"` // nil if the model puts no prompt before a text by default
	Similarity        *string           `json:"similarity"`          // how the model's embeddings are to be compared; nil if it does not say
	Device            string            `json:"device"`
	ComputedBy        string            `json:"computed_by"` // "kernels" or "libtorch"
	Precision         string            `json:"precision"`
	Fingerprint       string            `json:"fingerprint"` // equal fingerprints are equal models: store it beside embeddings
	Notes             []string          `json:"notes"`       // what was defaulted, renamed or ignored
	Raw               json.RawMessage   `json:"-"`
}

// Info tells what was loaded.
func (m *Model) Info() (ModelInfo, error) {
	var info ModelInfo
	err := m.use(func(pointer uintptr, failure *uintptr) error {
		result, err := text(swig.Cs_model_info(pointer, failure), failure)
		if err != nil {
			return err
		}
		info.Raw = json.RawMessage(result)
		err = decode(result, &info)
		info.DefaultPromptName, info.Similarity = stated(
			info.DefaultPromptName,
		), stated(
			info.Similarity,
		)
		return err
	})
	return info, err
}

// stated is nil for the empty text, with which the library says that a model states nothing.
func stated(text *string) *string {
	if text != nil && *text == "" {
		return nil
	}
	return text
}

// Snapshot makes an independent copy with the same weights.
func (m *Model) Snapshot() (*Model, error) {
	var copied *Model
	err := m.use(func(pointer uintptr, failure *uintptr) (err error) {
		copied, err = newModel(swig.Cs_model_snapshot(pointer, failure), failure)
		return err
	})
	return copied, err
}

// Close frees the model. Calls that use it finish first; trainers keep what they need.
func (m *Model) Close() error {
	m.owned().close()
	return nil
}

// use runs call while the model cannot be freed.
func (m *Model) use(call func(pointer uintptr, failure *uintptr) error) error {
	pointer, err := m.owned().acquire()
	if err != nil {
		return err
	}
	defer m.handle.release()
	var failure uintptr
	return call(pointer, &failure)
}
