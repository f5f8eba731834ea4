#include "core/torch/run/collapse_watch.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <limits>

#include "core/base/log.h"
#include "core/eval/geometry/effective_rank.h"
#include "core/eval/geometry/geometry.h"

namespace contrastive::run {
namespace {

constexpr int64_t kMostRows = 128;

// One vector per example: [n, d]. For views of several layers, [n, layers, d], the last one;
// undefined for all others.
at::Tensor matrix_of(const at::Tensor& view) {
  if (!view.is_floating_point() || view.dim() < 2 || view.dim() > 3 || view.size(0) < 2 ||
      view.size(1) == 0)
    return {};
  return view.dim() == 2 ? view : view.select(1, view.size(1) - 1);
}

at::Tensor first_rows(const at::Tensor& vectors) {
  return vectors.narrow(0, 0, std::min(kMostRows, vectors.size(0)))
      .to(at::kCPU, at::kFloat)
      .contiguous();
}

int64_t count_zero_vectors(const at::Tensor& vectors) {
  return vectors.eq(0).all(1).sum().item<int64_t>();
}

}  // namespace

std::optional<Geometry> measure(const methods::Views& views) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> matrices;
  for (const auto& [name, rows] : views.vectors) {
    if (const at::Tensor matrix = matrix_of(rows); matrix.defined()) matrices.push_back(matrix);
  }
  if (matrices.empty()) return std::nullopt;
  const at::Tensor x = first_rows(matrices[0]);
  const int64_t n = x.size(0), d = x.size(1);
  Geometry geometry;
  geometry.alignment = std::numeric_limits<double>::quiet_NaN();
  if (matrices.size() > 1 && matrices[1].sizes() == matrices[0].sizes()) {
    geometry.alignment = eval::alignment(x.const_data_ptr<float>(),
                                         first_rows(matrices[1]).const_data_ptr<float>(), n, d);
  }
  geometry.uniformity = eval::uniformity(x.const_data_ptr<float>(), n, d);
  geometry.mean_cosine = eval::mean_cosine(x.const_data_ptr<float>(), n, d);
  geometry.effective_rank = eval::effective_rank(x.const_data_ptr<float>(), n, d);
  for (const at::Tensor& matrix : matrices) geometry.zero_vectors += count_zero_vectors(matrix);
  return geometry;
}

void CollapseWatch::look(const methods::Views& views, int64_t step, Records& records) {
  const auto geometry = measure(views);
  if (!geometry) return;
  records.measure("view.alignment", geometry->alignment);
  records.measure("view.uniformity", geometry->uniformity);
  records.measure("view.mean_cosine", geometry->mean_cosine);
  records.measure("view.effective_rank", geometry->effective_rank);
  records.measure("view.zero_vectors", static_cast<double>(geometry->zero_vectors));
  look(*geometry, step);
  records.measure("collapsed", collapsed_ ? 1 : 0);
}

void CollapseWatch::look(const Geometry& geometry, int64_t step) {
  if (geometry.zero_vectors > 0 && !warned_of_zeros_) {
    warned_of_zeros_ = true;
    log_warning(
        "update ", step, ": ", geometry.zero_vectors,
        " vectors of the batch are 0: their cosines are 0, and a loss of cosines learns nothing ",
        "from them; metric 'view.zero_vectors' counts them");
  }
  if (!first_) first_ = geometry;
  if (collapsed_) return;
  const bool to_a_point =
      geometry.mean_cosine > 0.99 && 1 - geometry.mean_cosine < (1 - first_->mean_cosine) / 2;
  const bool to_a_line = geometry.effective_rank - 1 < (first_->effective_rank - 1) / 10;
  if (!to_a_point && !to_a_line) return;
  collapsed_ = true;
  log_warning("update ", step, ": the vectors of a batch collapse: their mean cosine is ",
              geometry.mean_cosine, " (", first_->mean_cosine, " at first), their effective rank ",
              geometry.effective_rank, " (", first_->effective_rank,
              "). Lower lr, raise the temperature or make the batch larger");
}

void CollapseWatch::save(TrainingState& state) const {
  Json& own = state.fields["collapse_watch"] = Json::object();
  if (!first_) return;
  own = {{"mean_cosine", first_->mean_cosine},
         {"effective_rank", first_->effective_rank},
         {"collapsed", collapsed_},
         {"zeros", warned_of_zeros_}};
}

void CollapseWatch::restore(const TrainingState& state) {
  const Json& own = state.read().at("collapse_watch");
  const JsonObject object(own, "collapse_watch");
  if (own.empty()) return;
  first_ = Geometry{};
  first_->mean_cosine = object.real("mean_cosine", -1.001, 1.001);
  first_->effective_rank = object.real("effective_rank", 0, 1e6);
  collapsed_ = object.boolean("collapsed", false);
  warned_of_zeros_ = object.boolean("zeros", false);
}

}  // namespace contrastive::run
