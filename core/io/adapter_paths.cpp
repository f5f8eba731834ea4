#include "core/io/adapter_paths.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/encoder/weights.h"
#include "core/io/families/family.h"

namespace contrastive::io {
namespace {

// This library's names for the matrices of a layer.
struct TargetName {
  const char* name;
  std::vector<const char*> weights;
};
const std::vector<TargetName>& target_names() {
  static const std::vector<TargetName> kNames = {
      {"query", {"attention.self.query"}},
      {"key", {"attention.self.key"}},
      {"value", {"attention.self.value"}},
      {"output", {"attention.output.dense"}},
      {"ffn", {"intermediate.gate", "intermediate.dense", "output.dense"}},
      {"all",
       {"attention.self.query", "attention.self.key", "attention.self.value",
        "attention.output.dense", "intermediate.gate", "intermediate.dense", "output.dense"}},
  };
  return kNames;
}

const std::string kLayerPrefix = "encoder.layer.";

std::string numbered(std::string text, const std::string& mark, int64_t number) {
  const size_t place = text.find(mark);
  return place == std::string::npos ? text
                                    : text.replace(place, mark.size(), std::to_string(number));
}

// "encoder.layer.3.output.dense.weight" -> "output.dense"; "" for any other tensor.
std::string name_in_layer(const std::string& weight) {
  const std::string kEnd = ".weight";
  if (!begins_with(weight, kLayerPrefix) || !ends_with(weight, kEnd)) return "";
  const size_t dot = weight.find('.', kLayerPrefix.size());
  return dot == std::string::npos ? ""
                                  : weight.substr(dot + 1, weight.size() - kEnd.size() - dot - 1);
}

bool is_adaptable(const std::string& weight) {
  const std::vector<const char*>& all = target_names().back().weights;
  return std::find(all.begin(), all.end(), name_in_layer(weight)) != all.end();
}

// peft's rule for a list of names.
bool fits(const std::string& module, const std::string& target) {
  return module == target || ends_with(module, "." + target);
}

bool is_target(const AdapterPlace& place, const std::string& target) {
  for (const TargetName& own : target_names()) {
    if (target != own.name) continue;
    for (const std::string& weight : place.weights) {
      if (std::find(own.weights.begin(), own.weights.end(), name_in_layer(weight)) !=
          own.weights.end())
        return true;
    }
  }
  return fits(place.module, target);
}

// Every module of the checkpoint, numbered.
std::vector<std::string> all_modules(const encoder::Architecture& architecture) {
  std::vector<std::string> all;
  for (const ModuleName& module : family_named(architecture.family).modules(architecture)) {
    const bool many = std::strchr(module.weights.front(), '#') != nullptr;
    for (int64_t set = 0; set < (many ? architecture.weight_set_count() : 1); ++set) {
      all.push_back(numbered(numbered(module.file, "#", set / architecture.sets_in_group), "@",
                             set % architecture.sets_in_group));
    }
  }
  return all;
}

// The names that select something here, for an error message.
std::vector<std::string> known_targets(const std::vector<AdapterPlace>& places) {
  std::vector<std::string> known;
  for (const TargetName& own : target_names()) known.emplace_back(own.name);
  for (const AdapterPlace& place : places) {
    const std::string last = place.module.substr(place.module.rfind('.') + 1);
    if (std::find(known.begin(), known.end(), last) == known.end()) known.push_back(last);
  }
  return known;
}

}  // namespace

std::vector<AdapterPlace> adapter_places(const encoder::Architecture& architecture) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (auto& [name, shape] : encoder::weight_shapes(architecture)) shapes.emplace(name, shape);
  std::vector<AdapterPlace> places;
  if (architecture.num_hidden_layers == 0) return places;
  std::set<std::string> placed;  // if the weights of a checkpoint may be stored in two ways,
                                 // transformers uses the first
  for (int64_t set = 0; set < architecture.weight_set_count(); ++set) {
    for (const ModuleName& module : family_named(architecture.family).modules(architecture)) {
      AdapterPlace place;
      place.module = numbered(numbered(module.file, "#", set / architecture.sets_in_group), "@",
                              set % architecture.sets_in_group);
      for (const char* own : module.weights) {
        const std::string weight = numbered(own, "#", set) + ".weight";
        const auto shape = shapes.find(weight);
        if (shape == shapes.end() || !is_adaptable(weight) || placed.count(weight) > 0) continue;
        place.weights.push_back(weight);
        place.rows.push_back(shape->second[0]);
        place.out += shape->second[0];
        place.in = shape->second[1];
      }
      placed.insert(place.weights.begin(), place.weights.end());
      if (!place.weights.empty()) places.push_back(std::move(place));
    }
  }
  return places;
}

std::vector<AdapterPlace> readable_adapter_places(const encoder::Architecture& architecture) {
  std::vector<AdapterPlace> places = adapter_places(architecture);
  const std::set<std::string> beside_layers = {"embeddings.projection", "pooler.dense"};
  std::map<std::string, std::vector<int64_t>> shapes;
  for (auto& [name, shape] : encoder::weight_shapes(architecture)) shapes.emplace(name, shape);
  for (const ModuleName& module : family_named(architecture.family).modules(architecture)) {
    const std::string weight = cat(module.weights.front(), ".weight");
    const auto shape = shapes.find(weight);
    if (beside_layers.count(module.weights.front()) == 0 || shape == shapes.end()) continue;
    places.push_back(
        {module.file, {weight}, {shape->second[0]}, shape->second[0], shape->second[1]});
  }
  return places;
}

std::vector<AdapterPlace> adapter_targets(const encoder::Architecture& architecture,
                                          const std::vector<std::string>& targets) {
  const std::vector<AdapterPlace> places = adapter_places(architecture);
  check(!places.empty(), Status::kArgument,
        "the model is a table of token vectors, which has no layer for an adapter");
  for (const std::string& target : targets) {
    const bool found = std::any_of(places.begin(), places.end(), [&](const AdapterPlace& place) {
      return is_target(place, target);
    });
    check(found, Status::kArgument, "an encoder of the family ", architecture.family,
          " has no layer module of that name: ",
          unknown_name("target", target, known_targets(places)));
  }
  std::vector<AdapterPlace> chosen;
  for (const AdapterPlace& place : places) {
    if (std::any_of(targets.begin(), targets.end(),
                    [&](const std::string& target) { return is_target(place, target); }))
      chosen.push_back(place);
  }
  return chosen;
}

std::vector<std::string> peft_target_modules(const encoder::Architecture& architecture,
                                             const std::vector<AdapterPlace>& places) {
  std::set<std::string> chosen;
  for (const AdapterPlace& place : places) chosen.insert(place.module);
  std::vector<std::string> others;
  for (const std::string& module : all_modules(architecture)) {
    if (chosen.count(module) == 0) others.push_back(module);
  }
  std::vector<std::string> targets;
  for (const std::string& module : chosen) {
    std::string shortest = module;
    for (size_t dot = module.rfind('.'); dot != std::string::npos && dot > 0;
         dot = module.rfind('.', dot - 1)) {
      const std::string end = module.substr(dot + 1);
      if (std::none_of(others.begin(), others.end(),
                       [&](const std::string& other) { return fits(other, end); })) {
        shortest = end;
        break;
      }
    }
    if (std::find(targets.begin(), targets.end(), shortest) == targets.end())
      targets.push_back(shortest);
  }
  std::sort(targets.begin(), targets.end());
  return targets;
}

}  // namespace contrastive::io
