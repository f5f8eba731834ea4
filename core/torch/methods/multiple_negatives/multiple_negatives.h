// Multiple negatives ranking (MultipleNegativesRankingLoss): in-batch InfoNCE on pairs of texts
// that belong together (Henderson et al., 2017; the default loss of sentence-transformers). The
// whole sentence encoder trains: the transformer and the dense modules after its pooling.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/torch/methods/pair_method.h"
#include "core/torch/methods/registry.h"
#include "core/torch/objectives/in_batch.h"

namespace contrastive::methods {

enum class Partition { kJoint, kPerDirection };
enum class GuideMargin { kAbsolute, kRelative };

struct MultipleNegativesOptions {
  static constexpr const char* kPrefix = "mnrl.";
  static constexpr bool kInBatchNegatives = true;
  static constexpr bool kNeedsPairs = true;

  MultipleNegativesOptions() { loss.hardness_strength = 5; }

  objectives::InBatchOptions loss;  // what has its own key; in_batch() returns all
  std::vector<std::string> directions = {"query_to_doc"};
  Partition partition = Partition::kJoint;
  std::string guide;
  GuideMargin guide_margin = GuideMargin::kAbsolute;
  PairPrompts prompts;
  TunedEncoderOptions encoder = whole_encoder(kPrefix);

  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for choices that exclude each other
  bool has(const std::string& direction) const;
  objectives::InBatchOptions in_batch() const;
  Config training_defaults() const {
    return usual_training(64, 1);
  }  // 64 because the other texts of a batch are the negatives
};

MethodTraits describe_multiple_negatives(const Config& config);
std::unique_ptr<Method> make_multiple_negatives(const MethodContext& context);

}  // namespace contrastive::methods
