#include "core/text/vocabulary.h"

#include <algorithm>

#include "core/base/error.h"

namespace contrastive::text {

Vocabulary::Vocabulary(TokenList tokens, const std::string& source)
    : count_(static_cast<int64_t>(tokens.size())) {
  check(!tokens.empty(), Status::kFormat, source, ": the vocabulary has no tokens");
  const int64_t limit = 65536 + 4 * count_;
  int32_t highest = 0;
  for (const auto& [token, id] : tokens) {
    check(id >= 0, Status::kFormat, source, ": the token '", token, "' has the negative id ", id);
    check(id < limit, Status::kLimit, source, ": the token '", token, "' has id ", id,
          ", too high for a vocabulary of ", count_, " tokens");
    highest = std::max(highest, id);
  }
  tokens_.resize(static_cast<size_t>(highest) + 1);
  std::vector<bool> taken(tokens_.size());
  map_ = std::make_unique<TokenMap>(tokens.size());
  for (auto& [token, id] : tokens) {
    check(!taken[id], Status::kFormat, source, ": the id ", id, " appears twice: for '",
          tokens_[id], "' and '", token, "'");
    taken[id] = true;
    tokens_[id] = std::move(token);
    check(map_->insert(tokens_[id], id), Status::kFormat, source, ": the token '", tokens_[id],
          "' appears twice, at id ", id, " for the second time");
  }
}

const std::string& Vocabulary::token(int32_t id) const {
  static const std::string none;
  return id >= 0 && static_cast<size_t>(id) < tokens_.size() ? tokens_[id] : none;
}

}  // namespace contrastive::text
