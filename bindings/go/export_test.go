package contrastive

// Own, Acquire and Release are a handle's life without a library, for the test that the collector comes at no wrong moment.
func Own(free func(uintptr)) *handle        { return own("handle", 7, free) }
func (h *handle) Acquire() (uintptr, error) { return h.acquire() }
func (h *handle) Release()                  { h.release() }

// Pointer is the C library's handle of a model, for comparing with calls made in C.
func (m *Model) Pointer() uintptr { return m.handle.uses.pointer }

// Packed is what crosses to C for these texts.
func Packed(texts []string) ([]byte, []int32, error) {
	p, err := pack(texts)
	if err != nil {
		return nil, nil, err
	}
	return p.data, p.offsets, nil
}
