#include "core/model/principal_components.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::model {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int64_t kBlock = 2048;  // rows that a thread processes at a time
constexpr int64_t kAtOnce = 8;    // blocks whose sums exist at the same time

struct Blocks {
  const float* rows;
  int64_t n, d;

  int64_t count() const { return (n + kBlock - 1) / kBlock; }
  // The rows of a block in double, minus the mean.
  Matrix centred(int64_t block, const Eigen::RowVectorXd& mean) const {
    const int64_t first = block * kBlock, size = std::min(kBlock, n - first);
    Matrix x = Eigen::Map<const Floats>(rows + first * d, size, d).cast<double>();
    x.rowwise() -= mean;
    return x;
  }
};

Eigen::RowVectorXd mean_of(const Blocks& blocks) {
  std::vector<Eigen::RowVectorXd> sums(static_cast<size_t>(blocks.count()));
  runtime::parallel_for(blocks.count(), [&](int64_t i) {
    sums[static_cast<size_t>(i)] =
        blocks.centred(i, Eigen::RowVectorXd::Zero(blocks.d)).colwise().sum();
  });
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(blocks.d);
  for (const Eigen::RowVectorXd& sum : sums) mean += sum;
  return mean / static_cast<double>(blocks.n);
}

Matrix covariance(const Blocks& blocks, const Eigen::RowVectorXd& mean, const Cancel* cancel) {
  Matrix sum = Matrix::Zero(blocks.d, blocks.d);
  for (int64_t begin = 0; begin < blocks.count(); begin += kAtOnce) {
    throw_if_cancelled(cancel);
    const int64_t some = std::min(kAtOnce, blocks.count() - begin);
    std::vector<Matrix> parts(static_cast<size_t>(some));
    runtime::parallel_for(some, [&](int64_t i) {
      const Matrix x = blocks.centred(begin + i, mean);
      parts[static_cast<size_t>(i)].noalias() = x.transpose() * x;
    });
    for (const Matrix& part : parts) sum += part;
  }
  return sum / static_cast<double>(blocks.n - 1);
}

// [d, components], in descending order of variance.
Matrix directions_of(const Blocks& blocks, const Eigen::RowVectorXd& mean, int64_t components,
                     const Cancel* cancel) {
  check(blocks.n >= 2 && components >= 1 && components <= blocks.d, Status::kInternal, components,
        " components of ", blocks.n, " rows of ", blocks.d);
  const Eigen::SelfAdjointEigenSolver<Matrix> solved(
      covariance(blocks, mean, cancel));  // in ascending order
  throw_if_cancelled(cancel);
  return solved.eigenvectors().rowwise().reverse().leftCols(components);
}

}  // namespace

Tensor principal_axes(const Tensor& rows, int64_t components, const Cancel* cancel) {
  const Blocks blocks{rows.floats(), rows.size(0), rows.size(1)};
  Matrix axes = directions_of(blocks, mean_of(blocks), components, cancel).transpose();
  for (int64_t k = 0; k < components; ++k) {
    Eigen::Index largest = 0;
    axes.row(k).cwiseAbs().maxCoeff(&largest);
    if (axes(k, largest) < 0) axes.row(k) = -axes.row(k);
  }
  Tensor result({components, blocks.d});
  Eigen::Map<Floats>(result.mutable_floats(), components, blocks.d) = axes.cast<float>();
  return result;
}

Tensor principal_components(const Tensor& rows, int64_t components, const Cancel* cancel) {
  const Blocks blocks{rows.floats(), rows.size(0), rows.size(1)};
  const Eigen::RowVectorXd mean = mean_of(blocks);
  const Matrix directions = directions_of(blocks, mean, components, cancel);
  Tensor scores({blocks.n, components});
  runtime::parallel_for(blocks.count(), [&](int64_t i) {
    const Matrix part = blocks.centred(i, mean) * directions;
    Eigen::Map<Floats>(scores.mutable_floats() + i * kBlock * components, part.rows(), components) =
        part.cast<float>();
  });
  for (int64_t k = 0; k < components; ++k) {
    float farthest = 0;
    for (int64_t row = 0; row < blocks.n; ++row) {
      const float value = scores.floats()[row * components + k];
      if (std::fabs(value) > std::fabs(farthest)) farthest = value;
    }
    if (farthest >= 0) continue;
    for (int64_t row = 0; row < blocks.n; ++row)
      scores.mutable_floats()[row * components + k] *= -1.0f;
  }
  return scores;
}

}  // namespace contrastive::model
