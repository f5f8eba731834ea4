// Regular expressions, run by ICU with a bound on time and memory because they come from files of
// unknown origin.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/pattern.h"

struct URegularExpression;

namespace contrastive::text {

class RegularExpression : public Pattern {
 public:
  // Throws kFormat, which names `source`, for an invalid expression.
  RegularExpression(std::string expression, std::string source);
  ~RegularExpression() override;

  // Throws kLimit if a search takes more steps or memory than any sensible expression does.
  void find(std::string_view text, std::vector<Span>& matches) const override;

 private:
  class Lease;

  std::string expression_, source_;
  URegularExpression* compiled_;
  // ICU's object holds the state of a search. Each running search has its own, which is kept for
  // the next one.
  mutable std::mutex mutex_;
  mutable std::vector<URegularExpression*> idle_;
};

}  // namespace contrastive::text
