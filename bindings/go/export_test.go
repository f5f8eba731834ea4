package contrastive

import "contrastive.io/go/internal/swig"

// Own, Acquire and Release are a handle's life without a library, for the test that the collector
// comes at no wrong moment.
func Own(free func(uintptr)) *handle        { return own("handle", 7, free) }
func (h *handle) Acquire() (uintptr, error) { return h.acquire() }
func (h *handle) Release()                  { h.release() }

// Pointer is the C library's handle of a model, for comparing with calls made in C.
func (m *Model) Pointer() uintptr { return m.handle.uses.pointer }

// Bare is a call that does nothing but cross to C, as every method does: Dimension itself is
// remembered.
func (m *Model) Bare() int32 {
	pointer, err := m.handle.acquire()
	if err != nil {
		return 0
	}
	defer m.handle.release()
	return swig.Cs_model_dimension(pointer)
}

// Packed is what crosses to C for these texts.
func Packed(texts []string) ([]byte, []int32, error) {
	p, err := pack(texts)
	if err != nil {
		return nil, nil, err
	}
	return p.data, p.offsets, nil
}

// PackedUpTo is the bytes that cross for texts of at most so many, and how many of them the offsets
// tell of.
func PackedUpTo(most int, texts []string) (bytes int, told int32, err error) {
	p, err := packUpTo(most, texts)
	if err != nil {
		return 0, 0, err
	}
	defer p.free()
	return len(p.data), p.offsets[len(p.offsets)-1], nil
}

// Counted counts how often an option is read.
func Counted(count *int) EncodeOption { return func(*encoding) { *count++ } }
