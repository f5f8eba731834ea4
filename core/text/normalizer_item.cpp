#include "core/text/normalizer_item.h"

#include "core/text/unicode.h"
#include "core/text/unicode_forms.h"

namespace contrastive::text {
namespace {

void add(std::vector<NormalizerItem>& out, const NormalizerItem& source, char32_t c, bool first,
         uint8_t combining) {
  out.push_back({c, combining, static_cast<uint8_t>(first ? 0 : 1), source.begin, source.end});
}

// The lists of the Nmt normaliser.
bool nmt_drops(char32_t c) {
  return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}
bool nmt_is_space(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
         c == 0xFFFD;
}

}  // namespace

void apply_step(NormalizerStep step, const NormalizerItem& item, std::vector<NormalizerItem>& out) {
  const uint16_t flags = char_flags(item.c);
  char32_t made[kLongestDecomposition];
  size_t count = 0;
  switch (step) {
    case NormalizerStep::kClean:
      if ((flags & kDropped) == 0)
        add(out, item, (flags & kSpace) != 0 ? U' ' : item.c, true, item.combining);
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
    case NormalizerStep::kDecomposeCompatibly:
      count = step == NormalizerStep::kDecompose ? decompose(item.c, made)
                                                 : decompose_compatibly(item.c, made);
      for (size_t i = 0; i < count; ++i) add(out, item, made[i], i == 0, combining_class(made[i]));
      return;
    case NormalizerStep::kLowerCase:
      count = lower_case(item.c, made);
      for (size_t i = 0; i < count; ++i) add(out, item, made[i], i == 0, item.combining);
      return;
    case NormalizerStep::kNmt:
      if (!nmt_drops(item.c))
        add(out, item, nmt_is_space(item.c) ? U' ' : item.c, true, item.combining);
      return;
  }
}

}  // namespace contrastive::text
