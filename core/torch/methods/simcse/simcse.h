// SimCSE (Gao et al., 2021): in-batch InfoNCE. The positive of a text is the text itself under
// another dropout mask (unsupervised), or the second text of a pair, with or without hard negatives
// (supervised). The [CLS] vector goes through an MLP, which is kept only for training or also in
// the saved model.
#pragma once

#include <memory>
#include <string>

#include "core/base/options.h"
#include "core/torch/methods/registry.h"
#include "core/torch/methods/tuned_encoder.h"
#include "core/torch/objectives/nt_xent.h"

namespace contrastive::methods {

enum class Positives { kAuto, kDropout, kPairs };
enum class MlpUse { kNone, kTrain, kAlways };

struct SimCseOptions {
  static constexpr const char* kPrefix = "simcse.";
  static constexpr bool kInBatchNegatives = true;

  Positives positives = Positives::kAuto;
  double temperature = 0.05;
  double hard_negative_weight = 1;
  objectives::FalseNegatives false_negatives = objectives::FalseNegatives::kKeep;
  MlpUse mlp = MlpUse::kTrain;
  TunedEncoderOptions encoder;

  SimCseOptions() : SimCseOptions(Positives::kAuto) {}
  explicit SimCseOptions(Positives positives);  // the defaults for these positives
  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for choices that exclude each other
  Config training_defaults() const;
};

// Reads the options of a config, on top of the defaults of its positives.
SimCseOptions read_simcse_options(const Config& config);
MethodTraits describe_simcse(const Config& config);
std::unique_ptr<Method> make_simcse(const MethodContext& context);

}  // namespace contrastive::methods
