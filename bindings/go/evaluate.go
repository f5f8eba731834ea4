package contrastive

import (
	"context"
	"encoding/json"

	"contrastive.io/go/internal/raw"
)

// Report is the result of Evaluate, Mine or Adapt, as JSON.
type Report json.RawMessage

// Number returns the number at a path in the report, for instance Number("spearman", "all"); false
// if it is not in the report or could not be computed.
func (r Report) Number(path ...string) (float64, bool) {
	number, ok := r.at(path).(float64)
	return number, ok
}

// Text returns the string at a path in the report, for instance Text("reason").
func (r Report) Text(path ...string) (string, bool) {
	text, ok := r.at(path).(string)
	return text, ok
}

// Flag returns the boolean at a path in the report, for instance Flag("shipped"); false if there is
// none.
func (r Report) Flag(path ...string) bool {
	flag, _ := r.at(path).(bool)
	return flag
}

func (r Report) at(path []string) any {
	var value any
	if json.Unmarshal(r, &value) != nil {
		return nil
	}
	for _, name := range path {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[name]
	}
	return value
}

func (r Report) String() string { return string(r) }

// MarshalJSON returns the report unchanged.
func (r Report) MarshalJSON() ([]byte, error) { return json.RawMessage(r).MarshalJSON() }

// Evaluate measures the model on a task: "sts", "retrieval", "geometry", ... DescribeAll lists all
// tasks and their keys. Options are the keys of Describe(task), such as Set("data",
// "sts-test.tsv").
func (m *Model) Evaluate(ctx context.Context, task string, options ...Option) (Report, error) {
	return evaluate(ctx, m.use, task, options)
}

// Evaluate measures the reranker on a task, "sts" or "reranking"; the other tasks measure
// embeddings. Options are the keys of Describe(task).
func (r *Reranker) Evaluate(ctx context.Context, task string, options ...Option) (Report, error) {
	return evaluate(ctx, r.use, task, options)
}

func evaluate(
	ctx context.Context,
	use func(func(pointer uintptr, failure *uintptr) error) error,
	task string,
	options []Option,
) (Report, error) {
	name, err := terminated("the task", task)
	if err != nil {
		return nil, err
	}
	var report Report
	err = use(func(pointer uintptr, failure *uintptr) error {
		return configured(options, true, func(config uintptr) error {
			return cancellable(ctx, func(flag uintptr) error {
				result, err := text(raw.C().Cs_evaluate(pointer, name, config, flag, failure), failure)
				report = Report(result)
				return err
			})
		})
	})
	return report, err
}
