// The task "geometry": how the embeddings are spread over the sphere, and how many dimensions they
// use.
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/figures.h"
#include "core/eval/finite.h"
#include "core/eval/geometry/effective_rank.h"
#include "core/eval/geometry/geometry.h"
#include "core/eval/sts/sts.h"
#include "core/eval/task.h"

namespace contrastive::eval {
namespace {

// The vectors over which uniformity, the mean cosine and the rank are computed.
enum class Sentences { kAll, kDistinct };

struct GeometryOptions {
  std::string data;
  StsSplit split = StsSplit::kPreferTest;
  double min_score = 4;
  Sentences sentences = Sentences::kAll;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data,
           OptionDoc(
               "file of 'score TAB sentence TAB sentence' lines, or folder of such files (*.tsv)")
               .source("STS benchmark"));
    v.choice("split", split, sts_split_names(),
             OptionDoc("split of a data set that has splits; empty: test")
                 .source("SimCSE: STS benchmark, all"));
    v.real("min_score", min_score, Range{},
           OptionDoc("pairs with a higher score are the positives for the alignment")
               .source("SimCSE: 4"));
    v.choice("sentences", sentences, {{"all", Sentences::kAll}, {"distinct", Sentences::kDistinct}},
             OptionDoc("sentences whose spread is measured: both sentences of every pair, as often "
                       "as they occur, or each distinct one once")
                 .source("SimCSE: all; Wang and Isola: pairs drawn from the data"));
    v.nested("encode.", encode);
  }
};

// NaN where one is not defined.
struct GeometryFigures {
  int64_t pairs = 0, texts = 0;
  double alignment = 0, uniformity = 0, mean_cosine = 0, effective_rank = 0;

  Json to_json() const {
    return {{"pairs", pairs},
            {"texts", texts},
            {"alignment", number_or_null(alignment)},
            {"uniformity", number_or_null(uniformity)},
            {"mean_cosine", number_or_null(mean_cosine)},
            {"effective_rank", number_or_null(effective_rank)}};
  }
};

std::vector<StsSubset> geometry_pairs(const GeometryOptions& options) {
  check(!options.data.empty(), Status::kArgument,
        "data is not set: a file or folder of 'score TAB sentence TAB sentence' lines is needed");
  return read_sts(options.data, options.split);
}

Json run_geometry(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const auto options = read_options<GeometryOptions>(config);
  const std::vector<StsSubset> subsets = geometry_pairs(options);
  DistinctTexts texts;
  std::vector<std::pair<int64_t, int64_t>> positives;
  std::vector<int64_t> sentences;
  for (const StsSubset& subset : subsets) {
    for (size_t i = 0; i < subset.gold.size(); ++i) {
      const int64_t first = texts.add(subset.first[i]), second = texts.add(subset.second[i]);
      sentences.insert(sentences.end(), {first, second});
      if (subset.gold[i] > options.min_score) positives.emplace_back(first, second);
    }
  }
  const TextEncoder encoder = text_encoder(model, options.encode.resolved(cancel));
  const std::vector<float> embeddings = texts.encode(encoder);
  check_finite(embeddings.data(), texts.size(), encoder.dimension, "text");
  std::vector<float> x, y;
  for (const auto& [first, second] : positives) {
    x.insert(x.end(), &embeddings[first * encoder.dimension],
             &embeddings[first * encoder.dimension] + encoder.dimension);
    y.insert(y.end(), &embeddings[second * encoder.dimension],
             &embeddings[second * encoder.dimension] + encoder.dimension);
  }
  const int64_t d = encoder.dimension;
  std::vector<float> spread;
  if (options.sentences == Sentences::kAll) {
    for (const int64_t sentence : sentences)
      spread.insert(spread.end(), &embeddings[sentence * d], &embeddings[sentence * d] + d);
  } else {
    spread = embeddings;
  }
  GeometryFigures figures;
  figures.pairs = static_cast<int64_t>(positives.size());
  figures.texts = static_cast<int64_t>(spread.size()) / d;
  figures.alignment = alignment(x.data(), y.data(), figures.pairs, d);
  figures.uniformity = uniformity(spread.data(), figures.texts, d, 2, cancel);
  figures.mean_cosine = mean_cosine(spread.data(), figures.texts, d);
  figures.effective_rank = effective_rank(spread.data(), figures.texts, d, cancel);
  return figures.to_json();
}

Json outline_geometry(const Config& config) {
  geometry_pairs(read_options<GeometryOptions>(config));
  return GeometryFigures().to_json();
}

}  // namespace

Task geometry_task() { return make_task<GeometryOptions>(run_geometry, outline_geometry); }

}  // namespace contrastive::eval
