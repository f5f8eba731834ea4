package contrastive

import (
	"runtime"
	"sync/atomic"
)

// handle owns one handle of the C library. Close or the garbage collector releases it. The
// collector watches this struct, not the object that contains it: the object may become unreachable
// as soon as a method has read its field, before the call is counted.
type handle struct{ uses *uses }

// owned returns the handle of an object, or nil if the object is nil. Every method uses it, so that
// a method of a nil pointer fails in acquire instead of panicking.
func (m *Model) owned() *handle {
	if m == nil {
		return nil
	}
	return m.handle
}

func (r *Reranker) owned() *handle {
	if r == nil {
		return nil
	}
	return r.handle
}

func (t *Trainer) owned() *handle {
	if t == nil {
		return nil
	}
	return t.handle
}

func (d *Dataset) owned() *handle {
	if d == nil {
		return nil
	}
	return d.handle
}

func (c *Config) owned() *handle {
	if c == nil {
		return nil
	}
	return c.handle
}

// uses is a reference count: the owner holds one reference until it is closed, and each running
// call holds one. The last release frees the handle, so that neither Close nor the garbage
// collector frees a handle that a call is using.
type uses struct {
	count   atomic.Int64
	closed  atomic.Bool
	pointer uintptr
	bytes   int64
	free    func(uintptr)
	what    string
}

// own wraps the handle of a new object that keeps about so many bytes of memory in C, 0 for few.
func own(what string, pointer uintptr, bytes int64, free func(uintptr)) *handle {
	native.take(bytes)
	h := &handle{&uses{pointer: pointer, bytes: bytes, free: free, what: what}}
	h.uses.count.Store(1)
	runtime.AddCleanup(h, (*uses).close, h.uses)
	return h
}

// acquire takes a reference; release returns it.
func (h *handle) acquire() (uintptr, error) {
	if h == nil {
		return 0, &Error{
			Code:    ErrHandle,
			Message: "the object is nil or was not made by this package",
		}
	}
	if err := outsideCallback(); err != nil {
		return 0, err
	}
	pointer, err := h.uses.begin()
	runtime.KeepAlive(h) // or the collector could close it between the call and its count
	return pointer, err
}

func (h *handle) release() { h.uses.end() }

func (h *handle) close() {
	if h != nil {
		h.uses.close()
	}
}

func (u *uses) begin() (uintptr, error) {
	for {
		count := u.count.Load()
		if count == 0 || u.closed.Load() {
			return 0, &Error{
				Code:    ErrHandle,
				Message: "the " + u.what + " is closed",
				cause:   ErrClosed,
			}
		}
		if u.count.CompareAndSwap(count, count+1) {
			return u.pointer, nil
		}
	}
}

func (u *uses) end() {
	if u.count.Add(-1) == 0 {
		u.free(u.pointer)
		native.live.Add(-u.bytes)
	}
}

func (u *uses) close() {
	if u.closed.CompareAndSwap(false, true) {
		u.end()
	}
}

// native is the memory of objects in C, which the garbage collector does not see. It paces the
// collector as the collector paces itself: a collection runs when the objects created since the
// last one have as much memory as all others, and at least leastNative.
var native pressure

type pressure struct{ live, since atomic.Int64 }

const leastNative = 256 << 20

func (p *pressure) take(bytes int64) {
	live, since := p.live.Add(bytes), p.since.Add(bytes)
	if bytes > 0 && since > max(leastNative, live-since) && p.since.CompareAndSwap(since, 0) {
		runtime.GC() // the cleanups of forgotten objects then close them
	}
}
