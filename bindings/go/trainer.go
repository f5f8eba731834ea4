package contrastive

import (
	"context"
	"math"

	"contrastive.io/go/internal/raw"
)

// Trainer is a training run. You write the training loop, and can read metrics, save, evaluate or
// stop between two steps. Training works on a copy of the weights and does not change the model
// that it started from. Model returns the result.
type Trainer struct{ handle *handle }

// NewTrainer starts a run. Options are the keys of Describe("train"), such as Set("method", ...),
// or Set("threads", 2), which limits the threads of the run. If data is nil, only Batch works.
func NewTrainer(model *Model, data *Dataset, options ...Option) (*Trainer, error) {
	return begin(model, data, options, true, raw.C().Cs_trainer_new)
}

// CheckTraining validates the options of NewTrainer without a model and without data.
func CheckTraining(options ...Option) error { return checkTraining(nil, nil, options) }

// CheckTrainingFor validates the options against the model at path as well. It reads only
// config.json and modules.json, and also finds layers that the model does not have, and texts
// longer than its position embeddings allow.
func CheckTrainingFor(path string, options ...Option) error {
	folder, err := terminated("the path", path)
	if err != nil {
		return err
	}
	return checkTraining(nil, folder, options)
}

// CheckTrainingOn validates the options against a model and a dataset. It also finds examples
// without the required pairs or labels, too few examples for the warm-up, and configured files that
// are missing or have the wrong format. Add Set("device", ...) and Set("precision", ...) with which
// you will load the model to check those too. If path is "", nothing about the model is checked.
func CheckTrainingOn(data *Dataset, path string, options ...Option) error {
	if data == nil {
		return argument("the dataset is nil")
	}
	var folder []byte
	if path != "" {
		var err error
		if folder, err = terminated("the path", path); err != nil {
			return err
		}
	}
	return checkTraining(data, folder, options)
}

func checkTraining(data *Dataset, folder []byte, options []Option) error {
	examples := uintptr(0)
	if data != nil {
		var err error
		if examples, err = data.owned().acquire(); err != nil {
			return err
		}
		defer data.handle.release()
	}
	return configured(options, true, func(config uintptr) error {
		var failure uintptr
		return check(raw.C().Cs_trainer_check(config, examples, folder, &failure), &failure)
	})
}

// ResumeTrainer resumes a run from the folder that Save wrote. On the CPU the result is
// bit-identical to that of an uninterrupted run. Pass the model and data that the run started with.
// Options are keys that do not change the run so far, such as max_steps.
func ResumeTrainer(path string, model *Model, data *Dataset, options ...Option) (*Trainer, error) {
	folder, err := terminated("the path", path)
	if err != nil {
		return nil, err
	}
	return begin(
		model,
		data,
		options,
		false,
		func(model, data, config uintptr, failure *uintptr) uintptr {
			return raw.C().Cs_trainer_resume(folder, model, data, config, failure)
		},
	)
}

// NewRerankerTrainer starts a run that trains an existing reranker further, with a method that
// trains rerankers, such as Set("method", "reranker"). Trainer.Reranker returns the result. To make
// a reranker out of a Model, call NewTrainer with such a method. If data is nil, only Batch works.
func NewRerankerTrainer(reranker *Reranker, data *Dataset, options ...Option) (*Trainer, error) {
	if reranker == nil {
		return nil, argument("the reranker is nil")
	}
	return beginFrom(reranker.owned(), data, options, true, raw.C().Cs_trainer_new)
}

// ResumeRerankerTrainer resumes a run that NewRerankerTrainer started, as ResumeTrainer does.
func ResumeRerankerTrainer(
	path string,
	reranker *Reranker,
	data *Dataset,
	options ...Option,
) (*Trainer, error) {
	if reranker == nil {
		return nil, argument("the reranker is nil")
	}
	folder, err := terminated("the path", path)
	if err != nil {
		return nil, err
	}
	return beginFrom(
		reranker.owned(),
		data,
		options,
		false,
		func(reranker, data, config uintptr, failure *uintptr) uintptr {
			return raw.C().Cs_trainer_resume(folder, reranker, data, config, failure)
		},
	)
}

// maker creates a trainer in C; model, data and config are handles.
type maker func(model, data, config uintptr, failure *uintptr) uintptr

func begin(
	model *Model,
	data *Dataset,
	options []Option,
	needed bool,
	make maker,
) (*Trainer, error) {
	if model == nil {
		return nil, argument("the model is nil")
	}
	return beginFrom(model.owned(), data, options, needed, make)
}

func beginFrom(
	start *handle,
	data *Dataset,
	options []Option,
	needed bool,
	make maker,
) (*Trainer, error) {
	from, err := start.acquire()
	if err != nil {
		return nil, err
	}
	defer start.release()
	examples := uintptr(0)
	if data != nil {
		if examples, err = data.owned().acquire(); err != nil {
			return nil, err
		}
		defer data.handle.release()
	}
	var t *Trainer
	err = configured(options, needed, func(config uintptr) error {
		var failure uintptr
		pointer := make(from, examples, config, &failure)
		if pointer == 0 {
			return take(failure)
		}
		t = &Trainer{}
		// weights, gradients and the two moments of AdamW
		bytes := 4 * max(0, raw.C().Cs_model_memory(from))
		t.handle = own("trainer", pointer, bytes, raw.C().Cs_trainer_free)
		return nil
	})
	return t, err
}

// done is the status of a call that did nothing because the run is over (CS_DONE).
const done = 1

// Step makes one update of the weights. It returns false if the run was already over and nothing
// was done, so you can write: for more, err := t.Step(ctx); more; ... It also returns false with an
// error. The first step also does the method's one-time preparation, which may take minutes. After
// ErrCancelled a later call continues; if the evaluation after an update was stopped, it is made
// then. After ErrNumeric the weights are unchanged.
func (t *Trainer) Step(ctx context.Context) (made bool, err error) {
	err = t.use(func(pointer uintptr, failure *uintptr) error {
		return cancellable(ctx, func(flag uintptr) error {
			status := raw.C().Cs_train_step(pointer, flag, failure)
			made = status >= 0 && status != done
			return check(status, failure)
		})
	})
	return made, err
}

// Batch makes one update on your own examples, for example from a queue, a cursor or a channel. All
// examples must have the same number of texts. It returns the same values as Step. After an error,
// read the metric "step" before you pass the same examples again. If it has increased, the update
// was made and the evaluation after it failed.
func (t *Trainer) Batch(ctx context.Context, examples []Example) (made bool, err error) {
	columns := 1
	if len(examples) > 0 {
		columns = len(examples[0].Texts)
	}
	texts, labels, scored := make(
		[]string,
		0,
		len(examples)*columns,
	), make(
		[]float64,
		len(examples),
	), false
	for i, example := range examples {
		if len(example.Texts) != columns || columns == 0 {
			return false, argument(
				"the examples of a batch must have the same number of texts, 1 or more",
			)
		}
		texts = append(texts, example.Texts...)
		labels[i] = example.label()
		scored = scored || example.Score != nil
	}
	if !scored {
		labels = nil
	}
	p, err := pack(texts)
	if err != nil {
		return false, err
	}
	defer p.free()
	err = t.use(func(pointer uintptr, failure *uintptr) error {
		return cancellable(ctx, func(flag uintptr) error {
			status := raw.C().Cs_train_batch_packed(
				pointer,
				p.data,
				p.offsets,
				int64(len(examples)),
				int32(columns),
				labels,
				flag,
				failure,
			)
			made = status >= 0 && status != done
			return check(status, failure)
		})
	})
	return made, err
}

// Run makes steps until the run is over, ctx is done, or after returns an error, which Run then
// returns. after is called after each step and may be nil.
func (t *Trainer) Run(ctx context.Context, after func(*Trainer) error) error {
	for {
		made, err := t.Step(ctx)
		if !made || err != nil {
			return err
		}
		if after != nil {
			if err := after(t); err != nil {
				return err
			}
		}
	}
}

// Metric returns the current value of a metric: "loss", "lr", "step", "total_steps", "grad_norm",
// "tokens_per_second", "dev", ... It is NaN if the metric is unknown or not measured yet, and after
// Close.
func (t *Trainer) Metric(name string) float64 {
	key, err := terminated("a metric's name", name)
	if err != nil {
		return math.NaN()
	}
	value := math.NaN()
	_ = t.use(func(pointer uintptr, _ *uintptr) error {
		value = raw.C().Cs_trainer_metric(pointer, key)
		return nil
	})
	return value
}

// Metrics returns all metrics that have a value.
func (t *Trainer) Metrics() (map[string]float64, error) {
	result, err := t.json(raw.C().Cs_trainer_metrics)
	if err != nil {
		return nil, err
	}
	var all map[string]*float64
	if err := decode(result, &all); err != nil {
		return nil, err
	}
	metrics := make(map[string]float64, len(all))
	for name, value := range all {
		if value != nil {
			metrics[name] = *value
		}
	}
	return metrics, nil
}

// Config returns the effective config, with every default filled in, as JSON.
func (t *Trainer) Config() (string, error) { return t.json(raw.C().Cs_trainer_config) }

func (t *Trainer) json(read func(uintptr, *uintptr) string) (result string, err error) {
	err = t.use(func(pointer uintptr, failure *uintptr) (err error) {
		result, err = text(read(pointer, failure), failure)
		return err
	})
	return result, err
}

// Evaluate evaluates now: it scores the dev set of config key "dev", runs the tasks of keys
// "evaluate.*", and keeps the weights if they are the best so far. After ErrCancelled no result was
// kept.
func (t *Trainer) Evaluate(ctx context.Context) error {
	return t.use(func(pointer uintptr, failure *uintptr) error {
		return cancellable(ctx, func(flag uintptr) error {
			return check(raw.C().Cs_trainer_evaluate(pointer, flag, failure), failure)
		})
	})
}

// Close frees the trainer. A running step finishes first.
func (t *Trainer) Close() error {
	t.owned().close()
	return nil
}

func (t *Trainer) use(call func(pointer uintptr, failure *uintptr) error) error {
	pointer, err := t.owned().acquire()
	if err != nil {
		return err
	}
	defer t.handle.release()
	var failure uintptr
	return call(pointer, &failure)
}
