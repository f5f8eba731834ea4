// TSDAE (Wang et al., 2021; sentence-transformers' DenoisingAutoEncoderLoss): words of a text are
// deleted, and a decoder must reconstruct the whole text from the vector of the rest. It needs only
// single texts of the target domain.
#pragma once

#include <memory>
#include <string>

#include "core/torch/methods/pair_method.h"
#include "core/torch/methods/registry.h"

namespace contrastive::methods {

struct TsdaeOptions {
  static constexpr const char* kPrefix = "tsdae.";
  static constexpr bool kInBatchNegatives = false;
  static constexpr bool kNeedsPairs = false;

  double noise_ratio = 0.6;
  bool tie_encoder_decoder = true;
  TunedEncoderOptions encoder = whole_encoder(kPrefix);

  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for keys that exclude each other
  Config training_defaults() const;
};

MethodTraits describe_tsdae(const Config& config);
std::unique_ptr<Method> make_tsdae(const MethodContext& context);

}  // namespace contrastive::methods
