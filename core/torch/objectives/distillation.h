// Distillation losses: a student learns a teacher's vectors (sentence-transformers' MSELoss), its
// differences of scores (MarginMSELoss; Hofstaetter et al., 2020), or its distribution over a
// pair's candidates (DistillKLDivLoss).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace contrastive::objectives {

// The mean of (student - teacher)^2 over all numbers. float16 and bfloat16 are computed in float32.
at::Tensor vector_squared_error(const at::Tensor& student, const at::Tensor& teacher);

// The scores of pairs and of their negatives: s(q, p) and s(q, x).
struct CandidateScores {
  at::Tensor positives;  // [n]
  at::Tensor negatives;  // [m]
};

// The mean over the negatives of ((s(q, p) - s(q, x)) - margin)^2. owners [m]: the pair that each
// negative belongs to; margins [m]. Without negatives it is exactly 0, with gradient 0.
at::Tensor margin_squared_error(const CandidateScores& student, const at::Tensor& margins,
                                const std::vector<int64_t>& owners);

// The teacher's margins for margin_squared_error(): t(q, p) - t(q, x), [m].
at::Tensor margins_of(const CandidateScores& teacher, const std::vector<int64_t>& owners);

// T^2 times the mean over the pairs of KL(softmax(teacher / T), softmax(student / T)), each over a
// pair's positive and its own negatives. A pair without a negative gives 0.
at::Tensor score_divergence(const CandidateScores& student, const CandidateScores& teacher,
                            const std::vector<int64_t>& owners, double temperature);

}  // namespace contrastive::objectives
