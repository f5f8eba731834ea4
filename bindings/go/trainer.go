package contrastive

import (
	"context"
	"math"

	"contrastive.io/go/internal/swig"
)

// Trainer is a training run. The caller owns the loop: look at metrics, save, evaluate or stop
// between two steps. It reads the model that it began with and works on weights of its own; the
// result is Model.
type Trainer struct{ handle *handle }

// NewTrainer begins a run. Options are the keys of Describe("train"), Set("method", ...) among
// them. Without data (nil) only Batch works.
func NewTrainer(model *Model, data *Dataset, options ...Option) (*Trainer, error) {
	return begin(model, data, options, true, swig.Cs_trainer_new)
}

// CheckTraining finds what is wrong in the options of NewTrainer without a model and without data.
func CheckTraining(options ...Option) error { return checkTraining(nil, nil, options) }

// CheckTrainingFor finds that, and what the method asks in vain of the model at path, of which only
// config.json and modules.json are read: layers that it does not have, texts longer than its
// positions.
func CheckTrainingFor(path string, options ...Option) error {
	folder, err := terminated("the path", path)
	if err != nil {
		return err
	}
	return checkTraining(nil, folder, options)
}

// CheckTrainingOn finds that, and what the examples lack: pairs, labels, as many as a warm-up is
// long; files that the options name and that are not there or hold something else; and with the
// options Set("device", ...) and Set("precision", ...), by which the model will be loaded, what the
// run asks of them. The path may be "": any model.
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
		return check(swig.Cs_trainer_check(config, examples, folder, &failure), &failure)
	})
}

// ResumeTrainer goes on with a run from what Save wrote, on the CPU bit-identical to one that was
// never interrupted. Model and data are those that the run began with; options are keys that do not
// change the run so far, such as max_steps.
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
			return swig.Cs_trainer_resume(folder, model, data, config, failure)
		},
	)
}

// NewRerankerTrainer begins to train a reranker further, with a method that trains rerankers, such
// as Set("method", "reranker"); the result is Reranker. To make a reranker out of a model, give
// NewTrainer the model and such a method. Without data (nil) only Batch works.
func NewRerankerTrainer(reranker *Reranker, data *Dataset, options ...Option) (*Trainer, error) {
	if reranker == nil {
		return nil, argument("the reranker is nil")
	}
	return beginFrom(reranker.owned(), data, options, true, swig.Cs_trainer_new)
}

// ResumeRerankerTrainer is ResumeTrainer of a run that NewRerankerTrainer began.
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
			return swig.Cs_trainer_resume(folder, reranker, data, config, failure)
		},
	)
}

// maker is what makes a trainer in C; model, data and config are handles.
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
		t.handle = own("trainer", pointer, swig.Cs_trainer_free)
		return nil
	})
	return t, err
}

// done is the status of a command that succeeded because the run is over.
const done = 1

// Step makes one update of the weights; false where the run has ended, and nothing was done: for
// more, err := t.Step(ctx); more; ... The first step also computes what the method needs once,
// which may take minutes. After ErrCancelled a later call goes on, with the evaluation behind an
// update where that was cut short; after ErrNumeric the weights are untouched. With an error it is
// false too.
func (t *Trainer) Step(ctx context.Context) (made bool, err error) {
	err = t.use(func(pointer uintptr, failure *uintptr) error {
		return cancellable(ctx, func(flag uintptr) error {
			status := swig.Cs_train_step(pointer, flag, failure)
			made = status >= 0 && status != done
			return check(status, failure)
		})
	})
	return made, err
}

// Batch makes one update on examples of the caller: from a queue, a cursor, a channel. All have the
// same number of texts. It answers as Step does. After an error, look at metric "step" before you
// give the same examples again: if it has grown, they are trained, and an evaluation behind them
// failed.
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
			status := swig.Cs_train_batch_packed(
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

// Run makes steps until the run is over, ctx is, or after returns an error, which Run then returns.
// after is called after each step; it may be nil.
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

// Metric is the present value of one metric: "loss", "lr", "step", "total_steps", "grad_norm",
// "tokens_per_second", "dev", ... NaN where it is unknown or not measured yet, and after Close.
func (t *Trainer) Metric(name string) float64 {
	key, err := terminated("a metric's name", name)
	if err != nil {
		return math.NaN()
	}
	value := math.NaN()
	_ = t.use(func(pointer uintptr, _ *uintptr) error {
		value = swig.Cs_trainer_metric(pointer, key)
		return nil
	})
	return value
}

// Metrics are all metrics that have a value.
func (t *Trainer) Metrics() (map[string]float64, error) {
	result, err := t.json(swig.Cs_trainer_metrics)
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

// Config is the config in force with every default filled in, as JSON.
func (t *Trainer) Config() (string, error) { return t.json(swig.Cs_trainer_config) }

func (t *Trainer) json(read func(uintptr, *uintptr) string) (result string, err error) {
	err = t.use(func(pointer uintptr, failure *uintptr) (err error) {
		result, err = text(read(pointer, failure), failure)
		return err
	})
	return result, err
}

// Evaluate scores the dev set of config key "dev" and runs the tasks of keys "evaluate.*" now, and
// remembers the weights if they are the best. After ErrCancelled no figure was kept.
func (t *Trainer) Evaluate(ctx context.Context) error {
	return t.use(func(pointer uintptr, failure *uintptr) error {
		return cancellable(ctx, func(flag uintptr) error {
			return check(swig.Cs_trainer_evaluate(pointer, flag, failure), failure)
		})
	})
}

// Close frees the trainer. A step that runs finishes first.
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
