#include "core/retrieval/query_panels.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "core/base/checked.h"
#include "core/cpu/kernels.h"

namespace contrastive::retrieval {
namespace {

int64_t padded_lanes(int64_t n) {
  const int64_t narrow = cpu::kernels().scores->lanes;
  return (n + narrow - 1) / narrow * narrow;
}

double inverse_norm(const float* x, int64_t d) {
  double squares = 0;
  for (int64_t k = 0; k < d; ++k) squares += static_cast<double>(x[k]) * x[k];
  return squares > 0 ? 1 / std::sqrt(squares) : (squares == 0 ? 0 : squares);  // NaN stays NaN
}

}  // namespace

AlignedFloats::AlignedFloats(int64_t count) {
  const Size bytes = (Size(count, "buffer") * 4 + 63).at_most(int64_t{1} << 46);
  data_.reset(static_cast<float*>(
      ::operator new(std::max<size_t>(bytes.bytes() / 64 * 64, 64), std::align_val_t{64})));
}

QueryPanels::QueryPanels(const float* queries, int64_t n, int64_t d, Metric metric)
    : n_(n), d_(d), wide_(2 * cpu::kernels().scores->lanes), padded_(padded_lanes(n)),
      values_((Size(padded_, "query panels") * d).value()) {
  if (n <= cpu::kMaxStripQueries) plain_.resize(n * d);
  for (int64_t i = 0; i < count(); ++i) {
    const Panel p = panel(i);
    float* to = values_.data() + p.offset;
    for (int64_t lane = 0; lane < p.lanes; ++lane) {
      if (lane >= p.queries) {
        for (int64_t k = 0; k < d; ++k) to[k * p.lanes + lane] = 0;
        continue;
      }
      const float* x = queries + (p.first + lane) * d;
      const double scale = metric == Metric::kCosine ? inverse_norm(x, d) : 1;
      for (int64_t k = 0; k < d; ++k) to[k * p.lanes + lane] = static_cast<float>(x[k] * scale);
      if (plain_.empty()) continue;
      for (int64_t k = 0; k < d; ++k) plain_[(p.first + lane) * d + k] = to[k * p.lanes + lane];
    }
  }
}

Panel QueryPanels::panel(int64_t index) const {
  const int64_t first = index * wide_, queries = std::min(n_ - first, wide_);
  const bool wide = queries > wide_ / 2;
  return {first, queries, wide ? wide_ : wide_ / 2, wide, first * d_};
}

}  // namespace contrastive::retrieval
