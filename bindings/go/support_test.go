package contrastive_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	contrastive "contrastive.io/go"
)

const models = "../../tests/fixtures/models"

var background = context.Background()

// TestMain fails the run if handles are left: every test closes what it opens, or leaves it to the
// garbage collector.
func TestMain(m *testing.M) {
	if _, err := os.Stat(models); err != nil {
		fmt.Fprintln(os.Stderr, "the tests need the repository that contains this module:", err)
		os.Exit(1)
	}
	// The models are so small that threads would only wait for each other.
	if err := contrastive.SetThreads(1); err != nil &&
		os.Getenv("CONTRASTIVE_TEST_OTHER_ABI") == "" {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if left := settle(0); left != 0 && code == 0 {
		fmt.Fprintf(os.Stderr, "%d handles are left after all tests\n", left)
		code = 1
	}
	os.Exit(code)
}

// collecting keeps the garbage collector running until the function that it returns is called.
func collecting() (stop func()) {
	enough, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-enough:
				return
			default:
				runtime.GC()
			}
		}
	}()
	return func() {
		close(enough)
		<-ended
	}
}

// settle collects garbage until at most `most` handles are left, or gives up after a while, and
// returns how many are left.
func settle(most int64) int64 {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		if left := contrastive.LiveHandles(); left <= most || time.Now().After(deadline) {
			return left
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// load opens a tiny model of the fixtures, which is closed at the end of the test.
func load(t testing.TB) *contrastive.Model {
	t.Helper()
	model, err := contrastive.Load(filepath.Join(models, "bert_st"))
	must(t, err)
	t.Cleanup(func() { model.Close() })
	return model
}

// fails checks the kind of an error and a part of its message.
func fails(t testing.TB, err error, kind error, part string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), part) {
		t.Fatalf("%v; an error of kind %v with %q was expected", err, kind, part)
	}
}

func equal[T comparable](t testing.TB, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%v; %v was expected", got, want)
	}
}

var pairs = []contrastive.Example{
	contrastive.Pair("the cat sat", "a cat sits"), contrastive.Pair("a dog runs", "the dog ran"),
	contrastive.Pair(
		"two birds fly",
		"birds in the air",
	), contrastive.Pair("the old house", "a very old house"),
	contrastive.Pair(
		"red and blue",
		"blue and red",
	), contrastive.Pair("one man walks", "a man is walking"),
	contrastive.Pair(
		"she eats fish",
		"fish is eaten",
	), contrastive.Pair("it is closed", "closed today"),
}

// fill creates a dataset of pairs, which is closed at the end of the test.
func fill(t testing.TB) *contrastive.Dataset {
	t.Helper()
	data, err := contrastive.NewDataset(pairs...)
	must(t, err)
	t.Cleanup(func() { data.Close() })
	return data
}

// begin starts a run of a few steps, which is closed at the end of the test.
func begin(
	t testing.TB,
	model *contrastive.Model,
	data *contrastive.Dataset,
	options ...contrastive.Option,
) *contrastive.Trainer {
	t.Helper()
	options = append(
		[]contrastive.Option{
			contrastive.JSON(`{"method": "clsr", "batch_size": 4, "max_steps": 6, "lr": 0.01}`),
		},
		options...)
	trainer, err := contrastive.NewTrainer(model, data, options...)
	must(t, err)
	t.Cleanup(func() { trainer.Close() })
	return trainer
}
