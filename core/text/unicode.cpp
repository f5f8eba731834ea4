#include "core/text/unicode.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include <algorithm>
#include <cstdio>
#include <new>

#include "core/base/error.h"
#include "core/text/lazy_pages.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

struct Range {
  char32_t first, last;
};

template <size_t N>
bool any_of(const Range (&ranges)[N], char32_t c) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [c](const Range& r) { return c >= r.first && c <= r.last; });
}

// The Unicode version of each table in `tokenizers` 0.23, determined by asking it about every code
// point; tests/golden/tokenizers/compare.py asks again. The newest letters need ICU 72 (Unicode 15)
// or later; an older ICU differs in the characters that it does not have.
constexpr int kCategoriesVersion = 8;  // unicode_categories: cleaning, punctuation, accents of BERT
constexpr int kMarkVersion = 9;        // unicode-normalization-alignments' combining marks
constexpr int kNormalizationVersion =
    9;  // unicode-normalization-alignments' decompositions and combining classes
constexpr int kRegexVersion = 16;  // the regular expressions of the byte-level split
constexpr int kLowerVersion = 17;  // Rust's char::to_lowercase

// Characters whose category was different in those versions.
constexpr Range kOldPunctuation[] = {{0x166D, 0x166D}, {0x111C9, 0x111C9}};
constexpr Range kOldAccents[] = {{0x1734, 0x1734}};
constexpr Range kNotYetAccents[] = {{0x1885, 0x1886}, {0xA9BD, 0xA9BD}, {0x111C9, 0x111C9}};
constexpr Range kOldMarks[] = {{0x1CF2, 0x1CF3}};
constexpr Range kNotYetMarks[] = {{0x111C9, 0x111C9}};

// The characters that Unicode 15.1 to 17 added, in case ICU does not have them yet.
constexpr Range kNewLetters[] = {{0x1C89, 0x1C8A},   {0xA7CB, 0xA7CD},   {0xA7DA, 0xA7DC},
                                 {0x105C0, 0x105F3}, {0x10D4A, 0x10D65}, {0x10D6F, 0x10D85},
                                 {0x10EC2, 0x10EC4}, {0x11380, 0x11389}, {0x1138B, 0x1138B},
                                 {0x1138E, 0x1138E}, {0x11390, 0x113B5}, {0x113B7, 0x113B7},
                                 {0x113D1, 0x113D1}, {0x113D3, 0x113D3}, {0x11BC0, 0x11BE0},
                                 {0x13460, 0x143FA}, {0x16100, 0x1611D}, {0x16D40, 0x16D6C},
                                 {0x18CFF, 0x18CFF}, {0x1E5D0, 0x1E5ED}, {0x1E5F0, 0x1E5F0},
                                 {0x2EBF0, 0x2EE5D}};
constexpr Range kNewNumbers[] = {{0x10D40, 0x10D49}, {0x116D0, 0x116E3}, {0x11BF0, 0x11BF9},
                                 {0x16130, 0x16139}, {0x16D70, 0x16D79}, {0x1CCF0, 0x1CCF9},
                                 {0x1E5F1, 0x1E5FA}};
constexpr Range kNewMarks[] = {{0x897, 0x897},     {0x10D69, 0x10D6D}, {0x10EFC, 0x10EFC},
                               {0x113B8, 0x113C0}, {0x113C2, 0x113C2}, {0x113C5, 0x113C5},
                               {0x113C7, 0x113CA}, {0x113CC, 0x113D0}, {0x113D2, 0x113D2},
                               {0x113E1, 0x113E2}, {0x11F5A, 0x11F5A}, {0x1611E, 0x1612F},
                               {0x1E5EE, 0x1E5EF}};
struct Lower {
  Range upper;
  char32_t first_lower;
};
constexpr Lower kNewLower[] = {{{0x1C89, 0x1C89}, 0x1C8A},    {{0xA7CB, 0xA7CB}, 0x264},
                               {{0xA7CC, 0xA7CC}, 0xA7CD},    {{0xA7CE, 0xA7CE}, 0xA7CF},
                               {{0xA7D2, 0xA7D2}, 0xA7D3},    {{0xA7D4, 0xA7D4}, 0xA7D5},
                               {{0xA7DA, 0xA7DA}, 0xA7DB},    {{0xA7DC, 0xA7DC}, 0x19B},
                               {{0x10D50, 0x10D65}, 0x10D70}, {{0x16EA0, 0x16EB8}, 0x16EBB}};

// ISO 10646 blocks as listed in the BERT code, which also lacks U+2B820..U+2B91F.
constexpr Range kCjkBlocks[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                {0x20000, 0x2A6DF}, {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF},
                                {0x2F800, 0x2FA1F}};

// True if `c` was assigned in Unicode `version` or before.
bool known(char32_t c, int version) {
  UVersionInfo age;
  u_charAge(static_cast<UChar32>(c), age);
  return age[0] != 0 && age[0] <= version;
}

// ICU creates its instance once in a process. If memory fails then, it never exists, so it is
// created when the library is loaded.
UErrorCode at_loading = U_ZERO_ERROR;
[[maybe_unused]] const UNormalizer2* const made_at_loading = unorm2_getNFDInstance(&at_loading);

const UNormalizer2* nfd() {
  static const UNormalizer2* const instance = [] {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* made = unorm2_getNFDInstance(&status);
    if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
    check(U_SUCCESS(status) != 0, Status::kInternal, "ICU has no NFD data: ", u_errorName(status));
    return made;
  }();
  return instance;
}

bool is_ascii_punctuation(char32_t c) {
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
         (c >= 123 && c <= 126);
}

uint16_t compute_flags(char32_t c) {
  const uint32_t category = U_MASK(u_charType(static_cast<UChar32>(c)));
  const bool in_categories = known(c, kCategoriesVersion);
  const bool is_cleaned =
      (category & (U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK)) != 0 && in_categories;
  const bool is_punctuation =
      ((category & U_GC_P_MASK) != 0 && in_categories) || any_of(kOldPunctuation, c);
  const bool is_accent =
      ((category & U_GC_MN_MASK) != 0 && in_categories && !any_of(kNotYetAccents, c)) ||
      any_of(kOldAccents, c);
  const bool is_mark =
      ((category & U_GC_M_MASK) != 0 && known(c, kMarkVersion) && !any_of(kNotYetMarks, c)) ||
      any_of(kOldMarks, c);
  const bool is_letter =
      ((category & U_GC_L_MASK) != 0 && known(c, kRegexVersion)) || any_of(kNewLetters, c);
  const bool is_number =
      ((category & U_GC_N_MASK) != 0 && known(c, kRegexVersion)) || any_of(kNewNumbers, c);
  uint16_t flags = 0;
  if (u_isUWhiteSpace(static_cast<UChar32>(c))) flags |= kSpace;
  if (c == kReplacement || (is_cleaned && c != '\t' && c != '\n' && c != '\r')) flags |= kDropped;
  if (is_ascii_punctuation(c) || is_punctuation) flags |= kPunctuation;
  if (is_accent) flags |= kAccent;
  if (is_mark) flags |= kMark;
  if (is_letter) flags |= kLetter;
  if (is_number) flags |= kNumber;
  if (any_of(kCjkBlocks, c)) flags |= kCjk;
  return flags;
}

}  // namespace

uint16_t char_flags(char32_t c) {
  static const LazyPages<uint16_t> pages;
  return pages.at(c, compute_flags);
}

bool known_to_normalization(char32_t c) { return known(c, kNormalizationVersion); }

uint8_t combining_class(char32_t c) {
  return known(c, kNormalizationVersion) ? u_getCombiningClass(static_cast<UChar32>(c)) : 0;
}

size_t decompose(char32_t c, char32_t* out) {
  UChar units[16];
  UErrorCode status = U_ZERO_ERROR;
  const int32_t count = unorm2_getDecomposition(nfd(), static_cast<UChar32>(c), units, 16, &status);
  out[0] = c;
  if (count < 0 || U_FAILURE(status) || !known(c, kNormalizationVersion)) return 1;
  size_t length = 0;
  for (int32_t i = 0; i < count && length < 4;) {
    UChar32 part = 0;
    U16_NEXT(units, i, count, part);
    out[length++] = static_cast<char32_t>(part);
  }
  return length;
}

size_t lower_case(char32_t c, char32_t* out) {
  if (c == 0x130) {  // the only character whose lower case has two characters: i and a dot above
    out[0] = 'i';
    out[1] = 0x307;
    return 2;
  }
  for (const Lower& rule : kNewLower) {
    if (c >= rule.upper.first && c <= rule.upper.last) {
      out[0] = rule.first_lower + (c - rule.upper.first);
      return 1;
    }
  }
  out[0] = known(c, kLowerVersion) ? static_cast<char32_t>(u_tolower(static_cast<UChar32>(c))) : c;
  return 1;
}

std::string newer_characters(CharFlag flag) {
  std::string ranges;
  const auto add = [&](const Range& range) {
    char text[32];
    std::snprintf(text, sizeof(text), "\\x{%X}-\\x{%X}", static_cast<unsigned>(range.first),
                  static_cast<unsigned>(range.last));
    ranges += text;
  };
  if (flag == kLetter) std::for_each(std::begin(kNewLetters), std::end(kNewLetters), add);
  if (flag == kNumber) std::for_each(std::begin(kNewNumbers), std::end(kNewNumbers), add);
  if (flag == kMark) std::for_each(std::begin(kNewMarks), std::end(kNewMarks), add);
  return ranges;
}

bool is_numeric(char32_t c) {
  return (char_flags(c) & kNumber) != 0 || (c >= 0x11DE0 && c <= 0x11DE9) ||
         (c >= 0x16FF4 && c <= 0x16FF6);
}

bool is_word_char(char32_t c) {
  if (any_of(kNewLetters, c) || any_of(kNewNumbers, c) || any_of(kNewMarks, c)) return true;
  const auto code = static_cast<UChar32>(c);
  const uint32_t category = U_MASK(u_charType(code));
  const bool is_word =
      u_isUAlphabetic(code) || (category & (U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK)) != 0;
  return (is_word && known(c, kRegexVersion)) || u_hasBinaryProperty(code, UCHAR_JOIN_CONTROL);
}

}  // namespace contrastive::text
