#include "core/encoder/narrow_weights.h"

#include <algorithm>

namespace contrastive::encoder {

NarrowWeights::NarrowWeights(const EncoderOptions& options, const EncoderWeights& source, kernels::Narrow format) : format_(format) {
  const EmbeddingWeights& e = source.embeddings;
  view_.embeddings = {nullptr, narrow(e.words), copy(e.positions), copy(e.types), norm(e.norm)};
  view_.layers.reserve(static_cast<size_t>(options.num_hidden_layers));
  for (const LayerWeights& layer : source.layers) {
    LayerView view;
    view.query = linear(layer.query);
    view.key = linear(layer.key);
    view.value = linear(layer.value);
    view.attention_output = linear(layer.attention_output);
    view.attention_norm = norm(layer.attention_norm);
    view.intermediate = linear(layer.intermediate);
    view.output = linear(layer.output);
    view.output_norm = norm(layer.output_norm);
    view_.layers.push_back(view);
  }
  if (source.pooler.weight.defined()) view_.pooler = {copy(source.pooler.weight), nullptr, copy(source.pooler.bias)};
}

const NarrowMatrix* NarrowWeights::narrow(const Tensor& values) {
  matrices_.push_back(NarrowMatrix::rounded(format_, values.floats(), values.size(0), values.size(1)));
  return &matrices_.back();
}

const float* NarrowWeights::copy(const Tensor& values) {
  std::vector<float>& copied = floats_.emplace_back(values.floats(), values.floats() + values.elements());
  if (format_ == kernels::Narrow::kBfloat16) {
    const NarrowMatrix rounded = NarrowMatrix::rounded(format_, copied.data(), 1, values.elements());
    rounded.read_row(0, copied.data());
  }
  return copied.data();
}

EncoderWeights NarrowWeights::floats(const EncoderOptions& o) const {
  const int64_t hidden = o.hidden_size;
  const auto plain = [](const float* values, std::vector<int64_t> shape) {
    Tensor tensor(std::move(shape));
    std::copy_n(values, tensor.elements(), tensor.mutable_floats());
    return tensor;
  };
  const auto matrix = [](const NarrowMatrix& narrow) {
    Tensor tensor({narrow.rows(), narrow.columns()});
    for (int64_t row = 0; row < narrow.rows(); ++row) narrow.read_row(row, tensor.mutable_floats() + row * narrow.columns());
    return tensor;
  };
  const auto linear = [&](const LinearView& from, int64_t out) { return Linear{matrix(*from.narrow), plain(from.bias, {out})}; };
  const auto norm = [&](const NormView& from) { return LayerNorm{plain(from.weight, {hidden}), plain(from.bias, {hidden})}; };
  EncoderWeights weights;
  const EmbeddingView& e = view_.embeddings;
  weights.embeddings = {matrix(*e.narrow_words), plain(e.positions, {o.max_position_embeddings, hidden}), plain(e.types, {o.type_vocab_size, hidden}),
                        norm(e.norm)};
  for (const LayerView& layer : view_.layers) {
    weights.layers.push_back({linear(layer.query, hidden), linear(layer.key, hidden), linear(layer.value, hidden),
                              linear(layer.attention_output, hidden), norm(layer.attention_norm), linear(layer.intermediate, o.intermediate_size),
                              linear(layer.output, hidden), norm(layer.output_norm)});
  }
  if (view_.pooler.weight != nullptr) weights.pooler = {plain(view_.pooler.weight, {hidden, hidden}), plain(view_.pooler.bias, {hidden})};
  return weights;
}

void NarrowWeights::visit_bytes(const std::function<void(std::string_view)>& f) const {
  const auto numbers = [&](const auto* values, int64_t count) {
    f({reinterpret_cast<const char*>(values), static_cast<size_t>(count) * sizeof(*values)});
  };
  for (const NarrowMatrix& matrix : matrices_) {
    numbers(matrix.values(), matrix.rows() * matrix.stride());
    numbers(matrix.scales(), matrix.rows());
  }
  for (const std::vector<float>& values : floats_) numbers(values.data(), static_cast<int64_t>(values.size()));
}

}  // namespace contrastive::encoder
