#include "core/methods/registry.h"

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/methods/clear.h"
#include "core/methods/clsr.h"
#include "core/methods/consert.h"
#include "core/methods/multiple_negatives.h"
#include "core/methods/sg_opt.h"
#include "core/methods/simcse.h"

namespace contrastive::methods {

const std::vector<MethodEntry>& all_methods() {
  static const std::vector<MethodEntry> kMethods = {
      {"clsr", make_clsr, describe_clsr, "an MLP on a frozen encoder, trained on pairs with NT-Xent (CLSR)"},
      {"consert", make_consert, describe_consert, "the encoder tuned on augmented views of texts, alone or beside labelled pairs (ConSERT)"},
      {"mnrl", make_multiple_negatives, describe<MultipleNegativesOptions>,
       "the whole encoder on pairs, each against the other pairs of the batch and hard negatives (MultipleNegativesRanking)"},
      {"sgopt", make_sg_opt, describe_sg_opt, "the encoder on single texts, guided by the layers of a frozen copy of itself (SG-OPT)"},
      {"simcse", make_simcse, describe_simcse, "the encoder on single texts under two dropout masks, on pairs, or on pairs with hard negatives (SimCSE)"},
      {"clear", make_clear, describe_clear, "pre-training: masked language modelling beside two augmented views of each text or block (CLEAR)"},
  };
  return kMethods;
}

const MethodEntry& find_method(const std::string& name) {
  std::vector<std::string> names;
  for (const MethodEntry& entry : all_methods()) {
    if (name == entry.name) return entry;
    names.push_back(entry.name);
  }
  fail(Status::kArgument, "config key 'method': ", unknown_name("method", name, names));
}

}  // namespace contrastive::methods
