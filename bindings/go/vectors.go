package contrastive

import "fmt"

// Vectors are embeddings in one slice, row by row: [Len(), Dimension]. The library reads and writes
// the slice without a copy.
type Vectors struct {
	Values    []float32
	Dimension int
}

// VectorsOf copies rows of equal length into one slice.
func VectorsOf(rows [][]float32) (Vectors, error) {
	if len(rows) == 0 {
		return Vectors{}, nil
	}
	v := Vectors{Values: make([]float32, 0, len(rows)*len(rows[0])), Dimension: len(rows[0])}
	for i, row := range rows {
		if len(row) != v.Dimension {
			return Vectors{}, argument(
				fmt.Sprintf("row %d has %d values, row 0 has %d", i, len(row), v.Dimension),
			)
		}
		v.Values = append(v.Values, row...)
	}
	return v, nil
}

// Len returns the number of rows.
func (v Vectors) Len() int {
	if v.Dimension <= 0 {
		return 0
	}
	return len(v.Values) / v.Dimension
}

// Row returns one vector. It shares memory with v.
func (v Vectors) Row(i int) []float32 {
	return v.Values[i*v.Dimension : (i+1)*v.Dimension : (i+1)*v.Dimension]
}

// Rows returns all vectors. They share memory with v.
func (v Vectors) Rows() [][]float32 {
	rows := make([][]float32, v.Len())
	for i := range rows {
		rows[i] = v.Row(i)
	}
	return rows
}

// check returns an error unless the values are whole rows of Dimension floats.
func (v Vectors) check(what string) error {
	if v.Dimension < 1 || len(v.Values)%v.Dimension != 0 {
		return argument(
			fmt.Sprintf(
				"%s have %d values, which is not a multiple of the dimension %d",
				what,
				len(v.Values),
				v.Dimension,
			),
		)
	}
	return nil
}

// alike returns an error if two sets have vectors of different dimensions.
func alike(a, b Vectors) error {
	if err := a.check("the first vectors"); err != nil {
		return err
	}
	if err := b.check("the second vectors"); err != nil {
		return err
	}
	if a.Dimension != b.Dimension {
		return &Error{
			Code: ErrMismatch,
			Message: fmt.Sprintf(
				"vectors of dimension %d and of %d cannot be compared",
				a.Dimension,
				b.Dimension,
			),
		}
	}
	return nil
}
