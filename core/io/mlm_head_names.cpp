#include "core/io/mlm_head_names.h"

#include "core/base/error.h"
#include "core/encoder/weights.h"
#include "core/io/weight_names.h"

namespace contrastive::io {
namespace {

std::string without_decoder(const std::string& name) {
  if (name == "cls.predictions.decoder.bias") return "cls.predictions.bias";
  return name == "lm_head.decoder.bias" ? "lm_head.bias" : name;
}

}  // namespace

std::map<std::string, TensorSource> find_mlm_head(const std::vector<TensorSource>& tensors, const encoder::EncoderOptions& options,
                                                  std::vector<std::string>& notes) {
  std::map<std::string, TensorSource> all, head;
  for (const TensorSource& tensor : tensors) all.emplace(without_decoder(canonical_weight_name(tensor.entry->name)), tensor);
  std::string problem;
  for (const auto& [name, shape] : encoder::mlm_head_shapes(options)) {
    const auto found = all.find(name);
    if (found == all.end()) {
      problem += cat(problem.empty() ? "" : ", ", name, " is missing");
    } else if (found->second.entry->shape != shape || !found->second.entry->is_float()) {
      problem += cat(problem.empty() ? "" : ", ", name, " is ", shape_text(found->second.entry->shape), " and not ", shape_text(shape));
      head.emplace(name, found->second);
    } else {
      head.emplace(name, found->second);
    }
  }
  if (problem.empty() || head.empty()) return head;
  notes.push_back("the head of the masked language model is left out: " + problem);
  return {};
}

}  // namespace contrastive::io
