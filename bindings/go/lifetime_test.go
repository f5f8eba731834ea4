package contrastive_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	contrastive "contrastive.io/go"
)

func TestCloseTwiceAndUseAfterClose(t *testing.T) {
	model, data := load(t), fill(t)
	trainer := begin(t, model, data)
	config, err := contrastive.NewConfig(contrastive.Set("seed", 2))
	must(t, err)
	for range 2 {
		must(t, model.Close())
		must(t, data.Close())
		must(t, trainer.Close())
		must(t, config.Close())
	}
	_, encoding := model.Encode(background, []string{"a"})
	_, stepping := trainer.Step(background)
	_, printing := config.JSON()
	_, beginning := contrastive.NewTrainer(model, nil, contrastive.Set("method", "clsr"))
	for _, err := range []error{encoding, stepping, printing, beginning,
		data.Add(contrastive.Text("a")), model.Save(t.TempDir() + "/m")} {
		fails(t, err, contrastive.ErrHandle, "closed")
		fails(t, err, contrastive.ErrClosed, "closed")
	}
	equal(t, model.Dimension(), 32) // what never changes is cached
	equal(t, model.MaxLength(), 24)
	equal(t, data.Len(), len(pairs))
	_, err = model.EncodeDimension()
	fails(t, err, contrastive.ErrClosed, "closed")
	var none contrastive.Model
	equal(t, none.Dimension(), 0)
	_, err = none.Encode(background, []string{"a"})
	fails(t, err, contrastive.ErrHandle, "nil")
	must(t, none.Close())
}

func TestTrainerOutlivesModelAndData(t *testing.T) {
	model, data := load(t), fill(t)
	trainer := begin(t, model, data)
	model.Close()
	data.Close()
	must(t, trainer.Run(background, nil))
	trained, err := trainer.Model()
	must(t, err)
	trainer.Close()
	_, err = trained.EncodeText(background, "a cat")
	must(t, err)
	trained.Close()
}

// Three goroutines encode while a fourth closes: each call succeeds or reports that the model is
// closed.
func TestCloseDuringCalls(t *testing.T) {
	for range 200 {
		model := load(t)
		var ready, finished sync.WaitGroup
		for range 3 {
			ready.Add(1)
			finished.Add(1)
			go func() {
				defer finished.Done()
				out := make([]float32, 32)
				for first := true; ; first = false {
					err := model.EncodeInto(background, out, []string{"the cat sat"})
					if first {
						ready.Done()
					}
					if err != nil {
						if !errors.Is(err, contrastive.ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			}()
		}
		ready.Wait()
		model.Close()
		finished.Wait()
	}
}

func TestCloseDuringAStep(t *testing.T) {
	for range 20 {
		trainer := begin(t, load(t), fill(t), contrastive.Set("max_steps", 100000))
		ended := make(chan error)
		stepping := make(chan struct{})
		go func() {
			var once sync.Once
			ended <- trainer.Run(background, func(*contrastive.Trainer) error {
				once.Do(func() { close(stepping) })
				return nil
			})
		}()
		<-stepping
		trainer.Close()
		fails(t, <-ended, contrastive.ErrClosed, "closed")
	}
}

// The collector frees objects that are never closed, but not while a call on them runs.
func TestForgottenHandles(t *testing.T) {
	before := settle(0)
	for i := range 1000 {
		config, err := contrastive.NewConfig(contrastive.Set("seed", i))
		must(t, err)
		data, err := contrastive.NewDataset(contrastive.Text("a"))
		must(t, err)
		if config == nil || data == nil {
			t.Fatal("no handle")
		}
	}
	for range 50 {
		model, err := contrastive.Load(models + "/bert_st")
		must(t, err)
		if _, err := contrastive.NewTrainer(model, nil,
			contrastive.JSON(`{"method": "clsr", "max_steps": 1}`)); err != nil {
			t.Fatal(err)
		}
		runtime.GC() // the model is unreachable after its last use: the call must hold it
		if _, err := model.EncodeText(background, "the cat sat"); err != nil {
			t.Fatal(err)
		}
	}
	if left := settle(before); left > before {
		t.Fatalf("%d handles live, %d did before", left, before)
	}
}

// The only reference to the model is the receiver of a running call while the collector runs.
func TestCollectionDuringCalls(t *testing.T) {
	defer collecting()()
	for range 100 {
		model, err := contrastive.Load(models + "/bert_st")
		must(t, err)
		if _, err := model.Encode(background, []string{"the cat sat", "a dog runs"}); err != nil {
			t.Fatal(err)
		}
	}
}

// Only the call refers to the handle while the collector runs: no call may find it closed.
func TestAHandleIsNotClosedBeforeItsCallHasCounted(t *testing.T) {
	stop := collecting()
	var freed atomic.Int64
	made := int64(0)
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); made++ {
		h := contrastive.Own(func(uintptr) { freed.Add(1) })
		if pointer, err := h.Acquire(); err != nil || pointer != 7 {
			t.Fatal(pointer, err)
		}
		h.Release()
	}
	stop()
	for range 100 {
		if freed.Load() == made {
			return
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%d of %d handles were freed", freed.Load(), made)
}

func TestFailedCallsLeaveNothing(t *testing.T) {
	model := load(t)
	before := settle(1) // the model
	for range 1000 {
		if _, err := contrastive.Load("nowhere"); err == nil {
			t.Fatal("a missing folder was loaded")
		}
		if _, err := contrastive.NewTrainer(model, nil, contrastive.Set("metod", "clsr")); err == nil {
			t.Fatal("a misspelt key was accepted")
		}
		if _, err := model.Encode(background, []string{"a"},
			contrastive.Pooling("nonsense")); err == nil {
			t.Fatal("an unknown pooling was accepted")
		}
	}
	equal(t, settle(before), before)
}

// The same mix of calls as in the other languages: most embed into existing memory; every tenth
// also allocates a result, makes a call that is refused, and tokenizes. A leak grows in every
// round; stacks and arenas of threads that start late grow once.
func TestMemoryIsFlat(t *testing.T) {
	model := load(t)
	texts, out := []string{"the cat sat", "😀"}, make([]float32, 2*model.Dimension())
	cycle := func(calls int) {
		for i := range calls {
			must(t, model.EncodeInto(background, out, texts, contrastive.Prompt("")))
			if i%10 == 0 {
				if _, err := model.Encode(background, texts); err != nil {
					t.Fatal(err)
				}
				if _, err := model.Encode(background, texts, contrastive.TruncateDim(-1)); err == nil {
					t.Fatal("a negative dimension was accepted")
				}
				if _, err := model.Tokenize("the cat sat", 0); err != nil {
					t.Fatal(err)
				}
			}
		}
		debug.FreeOSMemory()
	}
	cycle(20000)
	grown := math.MaxInt
	for round := 0; round < 4 && grown > 4096; round++ {
		before := resident(t)
		cycle(100000)
		grown = resident(t) - before
		t.Logf("resident memory after 100,000 calls: %+d KB", grown)
	}
	if grown > 4096 {
		t.Errorf("resident memory grew by %d KB in every round", grown)
	}
}

// resident returns this process's memory in KB.
func resident(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/statm")
	must(t, err)
	pages, err := strconv.Atoi(string(bytes.Fields(status)[1]))
	must(t, err)
	return pages * os.Getpagesize() / 1024
}

// A loop that loads models and forgets them has bounded memory: the package tells the collector of
// memory that it does not see.
func TestForgottenModelsAreFreedInTime(t *testing.T) {
	made, err := contrastive.Create(contrastive.JSON(`{"tokenizer": "` + models + `/bert_st",
		"pooling": "mean", "hidden_size": 512, "layers": 3, "attention_heads": 8}`))
	must(t, err)
	size := made.Memory() / 1024
	folder := t.TempDir() + "/large"
	must(t, made.Save(folder))
	made.Close()
	if size < 30000 {
		t.Fatalf("the model has only %d KB", size)
	}
	before, handles := resident(t), settle(0)
	grown, alive := 0, int64(0)
	for range 60 {
		model, err := contrastive.Load(folder)
		must(t, err)
		_, err = model.EncodeText(background, "the cat sat")
		must(t, err)
		grown, alive = max(grown, resident(t)-before), max(alive, contrastive.LiveHandles()-handles)
	}
	t.Logf("60 forgotten models of %d KB: at most %d at once; resident memory rose by %d KB", size,
		alive, grown)
	if alive > 15 || grown > 30*int(size) {
		t.Error("too many of them were kept")
	}
}
