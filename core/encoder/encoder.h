// An encoder that embeds: packed tokens in, one vector a text and pooling out. The CPU's is
// cpu_encoder.h; what runs on LibTorch's operations, on a GPU for instance, is
// core/torch/nn/torch_encoder.h. Training is core/torch/nn/encoder.h.
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
  // What computes: "kernels" are the library's own on the CPU, "libtorch" are LibTorch's
  // operations.
  virtual const char* computed_by() const = 0;
  // True where most_threads is heeded, and callers are best served side by side, each on a thread
  // of its own.
  virtual bool computes_on_caller() const = 0;
  // Hugging Face's names and order; float32 on the CPU. Where the encoder keeps its weights so,
  // they are shared. kState in int8, which keeps no floats.
  virtual std::vector<std::pair<std::string, Tensor>> named_parameters() const = 0;
  // Hands over every byte that decides a result, each piece with a name, in an order that does not
  // change: for fingerprints.
  virtual void visit_bytes(
      const std::function<void(const std::string& name, std::string_view bytes)>& f) const;
  virtual std::shared_ptr<Encoder> clone() const = 0;  // with weights of its own

  // The poolings' vectors side by side, `out` [texts, poolings * hidden] float32, on up to
  // `most_threads` threads. Tokens may be left out of each pooling: keeps[i], [tokens] or nullptr
  // for all, belongs to poolings[i]. A text's vector does not depend on what else is in the batch
  // (beyond a last bit), nor (on the CPU) on the number of threads. Any number of threads may call
  // it at once, as long as nobody changes the weights.
  virtual void infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings,
                     const std::vector<const uint8_t*>& keeps, float* out,
                     int most_threads) const = 0;

 protected:
  explicit Encoder(const Architecture& architecture) : architecture_(architecture) {}

 private:
  Architecture architecture_;
};

// An encoder where and in what is asked for. Shares the numbers of `weights` where it can.
// kNotFound or kMismatch names a tensor that is missing or has another shape; kDevice where the
// device cannot be used.
std::shared_ptr<Encoder> make_encoder(const Architecture& architecture, const TensorMap& weights,
                                      const runtime::Device& device, runtime::Precision precision);

// What the part that computes with LibTorch brings (core/runtime/torch_plugin.h): every device and
// precision beyond the CPU's kernels.
struct TorchEncoders {
  std::shared_ptr<Encoder> (*make)(const Architecture&, const TensorMap&, const runtime::Device&,
                                   runtime::Precision);
  void (*require_device)(
      const runtime::Device&);  // kDevice says what was looked for, where, and what was found
};
// Called by the part once it is loaded; a second time changes nothing.
void provide_torch_encoders(const TorchEncoders& encoders) noexcept;

// Makes sure that `device` can be used. kDevice. The CPU is always there.
void require_device(const runtime::Device& device);

}  // namespace contrastive::encoder
