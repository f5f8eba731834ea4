// The threads of the training step: LibTorch's own. Its matrix products run on them, and they stay awake between one piece of work and the next, so
// a second pool would have to share the processors with them.
#pragma once

#include <cstdint>
#include <functional>

namespace contrastive::libtorch {

// Runs body(i) for i in [0, count), each once, in no particular order. Results must not depend on who runs what.
void share_out(int64_t count, const std::function<void(int64_t)>& body);

// The same for ranges of rows: body(number of the range, first row, end). The ranges depend on `rows` alone.
constexpr int64_t kRangeRows = 32;
inline int64_t row_ranges(int64_t rows) { return (rows + kRangeRows - 1) / kRangeRows; }
void share_out_rows(int64_t rows, const std::function<void(int64_t, int64_t, int64_t)>& body);

}  // namespace contrastive::libtorch
