#include "core/eval/geometry/tsne.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/eval/finite.h"
#include "core/eval/geometry/joint_probabilities.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::eval {
namespace {

constexpr double kStartDeviation = 1e-4;
constexpr double kFirstMomentum = 0.5, kLastMomentum = 0.8;
constexpr double kLeastGain = 0.01;
constexpr int64_t kRowsPerItem = 16;
constexpr int kLanes = 4;  // sums side by side, so that additions need not wait for each other

// The forces of the other points on one point: `attraction` = sum of P w (y_i - y_j), `repulsion` =
// sum of w^2 (y_i - y_j), with w = 1 / (1 + |y_i - y_j|^2).
struct Forces {
  double attraction[2] = {};
  double repulsion[2] = {};
  double weights = 0;  // sum of w, the point itself left out
};

Forces forces_on(int64_t i, const double* p, const double* x, const double* y, int64_t n) {
  double ax[kLanes] = {}, ay[kLanes] = {}, rx[kLanes] = {}, ry[kLanes] = {}, sum[kLanes] = {};
  const auto add = [&](int64_t j, int lane) {
    const double dx = x[i] - x[j], dy = y[i] - y[j], w = 1 / (1 + dx * dx + dy * dy);
    const double pull = p[j] * w, push = w * w;
    ax[lane] += pull * dx;
    ay[lane] += pull * dy;
    rx[lane] += push * dx;
    ry[lane] += push * dy;
    sum[lane] += w;
  };
  int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) add(j + lane, lane);
  }
  for (; j < n; ++j) add(j, 0);
  const auto total = [](const double* lanes) {
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  };
  return {{total(ax), total(ay)},
          {total(rx), total(ry)},
          total(sum) - 1};  // the point itself: w = 1
}

// Runs body(i) for each point, in pieces of work that are large enough for a thread.
template <class Body>
void for_each_point(int64_t n, const Body& body) {
  runtime::parallel_for((n + kRowsPerItem - 1) / kRowsPerItem, [&](int64_t item) {
    for (int64_t i = item * kRowsPerItem; i < std::min(n, (item + 1) * kRowsPerItem); ++i) body(i);
  });
}

int64_t points_in(const std::vector<double>& p, const std::vector<double>& x,
                  const std::vector<double>& y) {
  const auto n = static_cast<int64_t>(x.size());
  check(y.size() == x.size() && n >= 2 && p.size() == x.size() * x.size(), Status::kMismatch,
        p.size(), " probabilities for ", x.size(), " and ", y.size(), " coordinates");
  return n;
}

// Gradient descent with momentum, and a gain for each coordinate that grows while the gradient
// keeps its direction (Jacobs, 1988).
class Descent {
 public:
  Descent(int64_t n, double learning_rate)
      : gains_(n, 1.0), updates_(n, 0.0), learning_rate_(learning_rate) {}
  void step(const std::vector<double>& gradient, double momentum,
            std::vector<double>& coordinates) {
    for (size_t i = 0; i < coordinates.size(); ++i) {
      gains_[i] =
          std::max(kLeastGain, updates_[i] * gradient[i] < 0 ? gains_[i] + 0.2 : gains_[i] * 0.8);
      updates_[i] = momentum * updates_[i] - learning_rate_ * gains_[i] * gradient[i];
      coordinates[i] += updates_[i];
    }
  }

 private:
  std::vector<double> gains_, updates_;
  double learning_rate_;
};

double fitting_perplexity(double perplexity, int64_t n) {
  const double most = static_cast<double>(n - 1) / 3;
  if (perplexity <= most) return perplexity;
  log_warning("t-SNE: a perplexity of ", perplexity, " is too much for ", n, " points; ", most,
              " is taken");
  return most;
}

}  // namespace

void TsneOptions::visit(OptionVisitor& v) {
  v.real("perplexity", perplexity, at_least(1),
         OptionDoc("effective number of neighbours of a point, at most (points - 1) / 3")
             .source("scikit-learn"));
  v.integer("iterations", iterations, between(1, 1e6),
            OptionDoc("steps of the gradient descent").source("scikit-learn"));
  v.integer("exaggerated", exaggerated, at_least(0),
            OptionDoc("number of first steps with exaggerated affinities").source("scikit-learn"));
  v.real("exaggeration", exaggeration, at_least(1),
         OptionDoc("factor of the exaggeration").source("scikit-learn"));
  v.real(
      "learning_rate", learning_rate, at_least(0),
      OptionDoc("step size; 0: max(points / exaggeration / 4, 50)").source("Belkina et al., 2019"));
}

void principal_start(const float* points, int64_t n, int64_t d, std::vector<double>& x,
                     std::vector<double>& y) {
  using Matrix = Eigen::MatrixXd;
  Matrix centred =
      Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          points, n, d)
          .cast<double>();
  centred.rowwise() -= centred.colwise().mean().eval();
  // The eigenvectors of the smaller one of X X^T and X^T X; eigenvalues come in ascending order.
  const bool by_rows = n < d;
  const Matrix gram =
      by_rows ? Matrix(centred * centred.transpose()) : Matrix(centred.transpose() * centred);
  const Eigen::SelfAdjointEigenSolver<Matrix> solved(gram);
  std::vector<double>* const into[] = {&x, &y};
  double deviation = 0;
  for (int64_t component = 0; component < 2; ++component) {
    std::vector<double>& to = *into[component];
    to.assign(n, 0.0);
    const int64_t last = gram.rows() - 1 - component;
    if (last < 0 || !(solved.eigenvalues()[last] > 0)) continue;
    const Eigen::VectorXd vector = solved.eigenvectors().col(last);
    const Eigen::VectorXd loadings =
        by_rows
            ? Eigen::VectorXd(centred.transpose() * vector / std::sqrt(solved.eigenvalues()[last]))
            : vector;
    Eigen::Index largest = 0;
    loadings.cwiseAbs().maxCoeff(&largest);
    const double sign = loadings[largest] < 0 ? -1 : 1;
    const Eigen::VectorXd scores = centred * loadings;
    if (component == 0) deviation = std::sqrt(scores.squaredNorm() / static_cast<double>(n));
    const double scale = deviation > 0 ? sign * kStartDeviation / deviation : 0;
    for (int64_t i = 0; i < n; ++i) to[i] = scores[i] * scale;
  }
}

double kl_divergence(const std::vector<double>& p, const std::vector<double>& x,
                     const std::vector<double>& y) {
  const int64_t n = points_in(p, x, y);
  std::vector<double> parts(n), weights(n);
  for_each_point(n, [&](int64_t i) {
    for (int64_t j = 0; j < n; ++j) {
      if (j == i) continue;
      const double dx = x[i] - x[j], dy = y[i] - y[j], distance = 1 + dx * dx + dy * dy,
                   share = p[i * n + j];
      if (share > 0) parts[i] += share * (std::log(share) + std::log(distance));
      weights[i] += 1 / distance;
    }
  });
  double divergence = 0, total = 0, mass = 0;  // joined in order: the same for every thread count
  for (int64_t i = 0; i < n; ++i) {
    divergence += parts[i];
    total += weights[i];
  }
  for (double share : p) mass += share;
  return divergence + mass * std::log(total);
}

void kl_gradient(const std::vector<double>& p, const std::vector<double>& x,
                 const std::vector<double>& y, double exaggeration, std::vector<double>& dx,
                 std::vector<double>& dy) {
  const int64_t n = points_in(p, x, y);
  std::vector<Forces> forces(n);
  for_each_point(n, [&](int64_t i) { forces[i] = forces_on(i, &p[i * n], x.data(), y.data(), n); });
  double total = 0;
  for (const Forces& force : forces) total += force.weights;
  dx.resize(n);
  dy.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    dx[i] = 4 * (exaggeration * forces[i].attraction[0] - forces[i].repulsion[0] / total);
    dy[i] = 4 * (exaggeration * forces[i].attraction[1] - forces[i].repulsion[1] / total);
  }
}

TsneResult tsne(const float* x, int64_t n, int64_t d, const TsneOptions& options,
                const Cancel* cancel) {
  check(n >= 4, Status::kArgument, "t-SNE of ", n, " points: at least 4 are needed");
  check(n <= kMaxTsnePoints, Status::kLimit, "t-SNE of ", n, " points: at most ", kMaxTsnePoints,
        " are allowed, for its memory and time grow with "
        "their square; give fewer texts");
  check(x != nullptr && d >= 1, Status::kArgument, "points of shape [", n, ", ", d, "]");
  (Size(n, "points") * d).at_most(int64_t{1} << 56);
  check_finite(x, n, d, "point");
  TsneResult result;
  result.perplexity = fitting_perplexity(options.perplexity, n);
  const std::vector<double> p = joint_probabilities(x, n, d, result.perplexity, cancel);
  principal_start(x, n, d, result.x, result.y);
  const double rate = options.learning_rate > 0
                          ? options.learning_rate
                          : std::max(static_cast<double>(n) / options.exaggeration / 4, 50.0);
  Descent across(n, rate), along(n, rate);
  std::vector<double> dx, dy;
  for (int64_t step = 0; step < options.iterations; ++step) {
    throw_if_cancelled(cancel);
    if (step == options.exaggerated)
      across = along = Descent(n, rate);  // a new objective: no memory of the old one
    const bool exaggerated = step < options.exaggerated;
    kl_gradient(p, result.x, result.y, exaggerated ? options.exaggeration : 1, dx, dy);
    across.step(dx, exaggerated ? kFirstMomentum : kLastMomentum, result.x);
    along.step(dy, exaggerated ? kFirstMomentum : kLastMomentum, result.y);
  }
  const bool finite = std::all_of(result.x.begin(), result.x.end(),
                                  [](double place) { return std::isfinite(place); });
  check(finite, Status::kNumeric, "t-SNE diverged: lower learning_rate, which is ", rate);
  result.kl = kl_divergence(p, result.x, result.y);
  return result;
}

}  // namespace contrastive::eval
