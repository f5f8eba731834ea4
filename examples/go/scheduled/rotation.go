package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	contrastive "contrastive.io/go"
)

// rotation serves a model, collects pairs, adapts the model to them, and serves the new model if it
// is better. Its folder contains the models "model-0", "model-1", ..., the file "served" with the
// numbers of the current and the previous model, and the pairs: new ones in "pairs.tsv", those of
// the running round in "round.tsv", those that model N was trained on in "model-N.tsv", and those
// of failed rounds in "failed-N.tsv".
type rotation struct {
	folder  string
	canary  canary
	least   int // the minimum number of pairs for an adaptation
	keys    contrastive.Option
	current atomic.Pointer[version]
	turn    sync.Mutex // held while the model is changed, not while the next one is trained
	file    sync.Mutex // held while pairs are written
}

// canary returns a model's canary score. A new model with a lower score is not served.
type canary func(context.Context, *contrastive.Model) (float64, error)

// pairsOf returns a canary that measures how often the queries of a file find their documents.
// Without a file there is no canary.
func pairsOf(file string) canary {
	return func(ctx context.Context, model *contrastive.Model) (float64, error) {
		if file == "" {
			return 0, nil
		}
		report, err := model.Evaluate(ctx, "retrieval", contrastive.Set("data", file))
		recall, _ := report.Number("recall@1")
		return recall, err
	}
}

type version struct {
	*contrastive.Model
	number, previous int // previous: -1 if there is none
}

// open opens an existing folder, or creates one with the model start.
func open(
	folder, start string,
	watch canary,
	least int,
	keys contrastive.Option,
) (*rotation, error) {
	r := &rotation{folder: folder, canary: watch, least: least, keys: keys}
	number, previous := 0, -1
	text, err := os.ReadFile(filepath.Join(folder, "served"))
	if errors.Is(err, os.ErrNotExist) {
		model, err := contrastive.Load(start)
		if err != nil {
			return nil, err
		}
		defer model.Close()
		if err := model.Save(r.model(0)); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	} else if _, err := fmt.Sscan(string(text), &number, &previous); err != nil {
		return nil, fmt.Errorf("%s/served: %w", folder, err)
	}
	return r, r.serve(number, previous)
}

func (r *rotation) model(number int) string {
	return filepath.Join(r.folder, fmt.Sprint("model-", number))
}
func (r *rotation) pairs() string { return filepath.Join(r.folder, "pairs.tsv") }
func (r *rotation) close()        { r.current.Load().Close() }

// serve changes to the model with the given number.
func (r *rotation) serve(number, previous int) error {
	model, err := contrastive.Load(r.model(number))
	if err != nil {
		return err
	}
	return r.change(&version{model, number, previous})
}

// change serves another model. The file with its number is replaced atomically, so a crash leaves
// the old or the new number. Requests that use the old model finish with it.
func (r *rotation) change(next *version) error {
	served := filepath.Join(r.folder, "served")
	if err := os.WriteFile(served+".new", []byte(fmt.Sprintln(next.number, next.previous)),
		0o644); err != nil {
		return errors.Join(err, next.Close())
	}
	if err := os.Rename(served+".new", served); err != nil {
		return errors.Join(err, next.Close())
	}
	if old := r.current.Swap(next); old != nil {
		return old.Close()
	}
	return nil
}

// embed embeds texts with the current model, and returns its number.
func (r *rotation) embed(ctx context.Context, texts []string) (contrastive.Vectors, int, error) {
	for {
		model := r.current.Load()
		vectors, err := model.Encode(ctx, texts)
		if errors.Is(err, contrastive.ErrClosed) && r.current.Load() != model {
			continue // changed between the two lines above: use the new one
		}
		return vectors, model.number, err
	}
}

// collect stores pairs, one "query TAB document" per line, until the next adaptation.
func (r *rotation) collect(lines []string) error {
	for _, line := range lines {
		if strings.Count(line, "\t") != 1 {
			return fmt.Errorf("no pair: %q; a query, a tab and a document are needed", line)
		}
	}
	r.file.Lock()
	defer r.file.Unlock()
	file, err := os.OpenFile(r.pairs(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strings.Join(lines, "\n") + "\n")
	return errors.Join(err, file.Sync(), file.Close())
}

// changed is the result of adapt if the model was rolled back during a round. The pairs stay, and
// the next round starts from the model that is served then.
const changed = "the model was changed meanwhile"

// adapt is called only by the timer. If enough pairs were collected, it adapts the model to them,
// and serves the result if it is better and the canary score is not lower. It returns what was
// done. If the process is stopped, the next call resumes the round.
func (r *rotation) adapt(ctx context.Context) (string, error) {
	current := r.current.Load()
	next, round := current.number+1, filepath.Join(r.folder, "round.tsv")
	// A number is used once: the files of a rejected or rolled-back model stay.
	for exists(r.model(next)) || exists(r.model(next)+".tsv") {
		next++
	}
	if !exists(round) { // else resume the interrupted round with its own pairs
		text, err := os.ReadFile(r.pairs())
		if count := strings.Count(string(text), "\n"); err != nil || count < r.least {
			return fmt.Sprintf("%d pairs of %d were collected", count, r.least), nil
		}
		if err := r.begin(round); err != nil {
			return "", err
		}
	}
	before, err := r.canary(ctx, current.Model)
	if err != nil {
		return "", err
	}
	report, err := r.learn(ctx, current, round, next)
	if errors.Is(err, contrastive.ErrClosed) { // a rollback closed the model first
		return changed, nil
	}
	if err != nil {
		return "", errors.Join(err, r.giveUp(err, round, next))
	}
	reason, _ := report.Text("reason")
	done := "kept the model: " + reason
	if report.Flag("shipped") {
		if done, err = r.judge(ctx, current, next, before, reason); err != nil || done == changed {
			return done, err
		}
	}
	return done, os.Rename(round, r.model(next)+".tsv")
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (r *rotation) begin(round string) error {
	r.file.Lock()
	defer r.file.Unlock()
	return os.Rename(r.pairs(), round)
}

// learn adapts a model to the round's pairs. Lines that are not pairs are skipped.
func (r *rotation) learn(
	ctx context.Context,
	model *version,
	round string,
	next int,
) (contrastive.Report, error) {
	data, err := contrastive.OpenDataset(round, contrastive.Set("data.on_error", "skip"))
	if err != nil {
		return contrastive.Report{}, err
	}
	defer data.Close()
	return model.Adapt(ctx, data, nil, r.model(next), r.keys)
}

// judge serves the new model, unless the canary score fell or the current model was changed during
// the training.
func (r *rotation) judge(
	ctx context.Context,
	current *version,
	next int,
	before float64,
	reason string,
) (string, error) {
	model, err := contrastive.Load(r.model(next))
	if err != nil {
		return "", err
	}
	after, err := r.canary(ctx, model)
	if err != nil {
		return "", errors.Join(err, model.Close())
	}
	if !(after >= before) {
		return fmt.Sprintf(
			"kept the model: the canary fell from %.3f to %.3f",
			before,
			after,
		), model.Close()
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	if r.current.Load() != current {
		return changed, model.Close()
	}
	return "serves a better model: " + reason, r.change(&version{model, next, current.number})
}

// giveUp sets aside what would fail again: the adaptation, and the pairs too, unless the adaptation
// only does not match them.
func (r *rotation) giveUp(failure error, round string, next int) error {
	var kind contrastive.Code
	errors.As(failure, &kind)
	switch kind {
	case contrastive.ErrArgument,
		contrastive.ErrFormat,
		contrastive.ErrLimit,
		contrastive.ErrCorrupt,
		contrastive.ErrMismatch:
	default:
		return nil
	}
	if err := os.RemoveAll(r.model(next) + ".adapting"); err != nil ||
		kind == contrastive.ErrMismatch {
		return err
	}
	failed := func() string { return filepath.Join(r.folder, fmt.Sprintf("failed-%d.tsv", next)) }
	for exists(failed()) {
		next++
	}
	return os.Rename(round, failed())
}

// rollback returns to the previous model.
func (r *rotation) rollback() error {
	r.turn.Lock()
	defer r.turn.Unlock()
	if previous := r.current.Load().previous; previous >= 0 {
		return r.serve(previous, -1)
	}
	return errors.New("there is no model before this one")
}
