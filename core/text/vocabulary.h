// A vocabulary: the tokens of a model and their ids, in both directions. Ids come from files: they
// may have holes, but are bounded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text/token_map.h"

namespace contrastive::text {

using TokenList = std::vector<std::pair<std::string, int32_t>>;

class Vocabulary {
 public:
  // Throws kFormat (which names `source`) for a duplicate token or id, a negative id, or no tokens
  // at all; kLimit if the ids have so many holes that a table by id would be mostly empty.
  Vocabulary(TokenList tokens, const std::string& source);

  int64_t count() const { return count_; }                                // the number of tokens
  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }   // highest id + 1
  const std::string& token(int32_t id) const;                             // "" if unknown
  int32_t id(std::string_view token) const { return map_->find(token); }  // -1 if unknown
  const std::vector<std::string>& tokens() const { return tokens_; }      // by id, "" in holes

 private:
  std::vector<std::string> tokens_;
  std::unique_ptr<TokenMap> map_;  // its keys point into tokens_
  int64_t count_ = 0;
};

}  // namespace contrastive::text
