// All kernels in float32, and their tables. Included by each instruction set that has vectors of
// its own, after those, kName, wide_multiply() and at_least().

#include "core/cpu/row_parts.inl"
#include "core/cpu/vector_math.inl"
#include "core/cpu/linear.inl"
#include "core/cpu/layer_norm.inl"
#include "core/cpu/attention.inl"
#include "core/cpu/training_rows.inl"
#include "core/cpu/training_attention.inl"
#include "core/cpu/philox.inl"
#include "core/cpu/row_products.inl"
#include "core/cpu/update.inl"
#include "core/cpu/scores.inl"

constexpr EncodeKernels kEncode{kName, kLanes, kRows, linear, attention, layer_norm, activate};

constexpr TrainingKernels kTraining{
    kName,       norm, norm_backward, activation, attention_of_text, attention_backward_of_text,
    scale_shift, drop, column_sums,   draw_mask,  row_products,      weight_gradient};

constexpr UpdateKernels kUpdate{kName, adam, is_zero, sum_of_squares};

constexpr ScoreKernels kScores{kName,
                               kScoreRows,
                               kLanes,
                               {score_tile<ScoreOp::kDot, 1>, score_tile<ScoreOp::kEuclidean, 1>,
                                score_tile<ScoreOp::kManhattan, 1>},
                               {score_tile<ScoreOp::kDot, 2>, score_tile<ScoreOp::kEuclidean, 2>,
                                score_tile<ScoreOp::kManhattan, 2>},
                               {score_strip_of<ScoreOp::kDot>, score_strip_of<ScoreOp::kEuclidean>,
                                score_strip_of<ScoreOp::kManhattan>},
                               row_sum_of_squares};
