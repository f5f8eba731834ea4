package contrastive

import (
	"context"
	"log/slog"
	"sync"

	"contrastive.io/go/internal/swig"
)

var logMutex sync.Mutex

var logLevels = [...]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn}

// SetLogger sets where the library's messages go, for the whole process; nil, the default, is silence. The handler may be called from any thread
// and must not call this package. When SetLogger returns, no call to the former logger is running.
func SetLogger(logger *slog.Logger) error {
	if mismatch != nil {
		return mismatch
	}
	logMutex.Lock()
	defer logMutex.Unlock()
	var failure uintptr
	lowest := int32(0)
	if logger == nil {
		err := check(swig.Cs_log_to_go(0, lowest, &failure), &failure)
		if err == nil {
			swig.SetLogSink(nil)
		}
		return err
	}
	for int(lowest) < len(logLevels)-1 && !logger.Enabled(context.Background(), logLevels[lowest]) {
		lowest++
	}
	// Silence first: the messages on the way reach the former logger, and it is done when the new one takes over.
	if err := check(swig.Cs_log_to_go(0, lowest, &failure), &failure); err != nil {
		return err
	}
	swig.SetLogSink(func(level int32, message string) {
		logger.Log(context.Background(), logLevels[min(max(int(level), 0), len(logLevels)-1)], message)
	})
	return check(swig.Cs_log_to_go(1, lowest, &failure), &failure)
}
