#include "core/encoder/narrow_weights.h"

#include <algorithm>

namespace contrastive::encoder {
namespace {

// The matrices that tokens are multiplied with, and the largest table.
bool is_narrow(const std::string& name, const std::vector<int64_t>& shape) {
  return shape.size() == 2 &&
         (name.rfind("encoder.layer.", 0) == 0 || name == "embeddings.word_embeddings.weight");
}

}  // namespace

NarrowWeights::NarrowWeights(const Architecture& architecture, const EncoderWeights& source,
                             cpu::Narrow format)
    : format_(format), pooler_(source.pooler.weight.defined()) {
  visit_weights(architecture, source, pooler_,
                [&](const std::string& name, const std::vector<int64_t>&, const Tensor& values) {
                  pieces_.push_back(rounded(name, values));
                });
  EncoderWeightsOf<const Piece*> places;
  places.layers.resize(source.layers.size());
  auto piece = pieces_.begin();
  visit_weights(architecture, places, pooler_,
                [&](const std::string&, const std::vector<int64_t>&, const Piece*& place) {
                  place = &*piece++;
                });
  view_ = view_of(places, [&](const Piece* place) { return numbers(place); });
}

Numbers NarrowWeights::numbers(const Piece* piece) const {
  if (piece == nullptr) return {};
  return piece->floats.empty() ? Numbers{nullptr, &piece->matrix}
                               : Numbers{piece->floats.data(), nullptr};
}

NarrowWeights::Piece NarrowWeights::rounded(const std::string& name, const Tensor& values) const {
  Piece piece;
  if (is_narrow(name, values.shape())) {
    piece.matrix = NarrowMatrix::rounded(format_, values.floats(), values.size(0), values.size(1));
    return piece;
  }
  piece.floats.assign(values.floats(), values.floats() + values.elements());
  if (format_ == cpu::Narrow::kBfloat16) {
    NarrowMatrix::rounded(format_, piece.floats.data(), 1, values.elements())
        .read_row(0, piece.floats.data());
  }
  return piece;
}

EncoderWeights NarrowWeights::floats(const Architecture& architecture) const {
  EncoderWeights weights;
  weights.layers.resize(view_.layers.size());
  size_t i = 0;
  visit_weights(architecture, weights, pooler_,
                [&](const std::string&, const std::vector<int64_t>& shape, Tensor& tensor) {
                  const Piece& piece = pieces_[i++];
                  tensor = Tensor(shape);
                  if (!piece.floats.empty()) {
                    std::copy(piece.floats.begin(), piece.floats.end(), tensor.mutable_floats());
                    return;
                  }
                  for (int64_t row = 0; row < piece.matrix.rows(); ++row)
                    piece.matrix.read_row(row,
                                          tensor.mutable_floats() + row * piece.matrix.columns());
                });
  return weights;
}

void NarrowWeights::visit_bytes(const std::function<void(std::string_view)>& f) const {
  const auto hand_over = [&](const auto* values, int64_t count) {
    f({reinterpret_cast<const char*>(values), static_cast<size_t>(count) * sizeof(*values)});
  };
  for (const Piece& piece : pieces_) {
    if (!piece.floats.empty()) {
      hand_over(piece.floats.data(), static_cast<int64_t>(piece.floats.size()));
      continue;
    }
    hand_over(piece.matrix.values(), piece.matrix.rows() * piece.matrix.stride());
    if (format_ == cpu::Narrow::kInt8) hand_over(piece.matrix.scales(), piece.matrix.rows());
  }
}

}  // namespace contrastive::encoder
