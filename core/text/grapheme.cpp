#include "core/text/grapheme.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "core/text/lazy_pages.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

struct CodeRange {
  char32_t first, last;
};

// Extended_Pictographic: ICU keeps it in its data file, which this library does not include
// (icu.cmake).
constexpr CodeRange kPictographs[] = {
    {0xA9, 0xA9},       {0xAE, 0xAE},       {0x203C, 0x203C},   {0x2049, 0x2049},
    {0x2122, 0x2122},   {0x2139, 0x2139},   {0x2194, 0x2199},   {0x21A9, 0x21AA},
    {0x231A, 0x231B},   {0x2328, 0x2328},   {0x2388, 0x2388},   {0x23CF, 0x23CF},
    {0x23E9, 0x23F3},   {0x23F8, 0x23FA},   {0x24C2, 0x24C2},   {0x25AA, 0x25AB},
    {0x25B6, 0x25B6},   {0x25C0, 0x25C0},   {0x25FB, 0x25FE},   {0x2600, 0x2605},
    {0x2607, 0x2612},   {0x2614, 0x2685},   {0x2690, 0x2705},   {0x2708, 0x2712},
    {0x2714, 0x2714},   {0x2716, 0x2716},   {0x271D, 0x271D},   {0x2721, 0x2721},
    {0x2728, 0x2728},   {0x2733, 0x2734},   {0x2744, 0x2744},   {0x2747, 0x2747},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},
    {0x2763, 0x2767},   {0x2795, 0x2797},   {0x27A1, 0x27A1},   {0x27B0, 0x27B0},
    {0x27BF, 0x27BF},   {0x2934, 0x2935},   {0x2B05, 0x2B07},   {0x2B1B, 0x2B1C},
    {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x3030, 0x3030},   {0x303D, 0x303D},
    {0x3297, 0x3297},   {0x3299, 0x3299},   {0x1F000, 0x1F0FF}, {0x1F10D, 0x1F10F},
    {0x1F12F, 0x1F12F}, {0x1F16C, 0x1F171}, {0x1F17E, 0x1F17F}, {0x1F18E, 0x1F18E},
    {0x1F191, 0x1F19A}, {0x1F1AD, 0x1F1E5}, {0x1F201, 0x1F20F}, {0x1F21A, 0x1F21A},
    {0x1F22F, 0x1F22F}, {0x1F232, 0x1F23A}, {0x1F23C, 0x1F23F}, {0x1F249, 0x1F3FA},
    {0x1F400, 0x1F53D}, {0x1F546, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F774, 0x1F77F},
    {0x1F7D5, 0x1F7FF}, {0x1F80C, 0x1F80F}, {0x1F848, 0x1F84F}, {0x1F85A, 0x1F85F},
    {0x1F888, 0x1F88F}, {0x1F8AE, 0x1F8FF}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945},
    {0x1F947, 0x1FAFF}, {0x1FC00, 0x1FFFD}};

// Marks of Unicode 15.1 to 17, in case ICU does not have them yet.
constexpr CodeRange kNewExtends[] = {{0x897, 0x897},     {0x1ACF, 0x1ADD},   {0x1AE0, 0x1AEB},
                                     {0x10D69, 0x10D6D}, {0x10EFA, 0x10EFC}, {0x113B8, 0x113C0},
                                     {0x113C2, 0x113C2}, {0x113C5, 0x113C5}, {0x113C7, 0x113CA},
                                     {0x113CC, 0x113D0}, {0x113D2, 0x113D2}, {0x113E1, 0x113E2},
                                     {0x11B60, 0x11B67}, {0x11F5A, 0x11F5A}, {0x1611E, 0x1612F},
                                     {0x1E5EE, 0x1E5EF}, {0x1E6E3, 0x1E6E3}, {0x1E6E6, 0x1E6E6},
                                     {0x1E6EE, 0x1E6EF}, {0x1E6F5, 0x1E6F5}};

constexpr uint8_t kPictograph = U_GCB_COUNT;  // an additional value of Grapheme_Cluster_Break; all
                                              // pictographs have U_GCB_OTHER

uint8_t compute_break(char32_t c) {
  const auto in = [c](const CodeRange& range) { return c >= range.first && c <= range.last; };
  if (std::any_of(std::begin(kPictographs), std::end(kPictographs), in)) return kPictograph;
  if (std::any_of(std::begin(kNewExtends), std::end(kNewExtends), in)) return U_GCB_EXTEND;
  return static_cast<uint8_t>(
      u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_GRAPHEME_CLUSTER_BREAK));
}

uint8_t break_of(char32_t c) {
  static const LazyPages<uint8_t> pages;
  return pages.at(c, compute_break);
}

bool is_control(uint8_t of) { return of == U_GCB_CONTROL || of == U_GCB_CR || of == U_GCB_LF; }

// Rules GB3 to GB9b of the annex: whether two characters belong together, whatever surrounds them.
bool joins(uint8_t left, uint8_t right) {
  if (left == U_GCB_CR && right == U_GCB_LF) return true;
  if (is_control(left) || is_control(right)) return false;
  if (left == U_GCB_L) {
    if (right == U_GCB_L || right == U_GCB_V || right == U_GCB_LV || right == U_GCB_LVT)
      return true;
  } else if (left == U_GCB_LV || left == U_GCB_V) {
    if (right == U_GCB_V || right == U_GCB_T) return true;
  } else if (left == U_GCB_LVT || left == U_GCB_T) {
    if (right == U_GCB_T) return true;
  }
  return right == U_GCB_EXTEND || right == U_GCB_ZWJ || right == U_GCB_SPACING_MARK ||
         left == U_GCB_PREPEND;
}

}  // namespace

size_t grapheme_end(std::string_view text, size_t begin) {
  size_t at = begin;
  uint8_t left = break_of(decode_valid(text, at));
  bool picture = left == kPictograph;  // a pictograph and the marks after it, up to here
  bool flag = left == U_GCB_REGIONAL_INDICATOR;
  while (at < text.size()) {
    size_t next = at;
    const uint8_t right = break_of(decode_valid(text, next));
    const bool pictures = picture && left == U_GCB_ZWJ && right == kPictograph;  // GB11
    const bool flags = flag && left == U_GCB_REGIONAL_INDICATOR &&
                       right == U_GCB_REGIONAL_INDICATOR;  // GB12: two of them, no more
    if (!joins(left, right) && !pictures && !flags) break;
    picture = right == kPictograph || (picture && (right == U_GCB_EXTEND || right == U_GCB_ZWJ));
    flag = right == U_GCB_REGIONAL_INDICATOR && !flags;
    left = right;
    at = next;
  }
  return at;
}

}  // namespace contrastive::text
