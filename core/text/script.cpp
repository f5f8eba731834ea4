#include "core/text/script.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "core/text/lazy_pages.h"

namespace contrastive::text {
namespace {

// The table of `tokenizers` 0.23 is that of Unicode 9, as determined by asking it about every code
// point. Four characters have had another script since then.
int16_t compute_script(char32_t c) {
  if (c == ' ') return kAnyScript;
  if (c == 0x30FC) return USCRIPT_HAN;
  if (c == 0x589 || c == 0x61C) return USCRIPT_COMMON;
  if (c == 0x953 || c == 0x954) return USCRIPT_DEVANAGARI;
  const auto point = static_cast<UChar32>(c);
  UVersionInfo age;
  u_charAge(point, age);
  if (age[0] == 0 || age[0] > 9) return kAnyScript;
  UErrorCode status = U_ZERO_ERROR;
  const UScriptCode script = uscript_getScript(point, &status);
  if (script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA) return USCRIPT_HAN;
  return script == USCRIPT_UNKNOWN ? kAnyScript : static_cast<int16_t>(script);
}

}  // namespace

int16_t script_of(char32_t c) {
  static const LazyPages<int16_t> pages;
  return pages.at(c, compute_script);
}

}  // namespace contrastive::text
