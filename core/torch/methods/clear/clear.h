// CLEAR (Wu et al., 2020; core/torch/methods/clear/README.md): pre-trains an encoder, from scratch
// or from a checkpoint. It learns to predict masked tokens and, at the same time, to bring two
// augmented views of a text together.
#pragma once

#include <memory>
#include <string>

#include "core/torch/augment/tokens/recipe.h"
#include "core/base/options.h"
#include "core/data/mlm_collator.h"
#include "core/torch/methods/clear/clear_head.h"
#include "core/torch/methods/method.h"
#include "core/torch/methods/registry.h"
#include "core/torch/methods/tuned_encoder.h"
#include "core/torch/objectives/nt_xent.h"

namespace contrastive::methods {

enum class ClearPreset { kPaper, kCode, kSmall };
// Both losses, or one of the paper's baselines: masked language modelling alone, in batches twice
// as large, or over two masks of each text.
enum class ClearObjective { kBoth, kMlm, kDoubleBatch, kDoubleMlm };

struct ClearOptions {
  static constexpr const char* kPrefix = "clear.";

  ClearPreset preset = ClearPreset::kPaper;
  ClearObjective objective = ClearObjective::kBoth;
  objectives::NtXentOptions loss;
  double contrastive_weight = 1;
  ClearHeadKind head = ClearHeadKind::kCode;
  int64_t head_dim = 1024;
  bool head_relu = true;
  TunedEncoderOptions encoder;
  data::MlmOptions mlm;
  std::string recipe = "del-span+reorder", view1_recipe, view2_recipe;
  augment::RecipeOptions views;
  std::string del_token = "mask";
  std::string synonyms;
  bool blocks = true;
  bool decay_all = true;
  bool deliver_mlm_head = false;

  ClearOptions() : ClearOptions(ClearPreset::kPaper) {}
  explicit ClearOptions(ClearPreset preset);
  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for choices that exclude each other
  // kArgument if the id is not below the number of rows of the word embeddings.
  void check_del_token(int64_t rows) const;
  Config training_defaults() const;
  bool contrasts() const { return objective == ClearObjective::kBoth; }
  augment::Recipe recipe_of(int view) const;  // 0 or 1
};

// Reads the options of a config, on top of the preset that it names.
ClearOptions read_clear_options(const Config& config);
MethodTraits describe_clear(const Config& config);
std::unique_ptr<Method> make_clear(const MethodContext& context);

}  // namespace contrastive::methods
