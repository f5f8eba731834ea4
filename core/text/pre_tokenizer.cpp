#include "core/text/pre_tokenizer.h"

namespace contrastive::text {
namespace {

enum class Gpt2Class : uint8_t { kOther, kLetter, kNumber, kSpace };

Gpt2Class class_of(char32_t c) {
  const uint16_t flags = char_flags(c);
  if ((flags & kLetter) != 0) return Gpt2Class::kLetter;
  if ((flags & kNumber) != 0) return Gpt2Class::kNumber;
  return (flags & kSpace) != 0 ? Gpt2Class::kSpace : Gpt2Class::kOther;
}

template <class Class, class Of>
std::array<Class, 128> ascii_table(const Of& of) {
  std::array<Class, 128> table{};
  for (char32_t c = 0; c < 128; ++c) table[c] = of(c);
  return table;
}

const std::array<Gpt2Class, 128>& gpt2_ascii() {
  static const std::array<Gpt2Class, 128> table = ascii_table<Gpt2Class>(class_of);
  return table;
}

// The class of the character at `at`. Moves `at` after it.
Gpt2Class next_class(std::string_view text, size_t& at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return ++at, gpt2_ascii()[byte];
  return class_of(decode_valid(text, at));
}

// The end of the run of `kind` that continues at `at`.
size_t gpt2_run_end(std::string_view text, size_t at, Gpt2Class kind) {
  while (at < text.size()) {
    size_t next = at;
    if (next_class(text, next) != kind) break;
    at = next;
  }
  return at;
}

// The length of the contraction at `at` ('s 't 're 've 'm 'll 'd); 0 if none begins there.
size_t contraction(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at, 3);
  if (rest.size() < 2 || rest[0] != '\'') return 0;
  if (rest[1] == 's' || rest[1] == 't' || rest[1] == 'm' || rest[1] == 'd') return 2;
  return rest == "'re" || rest == "'ve" || rest == "'ll" ? 3 : 0;
}

// The same without regard to case. U+017F, the long s, counts as an s.
size_t any_contraction(std::string_view text, size_t at) {
  std::string_view rest = text.substr(at, 3);
  if (rest.size() < 2 || rest[0] != '\'') return 0;
  if (rest == "'\u017F") return 3;
  const auto lower = [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); };
  const char small[] = {'\'', lower(rest[1]), rest.size() > 2 ? lower(rest[2]) : '\0'};
  return contraction({small, rest.size()}, 0);
}

bool is_line_end(std::string_view text, size_t at) {
  return at < text.size() && (text[at] == '\r' || text[at] == '\n');
}

size_t line_ends_end(std::string_view text, size_t at) {
  while (is_line_end(text, at)) ++at;
  return at;
}

}  // namespace

const std::array<BertClass, 128>& bert_ascii() {
  static const std::array<BertClass, 128> table = ascii_table<BertClass>(bert_class);
  return table;
}

size_t gpt2_piece_end(std::string_view text, size_t begin) {
  if (const size_t length = contraction(text, begin)) return begin + length;
  size_t at = begin;
  const Gpt2Class first = next_class(text, at);
  if (first != Gpt2Class::kSpace) return gpt2_run_end(text, at, first);
  if (text[begin] == ' ' && at < text.size()) {
    size_t next = at;
    const Gpt2Class second = next_class(text, next);
    if (second != Gpt2Class::kSpace) return gpt2_run_end(text, next, second);
  }
  // A run of white space leaves its last character to what follows, if the run has more than one
  // character and something follows.
  size_t last = begin;
  while (at < text.size()) {
    size_t next = at;
    if (next_class(text, next) != Gpt2Class::kSpace) return last == begin ? at : last;
    last = at;
    at = next;
  }
  return at;
}

size_t gpt4_piece_end(std::string_view text, size_t begin, size_t digits) {
  if (const size_t length = any_contraction(text, begin)) return begin + length;
  size_t at = begin;
  const Gpt2Class first = next_class(text, at);
  if (first == Gpt2Class::kLetter) return gpt2_run_end(text, at, first);
  if (first == Gpt2Class::kNumber) {
    for (size_t count = 1; count < digits && at < text.size(); ++count) {
      size_t next = at;
      if (next_class(text, next) != Gpt2Class::kNumber) break;
      at = next;
    }
    return at;
  }
  // One character that is neither a letter nor a number nor a line end may begin a word.
  Gpt2Class second = Gpt2Class::kSpace;
  if (at < text.size()) {
    size_t next = at;
    second = next_class(text, next);
    if (second == Gpt2Class::kLetter && !is_line_end(text, begin))
      return gpt2_run_end(text, next, second);
  }
  if (first == Gpt2Class::kOther ||
      (text[begin] == ' ' && at < text.size() && second == Gpt2Class::kOther)) {
    return line_ends_end(text, gpt2_run_end(text, at, Gpt2Class::kOther));
  }
  // White space up to its last line end. If it has none: all of it, except the last character if
  // something follows.
  const size_t end = gpt2_run_end(text, begin, Gpt2Class::kSpace);
  const size_t line = text.substr(begin, end - begin).find_last_of("\r\n");
  if (line != std::string_view::npos) return begin + line + 1;
  if (end == text.size()) return end;
  size_t last = end - 1;
  while ((static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
  return last > begin ? last : end;
}

}  // namespace contrastive::text
