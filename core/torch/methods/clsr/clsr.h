// CLSR, contrastive learning of sentence representations (core/torch/methods/clsr/README.md): the
// encoder is frozen and its sentence vectors are computed once. A small network on top of it is
// trained on pairs of texts that belong together.
#pragma once

#include <memory>
#include <string>

#include "core/base/options.h"
#include "core/torch/methods/clsr/clsr_head.h"
#include "core/torch/methods/method.h"
#include "core/torch/methods/registry.h"
#include "core/torch/objectives/nt_xent.h"

namespace contrastive::methods {

enum class ProjectionChoice { kAuto, kNone, kLinear, kMlp };
enum class LossOn { kZ, kV };
enum class InputNorm { kNone, kL2, kStandardize };
enum class EvalVector { kV, kZ, kX };

struct ClsrOptions {
  static constexpr const char* kPrefix = "clsr.";
  static constexpr bool kInBatchNegatives = true;
  static constexpr bool kNeedsPairs = true;

  objectives::NtXentOptions loss;
  EncoderInit encoder_init = EncoderInit::kRandom;
  int64_t hidden = 768;
  int64_t dimension = 0;
  ReluAt activation = ReluAt::kBoth;
  ProjectionChoice projection = ProjectionChoice::kAuto;
  int64_t projection_dim = 0;
  LossOn loss_on = LossOn::kZ;
  std::string base_pooling;
  InputNorm input_norm = InputNorm::kNone;
  int64_t standardize_texts = 8192;
  EvalVector eval_vector = EvalVector::kV;
  bool half_cache = false;

  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for choices that exclude each other
  Config training_defaults() const;
  Projection resolved_projection() const;
};

MethodTraits describe_clsr(const Config& config);
std::unique_ptr<Method> make_clsr(const MethodContext& context);

}  // namespace contrastive::methods
