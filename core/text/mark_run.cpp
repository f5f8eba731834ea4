#include "core/text/mark_run.h"

#include <algorithm>

#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

// Applies `steps` to one character, with decomposition but without its reordering. Reuses `buffer`.
void apply_steps(const NormalizerStep* begin, const NormalizerStep* end,
                 std::vector<NormalizerItem>& items, std::vector<NormalizerItem>& buffer) {
  for (const NormalizerStep* step = begin; step != end; ++step) {
    buffer.clear();
    for (const NormalizerItem& item : items) apply_step(*step, item, buffer);
    items.swap(buffer);
  }
}

int64_t width(char32_t c) {
  char bytes[4];
  return static_cast<int64_t>(encode_utf8(c, bytes));
}

const NormalizerStep* decomposition(const std::vector<NormalizerStep>& steps) {
  return std::find_if(steps.data(), steps.data() + steps.size(), is_decomposition);
}

}  // namespace

MarkRun::MarkRun(const Normalizer& normalizer, std::string_view run, int64_t shift)
    : normalizer_(&normalizer), run_(run), shift_(shift),
      possible_(normalizer.decompositions() == 1) {
  bool marked = false;
  while (possible_ && at_ < run_.size()) {
    decompose_next();
    for (const NormalizerItem& item : items_) {
      classes_.set(item.combining);
      if (item.combining == 0 && marked) possible_ = false;
      marked = marked || item.combining != 0;
    }
  }
  bytes_ = place_;
  place_ = 0;
  at_ = 0;
  class_ = classes_.any() ? classes_._Find_first() : classes_.size();
}

void MarkRun::decompose_next() {
  const std::vector<NormalizerStep>& steps = normalizer_->steps();
  const int64_t begin = place_;
  const char32_t c = decode_utf8(run_, at_);
  place_ += width(c);
  items_.assign(1, {c, 0, 0, shift_ + begin, shift_ + place_});
  apply_steps(steps.data(), decomposition(steps) + 1, items_, made_);
}

void MarkRun::take(const NormalizerItem& item) {
  const std::vector<NormalizerStep>& steps = normalizer_->steps();
  const NormalizerStep* decompose = decomposition(steps);
  // As in the sort: the positions stay in place, only the characters move.
  while (item.change == 0 && sources_left_ == 0 &&
         source_at_ < run_.size()) {  // at the end only if the text has changed in the meantime
    const char32_t c = decode_utf8(run_, source_at_);
    begin_ = shift_ + source_place_;
    source_place_ += width(c);
    end_ = shift_ + source_place_;
    made_.assign(1, {c, 0, 0, begin_, end_});
    apply_steps(steps.data(), decompose, made_, buffer_);
    sources_left_ = made_.size();
  }
  if (item.change == 0 && sources_left_ > 0) --sources_left_;
  made_.assign(1, item);
  made_[0].begin = begin_;
  made_[0].end = end_;
  apply_steps(decompose + 1, steps.data() + steps.size(), made_, buffer_);
}

bool MarkRun::next(size_t size, bool aligned, NormalizedText& out) {
  out.storage.clear();
  out.begins.clear();
  out.ends.clear();
  while (class_ < classes_.size() && out.storage.size() < size) {
    if (at_ >= run_.size()) {
      class_ = classes_._Find_next(class_);
      at_ = 0;
      place_ = 0;
      continue;
    }
    decompose_next();
    for (const NormalizerItem& item : items_) {
      if (item.combining != class_) continue;
      take(item);
      for (const NormalizerItem& made : made_) {
        append_utf8(made.c, out.storage);
        if (!aligned) continue;
        out.begins.resize(out.storage.size(), made.begin);
        out.ends.resize(out.storage.size(), made.end);
      }
    }
  }
  out.bytes = out.storage;
  return !out.storage.empty() || class_ < classes_.size();
}

}  // namespace contrastive::text
