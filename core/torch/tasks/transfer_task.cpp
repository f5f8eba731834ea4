// The task "transfer": how well a classifier on frozen embeddings solves SentEval's tasks.
#include "core/base/log.h"
#include "core/eval/runs.h"
#include "core/eval/task.h"
#include "core/torch/tensors/openmp.h"
#include "core/torch/tasks/transfer/transfer.h"
#include "core/torch/tasks/transfer/transfer_options.h"

namespace contrastive::eval {
namespace {

// Reads all tasks before the first is measured, so that a missing file is found at once and not
// after minutes.
std::vector<TransferData> read_tasks(const TransferOptions& options) {
  std::vector<TransferData> tasks;
  for (const std::string& task : options.tasks) tasks.push_back(read_transfer(options.data, task));
  return tasks;
}

Json report_task(const TransferData& data, const std::vector<TransferScore>& scores) {
  const auto values = [&](double TransferScore::* which) {
    std::vector<double> all;
    for (const TransferScore& score : scores) all.push_back(score.*which);
    return all;
  };
  Json report = Json::object();
  report_runs(report, "dev", values(&TransferScore::dev));
  report_runs(report, "test", values(&TransferScore::test));
  if (data.pairs) report_runs(report, "f1", values(&TransferScore::f1));
  report["train_examples"] = data.train.labels.size();
  report["test_examples"] =
      (data.protocol == TransferProtocol::kNestedFolds ? data.train : data.test).labels.size();
  return report;
}

Json run_transfer(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  tensors::settle_openmp();
  const TransferOptions options = read_transfer_options(config);
  const ProtocolOptions protocol{options.fit, options.kfold, options.l2};
  const std::vector<uint64_t> seeds(options.seeds.begin(), options.seeds.end());
  const std::vector<TransferData> tasks = read_tasks(options);

  const TextEncoder encoder = text_encoder(model, options.encode.resolved(cancel));
  Json report = {{"tasks", Json::object()}};
  std::vector<double> averages(seeds.size());
  for (const TransferData& data : tasks) {
    const std::vector<TransferScore> scores =
        evaluate_transfer(data, encoder, protocol, seeds, cancel);
    report["tasks"][data.task] = report_task(data, scores);
    for (size_t i = 0; i < seeds.size(); ++i)
      averages[i] += scores[i].test / static_cast<double>(tasks.size());
    log_info("transfer task ", data.task, ": ", report["tasks"][data.task].dump());
  }
  report_runs(report, "average", averages);
  report["runs"] = seeds.size();
  return report;
}

Json outline_transfer(const Config& config) {
  const TransferOptions options = read_transfer_options(config);
  Json report = {{"tasks", Json::object()}};
  const std::vector<TransferScore> scores(options.seeds.size());
  for (const TransferData& data : read_tasks(options))
    report["tasks"][data.task] = report_task(data, scores);
  report_runs(report, "average", std::vector<double>(options.seeds.size()));
  return report;
}

}  // namespace

Task transfer_task() { return make_task<TransferOptions>(run_transfer, outline_transfer); }

}  // namespace contrastive::eval
