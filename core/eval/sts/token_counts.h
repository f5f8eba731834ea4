// Which tokens are the most frequent in some texts: they dominate averaged embeddings, and ConSERT
// (section 5.1, core/torch/methods/consert/README.md 8) leaves them out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/options.h"
#include "core/eval/sts/sts_set.h"
#include "core/text/tokenizer.h"

namespace contrastive::eval {

class TokenCounts {
 public:
  struct Entry {
    int32_t id;
    int64_t count;
  };

  // Counts every token of `text`, special ones included, cut to `max_length` ids (0: all).
  void add(const text::Tokenizer& tokenizer, std::string_view text, int64_t max_length);

  std::vector<Entry> ranked() const;  // the most frequent first; equal counts by id
  std::vector<int32_t> top(
      int64_t most) const;  // the ids of the first of them, all where there are fewer
  int64_t tokens() const { return tokens_; }

 private:
  std::vector<int64_t> counts_;  // by id
  int64_t tokens_ = 0;
};

// Over which texts: the keys of a task that leaves out frequent tokens.
struct TokenCountKeys {
  std::string corpus;
  std::string pairs;

  void visit(OptionVisitor& v);
  // The checks of count() that need no tokenizer.
  void check_files() const;
  // Counts over the corpus (one text a line), else over both sentences of all `pairs`, else over
  // those of `sets`; a text that occurs twice counts twice. Errors of for_each_line (lines.h)
  // and read_sts_sets.
  TokenCounts count(const text::Tokenizer& tokenizer, int64_t max_length,
                    const std::vector<StsSet>& sets, const Cancel* cancel) const;
};

}  // namespace contrastive::eval
