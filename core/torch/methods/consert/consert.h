// ConSERT (Yan et al., 2021; core/torch/methods/consert/README.md): tunes the encoder so that two
// augmented views of a text get similar vectors, alone or together with the classification of text
// pairs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/torch/augment/embeddings/fast_gradient.h"
#include "core/torch/augment/embeddings/strategy.h"
#include "core/base/options.h"
#include "core/torch/methods/method.h"
#include "core/torch/methods/registry.h"
#include "core/torch/methods/tuned_encoder.h"
#include "core/torch/nn/torch_pooling.h"
#include "core/torch/objectives/nt_xent.h"
#include "core/torch/objectives/pair_cross_entropy.h"

namespace contrastive::methods {

// What is trained: views of texts, labelled pairs, or both at once. The last two modes have two
// stages, each of which the trainer runs as a separate run.
enum class ConsertMode { kUnsup, kSup, kJoint, kSupUnsup, kJointUnsup };
// The contrastive loss of pairs: within each side, two-sided, and added up (as in the authors'
// code); the mean over the rows of both sides; or all texts together.
enum class JointContrast { kPerSideSum, kPerSideMean, kMerged };

struct ConsertOptions {
  static constexpr const char* kPrefix = "consert.";

  std::string preset = "auto";
  ConsertMode mode = ConsertMode::kUnsup;
  objectives::NtXentOptions loss;
  TunedEncoderOptions encoder;
  std::string view1 = "none", view2 = "none";
  double cutoff_rate1 = 0, cutoff_rate2 = 0;
  augment::FastGradientOptions fast_gradient;
  std::vector<std::string> nli_features = {"uv", "absdiff"};
  int64_t classes = 3;
  JointContrast joint_cl = JointContrast::kPerSideSum;
  double alpha = 0.15;
  bool alpha_everywhere = false;
  std::string eval_pooling;

  ConsertOptions() {
    encoder.prefix = kPrefix;
    encoder.dense = DenseModules::kDrop;  // nothing is between the pooled vector and the loss
  }
  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for choices that exclude each other
  bool labelled() const { return mode != ConsertMode::kUnsup; }
  bool contrasts() const { return mode != ConsertMode::kSup; }
  bool staged() const { return mode == ConsertMode::kSupUnsup || mode == ConsertMode::kJointUnsup; }
  augment::Strategy strategy1() const {
    return augment::parse_strategy(view1, cutoff_rate1, "consert.view1");
  }
  augment::Strategy strategy2() const {
    return augment::parse_strategy(view2, cutoff_rate2, "consert.view2");
  }
};

// Reads the options of a config, on top of the preset that it names or that its mode selects.
ConsertOptions read_consert_options(const Config& config);
MethodTraits describe_consert(const Config& config);
std::unique_ptr<Method> make_consert(const MethodContext& context);

}  // namespace contrastive::methods
