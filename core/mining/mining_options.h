// The config keys of mining (topic "mining"). Names, defaults and meaning follow
// sentence-transformers' mine_hard_negatives; README.md lists the differences.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/options.h"
#include "core/eval/encode_keys.h"
#include "core/retrieval/similarity.h"

namespace contrastive::mining {

enum class Sampling { kTop, kRandom };
enum class OutputFormat { kTriplet, kTuple, kLabeledPair, kLabeledList };
enum class EqualTexts { kExact, kNormalized };

constexpr double kNoBound = 1e9;  // a bound beyond this value means no bound

struct MiningOptions {
  int64_t num_negatives = 3;
  int64_t range_min = 0;
  int64_t range_max = 0;  // 0: chosen automatically, see last_rank()
  double max_score = kNoBound;
  double min_score = -kNoBound;
  double absolute_margin = -kNoBound;
  double relative_margin = 0.05;
  Sampling sampling = Sampling::kTop;
  int64_t seed = 1;
  EqualTexts equal_texts = EqualTexts::kNormalized;
  retrieval::Metric similarity = retrieval::Metric::kCosine;
  OutputFormat format = OutputFormat::kTriplet;
  bool output_scores = false;
  int64_t sample = 3;
  std::string query_prompt, document_prompt, guide_query_prompt, guide_document_prompt;
  eval::EncodeKeys encode;
  std::string cache;

  void visit(OptionVisitor& v);
  void validate() const;  // kArgument for keys that contradict each other

  bool has_absolute_margin() const { return absolute_margin > -kNoBound; }
  bool has_relative_margin() const { return relative_margin > -kNoBound; }
  bool has_max_score() const { return max_score < kNoBound; }
  bool has_min_score() const { return min_score > -kNoBound; }
  bool has_filter() const {
    return has_absolute_margin() || has_relative_margin() || has_max_score() || has_min_score();
  }

  // range_max, or its replacement if it is 0: as many candidates as the negatives need, and ten
  // times as many if filters remove some. `most_positives`: lines of the query that has the most.
  int64_t last_rank(int64_t most_positives, bool guided) const;
};

// Reads and checks the keys of `config`; kArgument for an unknown key.
MiningOptions read_mining_options(const Config& config);

}  // namespace contrastive::mining
