// The config keys of the evaluation tasks.
#pragma once

#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/eval/retrieval_metrics.h"
#include "core/model/sentence_encoder.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

// How an evaluation embeds texts; everything is as the model folder says unless it is set.
struct EncodeKeys {
  std::string pooling;
  std::string prompt;
  std::string prompt_name;
  int64_t truncate_dim = 0;
  int64_t max_length = 0;

  void visit(OptionVisitor& v);
  model::EncodeOptions resolved(const Cancel* cancel) const;
};

struct StsOptions {
  std::string data;
  retrieval::Metric similarity = retrieval::Metric::kCosine;
  EncodeKeys encode;
  void visit(OptionVisitor& v);
};

struct RetrievalOptions {
  std::string data;
  std::string corpus, queries, qrels;
  std::vector<std::string> k = {"1", "5", "10", "100"};
  retrieval::Metric similarity = retrieval::Metric::kCosine;
  std::string query_prompt, document_prompt;
  EncodeKeys encode;
  void visit(OptionVisitor& v);
  std::vector<int64_t> cutoffs() const;  // k as numbers, ascending, each once; kArgument
  RetrievalData read() const;            // kArgument unless it is either data or the three files
};

struct GeometryOptions {
  std::string data;
  double min_score = 4;
  EncodeKeys encode;
  void visit(OptionVisitor& v);
};

}  // namespace contrastive::eval
