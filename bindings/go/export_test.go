package contrastive

import "contrastive.io/go/internal/raw"

// Own, Acquire and Release create, use and release a handle without a library, to test that the
// collector never frees it too early.
func Own(free func(uintptr)) *handle        { return own("handle", 7, 0, free) }
func (h *handle) Acquire() (uintptr, error) { return h.acquire() }
func (h *handle) Release()                  { h.release() }

// Pointer is the C library's handle of a model, for comparing with calls made in C.
func (m *Model) Pointer() uintptr { return m.handle.uses.pointer }

// Bare makes a C call that does nothing else, because Dimension caches its result.
func (m *Model) Bare() int32 {
	pointer, err := m.handle.acquire()
	if err != nil {
		return 0
	}
	defer m.handle.release()
	return raw.C().Cs_model_dimension(pointer)
}

// Packed returns what is passed to C for these texts.
func Packed(texts []string) ([]byte, []int32, error) {
	p, err := pack(texts)
	if err != nil {
		return nil, nil, err
	}
	return p.data, p.offsets, nil
}

// PackedUpTo packs texts with a limit on their bytes. It returns the packed bytes, and how many of
// them the offsets cover.
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
