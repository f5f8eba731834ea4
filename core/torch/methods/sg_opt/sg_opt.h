// SG-OPT, self-guided contrastive learning (Kim et al., 2021; core/torch/methods/sg_opt/README.md).
// A frozen copy of the encoder gives a view of each sentence from each of its layers. The [CLS]
// vector of the tuned encoder learns to be close to the views of its own sentence and away from
// those of others. It trains on sentences; a pair counts as two sentences, except for the
// objectives with back-translation.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/torch/methods/registry.h"
#include "core/torch/methods/tuned_encoder.h"
#include "core/torch/objectives/nt_xent.h"

namespace contrastive::methods {

enum class SgObjective { kSg, kOpt1, kOpt2, kSgOpt, kBt, kBtSgOpt };
enum class SgTeacher { kFrozen, kShared };
enum class SgPreset { kPaper, kCode };

struct SgOptOptions {
  static constexpr const char* kPrefix = "sgopt.";
  static constexpr bool kInBatchNegatives = true;
  static constexpr bool kNeedsPairs = false;  // describe_sg_opt() sets it for back-translations

  SgOptOptions();
  // The preset that `config` names: the values that its other keys start from.
  static SgOptOptions preset_of(const Config& config);
  static SgOptOptions read(const Config& config);

  SgPreset preset = SgPreset::kPaper;
  SgObjective objective = SgObjective::kSgOpt;
  double temperature = 0.01;
  double lambda = 0.1;
  bool mlp = true;
  int64_t head_width = 4096;
  int64_t lmin = 0;
  int64_t lmax = -1;
  std::vector<std::string> layer_weights;
  std::string view_pooling = "max";
  SgTeacher teacher = SgTeacher::kFrozen;
  bool teacher_dropout = false;
  bool opt2_drop_first = false;
  objectives::FalseNegatives false_negatives = objectives::FalseNegatives::kKeep;
  TunedEncoderOptions encoder;

  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for choices that exclude each other
  // The same for a model of this shape: sets lmax to the number of the last layer. kArgument names
  // a key that asks for more layers than there are.
  SgOptOptions fitted(const Config& config, const encoder::Architecture& shape) const;
  Config training_defaults() const;

  bool samples_layers() const {
    return objective == SgObjective::kSg || objective == SgObjective::kOpt1 ||
           objective == SgObjective::kOpt2;
  }
  bool takes_back_translations() const {
    return objective == SgObjective::kBt || objective == SgObjective::kBtSgOpt;
  }
  std::vector<double> sampler_weights() const;  // kArgument for a value that is not a number
};

MethodTraits describe_sg_opt(const Config& config);
std::unique_ptr<Method> make_sg_opt(const MethodContext& context);

}  // namespace contrastive::methods
