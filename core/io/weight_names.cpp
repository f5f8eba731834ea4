#include "core/io/weight_names.h"

#include <set>

#include "core/base/error.h"

namespace contrastive::io {
namespace {

constexpr const char* kPrefixes[] = {"bert.", "roberta.", "model.", "module.", "auto_model.", "0.auto_model.", "0.model."};
constexpr const char* kEncoderParts[] = {"embeddings.", "encoder.", "pooler."};

bool starts_with(const std::string& text, const std::string& prefix) { return text.compare(0, prefix.size(), prefix) == 0; }

bool belongs_to_encoder(const std::string& canonical) {
  for (const char* part : kEncoderParts) {
    if (starts_with(canonical, part)) return true;
  }
  return false;
}

// Tables of constants that old checkpoints carry beside the weights.
bool is_constant_buffer(const std::string& canonical) {
  return canonical == "embeddings.position_ids" || canonical == "embeddings.token_type_ids";
}

bool replace_suffix(std::string& text, const std::string& suffix, const std::string& with) {
  if (text.size() < suffix.size() || text.compare(text.size() - suffix.size(), suffix.size(), suffix) != 0) return false;
  text.replace(text.size() - suffix.size(), suffix.size(), with);
  return true;
}

// The first ten of a list in one line.
class Listing {
 public:
  void add(const std::string& item) {
    if (++count_ <= 10) text_ += (count_ > 1 ? ", " : "") + item;
  }
  bool empty() const { return count_ == 0; }
  std::string text() const { return count_ <= 10 ? text_ : text_ + " and " + std::to_string(count_ - 10) + " more"; }
  int64_t count() const { return count_; }

 private:
  std::string text_;
  int64_t count_ = 0;
};

}  // namespace

std::vector<std::pair<std::string, std::vector<int64_t>>> encoder_weight_shapes(const encoder::EncoderOptions& options) {
  const int64_t hidden = options.hidden_size, inner = options.intermediate_size;
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
  const auto linear = [&](const std::string& name, int64_t out, int64_t in) {
    shapes.push_back({name + ".weight", {out, in}});
    shapes.push_back({name + ".bias", {out}});
  };
  const auto norm = [&](const std::string& name) {
    shapes.push_back({name + ".weight", {hidden}});
    shapes.push_back({name + ".bias", {hidden}});
  };
  shapes.push_back({"embeddings.word_embeddings.weight", {options.vocab_size, hidden}});
  shapes.push_back({"embeddings.position_embeddings.weight", {options.max_position_embeddings, hidden}});
  shapes.push_back({"embeddings.token_type_embeddings.weight", {options.type_vocab_size, hidden}});
  norm("embeddings.LayerNorm");
  for (int64_t i = 0; i < options.num_hidden_layers; ++i) {
    const std::string layer = "encoder.layer." + std::to_string(i);
    for (const char* part : {"query", "key", "value"}) linear(layer + ".attention.self." + part, hidden, hidden);
    linear(layer + ".attention.output.dense", hidden, hidden);
    norm(layer + ".attention.output.LayerNorm");
    linear(layer + ".intermediate.dense", inner, hidden);
    linear(layer + ".output.dense", hidden, inner);
    norm(layer + ".output.LayerNorm");
  }
  linear("pooler.dense", hidden, hidden);
  return shapes;
}

std::string canonical_weight_name(const std::string& name) {
  std::string rest = name;
  for (bool stripped = true; stripped && !belongs_to_encoder(rest);) {
    stripped = false;
    for (const char* prefix : kPrefixes) {
      if (!starts_with(rest, prefix)) continue;
      rest.erase(0, std::string(prefix).size());
      stripped = true;
      break;
    }
  }
  if (!replace_suffix(rest, ".gamma", ".weight")) replace_suffix(rest, ".beta", ".bias");
  return rest;
}

std::map<std::string, TensorSource> match_weights(const std::vector<TensorSource>& tensors, const encoder::EncoderOptions& options,
                                                  const std::string& source, std::vector<std::string>& notes,
                                                  const std::map<std::string, TensorSource>& head) {
  std::map<std::string, TensorSource> found;
  std::set<std::string> read_elsewhere;
  for (const auto& item : head) read_elsewhere.insert(item.second.entry->name);
  Listing heads;
  int64_t renamed = 0;
  for (const TensorSource& tensor : tensors) {
    const std::string name = canonical_weight_name(tensor.entry->name);
    if (is_constant_buffer(name)) continue;
    if (!belongs_to_encoder(name)) {
      if (read_elsewhere.count(tensor.entry->name) == 0) heads.add(tensor.entry->name);
      continue;
    }
    const auto [place, inserted] = found.emplace(name, tensor);
    check(inserted, Status::kFormat, source, ": the weight ", name, " stands twice, as ", place->second.entry->name, " and as ", tensor.entry->name);
    renamed += name != tensor.entry->name;
  }

  Listing missing, misshapen, unknown;
  std::set<std::string> expected;
  const bool pooler = found.count("pooler.dense.weight") + found.count("pooler.dense.bias") > 0;
  for (const auto& [name, shape] : encoder_weight_shapes(options)) {
    expected.insert(name);
    const auto it = found.find(name);
    if (it == found.end()) {
      if (pooler || !starts_with(name, "pooler.")) missing.add(name);
    } else if (it->second.entry->shape != shape) {
      misshapen.add(it->second.entry->name + " is " + shape_text(it->second.entry->shape) + " where config.json asks for " + shape_text(shape));
    }
  }
  for (const auto& [name, tensor] : found) {
    if (expected.count(name) == 0) unknown.add(tensor.entry->name);
  }
  std::string problem;
  if (!missing.empty()) problem += "; missing: " + missing.text();
  if (!misshapen.empty()) problem += "; wrong shape: " + misshapen.text();
  if (!unknown.empty()) problem += "; not part of this architecture: " + unknown.text();
  check(problem.empty(), Status::kMismatch, source, ": the weights do not fit config.json", problem);

  if (renamed > 0) notes.push_back(cat(renamed, " tensors with a prefix or an old name (gamma, beta) were renamed"));
  if (!heads.empty()) notes.push_back(cat(heads.count(), " tensors of a head were ignored: ", heads.text()));
  return found;
}

}  // namespace contrastive::io
