#include "core/text/regular_expression.h"

#include <unicode/uregex.h>
#include <unicode/utext.h>

#include <algorithm>
#include <new>

#include "core/base/error.h"
#include "core/text/unicode.h"

namespace contrastive::text {
namespace {

constexpr int32_t kStackBytes = 1 << 24;      // of backtracking
constexpr size_t kLongest = size_t{1} << 12;  // bytes of an expression
constexpr int kMostClasses = 128;             // that are written out, in an expression
constexpr int64_t kSteps =
    500;  // of ten thousand operations each for a text, plus one for every hundred bytes

void check_memory(UErrorCode status) {
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
}

// \w for the inside of brackets. Oniguruma includes the superscripts and fractions of Latin-1, but
// not if \w itself is in brackets.
std::string word_class(bool in_brackets) {
  return std::string(in_brackets ? "" : R"(\xB2\xB3\xB9\xBC-\xBE)") +
         R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc})" + newer_characters(kLetter) +
         newer_characters(kNumber) + newer_characters(kMark);
}

// Translates `expression` to ICU's syntax: classes of characters that an older ICU does not know
// completely, and the meaning of \w, \b, \h and [:punct:].
std::string translate(std::string_view expression, const std::string& source) {
  const std::string word = word_class(false), digit = R"(\p{Nd})" + newer_characters(kNumber);
  const std::pair<std::string_view, std::string> named[] = {
      {"p{L}", R"(\p{L})" + newer_characters(kLetter)},
      {"p{N}", R"(\p{N})" + newer_characters(kNumber)},
      {"p{M}", R"(\p{M})" + newer_characters(kMark)},
      {"p{Lu}", R"(\p{Lu}\x{1C89}\x{A7CB}\x{A7CC}\x{A7DA}\x{A7DC}\x{10D50}-\x{10D65})"},
      {"p{Ll}", R"(\p{Ll}\x{1C8A}\x{A7CD}\x{A7DB}\x{10D70}-\x{10D85})"}};
  std::string out;
  int brackets = 0, classes = 0;
  for (size_t at = 0; at < expression.size();) {
    const std::string_view rest = expression.substr(at);
    check(classes <= kMostClasses, Status::kLimit, source, ": more than ", kMostClasses,
          " classes of characters in a regular expression");
    if (rest.substr(0, 9) == "[:punct:]" && brackets > 0) {
      out += R"([\p{P}\p{S}])";
      at += 9;
      continue;
    }
    if (rest[0] != '\\' || rest.size() == 1) {
      if (rest[0] == '[') ++brackets;
      if (rest[0] == ']') --brackets;
      out += rest[0];
      ++at;
      continue;
    }
    const auto known = std::find_if(std::begin(named), std::end(named), [&](const auto& name) {
      return rest.substr(1, name.first.size()) == name.first;
    });
    ++classes;
    if (known != std::end(named)) {
      out += "[" + known->second + "]";
      at += 1 + known->first.size();
      continue;
    }
    const char kind = rest[1];
    check(kind != 'X', Status::kUnsupported, source,
          ": \\X is not known in a regular expression here: ", expression);
    const bool boundary = (kind == 'b' || kind == 'B') && brackets == 0;
    if (kind == 'w' || kind == 'W')
      out += (kind == 'w' ? "[" : "[^") + word_class(brackets > 0) + "]";
    else if (kind == 'd' || kind == 'D') out += (kind == 'd' ? "[" : "[^") + digit + "]";
    else if (kind == 'h' || kind == 'H') out += kind == 'h' ? "[0-9A-Fa-f]" : "[^0-9A-Fa-f]";
    else if (boundary && kind == 'b')
      out += "(?:(?<=[" + word + "])(?![" + word + "])|(?<![" + word + "])(?=[" + word + "]))";
    else if (boundary)
      out += "(?:(?<=[" + word + "])(?=[" + word + "])|(?<![" + word + "])(?![" + word + "]))";
    else out += rest.substr(0, 2);
    at += 2;
  }
  return out;
}

class Utf8Text {
 public:
  explicit Utf8Text(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    utext_openUTF8(&text_, text.data(), static_cast<int64_t>(text.size()), &status);
    check_memory(status);
    check(U_SUCCESS(status) != 0, Status::kInternal,
          "ICU cannot read a text: ", u_errorName(status));
  }
  Utf8Text(const Utf8Text&) = delete;
  Utf8Text& operator=(const Utf8Text&) = delete;
  ~Utf8Text() { utext_close(&text_); }
  UText* get() { return &text_; }

 private:
  UText text_ = UTEXT_INITIALIZER;
};

}  // namespace

// A search object for one call.
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
    check(U_SUCCESS(status) != 0, Status::kInternal,
          "ICU cannot copy an expression: ", u_errorName(status));
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
  check(expression_.size() <= kLongest, Status::kLimit, source_, ": a regular expression of ",
        expression_.size(), " bytes, above the limit of ", kLongest);
  UErrorCode status = U_ZERO_ERROR;
  UParseError place{};
  const std::string translated = translate(expression_, source_);
  Utf8Text text(translated);
  // As in Oniguruma: ^ and $ match at every line, and only a line feed ends one.
  compiled_ = uregex_openUText(text.get(), UREGEX_MULTILINE | UREGEX_UNIX_LINES, &place, &status);
  check_memory(status);
  check(U_SUCCESS(status) != 0, Status::kFormat, source_, ": not a regular expression (",
        u_errorName(status), " at character ", place.offset, "): ", expression_);
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
  uregex_setTimeLimit(search,
                      static_cast<int32_t>(
                          kSteps +
                          std::min<int64_t>(static_cast<int64_t>(text.size()) / 100, 1 << 30)),
                      &status);
  uregex_setUText(search, input.get(), &status);
  while (U_SUCCESS(status) != 0 && uregex_findNext(search, &status) != 0) {
    const int64_t begin = uregex_start64(search, 0, &status),
                  end = uregex_end64(search, 0, &status);
    if (U_SUCCESS(status) != 0)
      matches.push_back({static_cast<size_t>(begin), static_cast<size_t>(end)});
  }
  const UErrorCode found = status;
  status = U_ZERO_ERROR;
  static constexpr UChar kNothing[] = {0};
  uregex_setText(search, kNothing, 0, &status);  // the kept object must not point to the text
  check_memory(found);
  check(U_SUCCESS(found) != 0, Status::kLimit, source_,
        ": the regular expression takes too long, or too much memory, on a text of ", text.size(),
        " bytes (", u_errorName(found), "): ", expression_);
}

}  // namespace contrastive::text
