#include "core/text/normalizer_chain.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/system/per_thread.h"

namespace contrastive::text {
namespace {

// The buffers between two stages.
struct Between {
  NormalizedText first, second;

  void release_large() {
    constexpr size_t kKeep = size_t{1} << 20;
    if (std::max({first.storage.capacity(), first.begins.capacity(), second.storage.capacity(),
                  second.begins.capacity()}) > kKeep)
      *this = Between();
  }
};

}  // namespace

bool CharacterStage::apply(const NormalizedText& in, int64_t shift, bool aligned,
                           NormalizedText& out) const {
  if (normalizer_.empty()) return false;
  normalizer_.normalize(in.bytes, 0, aligned, out);
  for (size_t i = 0; i < out.begins.size(); ++i) {
    const int64_t begin = out.begins[i], end = out.ends[i];
    out.begins[i] = end == 0 ? shift : in.begins[static_cast<size_t>(begin)];
    out.ends[i] = end == 0 ? shift : in.ends[static_cast<size_t>(end) - 1];
  }
  return true;
}

NormalizerChain::NormalizerChain(Stages stages) : stages_(std::move(stages)) {
  if (stages_.empty())
    stages_.push_back(std::make_shared<CharacterStage>(std::vector<NormalizerStep>()));
  if (stages_.size() == 1) {
    if (const auto* characters = dynamic_cast<const CharacterStage*>(stages_[0].get()))
      single_ = &characters->normalizer();
  }
}

constexpr size_t kMostGrowth = 64;

void NormalizerChain::normalize(std::string_view text, int64_t shift, bool aligned,
                                NormalizedText& out) const {
  if (single_ != nullptr) return single_->normalize(text, shift, aligned, out);
  static const system::PerThread<Between> buffers;
  Between& between = buffers.here();
  between.release_large();
  NormalizedText* now = &between.first;
  NormalizedText* next = &between.second;
  take_as_given(text, shift, aligned, *now);
  bool changed = false;
  for (const auto& stage : stages_) {
    if (!stage->apply(*now, shift, aligned, *next)) continue;
    std::swap(now, next);
    changed = true;
    // Stages that lengthen the result of stages that lengthen would grow without bound. No
    // published tokenizer comes near this limit.
    check(now->bytes.size() <= kMostGrowth * text.size() + (size_t{1} << 20), Status::kLimit,
          "the tokenizer's normalizer makes more than ", kMostGrowth,
          " times as much of a text of ", text.size(), " bytes");
  }
  out.begins.swap(now->begins);
  out.ends.swap(now->ends);
  out.bytes = text;
  if (!changed) return;
  out.storage.swap(now->storage);
  out.bytes = std::string_view(out.storage).substr(0, now->bytes.size());
}

}  // namespace contrastive::text
