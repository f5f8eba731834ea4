#include "core/torch/methods/consert/consert_views.h"

#include <ATen/ops/zeros.h>

#include "core/torch/methods/tuned_encoder.h"

namespace contrastive::methods {

DrawnView draw_view(const augment::Strategy& strategy, const text::TokenBatch& tokens,
                    const data::Batch& batch, int64_t width, const ViewStream& stream) {
  DrawnView drawn;
  bool* cut = nullptr;
  if (!strategy.cutoffs.empty()) {
    drawn.cut = at::zeros({tokens.tokens(), width}, at::kBool);
    cut = drawn.cut.mutable_data_ptr<bool>();
  }
  for (int64_t i = 0; i < tokens.texts(); ++i) {
    Rng rng(stream.seed, stream.purpose, random_epoch(batch),
            2 * random_example(batch, i) + static_cast<uint64_t>(stream.column));
    const int64_t length = tokens.length(i);
    if (strategy.shuffle) {
      for (const int32_t place : augment::shuffled_places(length, rng)) {
        drawn.positions.push_back(static_cast<int32_t>(stream.first_place + place));
      }
    }
    bool* first = cut == nullptr ? nullptr : cut + tokens.offsets[static_cast<size_t>(i)] * width;
    for (const augment::CutoffStep& step : strategy.cutoffs)
      augment::draw_cutoff(step.kind, step.rate, length, width, rng, first);
  }
  return drawn;
}

}  // namespace contrastive::methods
