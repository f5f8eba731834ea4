package raw

import (
	"bytes"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

var logSink atomic.Pointer[func(level int32, message string)]

// SetLogSink sets the function that receives the library's messages; nil for none. Cs_log_to_go
// switches the C side separately.
func SetLogSink(sink func(level int32, message string)) {
	if sink == nil {
		logSink.Store(nil)
		return
	}
	logSink.Store(&sink)
}

func onLog(level int32, message string) {
	if sink := logSink.Load(); sink != nil {
		outside(func() {
			defer func() { _ = recover() }()
			(*sink)(level, message)
		})
	}
}

// listeners are the functions that receive the progress of a call, by its cancel flag.
var listeners sync.Map

// Listen sends the progress of the calls that hold a cancel flag to a function. stop is called
// after the flag was freed.
func Listen(flag uintptr, listener func(what string, done, total int64), failure *uintptr) (
	status int32, stop func(),
) {
	listeners.Store(flag, listener)
	return C().Cs_progress_to_go(flag, 1, failure), func() { listeners.Delete(flag) }
}

func onProgress(flag uintptr, what string, done, total int64) {
	if listener, ok := listeners.Load(flag); ok {
		outside(func() { listener.(func(string, int64, int64))(what, done, total) })
	}
}

// The goroutines that run a log sink or a listener, by number, and how many there are.
var (
	running atomic.Int64
	inside  sync.Map
)

// InsideCallback reports whether the caller is a log sink or a listener.
func InsideCallback() bool {
	if running.Load() == 0 {
		return false
	}
	_, is := inside.Load(goroutine())
	return is
}

// outside runs a function of the user in its own goroutine and waits for it. Neither a panic nor
// runtime.Goexit (t.FailNow) may unwind the C++ frames below a callback: the library would stay
// inside it, with its locks held forever. A panic can be recovered, but a Goexit cannot.
func outside(function func()) {
	ended := make(chan struct{})
	go func() {
		number := goroutine()
		inside.Store(number, nil)
		running.Add(1)
		defer func() {
			running.Add(-1)
			inside.Delete(number)
			close(ended)
		}()
		function()
	}()
	<-ended
}

// goroutine returns the number of the current goroutine, which only its stack shows.
func goroutine() uint64 {
	var buffer [64]byte
	fields := bytes.Fields(buffer[:runtime.Stack(buffer[:], false)]) // goroutine 7 [running]: ...
	number, err := strconv.ParseUint(string(fields[1]), 10, 64)
	if err != nil {
		panic(err)
	}
	return number
}
