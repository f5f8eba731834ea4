// Quantisation of embeddings: float16, int8 with a given calibration, and one bit for each
// dimension. The rules are those of numpy and sentence-transformers 6, so that codes made by either
// are compatible.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::retrieval {

// IEEE binary16 bits of `count` floats: rounded to nearest, ties to even; from 65,520 on infinity
// with the sign kept, as IEEE (and numpy) round; below 2^-14 subnormal numbers and 0; NaN stays
// NaN.
void quantize_float16(const float* values, int64_t count, uint16_t* halves);

// The range of each dimension, in 255 steps. It must be the same for all vectors that are compared,
// so store it with the index.
struct Int8Calibration {
  std::vector<float> start;  // [d] the smallest value
  std::vector<float> step;   // [d] (largest - smallest) / 255, or 1 if they are equal
};

// Calibrates from the rows of a sample, [n, d]; a few hundred rows suffice. kArgument if there are
// no rows, kNumeric (with row and dimension) for a value that is not finite.
Int8Calibration calibrate_int8(const float* sample, int64_t n, int64_t d);

// floor((x - start) / step) in float32, clamped to [0, 255], - 128: values outside the calibrated
// range become its ends. kNumeric as above. values, codes: [n, d].
void quantize_int8(const float* values, int64_t n, int64_t d, const Int8Calibration& calibration,
                   int8_t* codes);

// One bit for each dimension, set if the value is above 0, with the first dimension in the highest
// bit. Each row is padded with 0 bits to whole bytes (numpy.packbits(values > 0, axis=-1)). values:
// [n, d], codes: [n, ubinary_bytes(d)].
void quantize_ubinary(const float* values, int64_t n, int64_t d, uint8_t* codes);
inline int64_t ubinary_bytes(int64_t d) { return d / 8 + (d % 8 != 0); }

}  // namespace contrastive::retrieval
