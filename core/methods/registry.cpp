#include "core/methods/registry.h"

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/methods/clsr.h"
#include "core/methods/consert.h"

namespace contrastive::methods {

const std::vector<MethodEntry>& all_methods() {
  static const std::vector<MethodEntry> kMethods = {
      {"clsr", make_clsr, describe<ClsrOptions>, "an MLP on a frozen encoder, trained on pairs with NT-Xent (CLSR)"},
      {"consert", make_consert, describe_consert, "the encoder tuned on augmented views of texts, alone or beside labelled pairs (ConSERT)"},
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
