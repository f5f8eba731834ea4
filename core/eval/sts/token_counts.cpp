#include "core/eval/sts/token_counts.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/eval/lines.h"
#include "core/eval/sts/sts_files.h"

namespace contrastive::eval {
namespace {

void add_sets(const std::vector<StsSet>& sets, const text::Tokenizer& tokenizer, int64_t max_length,
              const Cancel* cancel, TokenCounts& counts) {
  for (const StsSet& set : sets) {
    for (const StsSubset& subset : set.subsets) {
      throw_if_cancelled(cancel);
      for (const auto* side : {&subset.first, &subset.second}) {
        for (const std::string& text : *side) counts.add(tokenizer, text, max_length);
      }
    }
  }
}

}  // namespace

void TokenCounts::add(const text::Tokenizer& tokenizer, std::string_view text, int64_t max_length) {
  text::TokenBatch batch;
  tokenizer.append(text, max_length, batch);
  for (const int32_t id : batch.ids) {
    if (static_cast<size_t>(id) >= counts_.size()) counts_.resize(static_cast<size_t>(id) + 1);
    ++counts_[static_cast<size_t>(id)];
  }
  tokens_ += batch.tokens();
}

std::vector<TokenCounts::Entry> TokenCounts::ranked() const {
  std::vector<Entry> entries;
  for (size_t id = 0; id < counts_.size(); ++id) {
    if (counts_[id] > 0) entries.push_back({static_cast<int32_t>(id), counts_[id]});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.count > b.count; });
  return entries;
}

std::vector<int32_t> TokenCounts::top(int64_t most) const {
  std::vector<int32_t> ids;
  for (const Entry& entry : ranked()) {
    if (static_cast<int64_t>(ids.size()) == most) break;
    ids.push_back(entry.id);
  }
  return ids;
}

void TokenCountKeys::visit(OptionVisitor& v) {
  v.text("corpus", corpus,
         "tokens are counted in this file, one text a line; empty: as counts.pairs says");
  v.text(
      "pairs", pairs,
      OptionDoc(
          "tokens are counted in this STS data set; empty: in the evaluated sentences themselves")
          .source("ConSERT: STS-B test"));
}

void TokenCountKeys::check_files() const {
  check(corpus.empty() || pairs.empty(), Status::kArgument,
        "counts.corpus and counts.pairs are both set: tokens are counted in one of them");
  if (!corpus.empty()) for_each_line(corpus, [](const TextLine&) {});
  if (!pairs.empty()) read_sts_sets(pairs);
}

TokenCounts TokenCountKeys::count(const text::Tokenizer& tokenizer, int64_t max_length,
                                  const std::vector<StsSet>& sets, const Cancel* cancel) const {
  check(corpus.empty() || pairs.empty(), Status::kArgument,
        "counts.corpus and counts.pairs are both set: tokens are counted in one of them");
  TokenCounts counts;
  if (!corpus.empty()) {
    for_each_line(corpus, [&](const TextLine& line) {
      throw_if_cancelled(cancel);
      if (!line.text.empty()) counts.add(tokenizer, line.text, max_length);
    });
    check(counts.tokens() > 0, Status::kFormat, corpus, ": no text in it");
  } else {
    add_sets(pairs.empty() ? sets : read_sts_sets(pairs), tokenizer, max_length, cancel, counts);
  }
  return counts;
}

}  // namespace contrastive::eval
