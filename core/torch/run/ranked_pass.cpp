// GradientPass among ranks. Each rank runs the encoder on its stretch of every part. The views of
// all ranks are gathered without their graphs, and each rank computes the whole loss on them. So
// negatives come from all ranks, and the gradient of its own rows needs no sum. Gradients that
// compare() itself adds to parameters (heads, regularisers) are the same on all ranks, so only rank
// 0 counts them. Then the gradients of the parameters are summed.
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/torch/dist/exchange.h"
#include "core/torch/run/gradient_pass.h"
#include "core/torch/run/held_graph.h"

namespace contrastive::run {

// The parts that are compared with each other: one part, or with negatives = global all of them.
struct GradientPass::Unit {
  size_t begin = 0, end = 0;  // parts
  const data::Batch* compared = nullptr;
  bool last = false;  // of the update
};

namespace {

// The views of a rank's parts as one parcel. In the label, a part without examples of this rank is
// null.
dist::Parcel pack(const std::vector<std::optional<methods::Views>>& parts,
                  const data::Batch* batches) {
  dist::Parcel parcel;
  Json labels = Json::array();
  for (size_t p = 0; p < parts.size(); ++p) {
    if (!parts[p]) {
      labels.push_back(nullptr);
      continue;
    }
    Json names = Json::array(), means = Json::array();
    for (const methods::NamedRows& entry : parts[p]->vectors) {
      names.push_back(entry.name);
      parcel.tensors.push_back(entry.rows.detach());
    }
    for (const methods::Mean& mean : parts[p]->means) {
      means.push_back({mean.name, mean.count});
      parcel.tensors.push_back(mean.sum.detach());
    }
    labels.push_back({{"names", names},
                      {"means", means},
                      {"tokens", parts[p]->tokens},
                      {"truncated", truncated_texts(batches[p])}});
  }
  parcel.label = labels.dump();
  return parcel;
}

// The views of all ranks, part by part and in each part rank by rank: the order of the examples.
struct Gathered {
  methods::Views joined;
  std::vector<std::vector<int64_t>> own_rows;  // [part][vectors]: where this rank's rows begin
  int64_t truncated = 0;
};

Gathered unpack(const std::vector<dist::Parcel>& parcels, size_t parts, int own_rank) {
  std::vector<Json> labels;
  std::vector<size_t> next(parcels.size(), 0);  // tensor of each parcel
  for (const dist::Parcel& parcel : parcels) labels.push_back(Json::parse(parcel.label));
  Gathered gathered;
  std::vector<methods::Views> all;
  std::vector<int64_t> rows;
  Json names;
  for (size_t p = 0; p < parts; ++p) {
    for (size_t rank = 0; rank < parcels.size(); ++rank) {
      if (static_cast<int>(rank) == own_rank) gathered.own_rows.push_back(rows);
      const Json& label = labels[rank].at(p);
      if (label.is_null()) continue;
      methods::Views views;
      if (names.is_null()) names = label.at("names");
      // Each rank sees only its own examples, so pairs on one rank and single texts on another are
      // detected only here.
      check(label.at("names") == names, Status::kArgument,
            "the examples of a batch are of different kinds: they give the vectors ", names.dump(),
            " on one rank, and ", label.at("names").dump(), " on rank ", rank);
      for (const Json& name : label.at("names"))
        views.vectors.push_back({name.get<std::string>(), parcels[rank].tensors.at(next[rank]++)});
      for (const Json& mean : label.at("means")) {
        views.means.push_back({mean.at(0).get<std::string>(),
                               parcels[rank].tensors.at(next[rank]++), mean.at(1).get<double>()});
      }
      views.tokens = label.at("tokens").get<int64_t>();
      gathered.truncated += label.at("truncated").get<int64_t>();
      rows.resize(views.vectors.size(), 0);
      for (size_t i = 0; i < rows.size(); ++i) rows[i] += views.vectors[i].rows.size(0);
      all.push_back(std::move(views));
    }
  }
  for (std::vector<int64_t>& own : gathered.own_rows)
    own.resize(rows.size(), 0);  // of a rank without rows before it
  gathered.joined = methods::join(all);
  return gathered;
}

// Differentiates to everything that the loss depends on on rank 0, and only to the leaves on other
// ranks.
void differentiate(const at::Tensor& loss, const methods::Views& leaves, bool parameters_too,
                   HeldGraph& graph) {
  if (!loss.requires_grad()) return;
  std::vector<at::Tensor> inputs;
  if (!parameters_too) {
    for (const methods::NamedRows& entry : leaves.vectors) {
      if (entry.rows.requires_grad()) inputs.push_back(entry.rows);
    }
    for (const methods::Mean& mean : leaves.means) inputs.push_back(mean.sum);
    if (inputs.empty()) return;
  }
  graph.hold(loss);
  torch::autograd::backward({loss}, {}, std::nullopt, false, inputs);
}

}  // namespace

PassResult GradientPass::run_ranked(const Update& update, double scale) {
  std::vector<Unit> units;
  if (!update.whole.examples.empty()) {
    units.push_back({0, update.parts.size(), &update.whole, true});
  } else {
    for (size_t p = 0; p < update.parts.size(); ++p)
      units.push_back({p, p + 1, &update.compared()[p], p + 1 == update.parts.size()});
  }
  PassResult result;
  TermMeans means;
  for (size_t u = 0; u < units.size(); ++u) {
    if (!run_unit(update, units[u], scale / static_cast<double>(units.size()), result, means)) {
      result.bad_part = u;
      return result;
    }
  }
  result.terms = means.means();
  sum_->finish(cat("to sum the gradients of update ", update.compared().front().step));
  return result;
}

// False if the loss is not finite: then `result` has its views.
bool GradientPass::run_unit(const Update& update, const Unit& unit, double scale,
                            PassResult& result, TermMeans& means) {
  const size_t parts = unit.end - unit.begin;
  const bool once = parts == 1;  // its graph fits into memory: the encoder need not run twice
  const auto& own = update.parts;
  const std::string doing = cat("to gather the vectors of update ", update.compared().front().step);
  std::vector<std::optional<methods::Views>> seen(parts);
  {
    const at::AutoGradMode graph(once);
    for (size_t p = 0; p < parts; ++p) {
      if (own[unit.begin + p].size() > 0) seen[p] = views(own[unit.begin + p]);
    }
  }
  Gathered gathered =
      unpack(dist::gather_parcels(*world_, pack(seen, &own[unit.begin]), device_, doing), parts,
             world_->rank());
  HeldGraph comparison;
  const methods::Views leaves = leaves_of(std::move(gathered.joined));
  const methods::LossTerms terms = method_.compare(leaves, *unit.compared);
  const auto values = read_terms(terms);
  result.tokens += leaves.tokens;
  result.truncated += gathered.truncated;
  const bool finite = std::isfinite(values.front().second);
  if (result.views.vectors.empty() || !finite) result.views = without_graph(leaves);
  if (!finite) return false;
  means.add(values);
  differentiate(scale == 1 ? terms.total() : terms.total() * scale, leaves, world_->first(),
                comparison);

  for (size_t p = 0; p < parts; ++p) {
    if (unit.last && p + 1 == parts)
      sum_->begin(cat("to sum the gradients of update ", unit.compared->step));
    if (!seen[p]) continue;
    HeldGraph again;
    const methods::Views mine =
        once ? *std::exchange(seen[p], std::nullopt) : views(own[unit.begin + p]);
    const at::Tensor share = carried(mine, leaves, gathered.own_rows[p]);
    if (!share.defined() || !share.requires_grad()) continue;
    again.hold(share);
    share.backward();
  }
  return true;
}

}  // namespace contrastive::run
