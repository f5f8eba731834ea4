// The task "tsne": places texts in a plane so that texts with similar embeddings are near each
// other.
#include "core/base/error.h"
#include "core/eval/encode_keys.h"
#include "core/eval/geometry/tsne.h"
#include "core/eval/geometry/tsne_points.h"
#include "core/eval/task.h"
#include "core/eval/task_output.h"
#include "core/io/atomic_file.h"

namespace contrastive::eval {
namespace {

struct TsneTaskOptions {
  std::string data;
  StsSplit split = StsSplit::kPreferTest;
  double high = 5, low = 0;
  int64_t pairs = 20;
  int64_t seed = 1;
  std::string texts;
  int64_t most = 0;
  std::string output;
  TsneOptions tsne;
  EncodeKeys encode;

  void visit(OptionVisitor& v) {
    v.text("data", data,
           OptionDoc(
               "file of 'score TAB sentence TAB sentence' lines, or folder of such files (*.tsv)")
               .source("SG-OPT: STS benchmark, dev"));
    v.choice("split", split, sts_split_names(),
             OptionDoc("split of a data set that has splits; empty: test").source("SG-OPT: dev"));
    v.real("high", high, Range{},
           OptionDoc("pairs with exactly this score are shown").source("SG-OPT: 5"));
    v.real("low", low, Range{},
           OptionDoc("pairs with exactly this score are shown too").source("SG-OPT: 0"));
    v.integer("pairs", pairs, between(1, kMaxTsnePoints / 4),
              OptionDoc("number of pairs of each score").source("SG-OPT: 20").unit("pairs"));
    v.integer("seed", seed, at_least(0), "decides which pairs or texts are drawn");
    v.text("texts", texts, "instead of data: file with a text, or 'label TAB text', on each line");
    v.integer(
        "points", most, between(0, kMaxTsnePoints),
        OptionDoc("at most this many of the texts, drawn by seed; 0 = all of them").unit("texts"));
    v.text("output", output,
           "file for the points as TSV: pair, side, gold, x, y, or row, label, x, y");
    v.nested("", tsne);
    v.nested("encode.", encode);
  }

  TsnePoints read() const {
    check(data.empty() != texts.empty(), Status::kArgument,
          "set either data (a TSV of score and two sentences) or texts (one a line)");
    return data.empty() ? read_points(texts, most, seed)
                        : choose_pairs(data, split, high, low, pairs, seed);
  }
};

Json run_tsne(const model::SentenceEncoder& model, const Config& config, const Cancel* cancel) {
  const auto options = read_options<TsneTaskOptions>(config);
  for (const std::string& input : {options.data, options.texts})
    check_output(options.output, input);
  const TsnePoints points = options.read();
  const TextEncoder encoder = text_encoder(model, options.encode.resolved(cancel));
  std::vector<std::string_view> texts;
  for (const TsnePoint& point : points.points) texts.emplace_back(point.text);
  std::vector<float> embeddings(texts.size() * static_cast<size_t>(encoder.dimension));
  encoder.encode(texts, embeddings.data());
  const TsneResult places = tsne(embeddings.data(), static_cast<int64_t>(texts.size()),
                                 encoder.dimension, options.tsne, cancel);
  if (!options.output.empty()) io::write_file_atomic(options.output, points.to_tsv(places));
  return points.to_json(places);
}

Json outline_tsne(const Config& config) {
  read_options<TsneTaskOptions>(config).read();
  return {{"kl", nullptr}, {"perplexity", nullptr}};
}

}  // namespace

Task tsne_task() { return make_task<TsneTaskOptions>(run_tsne, outline_tsne); }

}  // namespace contrastive::eval
