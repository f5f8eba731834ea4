package contrastive_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	contrastive "contrastive.io/go"
)

func TestContextOverBeforeTheCall(t *testing.T) {
	model, data := load(t), fill(t)
	trainer := begin(t, model, data)
	reason := errors.New("the request went away")
	ctx, cancel := context.WithCancelCause(background)
	cancel(reason)
	_, encoding := model.Encode(ctx, []string{"a"})
	_, stepping := trainer.Step(ctx)
	_, batching := trainer.Batch(ctx, pairs)
	scoring := trainer.Evaluate(ctx)
	_, evaluating := model.Evaluate(ctx, "geometry", contrastive.Set("data", "x.tsv"))
	vectors := contrastive.Vectors{Values: []float32{1, 0}, Dimension: 2}
	_, searching := contrastive.Search(ctx, vectors, vectors, 1, contrastive.Cosine)
	for _, err := range []error{encoding, stepping, batching, scoring, evaluating, searching} {
		for _, kind := range []error{contrastive.ErrCancelled, context.Canceled, reason} {
			if !errors.Is(err, kind) {
				t.Errorf("%v is not %v", err, kind)
			}
		}
	}
	equal(t, trainer.Metric("step"), 0)
	made, err := trainer.Step(background) // the trainer continues
	must(t, err)
	equal(t, made, true)
}

func TestDeadlineDuringEncode(t *testing.T) {
	model := load(t)
	texts := make([]string, 200000)
	for i := range texts {
		texts[i] = strings.Repeat("the cat sat ", 8)
	}
	ctx, cancel := context.WithTimeout(background, 30*time.Millisecond)
	defer cancel()
	started := time.Now()
	_, err := model.Encode(ctx, texts)
	fails(t, err, contrastive.ErrCancelled, "")
	fails(t, err, context.DeadlineExceeded, "")
	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("the call stopped after %v", took)
	}
}

func TestCancelStopsARunAndItGoesOn(t *testing.T) {
	trainer := begin(t, load(t), fill(t))
	ctx, cancel := context.WithCancel(background)
	err := trainer.Run(ctx, func(trainer *contrastive.Trainer) error {
		if trainer.Metric("step") == 3 {
			cancel()
		}
		return nil
	})
	fails(t, err, context.Canceled, "")
	equal(t, trainer.Metric("step"), 3)
	must(t, trainer.Run(background, nil))
	equal(t, trainer.Metric("step"), 6)
}

// Contexts end while calls begin and end: no flag leaks, and none is raised after it was freed.
func TestContextsUnderLoad(t *testing.T) {
	model := load(t)
	out := make([]float32, model.Dimension())
	stopped := 0
	for range 2000 {
		ctx, cancel := context.WithCancel(background)
		go cancel()
		if err := model.EncodeInto(ctx, out, []string{"the cat sat on the old house"}); err != nil {
			fails(t, err, context.Canceled, "")
			stopped++
		}
		cancel()
	}
	t.Logf("%d of 2,000 calls were stopped", stopped)
}
