package contrastive

import (
	"runtime"
	"sync/atomic"
)

// handle owns one handle of the C library and counts its uses. The owner holds one use until close; each call holds one while it runs. Whoever
// gives the last one back frees, so that neither Close nor the garbage collector ever frees what a call is using.
type handle struct {
	uses    atomic.Int64
	closed  atomic.Bool
	pointer uintptr
	free    func(uintptr)
	what    string
}

// own makes the handle of a new object, and lets the garbage collector close it once `owner`, which holds it, is unreachable.
func own[T any](owner *T, what string, pointer uintptr, free func(uintptr)) *handle {
	h := &handle{pointer: pointer, free: free, what: what}
	h.uses.Store(1)
	runtime.AddCleanup(owner, func(h *handle) { h.close() }, h)
	return h
}

// acquire begins a use; release ends it.
func (h *handle) acquire() (uintptr, error) {
	if h == nil {
		return 0, &Error{Code: ErrHandle, Message: "the object is nil or was not made by this package"}
	}
	for {
		uses := h.uses.Load()
		if uses == 0 || h.closed.Load() {
			return 0, &Error{Code: ErrHandle, Message: "the " + h.what + " is closed", cause: ErrClosed}
		}
		if h.uses.CompareAndSwap(uses, uses+1) {
			return h.pointer, nil
		}
	}
}

func (h *handle) release() {
	if h.uses.Add(-1) == 0 {
		h.free(h.pointer)
	}
}

func (h *handle) close() {
	if h != nil && h.closed.CompareAndSwap(false, true) {
		h.release()
	}
}
