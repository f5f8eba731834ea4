#include "core/text/unicode_forms.h"

#include <unicode/uchar.h>
#include <unicode/unorm2.h>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/base/base64.h"
#include "core/base/error.h"
#include "core/text/compatibility_data.h"
#include "core/text/lazy_pages.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

// As in unicode.cpp: created when the library is loaded, because ICU tries only once in a process.
UErrorCode nfc_at_loading = U_ZERO_ERROR;
[[maybe_unused]] const UNormalizer2* const nfc_made_at_loading =
    unorm2_getNFCInstance(&nfc_at_loading);

const UNormalizer2* nfc() {
  static const UNormalizer2* const instance = [] {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* made = unorm2_getNFCInstance(&status);
    if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
    check(U_SUCCESS(status) != 0, Status::kInternal, "ICU has no NFC data: ", u_errorName(status));
    return made;
  }();
  return instance;
}

class CompatibilityTable {
 public:
  CompatibilityTable()
      : bytes_(decode_base64(kCompatibilityData, "the table of compatibility decompositions")) {
    const std::string_view all = bytes_;
    for (size_t at = 0; at < all.size();) {
      const char32_t c = decode_valid(all, at);
      const size_t end = all.find('\0', at);
      found_[c] = all.substr(at, end - at);
      at = end + 1;
    }
  }
  // In UTF-8; empty if it is the canonical decomposition.
  std::string_view find(char32_t c) const {
    const auto it = found_.find(c);
    return it == found_.end() ? std::string_view() : it->second;
  }

 private:
  std::string bytes_;
  std::unordered_map<char32_t, std::string_view> found_;
};

CompositionClass compute_class(char32_t c) {
  CompositionClass result{combining_class(c), true, true};
  if (!known_to_normalization(c)) return result;
  result.settled_nfc =
      u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_NFC_QUICK_CHECK) == UNORM_YES;
  char32_t compatible[kLongestDecomposition], canonical[4];
  const size_t compatible_size = decompose_compatibly(c, compatible),
               canonical_size = decompose(c, canonical);
  result.settled_nfkc = result.settled_nfc && std::equal(compatible, compatible + compatible_size,
                                                         canonical, canonical + canonical_size);
  return result;
}

}  // namespace

size_t decompose_compatibly(char32_t c, char32_t* out) {
  static const CompatibilityTable table;
  const std::string_view found = known_to_normalization(c) ? table.find(c) : std::string_view();
  if (found.empty()) return decompose(c, out);
  size_t length = 0;
  for (size_t at = 0; at < found.size() && length < kLongestDecomposition;)
    out[length++] = decode_valid(found, at);
  return length;
}

char32_t compose(char32_t first, char32_t second) {
  const UChar32 made =
      unorm2_composePair(nfc(), static_cast<UChar32>(first), static_cast<UChar32>(second));
  return made >= 0 && known_to_normalization(static_cast<char32_t>(made))
             ? static_cast<char32_t>(made)
             : 0;
}

CompositionClass composition_class(char32_t c) {
  static const LazyPages<CompositionClass> pages;
  return pages.at(c, compute_class);
}

}  // namespace contrastive::text
