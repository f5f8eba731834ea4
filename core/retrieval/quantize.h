// Smaller forms of embeddings: float16, int8 with a stated calibration, and one bit a dimension.
// The rules are numpy's and those of sentence-transformers 6, so that codes made by either can be
// compared with each other.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::retrieval {

// IEEE binary16 bits of `count` floats: rounded to nearest, ties to even; from 65,520 on infinity
// with the sign kept, as IEEE (and numpy) round; below 2^-24 denormals and 0; NaN stays NaN.
void quantize_float16(const float* values, int64_t count, uint16_t* halves);

// The range of each dimension, in 255 steps. It must be the same for everything that is compared,
// so it belongs stored beside an index.
struct Int8Calibration {
  std::vector<float> start;  // [d] the smallest value
  std::vector<float> step;   // [d] (largest - smallest) / 255, or 1 where they are equal
};

// From the rows of a sample, [n, d]; a few hundred give a fair range. kArgument without a row,
// kNumeric (row and dimension) at a value that is not finite.
Int8Calibration calibrate_int8(const float* sample, int64_t n, int64_t d);

// floor((x - start) / step) in float32, clamped to [0, 255], - 128: what lies outside the
// calibrated range gets its end. kNumeric as above. values, codes: [n, d].
void quantize_int8(const float* values, int64_t n, int64_t d, const Int8Calibration& calibration,
                   int8_t* codes);

// One bit a dimension, set where the value is above 0, the first dimension in the highest bit, each
// row filled up with 0 bits to whole bytes (numpy.packbits(values > 0, axis=-1)). values: [n, d],
// codes: [n, ubinary_bytes(d)].
void quantize_ubinary(const float* values, int64_t n, int64_t d, uint8_t* codes);
inline int64_t ubinary_bytes(int64_t d) { return d / 8 + (d % 8 != 0); }

}  // namespace contrastive::retrieval
