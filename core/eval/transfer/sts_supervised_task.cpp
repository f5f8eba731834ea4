// The task "sts-supervised".
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/task.h"
#include "core/eval/transfer/seeds.h"
#include "core/eval/transfer/sts_supervised.h"

namespace contrastive::eval {
namespace {

struct SupervisedStsOptions {
  std::string data;
  FitOptions fit = supervised_sts_defaults();
  double l2 = 0;
  std::vector<std::string> seeds = {"1111"};
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data, {"folder with train.tsv, dev.tsv and test.tsv of 'score TAB sentence TAB sentence' lines", "STS benchmark, SICK", ""});
    fit.visit(v);
    v.real("l2", l2, between(0, 1e6), {"weight decay of the classifier", "SentEval: 0", ""});
    v.list("seeds", seeds, {"a run for each; of several, mean and standard deviation are given", "SentEval: 1111", ""});
    v.nested("encode.", encode);
  }
};

StsSubset read_part(const std::string& folder, const char* name) {
  StsSubset part = std::move(read_sts(folder + "/" + name)[0]);
  for (const double score : part.gold) {
    check(score >= 0 && score <= kScoreClasses, Status::kFormat, folder, "/", name, ": score ", score, " is not between 0 and ", kScoreClasses);
  }
  return part;
}

Json run_sts_supervised(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const auto options = read_options<SupervisedStsOptions>(config);
  check(!options.data.empty(), Status::kArgument, "data is not set: a folder with train.tsv, dev.tsv and test.tsv is needed");
  const std::vector<uint64_t> seeds = parse_seeds(options.seeds);
  const StsSubset train = read_part(options.data, "train.tsv"), dev = read_part(options.data, "dev.tsv"), test = read_part(options.data, "test.tsv");
  const auto results = evaluate_supervised_sts(train, dev, test, text_encoder(model, options.encode.resolved(cancel)), options.fit, options.l2, seeds,
                                               cancel);
  std::vector<double> pearsons, spearmans, errors, devs;
  for (const SupervisedSts& result : results) {
    pearsons.push_back(result.test.pearson);
    spearmans.push_back(result.test.spearman);
    errors.push_back(result.test_mse);
    devs.push_back(result.dev_pearson);
  }
  Json report = Json::object();
  report_runs(report, "pearson", pearsons);
  report_runs(report, "spearman", spearmans);
  report_runs(report, "mse", errors);
  report_runs(report, "dev_pearson", devs);
  report["pairs"] = test.gold.size();
  report["runs"] = seeds.size();
  return report;
}

}  // namespace

const Task kSupervisedStsTask =
    make_task<SupervisedStsOptions>("sts-supervised", "how well a classifier on frozen embeddings predicts scores of similarity", run_sts_supervised);

}  // namespace contrastive::eval
