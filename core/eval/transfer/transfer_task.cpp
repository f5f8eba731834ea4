// The task "transfer".
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/eval/encode_keys.h"
#include "core/eval/runs.h"
#include "core/eval/task.h"
#include "core/eval/transfer/transfer.h"

namespace contrastive::eval {
namespace {

using Names = std::vector<std::string>;

enum class Preset { kDefault, kPrototyping, kSgOpt };

struct TransferOptions {
  std::string data;
  Names tasks = {"MR", "CR", "SUBJ", "MPQA", "SST2", "TREC", "MRPC"};
  Preset preset = Preset::kDefault;
  FitOptions fit;
  int64_t kfold = 10;
  std::vector<double> l2 = {1e-5, 1e-4, 1e-3, 1e-2};
  std::vector<int64_t> seeds = {1111};
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data, {"folder with SentEval's downstream data, or with TASK/{all,train,dev,test}.tsv of 'label TAB text' lines", "SentEval", ""});
    v.list("tasks", tasks, {"which are measured, and averaged over: MR, CR, SUBJ, MPQA, SST2, SST5, TREC, MRPC", "SG-OPT: these seven", ""});
    visit_preset(v);
    v.integer("kfold", kfold, between(2, 1e4), {"folds of cross-validation, the outer and the inner one", "SentEval: 10", "folds"});
    fit.visit(v);
    v.numbers("l2", l2, between(0, 1e6), {"weight decays of the classifier among which held-out examples choose", "SentEval", ""});
    v.integers("seeds", seeds, at_least(0), {"a run for each; of several, mean and standard deviation are given", "SentEval: 1111", ""});
    v.nested("encode.", encode);
  }
  void visit_preset(OptionVisitor& v) {
    v.choice("preset", preset, {{"default", Preset::kDefault}, {"prototyping", Preset::kPrototyping}, {"sg-opt", Preset::kSgOpt}},
             {"what the keys of the classifier are unless set: prototyping is kfold 5, rmsprop, batch_size 128, tenacity 3, epoch_size 2; sg-opt is "
              "nhid 50 and eight seeds",
              "SentEval, SG-OPT", ""});
  }
};

struct PresetKey {
  Preset preset = Preset::kDefault;
  void visit(OptionVisitor& v) {
    TransferOptions all;
    all.visit_preset(v);
    preset = all.preset;
  }
};

TransferOptions transfer_options(const Config& config) {
  TransferOptions options;
  switch (read_options<PresetKey>(config).preset) {
    case Preset::kDefault: break;
    case Preset::kPrototyping:
      options.kfold = 5;
      options.fit.optimizer = optim::OptimizerKind::kRmsProp;
      options.fit.batch_size = 128;
      options.fit.tenacity = 3;
      options.fit.epoch_size = 2;
      break;
    case Preset::kSgOpt:
      options.fit.nhid = 50;
      options.seeds = {1, 2, 3, 4, 1234, 2345, 3456, 7890};
      break;
  }
  options = read_options<TransferOptions>(config, "", std::move(options));
  check(!options.data.empty(), Status::kArgument, "data is not set: the folder with the data of the transfer tasks is needed");
  check(!options.tasks.empty(), Status::kArgument, "tasks is an empty list");
  return options;
}

// All of them before the first is measured: a missing file is found at once and not after minutes.
std::vector<TransferData> read_tasks(const TransferOptions& options) {
  std::vector<TransferData> tasks;
  for (const std::string& task : options.tasks) tasks.push_back(read_transfer(options.data, task));
  return tasks;
}

Json report_task(const TransferData& data, const std::vector<TransferScore>& scores) {
  const auto values = [&](double TransferScore::*which) {
    std::vector<double> all;
    for (const TransferScore& score : scores) all.push_back(score.*which);
    return all;
  };
  Json report = Json::object();
  report_runs(report, "dev", values(&TransferScore::dev));
  report_runs(report, "test", values(&TransferScore::test));
  if (data.pairs) report_runs(report, "f1", values(&TransferScore::f1));
  report["train_examples"] = data.train.labels.size();
  report["test_examples"] = (data.protocol == TransferProtocol::kNestedFolds ? data.train : data.test).labels.size();
  return report;
}

Json run_transfer(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const TransferOptions options = transfer_options(config);
  const ProtocolOptions protocol{options.fit, options.kfold, options.l2};
  const std::vector<uint64_t> seeds(options.seeds.begin(), options.seeds.end());
  const std::vector<TransferData> tasks = read_tasks(options);

  const TextEncoder encoder = text_encoder(model, options.encode.resolved(cancel));
  Json report = {{"tasks", Json::object()}};
  std::vector<double> averages(seeds.size());
  for (const TransferData& data : tasks) {
    const std::vector<TransferScore> scores = evaluate_transfer(data, encoder, protocol, seeds, cancel);
    report["tasks"][data.task] = report_task(data, scores);
    for (size_t i = 0; i < seeds.size(); ++i) averages[i] += scores[i].test / static_cast<double>(tasks.size());
    log_info("transfer task ", data.task, ": ", report["tasks"][data.task].dump());
  }
  report_runs(report, "average", averages);
  report["runs"] = seeds.size();
  return report;
}

Json outline_transfer(const Config& config) {
  const TransferOptions options = transfer_options(config);
  Json report = {{"tasks", Json::object()}};
  const std::vector<TransferScore> scores(options.seeds.size());
  for (const TransferData& data : read_tasks(options)) report["tasks"][data.task] = report_task(data, scores);
  report_runs(report, "average", std::vector<double>(options.seeds.size()));
  return report;
}

}  // namespace

const Task kTransferTask =
    make_task<TransferOptions>("transfer", "how well a classifier on frozen embeddings solves SentEval's tasks", run_transfer, outline_transfer);

}  // namespace contrastive::eval
