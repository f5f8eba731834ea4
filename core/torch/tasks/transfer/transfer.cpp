#include "core/torch/tasks/transfer/transfer.h"

#include <tuple>

#include "core/base/error.h"
#include "core/eval/classification_metrics.h"
#include "core/torch/tasks/transfer/probe_features.h"

namespace contrastive::eval {
namespace {

ProtocolResult measure(const TransferData& data, const ProtocolOptions& options,
                       const std::vector<ProbeData>& parts, uint64_t seed, const Cancel* cancel) {
  const auto& [train, dev, test] = std::tie(parts[0], parts[1], parts[2]);
  switch (data.protocol) {
    case TransferProtocol::kNestedFolds:
      return nested_cross_validation(options, train, seed, cancel);
    case TransferProtocol::kFoldsOfTrain:
      return cross_validation(options, train, test, seed, cancel);
    case TransferProtocol::kGivenDev: return given_dev(options, train, dev, test, seed, cancel);
  }
  fail(Status::kInternal, "unknown protocol ", static_cast<int>(data.protocol));
}

}  // namespace

std::vector<TransferScore> evaluate_transfer(const TransferData& data, const TextEncoder& encoder,
                                             const ProtocolOptions& options,
                                             const std::vector<uint64_t>& seeds,
                                             const Cancel* cancel) {
  std::vector<TextColumns> columns;
  for (const auto* part : {&data.train, &data.dev, &data.test})
    columns.push_back({&part->first, &part->second});
  const ProbeFeatures features = embed_parts(columns, encoder);
  std::vector<ProbeData> parts;
  for (size_t i = 0; i < columns.size(); ++i)
    parts.push_back({features.width, data.classes, features.rows[i], {}, {}});
  parts[0].labels = data.train.labels;
  parts[1].labels = data.dev.labels;
  parts[2].labels = data.test.labels;

  std::vector<TransferScore> scores;
  for (const uint64_t seed : seeds) {
    const ProtocolResult result = measure(data, options, parts, seed, cancel);
    scores.push_back(
        {result.dev, result.test, data.pairs ? f1_score(result.predicted, data.test.labels) : 0});
  }
  return scores;
}

}  // namespace contrastive::eval
