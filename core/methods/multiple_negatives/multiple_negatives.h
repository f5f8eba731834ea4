// MultipleNegativesRanking: in-batch InfoNCE on pairs of texts that belong together (Henderson et al., 2017; sentence-transformers' usual loss).
// The whole sentence encoder trains: the transformer and the dense modules behind its pooling.
#pragma once

#include <memory>
#include <string>

#include "core/base/options.h"
#include "core/methods/registry.h"
#include "core/methods/tuned_encoder.h"
#include "core/objectives/in_batch.h"

namespace contrastive::methods {

struct MultipleNegativesOptions {
  static constexpr const char* kPrefix = "mnrl.";
  static constexpr bool kInBatchNegatives = true;
  static constexpr bool kNeedsPairs = true;

  MultipleNegativesOptions() {
    encoder.dense = DenseModules::kTrain;
    encoder.prefix = kPrefix;
  }

  objectives::InBatchOptions loss;
  bool default_prompt = true;
  std::string anchor_prompt, candidate_prompt;
  TunedEncoderOptions encoder;

  void visit(OptionVisitor& v);
  void validate(const Config& config) const;
  Config training_defaults() const;
};

MethodTraits describe_multiple_negatives(const Config& config);
std::unique_ptr<Method> make_multiple_negatives(const MethodContext& context);

}  // namespace contrastive::methods
