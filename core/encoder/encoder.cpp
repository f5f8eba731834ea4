#include "core/encoder/encoder.h"

#include "core/base/error.h"
#include "core/encoder/cpu_encoder.h"

namespace contrastive::encoder {
namespace {

TorchEncoders provided{};

const TorchEncoders& torch_encoders() {
  check(provided.make != nullptr, Status::kDevice, "LibTorch's half of the library is not loaded: device=cpu and precision=float32 need none");
  return provided;
}

}  // namespace

void provide_torch_encoders(const TorchEncoders& encoders) { provided = encoders; }

void require_device(const runtime::Device& device) {
  if (!device.is_cpu()) torch_encoders().require_device(device);
}

std::shared_ptr<Encoder> make_encoder(const EncoderOptions& options, const TensorMap& weights, const runtime::Device& device,
                                      runtime::Precision precision) {
  if (device.is_cpu() && precision == runtime::Precision::kFloat32) return std::make_shared<CpuEncoder>(options, weights);
  return torch_encoders().make(options, weights, device, precision);
}

}  // namespace contrastive::encoder
