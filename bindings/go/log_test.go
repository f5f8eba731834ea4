package contrastive_test

import (
	"context"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	contrastive "contrastive.io/go"
)

// records keeps the messages that a logger gets.
type records struct {
	sync.Mutex
	lines []string
	least slog.Level
}

func (r *records) Enabled(_ context.Context, level slog.Level) bool { return level >= r.least }
func (r *records) WithAttrs([]slog.Attr) slog.Handler               { return r }
func (r *records) WithGroup(string) slog.Handler                    { return r }
func (r *records) Handle(_ context.Context, record slog.Record) error {
	r.Lock()
	defer r.Unlock()
	r.lines = append(r.lines, record.Level.String()+" "+record.Message)
	if record.Level == slog.LevelWarn {
		panic("a panic of a handler has no effect")
	}
	return nil
}

// handler makes a handler of a function. It takes messages of every level.
type handler func()

func (h handler) Enabled(context.Context, slog.Level) bool  { return true }
func (h handler) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h handler) WithGroup(string) slog.Handler             { return h }
func (h handler) Handle(context.Context, slog.Record) error { h(); return nil }

// warn makes the library log a message.
func warn(t testing.TB) {
	t.Helper()
	data, err := contrastive.ReadDataset(
		strings.NewReader("a\tb\n\t\nc\td\n"),
		contrastive.Set("data.format", "tsv"),
	)
	must(t, err)
	data.Close()
}

// within fails the test with the stacks of all goroutines if work is not done in time, so that a
// deadlock is visible.
func within(t testing.TB, limit time.Duration, work func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	select {
	case <-done:
	case <-time.After(limit):
		stacks := make([]byte, 1<<20)
		t.Fatalf("not done after %v\n%s", limit, stacks[:runtime.Stack(stacks, true)])
	}
}

func TestLogger(t *testing.T) {
	log := &records{least: slog.LevelDebug}
	must(t, contrastive.SetLogger(slog.New(log)))
	warn(t)
	must(t, contrastive.SetLogger(nil))
	if len(log.lines) == 0 || !strings.Contains(strings.Join(log.lines, "\n"), "empty") {
		t.Fatalf("%q", log.lines)
	}
	count := len(log.lines)
	warn(t)
	equal(t, len(log.lines), count)
	quiet := &records{least: slog.LevelError}
	must(t, contrastive.SetLogger(slog.New(quiet)))
	warn(t)
	must(t, contrastive.SetLogger(nil))
	equal(t, len(quiet.lines), 0)
}

// One goroutine replaces the logger in a loop, others make the library log, and the running handler
// tries to clear it: this is refused, and there is no deadlock.
func TestTheRunningHandlerMayNotReplaceTheLogger(t *testing.T) {
	var refused, other atomic.Int64
	clearing := slog.New(handler(func() {
		if err := contrastive.SetLogger(nil); err == nil ||
			!strings.Contains(err.Error(), "inside a log sink") {
			other.Add(1)
			return
		}
		refused.Add(1)
	}))
	within(t, time.Minute, func() {
		end := time.Now().Add(5 * time.Second)
		var all sync.WaitGroup
		for range 2 {
			all.Add(1)
			go func() {
				defer all.Done()
				for time.Now().Before(end) {
					if data, err := contrastive.ReadDataset(strings.NewReader("a\tb\n\t\n"),
						contrastive.Set("data.format", "tsv")); err == nil {
						data.Close()
					} else {
						t.Error(err)
						return
					}
				}
			}()
		}
		for time.Now().Before(end) {
			if err := contrastive.SetLogger(clearing); err != nil {
				t.Error(err)
				break
			}
		}
		all.Wait()
	})
	must(t, contrastive.SetLogger(nil))
	if refused.Load() == 0 || other.Load() != 0 {
		t.Fatalf("%d calls of the handler were refused, %d were not", refused.Load(), other.Load())
	}
}

// Every call of a handler is refused, and none waits for the call that waits for the handler.
func TestAHandlerIsRefusedByEveryCall(t *testing.T) {
	model, data := load(t), fill(t)
	trainer := begin(t, model, data)
	config, err := contrastive.NewConfig()
	must(t, err)
	defer config.Close()
	vectors := contrastive.Vectors{Values: []float32{1}, Dimension: 1}
	var errs []error
	must(t, contrastive.SetLogger(slog.New(handler(func() {
		if errs != nil {
			return
		}
		add := func(err error) { errs = append(errs, err) }
		_, err := model.EncodeText(background, "the cat sat")
		add(err)
		_, err = model.Tokenize("the cat sat", 0)
		add(err)
		_, err = contrastive.Load(models + "/bert_st")
		add(err)
		_, err = contrastive.NewDataset()
		add(err)
		_, err = contrastive.ParseConfig("{}")
		add(err)
		_, err = contrastive.Similarity(vectors, vectors, contrastive.Cosine)
		add(err)
		_, err = trainer.Step(background)
		add(err)
		_, err = trainer.Metrics()
		add(err)
		add(data.Add(contrastive.Pair("a", "b")))
		add(config.Set("seed", 1))
		add(contrastive.SetThreads(1))
	}))))
	within(t, time.Minute, func() { warn(t) })
	must(t, contrastive.SetLogger(nil))
	equal(t, len(errs), 11)
	for _, err := range errs {
		fails(t, err, contrastive.ErrBusy, "inside a log sink")
	}
	_, err = model.EncodeText(background, "the cat sat")
	must(t, err)
}

// A handler that ends its goroutine, as t.FailNow does, does not unwind frames of the library.
func TestAHandlerThatEndsItsGoroutine(t *testing.T) {
	calls := 0
	must(t, contrastive.SetLogger(slog.New(handler(func() {
		calls++
		runtime.Goexit()
	}))))
	within(t, time.Minute, func() {
		for range 100 {
			warn(t)
		}
		must(t, contrastive.SetLogger(nil))
		data, err := contrastive.NewDataset(pairs...) // the library is not "inside a log sink"
		must(t, err)
		data.Close()
	})
	if calls < 100 {
		t.Fatalf("%d calls for 100 messages", calls)
	}
}
