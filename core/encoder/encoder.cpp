#include "core/encoder/encoder.h"

#include "core/base/error.h"
#include "core/cpu/kernels.h"
#include "core/encoder/float_encoder.h"
#include "core/encoder/inference.h"
#include "core/encoder/narrow_encoder.h"
#include "core/encoder/static_encoder.h"
#include "core/runtime/torch_plugin.h"

namespace contrastive::encoder {
namespace {

// `device` needs the training plugin. If the plugin is not installed, the device cannot be used.
const runtime::TorchPlugin& need_plugin_for(const runtime::Device& device) {
  try {
    return runtime::need_torch_plugin(cat("device = ", device.str()));
  } catch (const Error& error) {
    fail(error.status() == Status::kUnsupported ? Status::kDevice : error.status(),
         error.message());
  }
}

}  // namespace

void Encoder::visit_bytes(
    const std::function<void(const std::string& name, std::string_view bytes)>& f) const {
  for (const auto& [name, tensor] : named_parameters()) {
    f(cat(name, ' ', shape_text(tensor.shape())),
      {static_cast<const char*>(tensor.data()), static_cast<size_t>(tensor.bytes())});
  }
}

int64_t Encoder::weight_bytes() const {
  int64_t bytes = 0;
  for (const auto& [name, tensor] : named_parameters()) bytes += tensor.bytes();
  return bytes;
}

void require_device(const runtime::Device& device) {
  if (!device.is_cpu()) need_plugin_for(device).require_device(device);
}

std::shared_ptr<Encoder> make_encoder(const Architecture& architecture, const TensorMap& weights,
                                      const runtime::Device& device, runtime::Precision precision) {
  if (device.is_cpu() && is_static(architecture) && precision == runtime::Precision::kFloat32) {
    return std::make_shared<StaticEncoder>(architecture, weights);
  }
  if (device.is_cpu() && kernels_infer(architecture)) {
    if (precision == runtime::Precision::kFloat32)
      return std::make_shared<FloatEncoder>(architecture, weights);
    const cpu::Narrow format =
        precision == runtime::Precision::kInt8 ? cpu::Narrow::kInt8 : cpu::Narrow::kBfloat16;
    if (cpu::narrow_kernels(format) != nullptr)
      return std::make_shared<NarrowEncoder>(architecture, weights, format);
  }
  check(precision != runtime::Precision::kInt8 || !device.is_cpu(), Status::kUnsupported,
        "precision is int8, which is computed by the CPU's own kernels, ",
        "and they do not cover this model (", architecture.family,
        "): load it with precision = float32");
  check(precision != runtime::Precision::kInt8, Status::kArgument,
        "precision is int8, which is computed on the CPU, but device is ", device.str());
  if (!device.is_cpu())
    return need_plugin_for(device).make_encoder(architecture, weights, device, precision);
  const std::string wanted =
      kernels_infer(architecture)
          ? cat("precision = ", runtime::precision_name(precision), " on this processor")
          : cat("an encoder of the family ", architecture.family);
  return runtime::need_torch_plugin(wanted).make_encoder(architecture, weights, device, precision);
}

}  // namespace contrastive::encoder
