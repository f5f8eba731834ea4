package main

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	contrastive "contrastive.io/go"
)

// ended counts a call, and ends the program if the call failed in a way that is not allowed. It
// reports whether the call succeeded.
func ended(what string, ok, no *atomic.Int64, err error, allowed ...error) bool {
	if err == nil {
		ok.Add(1)
		return true
	}
	for _, kind := range allowed {
		if errors.Is(err, kind) && err.Error() != "" {
			no.Add(1)
			return false
		}
	}
	die("%s: %v", what, err)
	return false
}

func like(row, expected []float32) bool {
	return slices.EqualFunc(
		row,
		expected,
		func(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-6 },
	)
}

// worker is one goroutine of the stress test.
type worker struct {
	*rand.Rand
	beat atomic.Int64 // when its current operation began, in nanoseconds since 1970; 0 if it has ended
	act  atomic.Pointer[string]
}

func pick[T any](w *worker, slots []atomic.Pointer[T]) *atomic.Pointer[T] {
	return &slots[w.IntN(len(slots))]
}

// context returns a context that never ends, has ended, or ends while a call runs.
func (w *worker) context() context.Context {
	switch w.IntN(3) {
	case 0:
		ctx, cancel := context.WithTimeout(
			context.Background(),
			time.Duration(w.IntN(2000))*time.Microsecond,
		)
		time.AfterFunc(time.Millisecond, cancel)
		done.cancel.Add(1)
		return ctx
	case 1:
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		done.cancel.Add(1)
		return ctx
	}
	return context.Background()
}

// leave closes an object, or drops it for the collector.
func (w *worker) leave(close func() error) {
	if w.IntN(3) == 0 {
		done.forget.Add(1)
		return
	}
	if err := close(); err != nil {
		die("Close: %v", err)
	}
	done.closing.Add(1)
}

func (w *worker) put(model *contrastive.Model) {
	if former := pick(w, models[:]).Swap(model); former != nil {
		w.leave(former.Close)
	}
}

func (w *worker) load() {
	model, err := contrastive.Load(folder)
	if ended("Load", &done.load, &refused.load, err) {
		w.put(model)
	}
	_, err = contrastive.Load("/nowhere/at/all")
	ended("Load of nothing", &done.load, &refused.load, err, contrastive.ErrNotFound)
}

func (w *worker) encode() {
	model := pick(w, models[:]).Load()
	if model == nil {
		return
	}
	some := make([]string, 1+w.IntN(len(texts)))
	for i := range some {
		some[i] = strings.Clone(texts[w.IntN(len(texts))])
	}
	var options []contrastive.EncodeOption
	if w.IntN(3) == 0 {
		options = append(options, contrastive.BatchTokens(8), contrastive.Prompt(""))
	}
	vectors, err := model.Encode(w.context(), some, options...)
	if !ended(
		"Encode",
		&done.encode,
		&refused.encode,
		err,
		contrastive.ErrClosed,
		contrastive.ErrCancelled,
	) {
		return
	}
	for i, text := range some {
		if !like(vectors.Row(i), reference[text]) {
			die("Encode: another embedding of %q than one goroutine computed", text)
		}
	}
}

func (w *worker) search() {
	corpus := contrastive.Vectors{Values: make([]float32, 64*8), Dimension: 8}
	for i := range corpus.Values {
		corpus.Values[i] = w.Float32()
	}
	row := w.IntN(64)
	hits, err := contrastive.Search(
		w.context(),
		contrastive.Vectors{Values: corpus.Row(row), Dimension: 8},
		corpus,
		2,
		contrastive.Euclidean,
	)
	if ended("Search", &done.search, &refused.search, err, contrastive.ErrCancelled) &&
		(hits[0][0].Score != 0 || hits[0][0].Index > row) {
		die("Search: row %d is not its own nearest: %v", row, hits)
	}
}

func (w *worker) begin() {
	data, err := contrastive.NewDataset(pairs...)
	ended("NewDataset", &done.train, &refused.train, err)
	method := `{"method": "clsr", "batch_size": 4, "max_steps": 20, "lr": 0.001}`
	if w.IntN(2) == 0 {
		method = `{"method": "consert", "batch_size": 4, "max_steps": 6}`
	}
	if model := pick(w, models[:]).Load(); model != nil {
		trainer, err := contrastive.NewTrainer(model, data, contrastive.JSON(method))
		if ended("NewTrainer", &done.train, &refused.train, err, contrastive.ErrClosed) {
			if former := pick(w, trainers[:]).Swap(trainer); former != nil {
				w.leave(former.Close)
			}
		}
	}
	if former := pick(w, datasets[:]).Swap(data); former != nil {
		w.leave(former.Close)
	}
}

func (w *worker) train() {
	trainer := pick(w, trainers[:]).Load()
	if trainer == nil {
		return
	}
	var err error
	if w.IntN(4) == 0 {
		_, err = trainer.Batch(w.context(), pairs[:4])
	} else {
		_, err = trainer.Step(w.context())
	}
	ended(
		"Step",
		&done.train,
		&refused.train,
		err,
		contrastive.ErrClosed,
		contrastive.ErrBusy,
		contrastive.ErrCancelled,
	)
	if step := trainer.Metric("step"); step < 0 || step > 20 {
		die("Metric: step %v", step)
	}
	if w.IntN(4) == 0 {
		trained, err := trainer.Model()
		if ended(
			"Trainer.Model",
			&done.train,
			&refused.train,
			err,
			contrastive.ErrClosed,
			contrastive.ErrBusy,
		) {
			_, err := trained.EncodeText(context.Background(), "the cat sat")
			ended("EncodeText of a trained model", &done.train, &refused.train, err)
			w.leave(trained.Close)
		}
	}
}

func (w *worker) snapshot() {
	model := pick(w, models[:]).Load()
	if model == nil {
		return
	}
	copied, err := model.Snapshot()
	if !ended("Snapshot", &done.snapshot, &refused.snapshot, err, contrastive.ErrClosed) {
		return
	}
	row, err := copied.EncodeText(context.Background(), texts[0])
	if ended("EncodeText of a snapshot", &done.snapshot, &refused.snapshot, err) &&
		!like(row, reference[texts[0]]) {
		die("a snapshot has other embeddings")
	}
	w.put(copied)
}

func (w *worker) close() {
	w.put(nil)
	if trainer := pick(w, trainers[:]).Load(); trainer != nil && w.IntN(4) == 0 {
		_ = trainer.Close() // it stays shared
	}
}

func (w *worker) misuse() {
	no := func(what string, err error, allowed ...error) {
		if ended(what, &done.misuse, &refused.misuse, err, allowed...) {
			die("%s: no error", what)
		}
	}
	vectors := contrastive.Vectors{Values: []float32{1, 2, 3}, Dimension: 2}
	_, err := contrastive.Similarity(vectors, vectors, contrastive.Dot)
	no("Similarity of no rows", err, contrastive.ErrArgument)
	_, err = contrastive.Similarity(
		contrastive.Vectors{Values: []float32{1}, Dimension: 1},
		contrastive.Vectors{Values: []float32{1, 2}, Dimension: 2},
		contrastive.Dot,
	)
	no("Similarity of two dimensions", err, contrastive.ErrMismatch)
	_, err = contrastive.VectorsOf([][]float32{{1, 2}, {1}})
	no("VectorsOf", err, contrastive.ErrArgument)
	_, err = contrastive.ParseConfig(`{"lr": `)
	no("ParseConfig", err, contrastive.ErrFormat)
	if data := pick(w, datasets[:]).Load(); data != nil {
		err := data.Add(contrastive.Pair("a", "b"))
		ended(
			"Add",
			&done.misuse,
			&refused.misuse,
			err,
			contrastive.ErrClosed,
			contrastive.ErrBusy,
			contrastive.ErrState,
		)
	}
	model := pick(w, models[:]).Load()
	if model == nil {
		return
	}
	no(
		"EncodeInto too little",
		model.EncodeInto(context.Background(), make([]float32, 31), texts[:1]),
		contrastive.ErrBuffer,
		contrastive.ErrClosed,
	)
	_, err = model.Encode(context.Background(), texts[:1], contrastive.Pooling("nonsense"))
	no("Encode by nonsense", err, contrastive.ErrArgument, contrastive.ErrClosed)
	_, err = contrastive.NewTrainer(model, nil, contrastive.Set("metod", "clsr"))
	no("NewTrainer", err, contrastive.ErrArgument, contrastive.ErrClosed)
	// Texts that change while they are read. All are slices of one text, so a torn read is never out
	// of bounds.
	whole, changing := strings.Repeat("the cat sat ", 100), make([]string, 4)
	for i := range changing {
		changing[i] = whole[:0]
	}
	var writer sync.WaitGroup
	writer.Add(1)
	go func() {
		defer writer.Done()
		for i := range 1000 {
			changing[i%4] = whole[:i]
		}
	}()
	_, err = model.Encode(context.Background(), changing)
	ended("Encode of changing texts", &done.misuse, &refused.misuse, err, contrastive.ErrClosed)
	writer.Wait()
}

// handler makes a log handler of a function.
type handler func()

func (h handler) Enabled(context.Context, slog.Level) bool { return true }
func (h handler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h handler) WithGroup(string) slog.Handler            { return h }
func (h handler) Handle(context.Context, slog.Record) error {
	messages.Add(1)
	h()
	return nil
}

func (w *worker) sink() {
	handlers := []handler{
		func() {},
		func() { panic("in a handler") },
		runtime.Goexit,
		func() {
			if err := contrastive.SetLogger(nil); !errors.Is(err, contrastive.ErrBusy) {
				die("SetLogger in a handler: %v", err)
			}
			if _, err := contrastive.Load(folder); !errors.Is(err, contrastive.ErrBusy) {
				die("Load in a handler: %v", err)
			}
		},
		nil,
	}
	logger := (*slog.Logger)(nil)
	if h := handlers[w.IntN(len(handlers))]; h != nil {
		logger = slog.New(h)
	}
	ended("SetLogger", &done.sink, &refused.sink, contrastive.SetLogger(logger))
	data, err := contrastive.ReadDataset(
		strings.NewReader("a\tb\n\t\nc\td\n"),
		contrastive.Set("data.format", "tsv"),
	)
	if ended("ReadDataset", &done.sink, &refused.sink, err) {
		if data.Len() != 2 {
			die("ReadDataset: %d examples", data.Len())
		}
		w.leave(data.Close)
	}
}

// interrupt sends a signal to one of the process's threads, perhaps in the middle of a call of the
// library.
func (w *worker) interrupt() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		die("%v", err)
	}
	thread, _ := strconv.Atoi(threads[w.IntN(len(threads))].Name())
	if _, _, failed := syscall.Syscall(syscall.SYS_TGKILL, uintptr(os.Getpid()), uintptr(thread),
		uintptr(syscall.SIGUSR2)); failed != 0 &&
		failed != syscall.ESRCH {
		die("tgkill: %v", failed)
	}
}

func (w *worker) run(ended *sync.WaitGroup) {
	defer ended.Done()
	acts := []struct {
		name string
		do   func()
	}{
		{"load", w.load}, {"encode", w.encode}, {"encode", w.encode}, {"encode", w.encode},
		{"encode", w.encode}, {"search", w.search}, {"begin", w.begin}, {"train", w.train},
		{"train", w.train}, {"train", w.train}, {"snapshot", w.snapshot}, {"close", w.close},
		{"misuse", w.misuse}, {"sink", w.sink}, {"interrupt", w.interrupt},
	}
	for !stop.Load() {
		act := acts[w.IntN(len(acts))]
		w.act.Store(&act.name)
		w.beat.Store(time.Now().UnixNano())
		act.do()
	}
	w.beat.Store(0)
}
