#include "core/torch/objectives/distillation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/torch/tensors/select_rows.h"
#include "core/torch/objectives/unit_rows.h"

namespace contrastive::objectives {
namespace {

// The logit of a missing candidate: its probability is 0, and 0 times its logarithm is 0, which
// would not hold for -infinity.
constexpr double kNoCandidate = -1e30;

void check_candidates(const CandidateScores& scores, const std::vector<int64_t>& owners) {
  check(scores.positives.dim() == 1 && scores.negatives.dim() == 1 &&
            scores.negatives.numel() == static_cast<int64_t>(owners.size()),
        Status::kMismatch, "each of the ", scores.negatives.sizes(),
        " negatives needs its pair, of which there are ", scores.positives.sizes());
}

at::Tensor long_tensor(const std::vector<int64_t>& values, const c10::Device& device) {
  return at::tensor(values, at::kLong).to(device);
}

// A row for each pair: its positive, then its negatives; log softmax of the row. `places`: index of
// each negative in the flattened rows. In float64, because float32 would round away the divergence
// of a student and a teacher that nearly agree.
at::Tensor log_probabilities(const CandidateScores& scores, const at::Tensor& places,
                             int64_t columns, double temperature) {
  const at::Tensor positives = scores.positives.to(at::kDouble),
                   negatives = scores.negatives.to(at::kDouble);
  const int64_t n = positives.size(0);
  const at::Tensor none = at::full({n, columns - 1}, kNoCandidate, positives.options());
  const at::Tensor rows = at::cat({positives.unsqueeze(1) / temperature, none}, 1).flatten();
  return at::log_softmax(rows.index_put({places}, negatives / temperature).view({n, columns}), 1);
}

}  // namespace

at::Tensor vector_squared_error(const at::Tensor& student, const at::Tensor& teacher) {
  check(student.dim() == 2 && student.sizes() == teacher.sizes() && student.numel() > 0,
        Status::kMismatch, "the student's and the teacher's vectors must be of one shape, not ",
        student.sizes(), " and ", teacher.sizes());
  return (at_least_float32(student) - at_least_float32(teacher)).square().mean();
}

at::Tensor margins_of(const CandidateScores& teacher, const std::vector<int64_t>& owners) {
  check_candidates(teacher, owners);
  const at::Tensor positives = at_least_float32(teacher.positives);
  return tensors::select_rows(positives, long_tensor(owners, positives.device())) -
         at_least_float32(teacher.negatives);
}

at::Tensor margin_squared_error(const CandidateScores& student, const at::Tensor& margins,
                                const std::vector<int64_t>& owners) {
  check(margins.dim() == 1 && margins.numel() == static_cast<int64_t>(owners.size()),
        Status::kMismatch, "each of the ", owners.size(), " negatives needs its margin, not ",
        margins.sizes());
  const at::Tensor own = margins_of(student, owners);
  return (own - margins.to(own)).square().sum() /
         static_cast<double>(std::max<size_t>(owners.size(), 1));
}

at::Tensor score_divergence(const CandidateScores& student, const CandidateScores& teacher,
                            const std::vector<int64_t>& owners, double temperature) {
  check_candidates(student, owners);
  check_candidates(teacher, owners);
  const int64_t n = student.positives.size(0);
  std::vector<int64_t> counts(static_cast<size_t>(n), 0), places;
  for (const int64_t owner : owners) ++counts.at(static_cast<size_t>(owner));
  const int64_t columns = 1 + *std::max_element(counts.begin(), counts.end());
  std::fill(counts.begin(), counts.end(), 0);
  for (const int64_t owner : owners)
    places.push_back(owner * columns + ++counts[static_cast<size_t>(owner)]);
  const at::Tensor at = long_tensor(places, student.positives.device());
  const at::Tensor own = log_probabilities(student, at, columns, temperature);
  const at::Tensor wanted = log_probabilities(teacher, at, columns, temperature).to(own.device());
  const at::Tensor sum =
      (wanted.exp() * (wanted - own)).sum() * (temperature * temperature / static_cast<double>(n));
  return sum.to(student.positives.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
}

}  // namespace contrastive::objectives
