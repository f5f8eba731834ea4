#include "core/io/weight_names.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/encoder/weights.h"
#include "core/io/families/family.h"

namespace contrastive::io {
namespace {

using Shape = std::vector<int64_t>;

constexpr const char* kPrefixes[] = {"bert.",       "roberta.",      "model.",  "module.",
                                     "auto_model.", "0.auto_model.", "0.model."};

std::string first_part(const std::string& name) { return name.substr(0, name.find('.')); }

// Tables of constants that checkpoints contain in addition to the weights.
bool is_constant_buffer(const std::string& name) {
  return ends_with(name, "embeddings.position_ids") ||
         ends_with(name, "embeddings.token_type_ids") || ends_with(name, ".inv_freq");
}

bool replace_suffix(std::string& text, const std::string& suffix, const std::string& with) {
  if (!ends_with(text, suffix)) return false;
  text.replace(text.size() - suffix.size(), suffix.size(), with);
  return true;
}

// "cls.predictions.decoder.bias" is "cls.predictions.bias" in newer files.
std::string without_decoder(std::string name) {
  replace_suffix(name, ".decoder.bias", ".bias");
  return name;
}

// The first ten items of a list, in one line.
class Listing {
 public:
  void add(const std::string& item) {
    if (++count_ <= 10) text_ += (count_ > 1 ? ", " : "") + item;
  }
  bool empty() const { return count_ == 0; }
  std::string text() const {
    return count_ <= 10 ? text_ : text_ + " and " + std::to_string(count_ - 10) + " more";
  }
  int64_t count() const { return count_; }

 private:
  std::string text_;
  int64_t count_ = 0;
};

// One tensor of a family's checkpoints, and the weights whose rows it contains.
struct FileTensor {
  std::string name;
  std::vector<std::pair<std::string, Shape>> weights;

  Shape shape() const {
    Shape all = weights.front().second;
    for (size_t i = 1; i < weights.size(); ++i) all[0] += weights[i].second[0];
    return all;
  }
};

std::string replaced(std::string text, const std::string& mark, int64_t number) {
  const size_t place = text.find(mark);
  return place == std::string::npos ? text
                                    : text.replace(place, mark.size(), std::to_string(number));
}

// The tensors that contain weights of these shapes, in the order of the modules.
std::vector<FileTensor> file_tensors(const std::vector<ModuleName>& modules,
                                     const std::vector<std::pair<std::string, Shape>>& shapes,
                                     const encoder::Architecture& architecture) {
  const std::map<std::string, Shape> shape_of(shapes.begin(), shapes.end());
  std::vector<FileTensor> all;
  for (const ModuleName& module : modules) {
    const bool numbered = std::strchr(module.weights.front(), '#') != nullptr;
    for (int64_t set = 0; set < (numbered ? architecture.weight_set_count() : 1); ++set) {
      std::string file = replaced(module.file, "#", set / architecture.sets_in_group);
      file = replaced(file, "@", set % architecture.sets_in_group);
      for (const char* suffix : {".weight", ".bias"}) {
        FileTensor tensor{file + suffix, {}};
        for (const char* weight : module.weights) {
          const auto found = shape_of.find(replaced(weight, "#", set) + suffix);
          if (found != shape_of.end()) tensor.weights.emplace_back(found->first, found->second);
        }
        if (!tensor.weights.empty()) all.push_back(std::move(tensor));
      }
    }
  }
  return all;
}

std::vector<FileTensor> encoder_tensors(const encoder::Architecture& architecture) {
  return file_tensors(family_named(architecture.family).modules(architecture),
                      encoder::weight_shapes(architecture), architecture);
}

std::vector<FileTensor> classifier_tensors(const encoder::Architecture& architecture,
                                           const Classifier& classifier) {
  return file_tensors(family_named(architecture.family).classifier_modules,
                      encoder::classification_head_shapes(architecture, classifier.head,
                                                          classifier.label_count()),
                      architecture);
}

std::vector<FileTensor> head_tensors(const encoder::Architecture& architecture) {
  return file_tensors(family_named(architecture.family).mlm_head,
                      encoder::mlm_head_shapes(architecture), architecture);
}

// The prefixes of a family's tensor names, and how to find them under other prefixes.
class FamilyNames {
 public:
  explicit FamilyNames(const encoder::Architecture& architecture)
      : family_(family_named(architecture.family)) {
    for (const ModuleName& module : family_.modules(architecture))
      parts_.insert(first_part(module.file));
  }

  bool belongs_to_encoder(const std::string& name) const {
    return name.find('.') != std::string::npos && parts_.count(first_part(name)) > 0;
  }

  std::string canonical(const std::string& name) const {
    std::string rest = name;
    while (!belongs_to_encoder(rest) && strip(rest)) {
    }
    if (!replace_suffix(rest, ".gamma", ".weight")) replace_suffix(rest, ".beta", ".bias");
    return rest;
  }

 private:
  bool strip(std::string& name) const {
    const std::string own = family_.tensor_prefix;
    if (!own.empty() && begins_with(name, own)) {
      name.erase(0, own.size());
      return true;
    }
    for (const Family::Spelling& spelling : family_.spellings) {
      if (spelling.tensor_prefix == nullptr || !begins_with(name, spelling.tensor_prefix)) continue;
      name.erase(0, std::strlen(spelling.tensor_prefix));
      return true;
    }
    for (const std::string prefix : kPrefixes) {
      if (!begins_with(name, prefix)) continue;
      name.erase(0, prefix.size());
      return true;
    }
    return false;
  }

  const Family& family_;
  std::set<std::string> parts_;
};

Tensor joined(const FileTensor& tensor, const TensorMap& weights) {
  if (tensor.weights.size() == 1) return weights.at(tensor.weights.front().first);
  Tensor all(tensor.shape());
  float* to = all.mutable_floats();
  for (const auto& part : tensor.weights) {
    const Tensor& weight = weights.at(part.first);
    to = std::copy_n(weight.floats(), weight.elements(), to);
  }
  return all;
}

void check_weights(const encoder::Architecture& architecture, const TensorMap& weights) {
  for (const auto& [name, shape] : encoder::weight_shapes(architecture)) {
    const auto it = weights.find(name);
    if (it == weights.end() && begins_with(name, "pooler.")) continue;
    check(it != weights.end(), Status::kMismatch, "the model to save has no tensor '", name, "'");
    const Shape found = it->second.shape();
    check(found == shape, Status::kMismatch, "tensor '", name, "' of the model to save is ",
          shape_text(found), ", not ", shape_text(shape));
  }
}

// Adds those of `tensors` whose weights exist and have not been added yet.
void add_tensors(const std::vector<FileTensor>& tensors, const TensorMap& weights,
                 const std::string& prefix, TensorMap& file) {
  std::set<std::string> written;
  for (const FileTensor& tensor : tensors) {
    const std::string& first = tensor.weights.front().first;
    if (weights.count(first) == 0 || !written.insert(first).second) continue;
    for (const auto& part : tensor.weights) written.insert(part.first);
    file[prefix + tensor.name] = joined(tensor, weights);
  }
}

}  // namespace

std::string family_tensor_name(const std::string& name, const encoder::Architecture& architecture) {
  return FamilyNames(architecture).canonical(name);
}

std::map<std::string, WeightSource> match_weights(const std::vector<TensorSource>& tensors,
                                                  const encoder::Architecture& architecture,
                                                  const std::string& source,
                                                  std::vector<std::string>& notes,
                                                  const std::map<std::string, TensorSource>& head) {
  const FamilyNames names(architecture);
  std::map<std::string, TensorSource> found;
  std::set<std::string> read_elsewhere;
  for (const auto& item : head) read_elsewhere.insert(item.second.entry->name);
  Listing heads;
  int64_t renamed = 0;
  for (const TensorSource& tensor : tensors) {
    const std::string name = names.canonical(tensor.entry->name);
    if (is_constant_buffer(name)) continue;
    if (!names.belongs_to_encoder(name)) {
      if (read_elsewhere.count(tensor.entry->name) == 0) heads.add(tensor.entry->name);
      continue;
    }
    const auto [place, inserted] = found.emplace(name, tensor);
    check(inserted, Status::kFormat, source, ": the weight ", name, " appears twice, as ",
          place->second.entry->name, " and as ", tensor.entry->name);
    renamed += name != tensor.entry->name;
  }

  Listing missing, misshapen, unknown;
  std::map<std::string, WeightSource> matched;
  std::map<std::string, std::string>
      wanted;  // the tensor that each weight without a source was expected in
  std::set<std::string> expected;
  bool pooler = false;
  for (const FileTensor& tensor : encoder_tensors(architecture)) {
    expected.insert(tensor.name);
    for (const auto& part : tensor.weights) wanted.emplace(part.first, tensor.name);
    const auto it = found.find(tensor.name);
    if (it == found.end()) continue;
    pooler = pooler || begins_with(tensor.weights.front().first, "pooler.");
    const Shape shape = tensor.shape();
    if (it->second.entry->shape != shape) {
      misshapen.add(it->second.entry->name + " is " + shape_text(it->second.entry->shape) +
                    " where config.json asks for " + shape_text(shape));
    }
    int64_t row = 0;
    for (const auto& [name, part] : tensor.weights) {
      const auto [place, first] = matched.emplace(name, WeightSource{it->second, row, part[0]});
      row += part[0];
      if (first) continue;
      // Some files have a table under two names.
      const TensorEntry& other = *place->second.tensor.entry;
      check(other.shape == it->second.entry->shape, Status::kFormat, source, ": the weight ", name,
            " appears twice, in ", other.name, " and in ", it->second.entry->name);
      notes.push_back(
          cat(it->second.entry->name, " is another name of ", other.name, ", which is read"));
    }
  }
  std::string last;
  for (const auto& [name, shape] : encoder::weight_shapes(architecture)) {
    if (matched.count(name) > 0 || (!pooler && begins_with(name, "pooler.")) ||
        wanted[name] == last)
      continue;
    last = wanted[name];
    missing.add(last);
  }
  for (const auto& [name, tensor] : found) {
    if (expected.count(name) == 0) unknown.add(tensor.entry->name);
  }
  std::string problem;
  if (!missing.empty()) problem += "; missing: " + missing.text();
  if (!misshapen.empty()) problem += "; wrong shape: " + misshapen.text();
  if (!unknown.empty()) problem += "; not part of this architecture: " + unknown.text();
  check(problem.empty(), Status::kMismatch, source, ": the weights do not fit config.json",
        problem);

  if (renamed > 0)
    notes.push_back(
        cat(renamed, " tensors with a prefix or an old name (gamma, beta) were renamed"));
  if (!heads.empty())
    notes.push_back(cat(heads.count(), " tensors of a head were ignored: ", heads.text()));
  return matched;
}

std::map<std::string, TensorSource> find_mlm_head(const std::vector<TensorSource>& tensors,
                                                  const encoder::Architecture& architecture,
                                                  std::vector<std::string>& notes) {
  const FamilyNames names(architecture);
  std::map<std::string, TensorSource> all, head;
  for (const TensorSource& tensor : tensors)
    all.emplace(without_decoder(names.canonical(tensor.entry->name)), tensor);
  std::string problem;
  for (const FileTensor& tensor : head_tensors(architecture)) {
    const std::string name = without_decoder(tensor.name);
    const auto found = all.find(name);
    if (found == all.end()) {
      problem += cat(problem.empty() ? "" : ", ", name, " is missing");
      continue;
    }
    if (found->second.entry->shape != tensor.shape() || !found->second.entry->is_float()) {
      problem +=
          cat(problem.empty() ? "" : ", ", name, " is ", shape_text(found->second.entry->shape),
              " and not ", shape_text(tensor.shape()));
    }
    head.emplace(tensor.weights.front().first, found->second);
  }
  if (problem.empty() || head.empty()) return head;
  notes.push_back("the head of the masked language model is left out: " + problem);
  return {};
}

std::map<std::string, TensorSource> find_classifier(const std::vector<TensorSource>& tensors,
                                                    const encoder::Architecture& architecture,
                                                    const Classifier& classifier,
                                                    const std::string& source) {
  const FamilyNames names(architecture);
  std::map<std::string, TensorSource> all, head;
  for (const TensorSource& tensor : tensors)
    all.emplace(names.canonical(tensor.entry->name), tensor);
  for (const FileTensor& tensor : classifier_tensors(architecture, classifier)) {
    const auto found = all.find(tensor.name);
    check(found != all.end(), Status::kMismatch, source, ": tensor '", tensor.name,
          "' of the classification head is missing: a reranker is a checkpoint of ",
          family_named(architecture.family).spellings.front().class_prefix,
          "ForSequenceClassification, and this may be an encoder alone");
    const Shape shape = found->second.entry->shape;
    check(shape == tensor.shape(), Status::kMismatch, source, ": tensor '",
          found->second.entry->name, "' is ", shape_text(shape), " where config.json, with ",
          classifier.labels.size(), " labels, asks for ", shape_text(tensor.shape()));
    head.emplace(tensor.weights.front().first, found->second);
  }
  return head;
}

TensorMap checkpoint_tensors(const encoder::Architecture& architecture, const TensorMap& weights,
                             const CheckpointHead& head, const std::string& model_type) {
  check_weights(architecture, weights);
  const Family& family = family_named(architecture.family);
  std::string prefix =
      head.mlm == nullptr && head.classifier == nullptr ? "" : family.tensor_prefix;
  for (const Family::Spelling& spelling : family.spellings) {
    if (!prefix.empty() && model_type == spelling.model_type && spelling.tensor_prefix != nullptr)
      prefix = spelling.tensor_prefix;
  }
  TensorMap file;
  add_tensors(encoder_tensors(architecture), weights, prefix, file);
  if (head.mlm != nullptr) add_tensors(head_tensors(architecture), *head.mlm, "", file);
  if (head.classifier != nullptr)
    add_tensors(classifier_tensors(architecture, *head.classifier), head.classifier->weights, "",
                file);
  return file;
}

}  // namespace contrastive::io
