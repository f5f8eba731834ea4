#include "core/torch/nn/lora.h"

#include <ATen/TensorOperators.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/torch/tensors/products.h"

namespace contrastive::nn {

at::Tensor LinearAdapter::up() const {
  return rows == b.size(0) ? b : b.narrow(0, first_row, rows);
}

LinearAdapter& LayerAdapters::named(const std::string& name) {
  if (name == "attention.self.query") return query;
  if (name == "attention.self.key") return key;
  if (name == "attention.self.value") return value;
  if (name == "attention.output.dense") return attention_output;
  if (name == "intermediate.dense") return intermediate;
  if (name == "output.dense") return output;
  check(name == "intermediate.gate", Status::kInternal, "no adapter exists for ", name);
  return gate;
}

std::vector<at::Tensor> LayerAdapters::parameters() const {
  std::vector<at::Tensor> found;
  const auto add = [&](const at::Tensor& tensor) {
    if (std::none_of(found.begin(), found.end(),
                     [&](const at::Tensor& other) { return other.is_same(tensor); }))
      found.push_back(tensor);
  };
  for (const LinearAdapter* adapter : all()) {
    if (!adapter->defined()) continue;
    add(adapter->a);
    add(adapter->b);
  }
  return found;
}

at::Tensor adapted(const LinearAdapter& adapter, const at::Tensor& y, const at::Tensor& x,
                   const DropoutMasks& masks, int64_t layer) {
  if (!adapter.defined()) return y;
  const at::Tensor seen = masks.drop_adapter(x, layer, adapter.number);
  return y + tensors::linear(tensors::linear(seen, adapter.a), adapter.up()) * adapter.scale;
}

}  // namespace contrastive::nn
