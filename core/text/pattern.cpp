#include "core/text/pattern.h"

#include "core/text/pre_tokenizer.h"
#include "core/text/regular_expression.h"
#include "core/text/unicode.h"

namespace contrastive::text {
namespace {

class Literal : public Pattern {
 public:
  explicit Literal(std::string text) : text_(std::move(text)) {}

  void find(std::string_view text, std::vector<Span>& matches) const override {
    for (size_t at = text.find(text_); at != std::string_view::npos;
         at = text.find(text_, at + text_.size())) {
      matches.push_back({at, at + text_.size()});
    }
  }

 private:
  std::string text_;
};

// At least `least` repetitions of one character: "X{2,}".
class Run : public Pattern {
 public:
  Run(std::string character, size_t least) : character_(std::move(character)), least_(least) {}

  void find(std::string_view text, std::vector<Span>& matches) const override {
    const size_t size = character_.size();
    for (size_t at = text.find(character_); at != std::string_view::npos;
         at = text.find(character_, at)) {
      const size_t begin = at;
      while (text.compare(at, size, character_) == 0) at += size;
      if (at - begin >= least_ * size) matches.push_back({begin, at});
    }
  }

 private:
  std::string character_;
  size_t least_;
};

// An expression for which every text is a sequence of matches. It is given by a function that
// returns the end of the match at a position.
class Row : public Pattern {
 public:
  using End = size_t (*)(std::string_view text, size_t begin);
  explicit Row(End end) : end_(end) {}

  void find(std::string_view text, std::vector<Span>& matches) const override {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = end_(text, begin);
      matches.push_back({begin, end});
      begin = end;
    }
  }

 private:
  End end_;
};

constexpr const char* kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr const char* kGpt4 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

std::string gpt4(const char* digits) {
  const std::string expression = kGpt4;
  const size_t place = expression.find('%');
  return expression.substr(0, place) + digits + expression.substr(place + 1);
}

// X{2,} and X+ for a literal X; nullptr for any other expression.
std::shared_ptr<const Pattern> run_pattern(const std::string& expression) {
  const size_t size =
      expression.empty() || static_cast<unsigned char>(expression[0]) >= 0x80 ? 0 : 1;
  if (size == 0 || (expression[0] != ' ' && expression[0] != '-' && expression[0] != '_'))
    return nullptr;
  const std::string rest = expression.substr(size);
  if (rest == "+" || rest == "{1,}") return std::make_shared<Run>(expression.substr(0, size), 1);
  return rest == "{2,}" ? std::make_shared<Run>(expression.substr(0, size), 2) : nullptr;
}

}  // namespace

std::shared_ptr<const Pattern> literal_pattern(std::string text) {
  return std::make_shared<Literal>(std::move(text));
}

std::shared_ptr<const Pattern> expression_pattern(const std::string& expression,
                                                  const std::string& source) {
  if (expression == kGpt2) return std::make_shared<Row>(gpt2_piece_end);
  if (expression == gpt4("")) return std::make_shared<Row>(gpt4_piece_end<1>);
  if (expression == gpt4("{1,3}")) return std::make_shared<Row>(gpt4_piece_end<3>);
  if (auto run = run_pattern(expression)) return run;
  return std::make_shared<RegularExpression>(expression, source);
}

}  // namespace contrastive::text
