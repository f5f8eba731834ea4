// The task "sts-layers": the STS figure of every layer under every pooling (SG-OPT figure 1).
#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/eval/encode_keys.h"
#include "core/eval/sts/sts_study.h"
#include "core/eval/task.h"

namespace contrastive::eval {
namespace {

const std::vector<std::string> kPoolings = {"cls", "mean", "max"};

struct LayersOptions {
  StsKeys sts;
  std::vector<std::string> poolings;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    sts.visit(v);
    v.list("poolings", poolings,
           OptionDoc("some of cls, mean and max; empty: all three").source("SG-OPT figure 1"));
    v.nested("encode.", encode);
  }
};

LayersOptions layers_options(const Config& config) {
  LayersOptions options = read_options<LayersOptions>(config);
  for (const std::string& pooling : options.poolings) {
    const bool known = std::find(kPoolings.begin(), kPoolings.end(), pooling) != kPoolings.end();
    check(known, Status::kArgument, unknown_name("pooling", pooling, kPoolings));
  }
  if (options.poolings.empty()) options.poolings = kPoolings;
  check(options.encode.pooling.empty(), Status::kArgument,
        "encode.pooling is set: this task takes every layer under each of the key poolings");
  return options;
}

// {pooling: [a figure for each layer]} of the average or of one data set.
Json by_pooling(const LayersOptions& options, const std::vector<StsSuiteReport>& reports,
                int64_t layers, double Correlation::* which, int64_t set = -1) {
  Json figures = Json::object();
  auto next = reports.begin();
  for (const std::string& pooling : options.poolings) {
    figures[pooling] = headline_list({next, next + layers}, options.sts.aggregate, which, set);
    next += layers;
  }
  return figures;
}

Json best_of_no_layer() { return {{"layer", nullptr}, {"spearman", nullptr}}; }

Json run_sts_layers(const model::SentenceEncoder& model, const Config& config,
                    const Cancel* cancel) {
  const LayersOptions options = layers_options(config);
  const std::vector<StsSet> sets = options.sts.read();
  const int64_t layers = model.shape().num_hidden_layers + 1;
  std::vector<model::PoolingVariant> variants;
  for (const std::string& pooling : options.poolings) {
    for (int64_t layer = 0; layer < layers; ++layer)
      variants.push_back({cat("layer:", layer, ":", pooling), {}});
  }
  const std::vector<StsSuiteReport> reports =
      study_sts(model, sets, options.encode.resolved(cancel), variants, options.sts);
  Json report = {{"layers", layers - 1},
                 {"spearman", by_pooling(options, reports, layers, &Correlation::spearman)},
                 {"pearson", by_pooling(options, reports, layers, &Correlation::pearson)}};
  const int64_t best = best_headline(reports, options.sts.aggregate);
  report["best"] = best_of_no_layer();
  if (best >= 0) {
    report["best"] = {
        {"layer", best % layers},
        {"pooling", options.poolings[static_cast<size_t>(best / layers)]},
        {"spearman",
         reports[static_cast<size_t>(best)].average.at(options.sts.aggregate).spearman}};
  }
  for (size_t set = 0; sets.size() > 1 && set < sets.size(); ++set) {
    report["sets"][sets[set].name] =
        by_pooling(options, reports, layers, &Correlation::spearman, static_cast<int64_t>(set));
  }
  return report;
}

Json outline_sts_layers(const Config& config) {
  const LayersOptions options = layers_options(config);
  const std::vector<StsSet> sets = options.sts.read();
  Json by_pooling = Json::object();  // as many layers as the model has
  for (const std::string& pooling : options.poolings) by_pooling[pooling] = Json::array();
  Json report = {{"spearman", by_pooling}, {"pearson", by_pooling}, {"best", best_of_no_layer()}};
  for (size_t set = 0; sets.size() > 1 && set < sets.size(); ++set)
    report["sets"][sets[set].name] = by_pooling;
  return report;
}

}  // namespace

Task sts_layers_task() { return make_task<LayersOptions>(run_sts_layers, outline_sts_layers); }

}  // namespace contrastive::eval
