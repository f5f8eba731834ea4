// The task "sts-supervised": how well a classifier on frozen embeddings predicts scores of
// similarity.
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/runs.h"
#include "core/eval/task.h"
#include "core/torch/tensors/openmp.h"
#include "core/torch/tasks/transfer/sts_supervised.h"

namespace contrastive::eval {
namespace {

struct SupervisedStsOptions {
  std::string data;
  FitOptions fit = supervised_sts_defaults();
  double l2 = 0;
  std::vector<int64_t> seeds = {1111};
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data,
           OptionDoc("data set with the splits train, dev and test, in any layout that the task "
                     "sts knows: train.tsv, dev.tsv and test.tsv of 'score TAB sentence TAB "
                     "sentence' lines, or the files of the STS benchmark or of SICK as they are")
               .source("STS benchmark, SICK"));
    fit.visit(v);
    v.real("l2", l2, between(0, 1e6),
           OptionDoc("weight decay of the classifier").source("SentEval: 0"));
    v.integers("seeds", seeds, at_least(0),
               OptionDoc(
                   "one run for each seed; for several, mean and standard deviation are reported")
                   .source("SentEval: 1111"));
    v.nested("encode.", encode);
  }
};

StsSubset read_part(const std::string& data, StsSplit split) {
  std::vector<StsSubset> found = read_sts(data, split);
  check(found.size() == 1, Status::kArgument, data, ": ", found.size(),
        " subsets are not the splits train, dev and test");
  StsSubset& part = found[0];
  for (size_t i = 0; i < part.gold.size(); ++i) {
    const double score = part.gold[i];
    check(score >= 0 && score <= kScoreClasses, Status::kFormat, data, ", ", part.name,
          ": scored pair ", i + 1, ": score ", score, " is not between 0 and ", kScoreClasses);
  }
  return std::move(part);
}

struct Parts {
  StsSubset train, dev, test;
};

Parts read_parts(const std::string& data) {
  check(!data.empty(), Status::kArgument,
        "data is not set: a folder with train.tsv, dev.tsv and test.tsv is needed");
  Parts parts{read_part(data, StsSplit::kTrain), read_part(data, StsSplit::kDev),
              read_part(data, StsSplit::kTest)};
  // A data set without splits is read whole, whichever split is requested: the test would contain
  // the training pairs.
  check(read_sts(data, StsSplit::kAll).size() >= 3, Status::kArgument, data,
        ": has no splits train, dev and test");
  return parts;
}

Json report_results(const std::vector<SupervisedSts>& results, int64_t pairs) {
  const auto values = [&](const auto& figure) {
    std::vector<double> all;
    for (const SupervisedSts& result : results) all.push_back(figure(result));
    return all;
  };
  Json report = Json::object();
  report_runs(report, "pearson",
              values([](const SupervisedSts& result) { return result.test.pearson; }));
  report_runs(report, "spearman",
              values([](const SupervisedSts& result) { return result.test.spearman; }));
  report_runs(report, "mse", values([](const SupervisedSts& result) { return result.test_mse; }));
  report_runs(report, "dev_pearson",
              values([](const SupervisedSts& result) { return result.dev_pearson; }));
  report["pairs"] = pairs;
  report["runs"] = results.size();
  return report;
}

Json run_sts_supervised(const model::SentenceEncoder& model, const Config& config,
                        const Cancel* cancel) {
  tensors::settle_openmp();
  const auto options = read_options<SupervisedStsOptions>(config);
  const Parts parts = read_parts(options.data);
  const std::vector<uint64_t> seeds(options.seeds.begin(), options.seeds.end());
  const TextEncoder encoder = text_encoder(model, options.encode.resolved(cancel));
  const auto results = evaluate_supervised_sts(parts.train, parts.dev, parts.test, encoder,
                                               options.fit, options.l2, seeds, cancel);
  return report_results(results, static_cast<int64_t>(parts.test.gold.size()));
}

Json outline_sts_supervised(const Config& config) {
  const auto options = read_options<SupervisedStsOptions>(config);
  read_parts(options.data);
  return report_results(std::vector<SupervisedSts>(options.seeds.size()), 0);
}

}  // namespace

Task sts_supervised_task() {
  return make_task<SupervisedStsOptions>(run_sts_supervised, outline_sts_supervised);
}

}  // namespace contrastive::eval
