package contrastive

import (
	"fmt"
	"unsafe"

	"contrastive.io/go/internal/raw"
)

const (
	precisionFloat16 = 1
	precisionInt8    = 2
	precisionBinary  = 3
)

// Calibration is the range of each dimension over a sample. Store it with the vectors that were
// quantized with it.
type Calibration struct {
	Starts []float32 // the minimum
	Steps  []float32 // 1/255 of the range
}

// Calibrate measures the range of each dimension over a sample, for QuantizeInt8. A few hundred
// vectors are enough for good estimates.
func Calibrate(sample Vectors) (Calibration, error) {
	if err := ready(); err != nil {
		return Calibration{}, err
	}
	if err := sample.check("the sample's vectors"); err != nil {
		return Calibration{}, err
	}
	both := make([]float32, 2*sample.Dimension)
	var failure uintptr
	status := raw.C().Cs_quantize_calibrate(
		sample.Values,
		int64(sample.Len()),
		int64(sample.Dimension),
		both,
		int64(len(both)),
		&failure,
	)
	if err := check(status, &failure); err != nil {
		return Calibration{}, err
	}
	return Calibration{
		Starts: both[:sample.Dimension:sample.Dimension],
		Steps:  both[sample.Dimension:],
	}, nil
}

// QuantizeFloat16 converts vectors to IEEE half precision, Dimension values per row.
func QuantizeFloat16(vectors Vectors) ([]uint16, error) {
	halves := make([]uint16, len(vectors.Values))
	return halves, quantize(vectors, precisionFloat16, nil, bytesIn(halves, 2))
}

// QuantizeInt8 converts vectors to bytes, Dimension bytes per row: (x - start) / step - 128. Values
// outside the range saturate.
func QuantizeInt8(vectors Vectors, calibration Calibration) ([]int8, error) {
	if len(calibration.Starts) != vectors.Dimension || len(calibration.Steps) != vectors.Dimension {
		return nil, &Error{
			Code: ErrMismatch,
			Message: fmt.Sprintf(
				"the calibration has %d starts and %d steps for vectors of dimension %d",
				len(calibration.Starts),
				len(calibration.Steps),
				vectors.Dimension,
			),
		}
	}
	both := append(
		append(make([]float32, 0, 2*vectors.Dimension), calibration.Starts...),
		calibration.Steps...)
	values := make([]int8, len(vectors.Values))
	return values, quantize(vectors, precisionInt8, both, bytesIn(values, 1))
}

// QuantizeBinary converts vectors to one bit per value, which is 1 if the value is above 0. The
// highest bit comes first. A row has (Dimension+7)/8 bytes.
func QuantizeBinary(vectors Vectors) ([]byte, error) {
	signs := make([]byte, vectors.Len()*((vectors.Dimension+7)/8))
	return signs, quantize(vectors, precisionBinary, nil, signs)
}

func quantize(vectors Vectors, precision int32, calibration []float32, output []byte) error {
	if err := ready(); err != nil {
		return err
	}
	if err := vectors.check("the vectors"); err != nil {
		return err
	}
	var failure uintptr
	status := raw.C().Cs_quantize(
		vectors.Values,
		int64(vectors.Len()),
		int64(vectors.Dimension),
		precision,
		calibration,
		output,
		int64(len(output)),
		&failure,
	)
	return check(status, &failure)
}

// bytesIn returns the memory of a slice of numbers as bytes.
func bytesIn[T uint16 | int8](numbers []T, width int) []byte {
	if len(numbers) == 0 {
		return noBytes[:0]
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), len(numbers)*width)
}
