// Command storm makes every kind of call from many goroutines on objects that they share: they load, embed, search, train, copy, cancel, close what
// others use, forget what they made, replace the logger, and misuse all of it.
//
//	storm MODEL [SECONDS [SEED]]
//
// Nothing may crash or hang; a call may fail only as the package says; what is embedded equals what one goroutine embedded before, within 1e-6. A round
// ends with everything closed or forgotten: then no handle lives, and goroutines, threads, file descriptors and memory are what they were after the
// first rounds. A worker that makes no progress for a minute is a hang: the stacks of all goroutines are printed.
package main

// #include <malloc.h>
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	contrastive "contrastive.io/go"
)

const (
	workers  = 8
	patience = time.Minute
)

var (
	folder    string
	seed      uint64
	texts     = []string{"the cat sat", "a dog runs", "", "two birds fly over the old house", "red \xff and blue", "one man walks"}
	reference = map[string][]float32{}
	pairs     = []contrastive.Example{
		contrastive.Pair("the cat sat", "a cat sits"), contrastive.Pair("a dog runs", "the dog ran"),
		contrastive.Pair("two birds fly", "birds in the air"), contrastive.Pair("the old house", "a very old house"),
		contrastive.Pair("red and blue", "blue and red"), contrastive.Pair("one man walks", "a man is walking"),
		contrastive.Pair("she eats fish", "fish is eaten"), contrastive.Pair("it is closed", "closed today"),
	}

	// What the workers share: one closes or forgets what another uses.
	models   [4]atomic.Pointer[contrastive.Model]
	trainers [3]atomic.Pointer[contrastive.Trainer]
	datasets [3]atomic.Pointer[contrastive.Dataset]

	done, refused counts
	messages      atomic.Int64
	stop          atomic.Bool
)

// counts are calls by what they were for.
type counts struct{ load, encode, search, train, snapshot, cancel, closing, forget, misuse, sink atomic.Int64 }

func (c *counts) String() string {
	return fmt.Sprintf("load %d encode %d search %d train %d snapshot %d cancel %d close %d forget %d misuse %d sink %d", c.load.Load(), c.encode.Load(),
		c.search.Load(), c.train.Load(), c.snapshot.Load(), c.cancel.Load(), c.closing.Load(), c.forget.Load(), c.misuse.Load(), c.sink.Load())
}

func die(format string, values ...any) {
	stacks := make([]byte, 1<<22)
	fmt.Fprintf(os.Stderr, "storm: seed %d: %s\n%s\n", seed, fmt.Sprintf(format, values...), stacks[:runtime.Stack(stacks, true)])
	os.Exit(1)
}

// ended counts a call, and stops the program where it failed in a way that is not allowed. It tells whether the call succeeded.
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
	return slices.EqualFunc(row, expected, func(a, b float32) bool { return math.Abs(float64(a-b)) <= 1e-6 })
}

// worker is one goroutine of the storm.
type worker struct {
	*rand.Rand
	beat atomic.Int64 // nanoseconds since 1970 when its present act began; 0: it has ended
	act  atomic.Pointer[string]
}

func pick[T any](w *worker, slots []atomic.Pointer[T]) *atomic.Pointer[T] {
	return &slots[w.IntN(len(slots))]
}

// context is one that never ends, ends at once, or ends while a call runs.
func (w *worker) context() context.Context {
	switch w.IntN(3) {
	case 0:
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(w.IntN(2000))*time.Microsecond)
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

// leave closes an object, or leaves it to the collector.
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
	if !ended("Encode", &done.encode, &refused.encode, err, contrastive.ErrClosed, contrastive.ErrCancelled) {
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
	hits, err := contrastive.Search(w.context(), contrastive.Vectors{Values: corpus.Row(row), Dimension: 8}, corpus, 2, contrastive.Euclidean)
	if ended("Search", &done.search, &refused.search, err, contrastive.ErrCancelled) && (hits[0][0].Score != 0 || hits[0][0].Index > row) {
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
	ended("Step", &done.train, &refused.train, err, contrastive.ErrClosed, contrastive.ErrBusy, contrastive.ErrCancelled)
	if step := trainer.Metric("step"); step < 0 || step > 20 {
		die("Metric: step %v", step)
	}
	if w.IntN(4) == 0 {
		trained, err := trainer.Model()
		if ended("Trainer.Model", &done.train, &refused.train, err, contrastive.ErrClosed, contrastive.ErrBusy) {
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
	if ended("EncodeText of a snapshot", &done.snapshot, &refused.snapshot, err) && !like(row, reference[texts[0]]) {
		die("a snapshot has other embeddings")
	}
	w.put(copied)
}

func (w *worker) close() {
	w.put(nil)
	if trainer := pick(w, trainers[:]).Load(); trainer != nil && w.IntN(4) == 0 {
		_ = trainer.Close() // and it stays where the others find it
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
	_, err = contrastive.Similarity(contrastive.Vectors{Values: []float32{1}, Dimension: 1}, contrastive.Vectors{Values: []float32{1, 2}, Dimension: 2},
		contrastive.Dot)
	no("Similarity of two dimensions", err, contrastive.ErrMismatch)
	_, err = contrastive.VectorsOf([][]float32{{1, 2}, {1}})
	no("VectorsOf", err, contrastive.ErrArgument)
	_, err = contrastive.ParseConfig(`{"lr": `)
	no("ParseConfig", err, contrastive.ErrFormat)
	if data := pick(w, datasets[:]).Load(); data != nil {
		err := data.Add(contrastive.Pair("a", "b"))
		ended("Add", &done.misuse, &refused.misuse, err, contrastive.ErrClosed, contrastive.ErrBusy, contrastive.ErrState)
	}
	model := pick(w, models[:]).Load()
	if model == nil {
		return
	}
	no("EncodeInto too little", model.EncodeInto(context.Background(), make([]float32, 31), texts[:1]), contrastive.ErrBuffer, contrastive.ErrClosed)
	_, err = model.Encode(context.Background(), texts[:1], contrastive.Pooling("nonsense"))
	no("Encode by nonsense", err, contrastive.ErrArgument, contrastive.ErrClosed)
	_, err = contrastive.NewTrainer(model, nil, contrastive.Set("metod", "clsr"))
	no("NewTrainer", err, contrastive.ErrArgument, contrastive.ErrClosed)
	// Texts that change while they are read: cut from one text, so that none is one's address with the other's length.
	whole, changing := strings.Repeat("the cat sat ", 100), make([]string, 4)
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

// handler is a log handler that is a function.
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
	data, err := contrastive.ReadDataset(strings.NewReader("a\tb\n\t\nc\td\n"), contrastive.Set("data.format", "tsv"))
	if ended("ReadDataset", &done.sink, &refused.sink, err) {
		if data.Len() != 2 {
			die("ReadDataset: %d examples", data.Len())
		}
		w.leave(data.Close)
	}
}

func (w *worker) run(ended *sync.WaitGroup) {
	defer ended.Done()
	acts := []struct {
		name string
		do   func()
	}{{"load", w.load}, {"encode", w.encode}, {"encode", w.encode}, {"encode", w.encode}, {"encode", w.encode}, {"search", w.search}, {"begin", w.begin},
		{"train", w.train}, {"train", w.train}, {"train", w.train}, {"snapshot", w.snapshot}, {"close", w.close}, {"misuse", w.misuse}, {"sink", w.sink}}
	for !stop.Load() {
		act := acts[w.IntN(len(acts))]
		w.act.Store(&act.name)
		w.beat.Store(time.Now().UnixNano())
		act.do()
	}
	w.beat.Store(0)
}

func lookForHangs(all []*worker) {
	for i, w := range all {
		if beat := w.beat.Load(); beat != 0 && time.Since(time.Unix(0, beat)) > patience {
			die("worker %d hangs in %s", i, *w.act.Load())
		}
	}
}

// figures are what a round leaves behind.
type figures struct{ kilobytes, threads, descriptors, goroutines int }

func entries(folder string) int {
	names, err := os.ReadDir(folder)
	if err != nil {
		die("%v", err)
	}
	return len(names)
}

func measure() figures {
	debug.FreeOSMemory()
	C.malloc_trim(0) // what is measured is in use, and not what C's allocator keeps for threads that come back
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		die("%v", err)
	}
	pages, _ := strconv.Atoi(string(bytes.Fields(status)[1]))
	return figures{pages * os.Getpagesize() / 1024, entries("/proc/self/task"), entries("/proc/self/fd"), runtime.NumGoroutine()}
}

// round lets the storm blow for a while, and puts everything away.
func round(number uint64, length time.Duration) figures {
	all, ended := make([]*worker, workers), sync.WaitGroup{}
	stop.Store(false)
	for i := range all {
		all[i] = &worker{Rand: rand.New(rand.NewPCG(seed, number*workers+uint64(i)))}
		ended.Add(1)
		go all[i].run(&ended)
	}
	for end := time.Now().Add(length); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		lookForHangs(all)
	}
	stop.Store(true)
	gone := make(chan struct{})
	go func() {
		ended.Wait()
		close(gone)
	}()
	for waiting := true; waiting; {
		select {
		case <-gone:
			waiting = false
		case <-time.After(20 * time.Millisecond):
			lookForHangs(all)
		}
	}
	if err := contrastive.SetLogger(nil); err != nil {
		die("SetLogger: %v", err)
	}
	for i := range models {
		models[i].Store(nil)
	}
	for i := range trainers {
		trainers[i].Store(nil)
	}
	for i := range datasets {
		datasets[i].Store(nil)
	}
	for deadline := time.Now().Add(patience); contrastive.LiveHandles() != 0; time.Sleep(time.Millisecond) {
		runtime.GC() // what was forgotten
		if time.Now().After(deadline) {
			die("%d handles are left after round %d", contrastive.LiveHandles(), number)
		}
	}
	time.Sleep(20 * time.Millisecond) // contexts whose time is not over yet
	return measure()
}

func main() {
	length := 20.0
	folder, seed = os.Args[1], uint64(time.Now().Unix())
	if len(os.Args) > 2 {
		length, _ = strconv.ParseFloat(os.Args[2], 64)
	}
	if len(os.Args) > 3 {
		seed, _ = strconv.ParseUint(os.Args[3], 10, 64)
	}
	fmt.Printf("storm: %g s, seed %d\n", length, seed)
	if err := contrastive.SetThreads(1); err != nil { // the models are tiny: threads would only wait for each other
		die("%v", err)
	}
	model, err := contrastive.Load(folder)
	if err != nil {
		die("%v", err)
	}
	for _, text := range texts {
		row, err := model.EncodeText(context.Background(), text)
		if err != nil {
			die("%v", err)
		}
		reference[text] = row
	}
	model.Close()

	// Rounds of equal length, of which a long run has more; the first four warm up.
	rounds := 12 + int(length/60)
	each := time.Duration(length / float64(rounds) * float64(time.Second))
	var all []figures
	for number := range rounds {
		if now := round(uint64(number), each); number >= 3 {
			all = append(all, now)
		}
	}
	// The median of the slopes between any two rounds: one odd round does not bend it (Theil and Sen).
	var slopes []float64
	for i := range all {
		for j := i + 2; j < len(all); j++ {
			slopes = append(slopes, float64(all[j].kilobytes-all[i].kilobytes)/float64(j-i))
		}
	}
	slices.Sort(slopes)
	slope, first, last := slopes[len(slopes)/2], all[0], all[len(all)-1]
	fmt.Printf("storm: %d rounds; done: %s; refused: %s; %d messages; memory %d KB, %+.0f KB a round (%.1f s); threads %d, %+d; descriptors %d, %+d; "+
		"goroutines %d, %+d\n", rounds, &done, &refused, messages.Load(), last.kilobytes, slope, each.Seconds(), last.threads, last.threads-first.threads,
		last.descriptors, last.descriptors-first.descriptors, last.goroutines, last.goroutines-first.goroutines)
	switch {
	case done.encode.Load() == 0 || done.train.Load() == 0 || done.sink.Load() == 0 || done.forget.Load() == 0 || messages.Load() == 0:
		die("something was never done")
	case last.descriptors != first.descriptors || last.goroutines != first.goroutines:
		die("descriptors or goroutines are not what they were")
	case last.threads > first.threads+workers: // Go keeps a thread for each call that ever ran at once, and no more
		die("threads grow")
	case slope > 4096:
		die("memory grows in every round")
	}
}
