package contrastive

import (
	"context"
	"log/slog"
	"sync"

	"contrastive.io/go/internal/raw"
)

// logMutex serializes SetLogger. The running sink never waits for it, because SetLogger refuses
// calls from a sink before it locks the mutex.
var logMutex sync.Mutex

var logLevels = [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn}

// SetLogger sets the logger of the library's messages, for the whole process. With nil, the
// default, messages are dropped. When SetLogger returns, no call of the previous logger is running.
//
// The handler runs in its own goroutine, one message at a time, while the call that sent the
// message waits. It must not call this package; such calls return ErrBusy. A panic in the handler
// is dropped. runtime.Goexit, which t.FailNow calls, ends only the handler's goroutine.
func SetLogger(logger *slog.Logger) error {
	if err := ready(); err != nil {
		return err
	}
	lowest := int32(0)
	for logger != nil && int(lowest) < len(logLevels)-1 &&
		!logger.Enabled(context.Background(), logLevels[lowest]) {
		lowest++ // called before the mutex is locked, because the handler may do anything
	}
	logMutex.Lock()
	defer logMutex.Unlock()
	var failure uintptr
	if logger == nil {
		err := check(raw.C().Cs_log_to_go(0, lowest, &failure), &failure)
		if err == nil {
			raw.SetLogSink(nil)
		}
		return err
	}
	// Stop logging first. Pending messages still reach the previous logger, and it has returned
	// when the new one is set.
	if err := check(raw.C().Cs_log_to_go(0, lowest, &failure), &failure); err != nil {
		return err
	}
	raw.SetLogSink(func(level int32, message string) {
		logger.Log(
			context.Background(),
			logLevels[min(max(int(level), 0), len(logLevels)-1)],
			message,
		)
	})
	return check(raw.C().Cs_log_to_go(1, lowest, &failure), &failure)
}
