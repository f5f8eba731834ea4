#include "core/encoder/classification_head.h"

namespace contrastive::encoder {

std::vector<std::pair<std::string, std::vector<int64_t>>> classification_head_shapes(
    const Architecture& architecture, const ClassificationHead& head, int64_t labels) {
  const int64_t hidden = architecture.hidden_size;
  std::vector<std::pair<std::string, std::vector<int64_t>>> shapes;
  const bool dense = !head.activation.empty();
  if (dense) shapes.push_back({"classifier.dense.weight", {hidden, hidden}});
  if (dense && head.dense_bias) shapes.push_back({"classifier.dense.bias", {hidden}});
  if (head.norm) shapes.push_back({"classifier.LayerNorm.weight", {hidden}});
  if (head.norm && head.norm_bias) shapes.push_back({"classifier.LayerNorm.bias", {hidden}});
  shapes.push_back({"classifier.out_proj.weight", {labels, hidden}});
  shapes.push_back({"classifier.out_proj.bias", {labels}});
  return shapes;
}

}  // namespace contrastive::encoder
