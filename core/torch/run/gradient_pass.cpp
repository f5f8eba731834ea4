#include "core/torch/run/gradient_pass.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/stack.h>

#include <cmath>

#include "core/torch/optim/gradients.h"
#include "core/torch/run/held_graph.h"

namespace contrastive::run {
namespace {

bool is_half(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
}

// A loss without a graph (nothing masked, nothing to compare with) has no gradient to add.
void backward(const at::Tensor& loss, HeldGraph& graph) {
  if (!loss.requires_grad()) return;
  graph.hold(loss);
  loss.backward();
}

}  // namespace

int64_t truncated_texts(const data::Batch& part) {
  int64_t count = 0;
  for (const text::TokenBatch& tokens : part.tokens) {
    for (int64_t i = 0; i < tokens.texts(); ++i) count += tokens.truncated(i) ? 1 : 0;
  }
  return count;
}

void TermMeans::add(const std::vector<std::pair<std::string, double>>& terms) {
  for (const auto& [name, value] : terms) {
    size_t i = 0;
    while (i < sums_.size() && sums_[i].first != name) ++i;
    if (i == sums_.size()) {
      sums_.emplace_back(name, 0);
      counts_.push_back(0);
    }
    sums_[i].second += value;
    counts_[i] += 1;
  }
}

std::vector<std::pair<std::string, double>> TermMeans::means() const {
  std::vector<std::pair<std::string, double>> means = sums_;
  for (size_t i = 0; i < means.size(); ++i) means[i].second /= counts_[i];
  return means;
}

methods::Views without_graph(methods::Views views) {
  for (auto& [name, vectors] : views.vectors) vectors = vectors.detach();
  for (methods::Mean& mean : views.means) mean.sum = mean.sum.detach();
  return views;
}

std::vector<std::pair<std::string, double>> read_terms(const methods::LossTerms& terms) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> scalars;
  for (const auto& [name, value] : terms.values)
    scalars.push_back(value.detach().reshape({}).to(at::kDouble));
  const at::Tensor values = at::stack(scalars).cpu();
  std::vector<std::pair<std::string, double>> read;
  for (size_t i = 0; i < scalars.size(); ++i)
    read.emplace_back(terms.values[i].first, values.const_data_ptr<double>()[i]);
  return read;
}

methods::Views leaves_of(methods::Views views) {
  for (auto& [name, vectors] : views.vectors) {
    if (vectors.is_floating_point()) vectors = vectors.detach().requires_grad_(true);
  }
  for (methods::Mean& mean : views.means) mean.sum = mean.sum.detach().requires_grad_(true);
  return views;
}

at::Tensor carried(const methods::Views& views, const methods::Views& leaves,
                   const std::vector<int64_t>& rows) {
  at::Tensor total;
  const auto carry = [&](const at::Tensor& term) { total = total.defined() ? total + term : term; };
  for (size_t i = 0; i < leaves.vectors.size(); ++i) {
    const at::Tensor &vectors = views.vectors[i].rows, &gradient = leaves.vectors[i].rows.grad();
    if (!vectors.requires_grad() || !gradient.defined()) continue;
    carry((vectors * gradient.narrow(0, rows[i], vectors.size(0))).sum());
  }
  for (size_t i = 0; i < leaves.means.size(); ++i) {
    if (views.means[i].sum.requires_grad() && leaves.means[i].sum.grad().defined())
      carry(views.means[i].sum * leaves.means[i].sum.grad());
  }
  return total;
}

GradientPass::GradientPass(methods::Method& method, optim::Amp amp, c10::Device device,
                           dist::World* world)
    : method_(method), amp_(amp), device_(device), world_(world) {
  if (world_ == nullptr) return;
  std::vector<at::Tensor> parameters;
  for (const methods::Parameter& parameter : method_.parameters())
    parameters.push_back(parameter.tensor);
  sum_ = std::make_unique<dist::GradientSum>(*world_, std::move(parameters));
}

methods::Views GradientPass::views(const data::Batch& part) {
  methods::Views views;
  {
    const optim::Autocast autocast(amp_, device_.type());
    views = method_.views(part);
  }
  // Objectives are always computed in float32: in 16 bits a logit at temperature 0.05 would lose
  // its digits.
  for (auto& [name, vectors] : views.vectors) {
    if (is_half(vectors)) vectors = vectors.to(at::kFloat);
  }
  for (methods::Mean& mean : views.means) {
    if (is_half(mean.sum)) mean.sum = mean.sum.to(at::kFloat);
  }
  return views;
}

PassResult GradientPass::run(const Update& update, double scale) {
  if (world_ != nullptr) return run_ranked(update, scale);
  PassResult result =
      update.whole.examples.empty() ? run_parts(update.parts, scale) : run_across(update, scale);
  for (const data::Batch& part : update.parts) result.truncated += truncated_texts(part);
  return result;
}

PassResult GradientPass::run(const Update& update, optim::GradScaler& scaler,
                             const std::vector<methods::Parameter>& parameters) {
  for (;;) {
    optim::clear_gradients(parameters);
    PassResult result = run(update, scaler.scale());
    if (result.bad_part) return result;
    result.gradient_norm = optim::gradient_norm(parameters) / scaler.scale();
    if (std::isfinite(result.gradient_norm) || !scaler.enabled() || !scaler.shrink()) return result;
  }
}

// Each part is compared separately; the gradients are averaged.
PassResult GradientPass::run_parts(const std::vector<data::Batch>& parts, double scale) {
  PassResult result;
  TermMeans means;
  const double share = scale / static_cast<double>(parts.size());
  for (size_t p = 0; p < parts.size(); ++p) {
    HeldGraph graph;
    const methods::Views seen = views(parts[p]);
    const methods::LossTerms terms = method_.compare(seen, parts[p]);
    // The loss is read after the backward pass, because waiting for it before would let a GPU run
    // idle.
    backward(share == 1 ? terms.total() : terms.total() * share, graph);
    const auto values = read_terms(terms);
    if (!std::isfinite(values.front().second)) {
      optim::clear_gradients(method_.parameters());
      result.bad_part = p;
      result.views = without_graph(seen);
      return result;
    }
    means.add(values);
    if (p == 0) result.views = without_graph(seen);
    result.tokens += seen.tokens;
  }
  result.terms = means.means();
  return result;
}

// All parts are compared with each other, in the memory of one: the first pass keeps the views
// without their graphs, the comparison gives the gradient at each view, and the second pass carries
// it into the encoder, part by part (Gao et al., 2021, section 3).
PassResult GradientPass::run_across(const Update& update, double scale) {
  std::vector<methods::Views> seen;
  {
    const at::NoGradGuard no_grad;
    for (const data::Batch& part : update.parts) seen.push_back(views(part));
  }
  PassResult result;
  HeldGraph graph;
  const methods::Views leaves = leaves_of(methods::join(seen));
  const methods::LossTerms terms = method_.compare(leaves, update.whole);
  result.terms = read_terms(terms);
  result.tokens = leaves.tokens;
  result.views = without_graph(leaves);
  if (!std::isfinite(result.terms.front().second)) {
    result.bad_part = 0;
    return result;
  }
  backward(scale == 1 ? terms.total() : terms.total() * scale, graph);

  std::vector<int64_t> rows(leaves.vectors.size(), 0);
  for (size_t p = 0; p < update.parts.size(); ++p) {
    HeldGraph second;
    const methods::Views again = views(update.parts[p]);
    const at::Tensor share = carried(again, leaves, rows);
    for (size_t i = 0; i < rows.size(); ++i) rows[i] += again.vectors[i].rows.size(0);
    if (share.defined()) backward(share, second);
  }
  return result;
}

}  // namespace contrastive::run
