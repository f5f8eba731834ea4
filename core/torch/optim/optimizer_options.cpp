#include "core/torch/optim/optimizer_options.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/idle_keys.h"
#include "core/torch/optim/optimizer_list.h"

namespace contrastive::optim {
namespace {

std::vector<const OptimizerEntry*> optimizers_of_runs() {
  std::vector<const OptimizerEntry*> entries;
  for (const OptimizerEntry& entry : all_optimizers()) {
    if (entry.in_runs) entries.push_back(&entry);
  }
  return entries;
}

// A group of keys, and the names of the optimizers that read it.
struct KeyGroup {
  VisitKeys* visit;
  std::vector<std::string> names;
};

std::vector<KeyGroup> key_groups() {
  std::vector<KeyGroup> groups;
  for (const OptimizerEntry* entry : optimizers_of_runs()) {
    for (VisitKeys* visit : entry->keys) {
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const KeyGroup& each) { return each.visit == visit; });
      if (group == groups.end()) group = groups.insert(groups.end(), {visit, {}});
      group->names.emplace_back(entry->name);
    }
  }
  return groups;
}

// "adam, adamw or adamw-hf"
std::string one_of(const std::vector<std::string>& names) {
  std::string text = names[0];
  for (size_t i = 1; i < names.size(); ++i)
    text += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return text;
}

}  // namespace

void OptimizerOptions::visit(OptionVisitor& v) {
  std::vector<std::string> names;
  for (const OptimizerEntry* entry : optimizers_of_runs()) names.emplace_back(entry->name);
  v.name(
      "optimizer", name, names,
      "adamw is PyTorch's variant, adamw-hf that of transformers, which ConSERT and SG-OPT used");
  v.real("weight_decay", weight_decay, between(0, 10),
         "weight decay, for every weight that is neither a bias nor a LayerNorm weight");
  for (const KeyGroup& group : key_groups()) group.visit(keys, v);
}

void refuse_keys_of_other_optimizers(const Config& user, const std::string& name) {
  for (const KeyGroup& group : key_groups()) {
    if (std::find(group.names.begin(), group.names.end(), name) != group.names.end()) continue;
    Config values;
    OptionDescriber describer;
    group.visit(values, describer);
    for (const std::string& key : values.keys()) {
      reject_idle_keys(
          user, "",
          {{true, cat("it goes with optimizer = ", one_of(group.names), " only"), {key.c_str()}}});
    }
  }
}

}  // namespace contrastive::optim
