#include "core/io/hf_config.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/io/families/family.h"
#include "core/io/stated_keys.h"

namespace contrastive::io {
namespace {

// "BertModel": the class that a checkpoint was saved from; "" if the list is empty.
std::string saved_class(const Json& architectures) {
  return architectures.is_array() && !architectures.empty() && architectures[0].is_string()
             ? architectures[0].get<std::string>()
             : "";
}

const Family& family_of(const JsonObject& json, std::vector<std::string>& notes) {
  std::vector<std::string> known;
  if (json.has("model_type")) {
    const std::string type = json.string("model_type");
    const Family* unclaimed = nullptr;
    for (const Family& family : families()) {
      for (const Family::Spelling& spelling : family.spellings) {
        if (type == spelling.model_type && family.claims != nullptr && family.claims(json))
          return family;
        if (type == spelling.model_type && family.claims == nullptr) unclaimed = &family;
        if (std::find(known.begin(), known.end(), spelling.model_type) == known.end())
          known.emplace_back(spelling.model_type);
      }
    }
    if (unclaimed != nullptr) return *unclaimed;
    fail(Status::kUnsupported, json.source(), ": ", unknown_name("model_type", type, known));
  }
  // Files from 2019 have no model_type. The class that they were saved from says the same.
  check(json.has("architectures"), Status::kFormat, json.source(),
        ": model_type and architectures are missing: this is not an encoder's config.json");
  const std::string name = saved_class(json.at("architectures"));
  for (const Family& family : families()) {
    for (const Family::Spelling& spelling : family.spellings) {
      known.push_back(cat(spelling.class_prefix, "..."));
      if (name.rfind(spelling.class_prefix, 0) != 0) continue;
      notes.push_back(cat("config.json has no model_type; taken as ", spelling.model_type,
                          " from architectures"));
      return family;
    }
  }
  fail(Status::kUnsupported, json.source(), ": ", unknown_name("architecture", name, known));
}

// The spelling of the family in the config. It is kept, because another spelling may have other
// defaults.
Family::Spelling spelling_of(const Family& family, const Json& config) {
  for (const Family::Spelling& spelling : family.spellings) {
    if (config.contains("model_type") && config["model_type"] == spelling.model_type)
      return spelling;
  }
  const bool by_class = (!config.contains("model_type") || config["model_type"].is_null()) &&
                        config.contains("architectures");
  const std::string name = by_class ? saved_class(config["architectures"]) : "";
  for (const Family::Spelling& spelling : family.spellings) {
    if (name.rfind(spelling.class_prefix, 0) == 0) return spelling;
  }
  return family.spellings.front();
}

// A checkpoint with custom code is accepted if the code is that of a known family. Anything else
// would compute other numbers.
void check_own_code(const JsonObject& json, const Family& family, std::vector<std::string>& notes) {
  if (!json.has("auto_map")) return;
  const std::string name = own_class(json);
  bool known = name.empty();
  std::vector<std::string> classes;
  for (const Family::Spelling& spelling : family.spellings) {
    const std::string prefix = spelling.class_prefix, own = prefix + family.model_class;
    known = known || name == own || name == prefix + "Model" || name.rfind(prefix + "For", 0) == 0;
    classes.push_back(own);
  }
  check(known, Status::kUnsupported, json.source(),
        ": auto_map gives the encoder to code of its own, '", own_code(json).substr(0, 200),
        "', and this library runs no code of a checkpoint; for ", family.title,
        " it reads: ", joined_names(classes));
  notes.push_back("config.json names code of its own (auto_map): it is ignored, nothing is run");
}

}  // namespace

encoder::Architecture read_hf_config(const Json& config, const std::string& source,
                                     std::vector<std::string>& notes) {
  const Family& family = family_of(JsonObject(config, source), notes);
  Json named = config;
  named["model_type"] = spelling_of(family, config).model_type;
  std::set<std::string> asked;
  const JsonObject json(named, source, &asked);
  check_own_code(json, family, notes);
  encoder::Architecture architecture;
  architecture.family = family.name;
  ConfigKeys keys(json, notes);
  family.describe(keys, architecture);
  keys.finish();
  for (const char* key : {"dtype", "torch_dtype"}) {
    const std::string type =
        json.has(key) && json.at(key).is_string() ? json.string(key) : "float32";
    if (type == "float16" || type == "bfloat16")
      notes.push_back(
          cat("config.json states ", key, " ", type,
              ", in which transformers 5 computes; here the weights are widened to float32"));
  }
  check_stated_keys("config.json", config, source, notes, asked);
  try {
    check_architecture(architecture);
  } catch (const Error& error) {
    fail(Status::kFormat, source, ": ", error.message());
  }
  return architecture;
}

Json write_hf_config(const encoder::Architecture& architecture, const Json& as_read,
                     HeadKind head) {
  const Family& family = family_named(architecture.family);
  Json config = as_read.is_object() ? as_read : Json::object();
  const Family::Spelling spelling = spelling_of(family, config);
  const char* const of_head =
      head == HeadKind::kMaskedLm ? family.mlm_class : "ForSequenceClassification";
  const bool known =
      head == HeadKind::kNone ||
      (head == HeadKind::kMaskedLm ? family.mlm_class != nullptr : family.classifier != nullptr);
  check(known, Status::kInternal, "the family ", family.name, " has no head to write");
  config["architectures"] = {
      cat(spelling.class_prefix, head == HeadKind::kNone ? family.model_class : of_head)};
  config["model_type"] = spelling.model_type;
  encoder::Architecture written = architecture;
  ConfigKeys keys(config);
  family.describe(keys, written);
  for (const char* key : {"torch_dtype", "dtype"}) {
    if (config.contains(key)) config[key] = "float32";
  }
  return config;
}

}  // namespace contrastive::io
