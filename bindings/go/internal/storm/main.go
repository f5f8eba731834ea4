// Command storm is a stress test. Many goroutines load, embed, search, train, copy, cancel, close
// objects that others use, drop objects, interrupt threads by signals, replace the logger, and
// misuse all of it, on shared objects.
//
//	storm MODEL [SECONDS [SEED]]
//
// Nothing may crash or hang. A call may fail only as the package documents. Embeddings must equal
// those that one goroutine computed before, within 1e-6. At the end of a round everything is closed
// or dropped: no handle may be left, and goroutines, threads, file descriptors and memory must be
// what they were after the first rounds. If a worker makes no progress for a minute, that is a
// hang: the stacks of all goroutines are printed.
package main

// #include <malloc.h>
// #include <signal.h>
import "C"

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	contrastive "contrastive.io/go"
)

const (
	workers  = 8
	patience = time.Minute
)

var (
	folder string
	seed   uint64
	texts  = []string{
		"the cat sat",
		"a dog runs",
		"",
		"two birds fly over the old house",
		"red \xff and blue",
		"one man walks",
	}
	reference = map[string][]float32{}
	pairs     = []contrastive.Example{
		contrastive.Pair(
			"the cat sat",
			"a cat sits",
		), contrastive.Pair("a dog runs", "the dog ran"),
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

	// The objects that the workers share: one closes or drops what another uses.
	models   [4]atomic.Pointer[contrastive.Model]
	trainers [3]atomic.Pointer[contrastive.Trainer]
	datasets [3]atomic.Pointer[contrastive.Dataset]

	done, refused counts
	messages      atomic.Int64
	stop          atomic.Bool
)

// counts are the numbers of calls by their purpose.
type counts struct {
	load, encode, search, train, snapshot, cancel, closing, forget, misuse, sink,
	interrupt atomic.Int64
}

func (c *counts) all() []int64 {
	return []int64{
		c.load.Load(),
		c.encode.Load(),
		c.search.Load(),
		c.train.Load(),
		c.snapshot.Load(),
		c.cancel.Load(),
		c.closing.Load(),
		c.forget.Load(),
		c.misuse.Load(),
		c.sink.Load(),
		c.interrupt.Load(),
	}
}

func (c *counts) String() string {
	names := strings.Fields(
		"load encode search train snapshot cancel close forget misuse sink interrupt",
	)
	for i, count := range c.all() {
		names[i] += " " + strconv.FormatInt(count, 10)
	}
	return strings.Join(names, " ")
}

func die(format string, values ...any) {
	stacks := make([]byte, 1<<22)
	fmt.Fprintf(
		os.Stderr,
		"storm: seed %d: %s\n%s\n",
		seed,
		fmt.Sprintf(format, values...),
		stacks[:runtime.Stack(stacks, true)],
	)
	os.Exit(1)
}

func lookForHangs(all []*worker) {
	for i, w := range all {
		if beat := w.beat.Load(); beat != 0 && time.Since(time.Unix(0, beat)) > patience {
			die("worker %d hangs in %s", i, *w.act.Load())
		}
	}
}

// figures are what is left after a round.
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
	C.malloc_trim(
		0,
	) // measures memory in use, not what C's allocator keeps for later threads
	status, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		die("%v", err)
	}
	pages, _ := strconv.Atoi(string(bytes.Fields(status)[1]))
	return figures{
		pages * os.Getpagesize() / 1024,
		entries("/proc/self/task"),
		entries("/proc/self/fd"),
		runtime.NumGoroutine(),
	}
}

// round runs the workers for a while, then closes everything.
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
	for deadline :=
		time.Now().Add(patience); contrastive.LiveHandles() != 0; time.Sleep(time.Millisecond) {
		runtime.GC() // collects the dropped objects
		if time.Now().After(deadline) {
			die("%d handles are left after round %d", contrastive.LiveHandles(), number)
		}
	}
	time.Sleep(20 * time.Millisecond) // contexts whose deadline has not passed
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
	interrupts := make(chan os.Signal, 64)
	signal.Notify(interrupts, syscall.SIGUSR2)
	C.siginterrupt(
		C.int(syscall.SIGUSR2),
		1,
	) // Go sets its handlers with SA_RESTART, with which the kernel would restart the call
	go func() {
		for range interrupts {
			done.interrupt.Add(1)
		}
	}()
	// The models are tiny, so threads would only wait for each other.
	if err := contrastive.SetThreads(1); err != nil {
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

	// Rounds have equal length; a long run has more of them. The first four warm up.
	rounds := 12 + int(length/60)
	each := time.Duration(length / float64(rounds) * float64(time.Second))
	var all []figures
	for number := range rounds {
		if now := round(uint64(number), each); number >= 3 {
			all = append(all, now)
		}
	}
	// The median of the slopes between any two rounds, on which a single outlier has no influence
	// (Theil and Sen).
	var slopes []float64
	for i := range all {
		for j := i + 2; j < len(all); j++ {
			slopes = append(slopes, float64(all[j].kilobytes-all[i].kilobytes)/float64(j-i))
		}
	}
	slices.Sort(slopes)
	slope, first, last := slopes[len(slopes)/2], all[0], all[len(all)-1]
	fmt.Printf(
		"storm: %d rounds; done: %s; refused: %s; %d messages; memory %d KB, %+.0f KB a round (%.1f "+
			"s); threads %d, %+d; descriptors %d, %+d; "+
			"goroutines %d, %+d\n",
		rounds,
		&done,
		&refused,
		messages.Load(),
		last.kilobytes,
		slope,
		each.Seconds(),
		last.threads,
		last.threads-first.threads,
		last.descriptors,
		last.descriptors-first.descriptors,
		last.goroutines,
		last.goroutines-first.goroutines,
	)
	switch {
	case slices.Contains(done.all(), 0) || refused.misuse.Load() == 0 || refused.load.Load() == 0 ||
		messages.Load() == 0:
		die("an operation was never done")
	case last.descriptors != first.descriptors || last.goroutines != first.goroutines:
		die("descriptors or goroutines are not what they were")
	// Go keeps one thread for each concurrent call.
	case last.threads > first.threads+workers:
		die("threads grow")
	case slope > 4096:
		die("memory grows in every round")
	}
}
