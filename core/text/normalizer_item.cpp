#include "core/text/normalizer_item.h"

#include "core/text/unicode.h"

namespace contrastive::text {
namespace {

void add(std::vector<NormalizerItem>& out, const NormalizerItem& source, char32_t c, bool first, uint8_t combining) {
  out.push_back({c, combining, static_cast<uint8_t>(first ? 0 : 1), source.begin, source.end});
}

}  // namespace

void apply_step(NormalizerStep step, const NormalizerItem& item, std::vector<NormalizerItem>& out) {
  const uint16_t flags = char_flags(item.c);
  char32_t made[4];
  size_t count = 0;
  switch (step) {
    case NormalizerStep::kClean:
      if ((flags & kDropped) == 0) add(out, item, (flags & kSpace) != 0 ? U' ' : item.c, true, item.combining);
      return;
    case NormalizerStep::kSpaceCjk:
      if ((flags & kCjk) != 0) add(out, item, U' ', true, 0);
      add(out, item, item.c, (flags & kCjk) == 0, item.combining);
      if ((flags & kCjk) != 0) add(out, item, U' ', false, 0);
      return;
    case NormalizerStep::kDropAccents:
      if ((flags & kAccent) == 0) out.push_back(item);
      return;
    case NormalizerStep::kDropMarks:
      if ((flags & kMark) == 0) out.push_back(item);
      return;
    case NormalizerStep::kDecompose:
      count = decompose(item.c, made);
      for (size_t i = 0; i < count; ++i) add(out, item, made[i], i == 0, combining_class(made[i]));
      return;
    case NormalizerStep::kLowerCase:
      count = lower_case(item.c, made);
      for (size_t i = 0; i < count; ++i) add(out, item, made[i], i == 0, item.combining);
      return;
  }
}

}  // namespace contrastive::text
