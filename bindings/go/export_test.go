package contrastive

// Pointer is the C library's handle of a model, for comparing with calls made in C.
func (m *Model) Pointer() uintptr { return m.handle.pointer }

// Packed is what crosses to C for these texts.
func Packed(texts []string) ([]byte, []int32, error) {
	p, err := pack(texts)
	if err != nil {
		return nil, nil, err
	}
	return p.data, p.offsets, nil
}
