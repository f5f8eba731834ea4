// Every operation of the simulated CUDA device, computed by the CPU's kernel on the bytes behind
// the device's addresses.
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/stack.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <torch/library.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "tests/host_cuda/host_tensors.h"

namespace contrastive::host_cuda {

namespace {

c10::IValue to_host(const c10::IValue& value, HostTensors& tensors) {
  if (value.isTensor()) return tensors.to_host(value.toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(tensors.to_host(tensor));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      list.push_back(tensor ? std::optional<at::Tensor>(tensors.to_host(*tensor)) : std::nullopt);
    }
    return list;
  }
  return value.isDevice() ? c10::IValue(c10::Device(c10::kCPU)) : value;
}

c10::IValue to_device(const c10::IValue& value, const HostTensors& tensors) {
  if (value.isTensor()) return tensors.to_device(value.toTensor());
  if (!value.isTensorList()) return value;
  c10::List<at::Tensor> list;
  for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(tensors.to_device(tensor));
  return list;
}

void by_the_cpu(const c10::OperatorHandle& operation, torch::jit::Stack* stack) {
  HostTensors tensors;
  const size_t arguments = operation.schema().arguments().size(),
               results = operation.schema().returns().size();
  for (size_t i = stack->size() - arguments; i < stack->size(); ++i)
    (*stack)[i] = to_host((*stack)[i], tensors);
  operation.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  tensors.take_shapes();
  for (size_t i = stack->size() - results; i < stack->size(); ++i)
    (*stack)[i] = to_device((*stack)[i], tensors);
}

// The only operation that takes tensors of both devices.
at::Tensor& copy(at::Tensor& self, const at::Tensor& source, bool) {
  const at::AutoDispatchBelowADInplaceOrView below;
  HostTensors tensors;
  const auto host = [&](const at::Tensor& tensor) {
    return tensor.is_cuda() ? tensors.to_host(tensor) : tensor;
  };
  host(self).copy_(host(source));
  return self;
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                         std::optional<at::ScalarType> type, std::optional<at::Layout>,
                         std::optional<at::Device>, std::optional<bool>) {
  return empty_on_device(sizes, strides, type.value_or(at::kFloat));
}

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type,
                 std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat>) {
  std::vector<int64_t> strides(sizes.size());
  int64_t step = 1;
  for (size_t i = sizes.size(); i-- > 0; step *= std::max<int64_t>(1, sizes[i])) strides[i] = step;
  return empty_on_device(sizes, strides, type.value_or(at::kFloat));
}

// Attention of packed texts, which has kernels for CUDA only. x [tokens, heads, width]; text i has
// the tokens ends[i] to ends[i + 1].
at::Tensor packed_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            const at::Tensor& ends) {
  const at::Tensor out = at::empty(q.sizes(), q.options());
  for (int64_t i = 0; i + 1 < ends.size(0); ++i) {
    const int64_t begin = ends.const_data_ptr<int32_t>()[i],
                  length = ends.const_data_ptr<int32_t>()[i + 1] - begin;
    const auto text = [&](const at::Tensor& x) {
      return x.narrow(0, begin, length).transpose(0, 1);
    };  // [heads, length, width]
    text(out).copy_(at::scaled_dot_product_attention(text(q), text(k), text(v)));
  }
  return out;
}

using Attention = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

Attention flash_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                          const std::optional<at::Tensor>& ends, const std::optional<at::Tensor>&,
                          c10::SymInt, c10::SymInt, double dropout, bool, bool,
                          std::optional<double>, std::optional<c10::SymInt>,
                          std::optional<c10::SymInt>, const std::optional<at::Tensor>&,
                          const std::optional<at::Tensor>&) {
  TORCH_CHECK(q.scalar_type() == at::kBFloat16 || q.scalar_type() == at::kHalf,
              "FlashAttention only support fp16 and bf16 data type");
  TORCH_CHECK(
      q.size(2) % 8 == 0 && q.size(2) <= 256,
      "FlashAttention forward only supports head dimension at most 256, and multiples of 8");
  TORCH_CHECK(dropout == 0 && ends, "only packed texts without dropout");
  const at::AutoDispatchBelowADInplaceOrView below;
  HostTensors t;
  return {t.to_device(packed_attention(t.to_host(q), t.to_host(k), t.to_host(v), t.to_host(*ends))),
          {},
          {},
          {},
          {}};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt>
efficient_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                    const std::optional<at::Tensor>& bias, const std::optional<at::Tensor>& ends,
                    const std::optional<at::Tensor>&, std::optional<c10::SymInt>,
                    std::optional<c10::SymInt>, double dropout, int64_t, bool,
                    std::optional<double>, const std::optional<at::Tensor>&,
                    std::optional<int64_t>) {
  TORCH_CHECK(dropout == 0 && ends && !bias && q.dim() == 4 && q.size(0) == 1,
              "only packed texts without dropout and bias");
  TORCH_CHECK(q.size(3) % (q.scalar_type() == at::kFloat ? 4 : 8) == 0,
              "cutlassF: no kernel found to launch!");
  const at::AutoDispatchBelowADInplaceOrView below;
  HostTensors t;
  const auto one = [&](const at::Tensor& x) { return t.to_host(x).select(0, 0); };
  const at::Tensor out = packed_attention(one(q), one(k), one(v), t.to_host(*ends)).unsqueeze(0);
  return {t.to_device(out), {}, {}, {}, c10::SymInt(q.size(1)), c10::SymInt(k.size(1))};
}

int64_t choose_attention(const at::Tensor&, const at::Tensor&, const at::Tensor&,
                         const std::optional<at::Tensor>&, double, bool, std::optional<double>,
                         bool) {
  return static_cast<int64_t>(sdp::SDPBackend::math);
}

const bool kChosen =
    (at::native::_fused_sdp_choice_stub.set_cuda_dispatch_ptr(choose_attention), true);

TORCH_LIBRARY_IMPL(_, CUDA, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&by_the_cpu>());
}

TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("copy_", copy);
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("_flash_attention_forward", flash_attention);
  m.impl("_efficient_attention_forward", efficient_attention);
}

}  // namespace

}  // namespace contrastive::host_cuda
