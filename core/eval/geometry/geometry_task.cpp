// The task "geometry".
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/geometry/effective_rank.h"
#include "core/eval/geometry/geometry.h"
#include "core/eval/sts/sts.h"
#include "core/eval/task.h"

namespace contrastive::eval {
namespace {

struct GeometryOptions {
  std::string data;
  double min_score = 4;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data, {"file of 'score TAB sentence TAB sentence' lines, or folder of such files (*.tsv)", "STS benchmark", ""});
    v.real("min_score", min_score, Range{}, {"pairs scored above it are the positives of the alignment", "SimCSE: 4", ""});
    v.nested("encode.", encode);
  }
};

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
  return {{"pairs", positives.size()},
          {"texts", texts.size()},
          {"alignment", number_or_null(aligned)},
          {"uniformity", number_or_null(uniformity(embeddings.data(), texts.size(), encoder.dimension, 2, cancel))},
          {"mean_cosine", number_or_null(mean_cosine(embeddings.data(), texts.size(), encoder.dimension))},
          {"effective_rank", number_or_null(effective_rank(embeddings.data(), texts.size(), encoder.dimension, cancel))}};
}

}  // namespace

const Task kGeometryTask =
    make_task<GeometryOptions>("geometry", "how the embeddings lie on the sphere, and how many dimensions they use", run_geometry);

}  // namespace contrastive::eval
