package contrastive

import (
	"context"

	"contrastive.io/go/internal/swig"
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

// cancellable runs call with a cancel flag that is raised when ctx is done. If ctx can never be
// done, it uses no flag and has no cost.
func cancellable(ctx context.Context, call func(flag uintptr) error) error {
	if ctx == nil {
		return argument(
			"the context is nil: pass context.Background() for a call that is never cancelled",
		)
	}
	if ctx.Done() == nil {
		return call(0)
	}
	if err := ctx.Err(); err != nil {
		return cancelled(ctx, err.Error())
	}
	var failure uintptr
	flag := swig.Cs_cancel_new(&failure)
	if flag == 0 {
		return take(failure)
	}
	defer swig.Cs_cancel_free(flag) // even if the caller's context panics
	// The trigger may still run after the flag is freed. The library then does not find the handle
	// and does nothing.
	stop := context.AfterFunc(ctx, func() { swig.Cs_cancel_trigger(flag) })
	err := call(flag)
	stop()
	if failed, ok := err.(*Error); ok && failed.Code == ErrCancelled && ctx.Err() != nil {
		return cancelled(ctx, failed.Message)
	}
	return err
}
