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

// rotation serves a model, collects pairs, and replaces the model by one that was adapted to them where that is better. Its folder holds the models, "model-0",
// "model-1", ..., the file "served" with the number of the one that is served and of the one before, and the pairs that no model has learned from yet.
type rotation struct {
	folder  string
	canary  canary
	least   int // pairs that an adaptation begins with
	keys    contrastive.Option
	current atomic.Pointer[version]
	turn    sync.Mutex // held by whoever changes the model
	file    sync.Mutex // held by whoever writes pairs
}

// canary says how good a model is at what no new model may become worse at.
type canary func(context.Context, *contrastive.Model) (float64, error)

// pairsOf is how often the queries of a file find their documents; without a file there is no canary.
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
	number, previous int // previous: -1 where there is none
}

// open goes on with the folder, or begins one with the model start.
func open(folder, start string, watch canary, least int, keys contrastive.Option) (*rotation, error) {
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

// serve changes to a model. The file that names it is replaced in one step, so a crash leaves the one or the other. Requests that use the old model finish with it.
func (r *rotation) serve(number, previous int) error {
	model, err := contrastive.Load(r.model(number))
	if err != nil {
		return err
	}
	served := filepath.Join(r.folder, "served")
	if err := os.WriteFile(served+".new", []byte(fmt.Sprintln(number, previous)), 0o644); err != nil {
		return errors.Join(err, model.Close())
	}
	if err := os.Rename(served+".new", served); err != nil {
		return errors.Join(err, model.Close())
	}
	if old := r.current.Swap(&version{model, number, previous}); old != nil {
		return old.Close()
	}
	return nil
}

// embed answers with the model that is served, and with its number.
func (r *rotation) embed(ctx context.Context, texts []string) (contrastive.Vectors, int, error) {
	for {
		model := r.current.Load()
		vectors, err := model.Encode(ctx, texts)
		if errors.Is(err, contrastive.ErrClosed) && r.current.Load() != model {
			continue // changed between the two lines above: the new one answers
		}
		return vectors, model.number, err
	}
}

// collect keeps pairs, "query TAB document" a line, until the next adaptation.
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

// adapt is what the timer calls. Where enough pairs were collected, it adapts the model to them and, where the result is better, serves it; the canary has the
// last word. Says what was done. Stopped at any time, the next call goes on.
func (r *rotation) adapt(ctx context.Context) (string, error) {
	r.turn.Lock()
	defer r.turn.Unlock()
	current := r.current.Load()
	next, round := current.number+1, filepath.Join(r.folder, "round.tsv")
	for { // a number is used once: what was rolled back keeps its folder
		if _, err := os.Stat(r.model(next)); err != nil {
			break
		}
		next++
	}
	if _, err := os.Stat(round); err != nil { // else a round was broken off: it goes on with its own pairs
		text, err := os.ReadFile(r.pairs())
		if count := strings.Count(string(text), "\n"); err != nil || count < r.least {
			return fmt.Sprintf("%d pairs of %d were collected", count, r.least), nil
		}
		if err := r.begin(round); err != nil {
			return "", err
		}
	}
	data, err := contrastive.OpenDataset(round)
	if err != nil {
		return "", err
	}
	defer data.Close()
	report, err := current.Adapt(ctx, data, nil, r.model(next), r.keys)
	if err != nil {
		return "", err
	}
	reason, _ := report.Text("reason")
	if err := os.Rename(round, fmt.Sprint(r.model(next), ".tsv")); err != nil {
		return "", err
	}
	if !report.Flag("shipped") {
		return "kept the model: " + reason, nil
	}
	before, err := r.canary(ctx, current.Model)
	if err != nil {
		return "", err
	}
	if err := r.serve(next, current.number); err != nil {
		return "", err
	}
	if after, err := r.canary(ctx, r.current.Load().Model); err != nil || after < before {
		return fmt.Sprintf("rolled back: the canary fell from %.3f to %.3f", before, after), errors.Join(err, r.back())
	}
	return "serves a better model: " + reason, nil
}

func (r *rotation) begin(round string) error {
	r.file.Lock()
	defer r.file.Unlock()
	return os.Rename(r.pairs(), round)
}

// rollback serves the model before this one again.
func (r *rotation) rollback() error {
	r.turn.Lock()
	defer r.turn.Unlock()
	return r.back()
}

func (r *rotation) back() error {
	if previous := r.current.Load().previous; previous >= 0 {
		return r.serve(previous, -1)
	}
	return errors.New("there is no model before this one")
}
