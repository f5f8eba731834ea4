#include "core/text/composition.h"

#include <algorithm>

#include "core/text/unicode.h"
#include "core/text/utf8.h"
#include "core/text/unicode_forms.h"

namespace contrastive::text {
namespace {

struct Part {
  CharacterChange change;
  uint8_t combining;
};

// Puts the run of marks from `begin` on into canonical order. Each character keeps its `change`
// when it moves, as Hugging Face counts.
void sort_marks(std::vector<Part>& parts, size_t begin) {
  std::stable_sort(parts.begin() + static_cast<std::ptrdiff_t>(begin), parts.end(),
                   [](const Part& a, const Part& b) { return a.combining < b.combining; });
}

std::vector<Part> decompose_all(std::string_view text, bool compatible) {
  std::vector<Part> parts;
  size_t run = 0;  // the start of the run of marks at the end
  for (size_t at = 0; at < text.size();) {
    char32_t made[kLongestDecomposition];
    const char32_t c = decode_valid(text, at);
    const size_t count = compatible ? decompose_compatibly(c, made) : decompose(c, made);
    for (size_t i = 0; i < count; ++i) {
      const uint8_t combining = combining_class(made[i]);
      if (combining == 0) sort_marks(parts, run);
      parts.push_back({{made[i], i == 0 ? 0 : 1}, combining});
      if (combining == 0) run = parts.size();
    }
  }
  sort_marks(parts, run);
  return parts;
}

std::vector<CharacterChange> compose_all(const std::vector<Part>& parts) {
  std::vector<CharacterChange> out;
  size_t starter = 0;  // its index in `out`, if has_starter
  bool has_starter = false;
  int last = -1;  // the class of the last character after the starter that was not composed; -1
                  // without one
  for (const Part& part : parts) {
    if (has_starter && last < static_cast<int>(part.combining)) {
      if (const char32_t made = compose(out[starter].c, part.change.c); made != 0) {
        out[starter] = {made, out[starter].change + part.change.change - 1};
        continue;
      }
    }
    if (part.combining == 0) {
      starter = out.size();
      has_starter = true;
      last = -1;
    } else if (has_starter) {
      last = part.combining;
    }
    out.push_back(part.change);
  }
  return out;
}

}  // namespace

// True if the text is already composed, which nearly every text is.
bool Composition::is_composed(std::string_view text) const {
  uint8_t last = 0;
  for (size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      last = 0;
      ++at;
      continue;
    }
    const CompositionClass of = composition_class(decode_valid(text, at));
    if (!(compatible_ ? of.settled_nfkc : of.settled_nfc)) return false;
    if (of.combining != 0 && of.combining < last) return false;
    last = of.combining;
  }
  return true;
}

bool Composition::apply(const NormalizedText& in, int64_t shift, bool aligned,
                        NormalizedText& out) const {
  if (is_composed(in.bytes)) return false;
  apply_changes(in, compose_all(decompose_all(in.bytes, compatible_)), 0, shift, aligned, out);
  return true;
}

}  // namespace contrastive::text
