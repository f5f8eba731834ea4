#include "core/text/regular_expression.h"

#include <unicode/uregex.h>
#include <unicode/utext.h>

#include <algorithm>
#include <new>

#include "core/base/error.h"

namespace contrastive::text {
namespace {

constexpr int32_t kStackBytes = 1 << 24;  // of backtracking
constexpr size_t kLongest = size_t{1} << 12;  // bytes of an expression
constexpr int64_t kSteps = 500;           // of about a millisecond each, for a text; longer texts have more

void check_memory(UErrorCode status) {
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
}

class Utf8Text {
 public:
  explicit Utf8Text(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    utext_openUTF8(&text_, text.data(), static_cast<int64_t>(text.size()), &status);
    check_memory(status);
    check(U_SUCCESS(status) != 0, Status::kInternal, "ICU cannot read a text: ", u_errorName(status));
  }
  Utf8Text(const Utf8Text&) = delete;
  Utf8Text& operator=(const Utf8Text&) = delete;
  ~Utf8Text() { utext_close(&text_); }
  UText* get() { return &text_; }

 private:
  UText text_ = UTEXT_INITIALIZER;
};

}  // namespace

// A search object of this call's own.
class RegularExpression::Lease {
 public:
  explicit Lease(const RegularExpression& owner) : owner_(owner) {
    {
      const std::lock_guard<std::mutex> lock(owner.mutex_);
      if (!owner.idle_.empty()) {
        object_ = owner.idle_.back();
        owner.idle_.pop_back();
        return;
      }
    }
    UErrorCode status = U_ZERO_ERROR;
    object_ = uregex_clone(owner.compiled_, &status);
    check_memory(status);
    check(U_SUCCESS(status) != 0, Status::kInternal, "ICU cannot copy an expression: ", u_errorName(status));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    try {
      const std::lock_guard<std::mutex> lock(owner_.mutex_);
      owner_.idle_.push_back(object_);
    } catch (...) {
      uregex_close(object_);
    }
  }
  URegularExpression* get() const { return object_; }

 private:
  const RegularExpression& owner_;
  URegularExpression* object_ = nullptr;
};

RegularExpression::RegularExpression(std::string expression, std::string source)
    : expression_(std::move(expression)), source_(std::move(source)), compiled_(nullptr) {
  check(expression_.size() <= kLongest, Status::kLimit, source_, ": a regular expression of ", expression_.size(), " bytes, above the limit of ",
        kLongest);
  UErrorCode status = U_ZERO_ERROR;
  UParseError place{};
  Utf8Text text(expression_);
  // As Oniguruma reads them: ^ and $ stand at every line, and only a line feed ends one.
  compiled_ = uregex_openUText(text.get(), UREGEX_MULTILINE | UREGEX_UNIX_LINES, &place, &status);
  check_memory(status);
  check(U_SUCCESS(status) != 0, Status::kFormat, source_, ": not a regular expression (", u_errorName(status), " at character ", place.offset, "): ",
        expression_);
}

RegularExpression::~RegularExpression() {
  for (URegularExpression* object : idle_) uregex_close(object);
  uregex_close(compiled_);
}

void RegularExpression::find(std::string_view text, std::vector<Span>& matches) const {
  const Lease lease(*this);
  URegularExpression* const search = lease.get();
  Utf8Text input(text);
  UErrorCode status = U_ZERO_ERROR;
  uregex_setStackLimit(search, kStackBytes, &status);
  uregex_setTimeLimit(search, static_cast<int32_t>(kSteps + std::min<int64_t>(static_cast<int64_t>(text.size()) / 1000, 1 << 20)), &status);
  uregex_setUText(search, input.get(), &status);
  while (U_SUCCESS(status) != 0 && uregex_findNext(search, &status) != 0) {
    const int64_t begin = uregex_start64(search, 0, &status), end = uregex_end64(search, 0, &status);
    if (U_SUCCESS(status) != 0) matches.push_back({static_cast<size_t>(begin), static_cast<size_t>(end)});
  }
  const UErrorCode found = status;
  status = U_ZERO_ERROR;
  static constexpr UChar kNothing[] = {0};
  uregex_setText(search, kNothing, 0, &status);  // what is kept does not point to the text
  check_memory(found);
  check(U_SUCCESS(found) != 0, Status::kLimit, source_, ": the regular expression takes too long on a text of ", text.size(), " bytes (",
        u_errorName(found), "): ", expression_);
}

}  // namespace contrastive::text
