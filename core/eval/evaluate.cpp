#include "core/eval/evaluate.h"

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/eval/geometry.h"
#include "core/eval/retrieval_metrics.h"
#include "core/eval/sts.h"
#include "core/eval/task_options.h"

namespace contrastive::eval {
namespace {

TextEncoder text_encoder(const model::SentenceEncoder& model, const model::EncodeOptions& options) {
  return {model.dimension(options), [&model, options](const std::vector<std::string_view>& texts, float* embeddings) {
            model.encode(texts, options, embeddings);
          }};
}

Json run_sts(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const auto options = read_options<StsOptions>(config);
  check(!options.data.empty(), Status::kArgument, "data is not set: a file or folder of 'score TAB sentence TAB sentence' lines is needed");
  return evaluate_sts(read_sts(options.data), text_encoder(model, options.encode.resolved(cancel)), options.similarity).to_json();
}

Json run_retrieval(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const auto options = read_options<RetrievalOptions>(config);
  const std::vector<int64_t> ks = options.cutoffs();
  const RetrievalData data = options.read();
  model::EncodeOptions for_queries = options.encode.resolved(cancel), for_documents = for_queries;
  if (!options.query_prompt.empty()) for_queries.prompt = options.query_prompt;
  if (!options.document_prompt.empty()) for_documents.prompt = options.document_prompt;
  return evaluate_retrieval(data, text_encoder(model, for_queries), text_encoder(model, for_documents), options.similarity, ks, cancel).to_json();
}

Json run_geometry(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const auto options = read_options<GeometryOptions>(config);
  check(!options.data.empty(), Status::kArgument, "data is not set: a file or folder of 'score TAB sentence TAB sentence' lines is needed");
  const std::vector<StsSubset> subsets = read_sts(options.data);
  DistinctTexts texts;
  std::vector<std::pair<int64_t, int64_t>> positives;
  for (const StsSubset& subset : subsets) {
    for (size_t i = 0; i < subset.gold.size(); ++i) {
      const int64_t first = texts.add(subset.first[i]), second = texts.add(subset.second[i]);
      if (subset.gold[i] > options.min_score) positives.emplace_back(first, second);
    }
  }
  const TextEncoder encoder = text_encoder(model, options.encode.resolved(cancel));
  const std::vector<float> embeddings = texts.encode(encoder);
  std::vector<float> x, y;
  for (const auto& [first, second] : positives) {
    x.insert(x.end(), &embeddings[first * encoder.dimension], &embeddings[first * encoder.dimension] + encoder.dimension);
    y.insert(y.end(), &embeddings[second * encoder.dimension], &embeddings[second * encoder.dimension] + encoder.dimension);
  }
  const double aligned = alignment(x.data(), y.data(), static_cast<int64_t>(positives.size()), encoder.dimension);
  const auto number = [](double value) { return value == value ? Json(value) : Json(); };
  return {{"pairs", positives.size()},
          {"texts", texts.size()},
          {"alignment", number(aligned)},
          {"uniformity", number(uniformity(embeddings.data(), texts.size(), encoder.dimension, 2, cancel))},
          {"mean_cosine", number(mean_cosine(embeddings.data(), texts.size(), encoder.dimension))}};
}

struct Task {
  const char* name;
  Json (*run)(const model::SentenceEncoder&, const Config&, const Cancel*);
  Json (*describe)(const std::string& prefix);
};

template <class Options>
Json describe(const std::string& prefix) {
  return describe_options<Options>(prefix);
}

constexpr Task kTasks[] = {
    {"sts", run_sts, describe<StsOptions>},
    {"retrieval", run_retrieval, describe<RetrievalOptions>},
    {"geometry", run_geometry, describe<GeometryOptions>},
};

const Task& find_task(const std::string& name) {
  for (const Task& task : kTasks) {
    if (name == task.name) return task;
  }
  fail(Status::kArgument, unknown_name("task", name, task_names()));
}

}  // namespace

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const Task& task : kTasks) names.emplace_back(task.name);
  return names;
}

Json describe_task(const std::string& task) { return find_task(task).describe(""); }

Json evaluate(const model::SentenceEncoder& model, const std::string& task, const Config& config, const Cancel* cancel) {
  const Task& found = find_task(task);
  reject_unknown_keys(config, found.describe(""));
  return found.run(model, config, cancel);
}

}  // namespace contrastive::eval
