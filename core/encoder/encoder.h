// An encoder that embeds: it takes packed tokens and returns one vector for each text and pooling.
// cpu_encoder.h computes on the CPU, core/torch/nn/torch_encoder.h with LibTorch's operations, on a
// GPU for instance. core/torch/nn/trainable_encoder.h is the encoder that trains.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/tensor.h"
#include "core/encoder/architecture.h"
#include "core/encoder/packed_tokens.h"
#include "core/encoder/pooling.h"
#include "core/runtime/device.h"

namespace contrastive::encoder {

class Encoder {
 public:
  virtual ~Encoder() = default;

  const Architecture& architecture() const { return architecture_; }
  virtual runtime::Device device() const = 0;
  virtual runtime::Precision precision() const = 0;
  virtual bool has_pooler() const = 0;
  // "kernels" for the library's own CPU kernels, "libtorch" for LibTorch's operations.
  virtual const char* computed_by() const = 0;
  // True if infer() respects most_threads. Then it is best to serve several callers in parallel,
  // each on its own thread.
  virtual bool computes_on_caller() const = 0;
  // Hugging Face's names and order; float32 on the CPU. Shares the encoder's memory if the encoder
  // keeps its weights in that form. kState in int8, which keeps no floats.
  virtual std::vector<std::pair<std::string, Tensor>> named_parameters() const = 0;
  // The bytes of memory that the weights use, on the encoder's device. Mapped files count too.
  virtual int64_t weight_bytes() const;
  // For fingerprints. Passes every byte that affects a result to `f`, in pieces with names, always
  // in the same order.
  virtual void visit_bytes(
      const std::function<void(const std::string& name, std::string_view bytes)>& f) const;
  virtual std::shared_ptr<Encoder> clone() const = 0;  // copies the weights

  // Writes the vectors of all poolings to `out` [texts, poolings * hidden] float32, on up to
  // `most_threads` threads. keeps[i] chooses the tokens of poolings[i]: [tokens], or null for all.
  // A text's vector does not depend on the rest of the batch (except for the last bit), nor (on the
  // CPU) on the number of threads. Any number of threads may call this at once, as long as no
  // thread changes the weights.
  virtual void infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings,
                     const std::vector<const uint8_t*>& keeps, float* out,
                     int most_threads) const = 0;

 protected:
  explicit Encoder(const Architecture& architecture) : architecture_(architecture) {}

 private:
  Architecture architecture_;
};

// Makes an encoder for this device and precision. Shares the memory of `weights` if it can.
// kNotFound or kMismatch names a tensor that is missing or has another shape; kDevice means that
// the device cannot be used.
std::shared_ptr<Encoder> make_encoder(const Architecture& architecture, const TensorMap& weights,
                                      const runtime::Device& device, runtime::Precision precision);

// Makes sure that `device` can be used, otherwise kDevice. The CPU can always be used.
void require_device(const runtime::Device& device);

}  // namespace contrastive::encoder
