// Written by bindings/options.py from the keys of core: do not edit.

package contrastive

import (
	"encoding/json"
	"strings"
)

// Ptr returns a pointer to a value, for an option of TrainOptions or AdaptOptions whose zero value
// means something, as in TrainOptions{Seed: contrastive.Ptr(7)}.
func Ptr[T any](value T) *T { return &value }

// TrainingMethod is a training method.
type TrainingMethod string

// Values of TrainingMethod.
const (
	MethodClsr     TrainingMethod = "clsr"
	MethodConsert  TrainingMethod = "consert"
	MethodMnrl     TrainingMethod = "mnrl"
	MethodSgopt    TrainingMethod = "sgopt"
	MethodSimcse   TrainingMethod = "simcse"
	MethodClear    TrainingMethod = "clear"
	MethodScored   TrainingMethod = "scored"
	MethodTriplet  TrainingMethod = "triplet"
	MethodDistill  TrainingMethod = "distill"
	MethodTsdae    TrainingMethod = "tsdae"
	MethodReranker TrainingMethod = "reranker"
)

// LearningRateSchedule is how the learning rate changes during a run.
type LearningRateSchedule string

// Values of LearningRateSchedule.
const (
	ScheduleConstant      LearningRateSchedule = "constant"
	ScheduleWarmupLinear  LearningRateSchedule = "warmup-linear"
	ScheduleWarmupCosine  LearningRateSchedule = "warmup-cosine"
	ScheduleFairseqLinear LearningRateSchedule = "fairseq-linear"
)

// TrainingOptimizer is an optimizer.
type TrainingOptimizer string

// Values of TrainingOptimizer.
const (
	OptimizerLars    TrainingOptimizer = "lars"
	OptimizerSgd     TrainingOptimizer = "sgd"
	OptimizerAdam    TrainingOptimizer = "adam"
	OptimizerAdamw   TrainingOptimizer = "adamw"
	OptimizerAdamwHf TrainingOptimizer = "adamw-hf"
)

// MixedPrecision is the type in which the encoder multiplies during training.
type MixedPrecision string

// Values of MixedPrecision.
const (
	MixedPrecisionOff      MixedPrecision = "off"
	MixedPrecisionBfloat16 MixedPrecision = "bfloat16"
	MixedPrecisionFloat16  MixedPrecision = "float16"
)

// SearchMetric is a metric of search results.
type SearchMetric string

// Values of SearchMetric.
const (
	SearchMetricNdcgAt10   SearchMetric = "ndcg@10"
	SearchMetricMrrAt10    SearchMetric = "mrr@10"
	SearchMetricRecallAt1  SearchMetric = "recall@1"
	SearchMetricRecallAt10 SearchMetric = "recall@10"
)

// TrainOptions are typed options of a training run. A nil pointer, an empty list, "" and a number 0
// that is not behind a pointer leave the default of the library or of the method. Keys
// "METHOD.name" belong to the chosen method; not every method has each of them.
type TrainOptions struct {
	// The training method; default mnrl. Key method.
	Method TrainingMethod

	// Decides every random choice: order, initial weights, augmentations, dropout. Key seed, at
	// least 0.
	Seed *int

	// Examples of a batch; the loss is taken over one batch. Key batch_size, from 1 to 1048576.
	BatchSize int

	// Batches of one update; 'negatives' decides how they are combined. Key accumulate, from 1 to
	// 1048576.
	Accumulate int

	// Passes over the dataset. Key epochs, at least 1.
	Epochs int

	// Number of updates; 0 = as 'epochs' says; if both are set, the shorter run applies. Key
	// max_steps, at least 0.
	MaxSteps *int

	// Peak learning rate. Key lr, above 0 to 1000.
	LearningRate float64

	// Schedule of the learning rate. Key schedule.
	Schedule LearningRateSchedule

	// Updates in which the learning rate rises from 0. Key warmup_steps, at least 0.
	WarmupSteps *int

	// Warm-up as a share of the run. Key warmup_ratio, from 0 to 1.
	WarmupRatio *float64

	// Optimizer: adamw is PyTorch's variant, adamw-hf that of transformers, which ConSERT and
	// SG-OPT used. Key optimizer.
	Optimizer TrainingOptimizer

	// Weight decay, for every weight that is neither a bias nor a LayerNorm weight. Key
	// weight_decay, from 0 to 10.
	WeightDecay *float64

	// Maximum norm of the gradient; 0 = no limit. Key clip_norm, at least 0.
	ClipNorm *float64

	// Mixed precision: the encoder's products in 16 bits, weights and objectives in float32;
	// float16 needs a CUDA device and scales the loss. Key amp.
	MixedPrecision MixedPrecision

	// Keep only each layer's input for the backward pass and recompute the rest: less memory, a
	// third more work, bit-identical results on the CPU. Key gradient_checkpointing.
	GradientCheckpointing *bool

	// Threads that an update or evaluation uses at most, besides data_threads, so that training in
	// the background leaves processors to others; 0 = all threads of the process. Key threads, from
	// 0 to 1024.
	Threads *int

	// Threads that read and tokenise the texts of the next updates during training; 0 = the
	// training thread does it. Results do not depend on it. Key data_threads, from 0 to 64.
	DataThreads *int

	// Maximum number of ids of a text, special tokens included; longer texts are cut; 0 = the
	// model's. Key METHOD.max_length, from 0 to 1000000.
	MaxLength *int

	// Divides every cosine. Key METHOD.temperature, from 0.0001 to 10000.
	Temperature float64

	// Multiplies every similarity (1 / temperature): 20 for cosines, 1 for dot products of vectors
	// that are not normalized. Key METHOD.scale, above 0 to 10000.
	Scale float64

	// Train low-rank adapters of this rank for the encoder's matrices, which do not change: far
	// less memory for gradients and moments; 0 = train the encoder itself. Key METHOD.lora_rank,
	// from 0 to 4096.
	LoraRank *int

	// Dimensions to cut the vectors to: the losses of the cut vectors are added, so that users may
	// cut stored vectors. Include the model's own dimension. Empty = whole vectors only. Key
	// matryoshka.dims, from 1 to 131072.
	MatryoshkaDims []int

	// File to measure progress on: lines 'score TAB text TAB text', or 'text TAB text' for pairs to
	// retrieve; for a reranker, lines with scores, or queries with right and wrong documents, as
	// mining writes them. Key dev.
	Dev string

	// Updates between dev evaluations; 0 = at the end. Key eval_every, at least 0.
	EvalEvery *int

	// Updates between two runs of the tasks in keys 'evaluate.*', which also run at the end; 0 =
	// with the dev evaluations. Key evaluate_every, at least 0.
	EvaluateEvery *int

	// Dev evaluations that 'early_stop' counts before the run ends early; an undefined score counts
	// too; 0 = never. Key patience, at least 0.
	Patience *int

	// Folder for automatic checkpoints: step-N every 'save_every' updates and at the end, and best,
	// the best weights on 'dev'; a run with stages has a subfolder for each stage. Key checkpoints.
	Checkpoints string

	// Updates between two automatic checkpoints; 0 = at the end only. Key save_every, at least 0.
	SaveEvery *int

	// Number of newest automatic checkpoints to keep; 0 = all. Key keep, at least 0.
	Keep *int

	// File to which JSON lines of metrics are appended; null means not measured since the previous
	// line. A killed run that resumes from its last save repeats the steps after it: use the last
	// line of each step. An existing file without such lines is refused. Key metrics_file.
	MetricsFile string
}

// Option sets these options. Options after it add other keys: Describe("train") lists every key of
// a run.
func (o TrainOptions) Option() Option {
	entries := optionEntries{}
	unlessNil(entries, "seed", o.Seed)
	unlessZero(entries, "batch_size", o.BatchSize)
	unlessZero(entries, "accumulate", o.Accumulate)
	unlessZero(entries, "epochs", o.Epochs)
	unlessNil(entries, "max_steps", o.MaxSteps)
	unlessZero(entries, "lr", o.LearningRate)
	unlessZero(entries, "schedule", o.Schedule)
	unlessNil(entries, "warmup_steps", o.WarmupSteps)
	unlessNil(entries, "warmup_ratio", o.WarmupRatio)
	unlessZero(entries, "optimizer", o.Optimizer)
	unlessNil(entries, "weight_decay", o.WeightDecay)
	unlessNil(entries, "clip_norm", o.ClipNorm)
	unlessZero(entries, "amp", o.MixedPrecision)
	unlessNil(entries, "gradient_checkpointing", o.GradientCheckpointing)
	unlessNil(entries, "threads", o.Threads)
	unlessNil(entries, "data_threads", o.DataThreads)
	unlessNil(entries, "METHOD.max_length", o.MaxLength)
	unlessZero(entries, "METHOD.temperature", o.Temperature)
	unlessZero(entries, "METHOD.scale", o.Scale)
	unlessNil(entries, "METHOD.lora_rank", o.LoraRank)
	unlessEmpty(entries, "matryoshka.dims", o.MatryoshkaDims)
	unlessZero(entries, "dev", o.Dev)
	unlessNil(entries, "eval_every", o.EvalEvery)
	unlessNil(entries, "evaluate_every", o.EvaluateEvery)
	unlessNil(entries, "patience", o.Patience)
	unlessZero(entries, "checkpoints", o.Checkpoints)
	unlessNil(entries, "save_every", o.SaveEvery)
	unlessNil(entries, "keep", o.Keep)
	unlessZero(entries, "metrics_file", o.MetricsFile)
	return entries.option(o.Method)
}

// Config makes a config of the options and of others that are added to it.
func (o TrainOptions) Config(more ...Option) (*Config, error) {
	return NewConfig(append([]Option{o.Option()}, more...)...)
}

// AdaptOptions are typed options of an adaptation. A nil pointer, an empty list, "" and a number 0
// that is not behind a pointer leave the default of the library or of the method. Keys
// "METHOD.name" belong to the chosen method; not every method has each of them.
type AdaptOptions struct {
	// The training method (reranker is not one of them); default mnrl. Key method.
	Method TrainingMethod

	// Decides every random choice: the split, what is drawn, the training, the resamples. Key seed,
	// at least 0.
	Seed *int

	// File of pairs by which the best weights are chosen, read with the keys data.*; empty: a part
	// of the pairs. Key dev.
	Dev string

	// Share of the pairs that is held out and decides whether the model is better. Key test_share,
	// from 0.01 to 0.9.
	TestShare float64

	// Share of the pairs that is held out to choose the best weights, if dev is empty. Key
	// dev_share, from 0.01 to 0.9.
	DevShare float64

	// Metric that decides the test. Key metric.
	Metric SearchMetric

	// A model is written if the metric rises by at least this; with 0 it must rise. Key min_gain,
	// from 0 to 1.
	MinGain *float64

	// Write the model only if the interval of the gain is above 0 too. Key require_significant.
	RequireSignificant *bool

	// Mine hard negatives for the training pairs; false: train on the plain pairs. Key mine.
	Mine *bool

	// Negatives of each pair. Key mining.num_negatives, from 1 to 1000.
	NumNegatives int

	// Text put before queries; empty: the model's own prompt named query, if it has one. Key
	// query_prompt.
	QueryPrompt string

	// Text put before documents; empty: the model's own prompt named document, passage or corpus,
	// if it has one. Key document_prompt.
	DocumentPrompt string

	// Examples of a batch; the loss is taken over one batch. Key batch_size, from 1 to 1048576.
	BatchSize int

	// Batches of one update; 'negatives' decides how they are combined. Key accumulate, from 1 to
	// 1048576.
	Accumulate int

	// Passes over the training pairs; if neither this nor max_steps is set, 3 to 20, for about 200
	// updates. Key epochs, at least 1.
	Epochs int

	// Number of updates; 0 = as 'epochs' says; if both are set, the shorter run applies. Key
	// max_steps, at least 0.
	MaxSteps *int

	// Peak learning rate. Key lr, above 0 to 1000.
	LearningRate float64

	// Warm-up as a share of the run. Key warmup_ratio, from 0 to 1.
	WarmupRatio *float64

	// Mixed precision: the encoder's products in 16 bits, weights and objectives in float32;
	// float16 needs a CUDA device and scales the loss. Key amp.
	MixedPrecision MixedPrecision

	// Keep only each layer's input for the backward pass and recompute the rest: less memory, a
	// third more work, bit-identical results on the CPU. Key gradient_checkpointing.
	GradientCheckpointing *bool

	// Threads that an update or evaluation uses at most, besides data_threads, so that training in
	// the background leaves processors to others; 0 = all threads of the process. Key threads, from
	// 0 to 1024.
	Threads *int

	// Maximum number of ids of a text, special tokens included; longer texts are cut; 0 = the
	// model's. Key METHOD.max_length, from 0 to 1000000.
	MaxLength *int

	// Multiplies every similarity (1 / temperature): 20 for cosines, 1 for dot products of vectors
	// that are not normalized. Key METHOD.scale, above 0 to 10000.
	Scale float64

	// Train low-rank adapters of this rank for the encoder's matrices, which do not change: far
	// less memory for gradients and moments; 0 = train the encoder itself. Key METHOD.lora_rank,
	// from 0 to 4096.
	LoraRank *int

	// Updates between dev evaluations; if no key sets this, the run has 10 evaluations. Key
	// eval_every, at least 0.
	EvalEvery *int

	// Dev evaluations that 'early_stop' counts before the run ends early; an undefined score counts
	// too; 0 = never. Key patience, at least 0.
	Patience *int

	// Updates between two saves of the training, so that it can resume after a kill. Key
	// save_every, at least 1.
	SaveEvery int

	// Folder that gets the report as adapt.json; empty: none is written. Key report.
	Report string
}

// Option sets these options. Options after it add other keys: Describe("adapt") lists every key of
// an adaptation.
func (o AdaptOptions) Option() Option {
	entries := optionEntries{}
	unlessNil(entries, "seed", o.Seed)
	unlessZero(entries, "dev", o.Dev)
	unlessZero(entries, "test_share", o.TestShare)
	unlessZero(entries, "dev_share", o.DevShare)
	unlessZero(entries, "metric", o.Metric)
	unlessNil(entries, "min_gain", o.MinGain)
	unlessNil(entries, "require_significant", o.RequireSignificant)
	unlessNil(entries, "mine", o.Mine)
	unlessZero(entries, "mining.num_negatives", o.NumNegatives)
	unlessZero(entries, "query_prompt", o.QueryPrompt)
	unlessZero(entries, "document_prompt", o.DocumentPrompt)
	unlessZero(entries, "batch_size", o.BatchSize)
	unlessZero(entries, "accumulate", o.Accumulate)
	unlessZero(entries, "epochs", o.Epochs)
	unlessNil(entries, "max_steps", o.MaxSteps)
	unlessZero(entries, "lr", o.LearningRate)
	unlessNil(entries, "warmup_ratio", o.WarmupRatio)
	unlessZero(entries, "amp", o.MixedPrecision)
	unlessNil(entries, "gradient_checkpointing", o.GradientCheckpointing)
	unlessNil(entries, "threads", o.Threads)
	unlessNil(entries, "METHOD.max_length", o.MaxLength)
	unlessZero(entries, "METHOD.scale", o.Scale)
	unlessNil(entries, "METHOD.lora_rank", o.LoraRank)
	unlessNil(entries, "eval_every", o.EvalEvery)
	unlessNil(entries, "patience", o.Patience)
	unlessZero(entries, "save_every", o.SaveEvery)
	unlessZero(entries, "report", o.Report)
	return entries.option(o.Method)
}

// Config makes a config of the options and of others that are added to it.
func (o AdaptOptions) Config(more ...Option) (*Config, error) {
	return NewConfig(append([]Option{o.Option()}, more...)...)
}

type optionEntries map[string]any

func unlessZero[T comparable](entries optionEntries, key string, value T) {
	var unset T
	if value != unset {
		entries[key] = value
	}
}

func unlessNil[T any](entries optionEntries, key string, value *T) {
	if value != nil {
		entries[key] = *value
	}
}

func unlessEmpty[T any](entries optionEntries, key string, values []T) {
	if len(values) > 0 {
		entries[key] = append([]T(nil), values...)
	}
}

// option sets the entries, with the name of the method in front of its own keys.
func (entries optionEntries) option(method TrainingMethod) Option {
	if method == "" {
		method = MethodMnrl
	}
	keys := map[string]any{"method": method}
	for key, value := range entries {
		if own, found := strings.CutPrefix(key, "METHOD."); found {
			key = string(method) + "." + own
		}
		keys[key] = value
	}
	return func(c *Config) error {
		object, err := json.Marshal(keys)
		if err != nil {
			return argument("the options: " + err.Error())
		}
		return JSON(string(object))(c)
	}
}
