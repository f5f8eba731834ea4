package contrastive

import (
	"encoding/json"

	"contrastive.io/go/internal/raw"
)

// Model is a sentence encoder, which turns texts into vectors (embeddings). It consists of a
// tokenizer, an encoder, a pooling and any layers after it. It never changes, not even during
// training, and any number of goroutines may use it at once.
type Model struct {
	handle    *handle
	dimension int // of embeddings with the model's own options; never changes
	maxLength int
}

// Load loads a sentence-transformers or Hugging Face model folder. Options are the keys of
// Describe("model"), such as Set("device", "cuda"), or Set("pooling", "mean") for a folder that
// does not specify a pooling. Set("threads", 2) limits the threads of calls with this model, so
// that serving and background training can share a machine. The key "kind" is always "encoder".
func Load(path string, options ...Option) (*Model, error) {
	folder, err := terminated("the path", path)
	if err != nil {
		return nil, err
	}
	var model *Model
	err = configured(ofKind("encoder", options), false, func(config uintptr) error {
		var failure uintptr
		model, err = newModel(raw.C().Cs_model_load(folder, config, &failure), &failure)
		return err
	})
	return model, err
}

func newModel(pointer uintptr, failure *uintptr) (*Model, error) {
	if pointer == 0 {
		return nil, take(*failure)
	}
	dimension, maxLength := raw.C().Cs_model_dimension(pointer), raw.C().Cs_model_max_length(pointer)
	return &Model{
		own("model", pointer, max(0, raw.C().Cs_model_memory(pointer)), raw.C().Cs_model_free),
		max(0, int(dimension)),
		max(0, int(maxLength)),
	}, nil
}

// Save writes a sentence-transformers folder. The save is atomic: at every instant, even after a
// crash, the path contains either the complete old folder or the complete new one. On a file system
// that cannot exchange two folders, such as NFS, the path does not exist for a moment.
func (m *Model) Save(path string) error {
	folder, err := terminated("the path", path)
	if err != nil {
		return err
	}
	return m.use(func(pointer uintptr, failure *uintptr) error {
		return check(raw.C().Cs_model_save(pointer, folder, failure), failure)
	})
}

// Dimension returns the number of floats in an embedding, also after Close; 0 if m is nil.
func (m *Model) Dimension() int {
	if m == nil {
		return 0
	}
	return m.dimension
}

// MaxLength returns the maximum number of tokens of a text, special tokens included. Longer texts
// are cut. It works after Close too, and returns 0 if m is nil.
func (m *Model) MaxLength() int {
	if m == nil {
		return 0
	}
	return m.maxLength
}

// Memory returns how many bytes of memory the model's weights use; 0 if the model is closed or nil.
func (m *Model) Memory() int64 {
	var bytes int64
	_ = m.use(func(pointer uintptr, _ *uintptr) error {
		bytes = max(0, raw.C().Cs_model_memory(pointer))
		return nil
	})
	return bytes
}

// ModelInfo describes a loaded model. Raw is the whole description, including members that have no
// field here. Store Fingerprint with your embeddings.
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
	DefaultPromptName *string           `json:"default_prompt_name"` // nil if there is none
	Similarity        *string           `json:"similarity"`          // such as "cosine"; may be nil
	Device            string            `json:"device"`
	ComputedBy        string            `json:"computed_by"` // "kernels" or "libtorch"
	Precision         string            `json:"precision"`
	Fingerprint       string            `json:"fingerprint"` // equal for equal models
	Notes             []string          `json:"notes"`       // on settings defaulted or ignored
	Raw               json.RawMessage   `json:"-"`
}

// Info describes the loaded model. The first call reads all weights to compute the fingerprint.
func (m *Model) Info() (ModelInfo, error) {
	var info ModelInfo
	err := m.use(func(pointer uintptr, failure *uintptr) error {
		result, err := text(raw.C().Cs_model_info(pointer, failure), failure)
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

// stated returns nil for "", which the library writes if a model does not specify a value.
func stated(text *string) *string {
	if text != nil && *text == "" {
		return nil
	}
	return text
}

// Snapshot returns an independent copy with the same weights.
func (m *Model) Snapshot() (*Model, error) {
	var copied *Model
	err := m.use(func(pointer uintptr, failure *uintptr) (err error) {
		copied, err = newModel(raw.C().Cs_model_snapshot(pointer, failure), failure)
		return err
	})
	return copied, err
}

// Close frees the model. Running calls finish first; trainers keep what they need.
func (m *Model) Close() error {
	m.owned().close()
	return nil
}

// use runs call and keeps the model from being freed meanwhile.
func (m *Model) use(call func(pointer uintptr, failure *uintptr) error) error {
	pointer, err := m.owned().acquire()
	if err != nil {
		return err
	}
	defer m.handle.release()
	var failure uintptr
	return call(pointer, &failure)
}
