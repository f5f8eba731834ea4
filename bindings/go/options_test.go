package contrastive_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	contrastive "contrastive.io/go"
)

func entriesOf(t *testing.T, config *contrastive.Config, err error) map[string]any {
	t.Helper()
	must(t, err)
	defer config.Close()
	text, err := config.JSON()
	must(t, err)
	var entries map[string]any
	must(t, json.Unmarshal([]byte(text), &entries))
	return entries
}

func TestTypedOptionsAreTheSameAsKeys(t *testing.T) {
	options := contrastive.TrainOptions{
		Seed:                  contrastive.Ptr(7),
		LearningRate:          2e-5,
		Schedule:              contrastive.ScheduleWarmupLinear,
		Optimizer:             contrastive.OptimizerAdamwHf,
		MaxSteps:              contrastive.Ptr(0),
		GradientCheckpointing: contrastive.Ptr(false),
		MaxLength:             contrastive.Ptr(64),
		MatryoshkaDims:        []int{384, 128},
		Dev:                   "dev.tsv",
	}
	config, err := contrastive.NewConfig(contrastive.JSON(`{"method": "mnrl", "seed": 7,
		"lr": 2e-5, "schedule": "warmup-linear", "optimizer": "adamw-hf", "max_steps": 0,
		"gradient_checkpointing": false, "mnrl.max_length": 64, "matryoshka.dims": [384, 128],
		"dev": "dev.tsv"}`))
	expected := entriesOf(t, config, err)
	config, err = options.Config()
	if typed := entriesOf(t, config, err); !reflect.DeepEqual(typed, expected) {
		t.Errorf("%v, not %v", typed, expected)
	}
	options.Method, options.Temperature = contrastive.MethodSimcse, 0.05
	config, err = options.Config(contrastive.Set("seed", 8))
	entries := entriesOf(t, config, err)
	if entries["simcse.max_length"] != 64.0 || entries["simcse.temperature"] != 0.05 ||
		entries["method"] != "simcse" || entries["seed"] != 8.0 {
		t.Error(entries)
	}
	adapt := contrastive.AdaptOptions{Metric: contrastive.SearchMetricNdcgAt10, NumNegatives: 2}
	config, err = adapt.Config()
	entries = entriesOf(t, config, err)
	if len(entries) != 3 || entries["metric"] != "ndcg@10" ||
		entries["mining.num_negatives"] != 2.0 || entries["method"] != "mnrl" {
		t.Error(entries)
	}
	_, err = contrastive.TrainOptions{LearningRate: math.NaN()}.Config()
	fails(t, err, contrastive.ErrArgument, "NaN")
}

func TestEveryOptionHasAKeyOfItsOwn(t *testing.T) {
	for _, options := range []interface {
		Config(...contrastive.Option) (*contrastive.Config, error)
	}{&contrastive.TrainOptions{}, &contrastive.AdaptOptions{}} {
		value := reflect.ValueOf(options).Elem()
		for i := range value.NumField() {
			set(value.Field(i))
		}
		config, err := options.Config()
		if entries := entriesOf(t, config, err); len(entries) != value.NumField() {
			t.Errorf("%d options of %s set %d keys", value.NumField(), value.Type(), len(entries))
		}
	}
}

// set gives a field a value that is not zero.
func set(field reflect.Value) {
	switch field.Kind() {
	case reflect.Pointer:
		field.Set(reflect.New(field.Type().Elem()))
	case reflect.Slice:
		field.Set(reflect.MakeSlice(field.Type(), 1, 1))
	case reflect.String:
		field.SetString("a")
	case reflect.Float64:
		field.SetFloat(0.5)
	default:
		field.SetInt(1)
	}
}
