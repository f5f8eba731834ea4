#include "core/torch/methods/lora_adapters.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/torch/tensors/products.h"

namespace contrastive::methods {
namespace {

constexpr uint64_t kAdapterStream = 16;  // encoders and heads draw from the first ones

const std::string kDown = ".lora_A.weight", kUp = ".lora_B.weight";

// torch.nn.init.kaiming_uniform_ with a = sqrt(5), as peft and torch.nn.Linear start.
at::Tensor uniform_matrix(int64_t rank, int64_t in, uint64_t seed, uint64_t number) {
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  const at::Tensor matrix = at::empty({rank, in}, at::kFloat);
  Rng rng(seed, Purpose::kInitialise, kAdapterStream, number);
  float* values = matrix.mutable_data_ptr<float>();
  for (int64_t i = 0; i < matrix.numel(); ++i)
    values[i] = static_cast<float>((2 * rng.uniform() - 1) * bound);
  return matrix;
}

std::map<std::string, at::Tensor> weights_of(const nn::TrainableEncoder& encoder) {
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, tensor] : encoder.named_parameters())
    weights.emplace(name, tensor.detach());
  return weights;
}

}  // namespace

LoraAdapters::LoraAdapters(const LoraOptions& options, const std::string& prefix,
                           nn::TrainableEncoder& encoder, uint64_t seed)
    : options_(options), scale_(options.alpha / static_cast<double>(options.rank)) {
  for (const io::AdapterPlace& place : options.places(encoder.architecture(), prefix)) {
    Item item;
    item.a = uniform_matrix(options.rank, place.in, seed, items_.size())
                 .to(encoder.device())
                 .set_requires_grad(true);
    item.b = at::zeros({place.out, options.rank}, item.a.options().requires_grad(false))
                 .set_requires_grad(true);
    item.place = place;
    items_.push_back(std::move(item));
  }
  encoder.set_adapters(beside(encoder.architecture()));
}

std::vector<nn::LayerAdapters> LoraAdapters::beside(const encoder::Architecture& shape) const {
  std::vector<nn::LayerAdapters> layers(static_cast<size_t>(shape.weight_set_count()));
  const std::string kLayers = "encoder.layer.";
  std::map<size_t, int64_t> modules;  // of each set so far
  for (const Item& item : items_) {
    int64_t first = 0;
    int64_t number = -1;
    for (size_t part = 0; part < item.place.weights.size(); ++part) {
      const std::string& weight =
          item.place.weights[part];  // "encoder.layer.3.attention.self.query.weight"
      const size_t dot = weight.find('.', kLayers.size()), end = weight.rfind('.');
      const auto set =
          static_cast<size_t>(std::stoll(weight.substr(kLayers.size(), dot - kLayers.size())));
      if (number < 0) number = modules[set]++;
      nn::LinearAdapter& adapter = layers.at(set).named(weight.substr(dot + 1, end - dot - 1));
      adapter = {item.a, item.b, first, item.place.rows[part], scale_, number};
      first += item.place.rows[part];
    }
  }
  return layers;
}

std::vector<optim::Parameter> LoraAdapters::parameters() const {
  std::vector<optim::Parameter> parameters;
  for (const Item& item : items_) {
    parameters.push_back({item.place.module + kDown, item.a, true});
    parameters.push_back({item.place.module + kUp, item.b, true});
  }
  return parameters;
}

std::vector<std::string> LoraAdapters::weights() const {
  std::vector<std::string> names;
  for (const Item& item : items_)
    names.insert(names.end(), item.place.weights.begin(), item.place.weights.end());
  return names;
}

io::Adapter::Module LoraAdapters::module_of(const Item& item,
                                            const tensors::TorchTensorMap& given) const {
  const auto now = [&](const std::string& end, const at::Tensor& own) {
    const auto found = given.find(item.place.module + end);
    const at::Tensor& tensor = found == given.end() ? own : found->second;
    return tensors::from_torch(tensor.detach().to(at::kCPU, at::kFloat, false, true));
  };
  return {item.place, now(kDown, item.a), now(kUp, item.b)};
}

void LoraAdapters::merge_into(const nn::TrainableEncoder& encoder,
                              const tensors::TorchTensorMap& given) const {
  const at::NoGradGuard no_grad;
  const std::map<std::string, at::Tensor> weights = weights_of(encoder);
  for (const Item& item : items_) {
    const io::Adapter::Module module = module_of(item, given);
    for (size_t part = 0; part < item.place.weights.size(); ++part) {
      const at::Tensor& weight = weights.at(item.place.weights[part]);
      weight.add_(tensors::to_torch(io::low_rank_product(module, part, scale_))
                      .to(weight.device(), weight.scalar_type()));
    }
  }
}

std::shared_ptr<const io::Adapter> LoraAdapters::record(
    const nn::TrainableEncoder& base, const std::string& name,
    const tensors::TorchTensorMap& given) const {
  auto adapter = std::make_shared<io::Adapter>();
  adapter->rank = options_.rank;
  adapter->alpha = options_.alpha;
  adapter->dropout = options_.dropout;
  adapter->base = name;
  std::vector<io::AdapterPlace> places;
  for (const Item& item : items_) {
    adapter->modules.push_back(module_of(item, given));
    places.push_back(item.place);
  }
  const std::map<std::string, at::Tensor> all = weights_of(base);
  TensorMap weights;
  for (const std::string& weight : this->weights())
    weights.emplace(weight, tensors::from_torch(all.at(weight).to(at::kCPU, at::kFloat)));
  adapter->base_digest = io::adapter_base_digest(places, weights);
  return adapter;
}

at::Tensor LoraAdapters::squared_norm() const {
  at::Tensor total;
  for (const Item& item : items_) {  // |B A|^2 = sum of (B^T B) (A A^T), element by element
    const at::Tensor norm =
        (tensors::product(item.b.t(), item.b) * tensors::product(item.a, item.a.t())).sum();
    total = total.defined() ? total + norm : norm;
  }
  return total * (scale_ * scale_);
}

MergedWeights::MergedWeights(const LoraAdapters& adapters, const nn::TrainableEncoder& encoder) {
  if (adapters.empty()) return;
  const at::NoGradGuard no_grad;
  const std::map<std::string, at::Tensor> weights = weights_of(encoder);
  for (const std::string& name : adapters.weights())
    kept_.emplace_back(weights.at(name), weights.at(name).clone());
  try {
    adapters.merge_into(encoder);
  } catch (...) {
    put_back();
    throw;
  }
}

MergedWeights::~MergedWeights() { put_back(); }

void MergedWeights::put_back() noexcept {
  const at::NoGradGuard no_grad;
  for (const auto& [weight, before] : kept_) weight.copy_(before);
}

}  // namespace contrastive::methods
