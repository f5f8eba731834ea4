package contrastive

import (
	"context"

	"contrastive.io/go/internal/raw"
)

// cancelled is the error of a context that is done, before the library was called or after it
// stopped.
func cancelled(ctx context.Context, message string) error {
	cause := ctx.Err()
	if detail := context.Cause(ctx); detail != cause {
		cause = &causes{cause, detail}
	}
	return &Error{Code: ErrCancelled, Message: message, cause: cause}
}

// causes holds ctx.Err() and the cause that the caller gave.
type causes [2]error

func (c *causes) Error() string   { return c[1].Error() }
func (c *causes) Unwrap() []error { return c[:] }

// Progress is how far a call is.
type Progress struct {
	What  string // a short phrase, such as "texts encoded"
	Done  int64
	Total int64 // 0 if it is not known
}

type progressKey struct{}

// WithProgress returns a context with which long calls report their progress: Encode, Evaluate,
// Mine, Adapt, Rank, TrainVocabulary and those like them. The function runs in its own goroutine
// while the call waits, at most about ten times a second and once at the end of each phase. It may
// cancel the context. It must not call this package; such calls return ErrBusy. A panic in it
// cancels the call, which then panics with the same value.
func WithProgress(ctx context.Context, report func(Progress)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

func listenerOf(ctx context.Context) func(Progress) {
	report, _ := ctx.Value(progressKey{}).(func(Progress))
	return report
}

// cancellable runs call with a cancel flag that is raised when ctx is done, and that reports the
// progress. If ctx can never be done and has no listener, it uses no flag and has no cost.
func cancellable(ctx context.Context, call func(flag uintptr) error) error {
	if ctx == nil {
		return argument(
			"the context is nil: pass context.Background() for a call that is never cancelled",
		)
	}
	report := listenerOf(ctx)
	if ctx.Done() == nil && report == nil {
		return call(0)
	}
	if err := ctx.Err(); err != nil {
		return cancelled(ctx, err.Error())
	}
	var failure uintptr
	flag := raw.C().Cs_cancel_new(&failure)
	if flag == 0 {
		return take(failure)
	}
	defer raw.C().Cs_cancel_free(flag) // even if the caller's context panics
	// The trigger may still run after the flag is freed. The library then does not find the handle
	// and does nothing.
	stop := context.AfterFunc(ctx, func() { raw.C().Cs_cancel_trigger(flag) })
	defer stop()
	if report != nil {
		listening := &listener{report: report, flag: flag}
		status, forget := raw.Listen(flag, listening.run, &failure)
		defer forget()
		if err := check(status, &failure); err != nil {
			return err
		}
		defer listening.panicAgain()
	}
	err := call(flag)
	if failed, ok := err.(*Error); ok && failed.Code == ErrCancelled && ctx.Err() != nil {
		return cancelled(ctx, failed.Message)
	}
	return err
}

// listener passes the progress of one call on, one report at a time.
type listener struct {
	report   func(Progress)
	flag     uintptr
	panicked any
}

func (l *listener) run(what string, done, total int64) {
	defer func() {
		if cause := recover(); cause != nil {
			l.panicked = cause
			raw.C().Cs_cancel_trigger(l.flag)
		}
	}()
	if l.panicked == nil {
		l.report(Progress{what, done, total})
	}
}

func (l *listener) panicAgain() {
	if l.panicked != nil {
		panic(l.panicked)
	}
}
