#include "core/io/classifier.h"

#include <algorithm>
#include <new>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/nearest.h"
#include "core/io/families/family.h"
#include "core/io/folder_snapshot.h"
#include "core/io/modules.h"

namespace contrastive::io {
namespace {

constexpr int64_t kMaxLabels = 1 << 16;

std::vector<std::string> numbered_labels(int64_t count) {
  std::vector<std::string> labels;
  for (int64_t i = 0; i < count; ++i) labels.push_back("LABEL_" + std::to_string(i));
  return labels;
}

std::vector<std::string> read_labels(const JsonObject& config) {
  if (!config.has("id2label"))
    return numbered_labels(config.integer("num_labels", 1, kMaxLabels, 2));
  const JsonObject names(config.at("id2label"), config.source() + ": id2label");
  const auto count = static_cast<int64_t>(config.at("id2label").size());
  check(count >= 1, Status::kFormat, names.source(), ": at least one label is needed");
  check(count <= kMaxLabels, Status::kLimit, names.source(), ": ", count,
        " labels are above the limit of ", kMaxLabels);
  std::vector<std::string> labels;
  for (int64_t i = 0; i < count; ++i) {
    const std::string key = std::to_string(i);
    check(names.has(key), Status::kFormat, names.source(), " has ", count, " labels, but none for ",
          key);
    labels.push_back(names.string(key));
  }
  return labels;
}

std::string read_activation(const JsonObject& config, size_t labels) {
  if (config.has("sentence_transformers")) {
    const JsonObject own(config.at("sentence_transformers"),
                         config.source() + ": sentence_transformers");
    if (own.has("activation_fn"))
      return activation_from_class(own.string("activation_fn"), own.source() + ": activation_fn");
  }
  const char* const kOlder = "sbert_ce_default_activation_function";
  if (config.has(kOlder))
    return activation_from_class(config.string(kOlder), config.source() + ": " + kOlder);
  return labels == 1 ? "sigmoid" : "identity";
}

encoder::ClassificationHead read_head(const JsonObject& json,
                                      const encoder::Architecture& architecture) {
  const Family& family = family_named(architecture.family);
  std::vector<std::string> known;
  for (const Family& other : families()) {
    if (other.classifier != nullptr) known.emplace_back(other.title);
  }
  check(family.classifier != nullptr, Status::kUnsupported, json.source(),
        ": no classification head of ", family.title, " is read; rerankers are read of ",
        joined_names(known));
  encoder::ClassificationHead head;
  family.classifier(json, head);
  return head;
}

}  // namespace

Classifier read_classifier(const Json& config, const std::string& source,
                           const encoder::Architecture& architecture) {
  const JsonObject json(config, source);
  Classifier classifier;
  classifier.head = read_head(json, architecture);
  classifier.labels = read_labels(json);
  classifier.activation = read_activation(json, classifier.labels.size());
  return classifier;
}

bool is_reranker_folder(const std::string& path) {
  if (path.empty()) return false;
  const auto read = [&](const char* name) {
    const std::string file = path + "/" + name;
    return path_exists(file) ? read_json_file(file) : Json::object();
  };
  const auto reads_pairs = [&] {
    const Json stated = read("config_sentence_transformers.json").value("model_type", Json());
    if (stated.is_string()) return stated == "CrossEncoder";
    if (path_exists(path + "/modules.json")) return false;
    for (const Json& name : read("config.json").value("architectures", Json::array())) {
      if (name.is_string() && ends_with(name.get<std::string>(), "ForSequenceClassification"))
        return true;
    }
    return false;
  };
  try {
    return read_snapshot(path, reads_pairs);
  } catch (const std::bad_alloc&) {
    throw;  // says nothing about the folder
  } catch (const std::exception&) {
    return false;  // loading the folder reports what is wrong
  }
}

Classifier plan_classifier(const Json& config, const std::string& source,
                           const encoder::Architecture& architecture, int64_t labels) {
  const Json keys = config.is_object() ? config : Json::object();
  Classifier classifier;
  classifier.head = read_head(JsonObject(keys, source), architecture);
  classifier.labels = numbered_labels(labels);
  classifier.activation = labels == 1 ? "sigmoid" : "identity";
  return classifier;
}

void write_classifier(const Classifier& classifier, Json& config) {
  Json names = Json::object(), numbers = Json::object();
  for (size_t i = 0; i < classifier.labels.size(); ++i) {
    names[std::to_string(i)] = classifier.labels[i];
    numbers[classifier.labels[i]] = i;
  }
  config["id2label"] = names;
  config["label2id"] = numbers;
  if (config.contains("num_labels")) config["num_labels"] = classifier.labels.size();
  const std::string activation = activation_to_class(classifier.activation);
  // The first version of sentence-transformers that reads this key. Newer versions warn about a
  // version above their own.
  config["sentence_transformers"] = {{"activation_fn", activation}, {"version", "4.0.0"}};
  config["sbert_ce_default_activation_function"] = activation;
}

}  // namespace contrastive::io
