package contrastive

import (
	"context"
	"log/slog"
	"sync"

	"contrastive.io/go/internal/swig"
)

// logMutex keeps two loggers from being set at once. The running sink never waits for it: SetLogger
// refuses a sink before it asks for the mutex.
var logMutex sync.Mutex

var logLevels = [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn}

// SetLogger sets where the library's messages go, for the whole process; nil, the default, is
// silence. When SetLogger returns, no call to the former logger is running.
//
// The handler runs in a goroutine of its own, one message at a time, while the call that has
// something to tell waits. It must not call this package, whose functions answer ErrBusy to it. A
// panic in it is dropped; runtime.Goexit, which t.FailNow calls, ends its goroutine and nothing
// else.
func SetLogger(logger *slog.Logger) error {
	if err := ready(); err != nil {
		return err
	}
	lowest := int32(0)
	for logger != nil && int(lowest) < len(logLevels)-1 && !logger.Enabled(context.Background(), logLevels[lowest]) {
		lowest++ // the handler is asked before the mutex is held: it may do what it likes
	}
	logMutex.Lock()
	defer logMutex.Unlock()
	var failure uintptr
	if logger == nil {
		err := check(swig.Cs_log_to_go(0, lowest, &failure), &failure)
		if err == nil {
			swig.SetLogSink(nil)
		}
		return err
	}
	// Silence first: the messages on the way reach the former logger, and it is done when the new
	// one takes over.
	if err := check(swig.Cs_log_to_go(0, lowest, &failure), &failure); err != nil {
		return err
	}
	swig.SetLogSink(func(level int32, message string) {
		logger.Log(
			context.Background(),
			logLevels[min(max(int(level), 0), len(logLevels)-1)],
			message,
		)
	})
	return check(swig.Cs_log_to_go(1, lowest, &failure), &failure)
}
