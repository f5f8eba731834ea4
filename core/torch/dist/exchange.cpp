#include "core/torch/dist/exchange.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstring>

#include "core/base/json.h"

namespace contrastive::dist {
namespace {

// For each rank a text that describes its bytes, and a row of bytes. Tensors from the CPU are read
// there, and stay there.
Json describe(const Parcel& parcel) {
  Json tensors = Json::array();
  for (const at::Tensor& tensor : parcel.tensors) {
    tensors.push_back(
        {static_cast<int>(tensor.scalar_type()), tensor.sizes().vec(), tensor.is_cpu()});
  }
  return {{"label", parcel.label}, {"tensors", tensors}};
}

int64_t bytes_of(const Parcel& parcel) {
  int64_t bytes = 0;
  for (const at::Tensor& tensor : parcel.tensors) bytes += static_cast<int64_t>(tensor.nbytes());
  return bytes;
}

// Reads the tensors of a rank from its bytes, as `description` says.
Parcel unpack(const Json& description, const char* bytes, const at::Device& device) {
  Parcel parcel;
  parcel.label = description.at("label").get<std::string>();
  for (const Json& each : description.at("tensors")) {
    at::Tensor tensor = at::empty(each.at(1).get<std::vector<int64_t>>(),
                                  static_cast<at::ScalarType>(each.at(0).get<int>()));
    if (tensor.nbytes() > 0) std::memcpy(tensor.mutable_data_ptr(), bytes, tensor.nbytes());
    bytes += tensor.nbytes();
    parcel.tensors.push_back(each.at(2).get<bool>() ? tensor : tensor.to(device));
  }
  return parcel;
}

}  // namespace

std::vector<Parcel> gather_parcels(World& world, const Parcel& own, const at::Device& device,
                                   const std::string& doing) {
  const at::NoGradGuard no_grad;
  std::vector<Json> descriptions;
  Json description = describe(own);
  description["bytes"] = bytes_of(own);
  for (const std::string& text : world.gather(description.dump(), doing))
    descriptions.push_back(Json::parse(text));
  int64_t most = 0;
  for (const Json& each : descriptions) most = std::max(most, each.at("bytes").get<int64_t>());
  at::Tensor packed = at::empty({most}, at::kByte);
  auto* to = static_cast<char*>(packed.mutable_data_ptr());
  for (const at::Tensor& tensor : own.tensors) {
    const at::Tensor here = tensor.detach().cpu().contiguous();
    if (here.nbytes() > 0) std::memcpy(to, here.const_data_ptr(), here.nbytes());
    to += here.nbytes();
  }
  const at::Tensor all = world.gather(packed, doing);
  std::vector<Parcel> parcels;
  for (size_t rank = 0; rank < descriptions.size(); ++rank) {
    parcels.push_back(
        unpack(descriptions[rank],
               static_cast<const char*>(all.const_data_ptr()) + static_cast<int64_t>(rank) * most,
               device));
  }
  return parcels;
}

}  // namespace contrastive::dist
