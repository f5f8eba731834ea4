package contrastive

import "contrastive.io/go/internal/raw"

// SaveNPY writes the vectors as a NumPy file (.npy) of float32, which numpy.load reads. The file
// appears when it is complete.
func (v Vectors) SaveNPY(path string) error {
	file, err := terminated("the path", path)
	if err != nil {
		return err
	}
	if err := ready(); err != nil {
		return err
	}
	if err := v.check("the vectors"); err != nil {
		return err
	}
	var failure uintptr
	status := raw.C().Cs_npy_save(file, v.Values, int64(v.Len()), int64(v.Dimension), &failure)
	return check(status, &failure)
}

// LoadNPY reads vectors from a NumPy file (.npy) with two dimensions, of float16, float32 or
// float64.
func LoadNPY(path string) (Vectors, error) {
	file, err := terminated("the path", path)
	if err != nil {
		return Vectors{}, err
	}
	if err := ready(); err != nil {
		return Vectors{}, err
	}
	var rows, dimension int64
	var failure uintptr
	status := raw.C().Cs_npy_load(file, nil, 0, &rows, &dimension, &failure)
	if err := check(status, &failure); err != nil {
		return Vectors{}, err
	}
	values := make([]float32, rows*dimension)
	status = raw.C().Cs_npy_load(file, values, int64(len(values)), &rows, &dimension, &failure)
	if err := check(status, &failure); err != nil {
		return Vectors{}, err
	}
	return Vectors{Values: values[:rows*dimension], Dimension: int(dimension)}, nil
}
