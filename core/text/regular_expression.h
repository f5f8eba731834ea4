// Regular expressions as ICU runs them, with a bound on time and memory: they come from files of
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
  // kFormat, naming `source`, for what is no expression.
  RegularExpression(std::string expression, std::string source);
  ~RegularExpression() override;

  // kLimit where a search takes more steps or memory than any sensible expression does.
  void find(std::string_view text, std::vector<Span>& matches) const override;

 private:
  class Lease;

  std::string expression_, source_;
  URegularExpression* compiled_;
  // ICU's object holds the state of a search: one for each search that runs, kept for the next.
  mutable std::mutex mutex_;
  mutable std::vector<URegularExpression*> idle_;
};

}  // namespace contrastive::text
