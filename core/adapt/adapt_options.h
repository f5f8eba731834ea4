// The config keys of an adaptation (topic "adapt"): its own keys, those of mining with the prefix
// "mining.", and those of a training run under their own names.
#pragma once

#include <cstdint>
#include <string>

#include "core/adapt/search_test.h"
#include "core/base/config.h"
#include "core/base/options.h"
#include "core/eval/encode_keys.h"
#include "core/mining/mining_options.h"
#include "core/retrieval/similarity.h"

namespace contrastive::adapt {

struct AdaptOptions {
  AdaptOptions() { mining.num_negatives = 1; }

  int64_t seed = 1;
  std::string dev;
  double test_share = 0.2, dev_share = 0.1;
  double near_duplicate = 0.8;
  int64_t dev_documents = 2000;
  bool mine = true;
  std::string metric = kSearchMetrics[0];
  double min_gain = 0;
  bool require_significant = false;
  int64_t resamples = 10000;
  double confidence = 0.95;
  int64_t examples = 5;
  int64_t save_every = 50;
  std::string report;
  retrieval::Metric similarity = retrieval::Metric::kCosine;
  std::string query_prompt, document_prompt;
  eval::EncodeKeys encode;
  mining::MiningOptions mining;

  void visit(OptionVisitor& v);
  void validate() const;
  Config dump() const;  // the keys that a caller may set, with their values
  size_t metric_number() const;
};

// Reads and checks `config`: kArgument names a key that is unknown, out of range, or that callers
// may not set here.
struct AdaptConfig {
  AdaptOptions options;
  Config training;  // the keys of the training run that the caller set
  Config data;      // "data.*": how the dev file is read
};
AdaptConfig read_adapt_config(const Config& config);

// The keys of the training run for `rows` examples, besides the caller's: by default
// MultipleNegativesRanking, until the dev score stops improving.
Config training_defaults(const AdaptConfig& config, int64_t rows);

// Rows of cs_config_describe. Loads the training plugin.
Json describe_adapt_config();

}  // namespace contrastive::adapt
