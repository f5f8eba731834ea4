// contrastive similarity: computes the similarity of two texts, or of the two texts on every line.
#include <map>

#include "capi/program/embed.h"
#include "capi/program/failure.h"
#include "capi/program/metric.h"
#include "capi/program/rows.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kBlockPairs = 2048;

struct SimilarityArguments {
  ModelArguments model;
  EmbedArguments embed;
  RowOptions rows;
  ColumnArguments column;
  std::string input, metric;
  std::vector<std::string> texts;
};

void score_block(const TextBlock& block, const Embedder& embedder, int32_t metric, int64_t first,
                 bool json) {
  const std::vector<float> embeddings = embedder.embed(block);
  const auto d = static_cast<size_t>(embedder.dimension());
  for (size_t i = 0; i < embeddings.size() / (2 * d); ++i) {
    float score = 0;
    Outcome outcome;
    cs_similarity(&embeddings[2 * i * d], 1, &embeddings[(2 * i + 1) * d], 1, embedder.dimension(),
                  metric, &score, 1, outcome);
    outcome.check();
    if (json) {
      print_json({{"id", first + static_cast<int64_t>(i)}, {"score", score}});
    } else {
      print_line(fixed(score, 6));
    }
  }
}

void run(SimilarityArguments& arguments, const Common& common) {
  if (!arguments.texts.empty() && !arguments.input.empty())
    throw usage_failure("pairs are given twice: as two texts and with --input", "leave one out");
  if (arguments.texts.empty() && arguments.input.empty())
    throw usage_failure("two texts, or --input with pairs, are needed");
  if (!arguments.texts.empty() && arguments.texts.size() != 2)
    throw usage_failure("two texts are needed, not one");
  arguments.embed.pooling = arguments.model.pooling;
  const auto metric = [&](const Model& model) {
    return metric_number(metric_name(arguments.metric, model.get()));
  };
  TextBlock block;
  if (!arguments.texts.empty()) {
    const Model model = load_model(arguments.model);
    for (const std::string& text : arguments.texts) block.add(text);
    score_block(block, Embedder(model.get(), arguments.embed), metric(model), 0, common.json);
    return;
  }
  arguments.rows.columns = {"1", "2"};
  arguments.rows.columns_from_one = true;
  arguments.column.apply(arguments.rows);
  RowReader reader(arguments.input, arguments.rows);
  const Model model = load_model(arguments.model);
  const Embedder embedder(model.get(), arguments.embed);
  const int32_t number = metric(model);
  std::vector<std::string> pair;
  int64_t first = 0;
  for (bool more = true; more; first += kBlockPairs) {
    block.clear();
    while (block.size() < 2 * kBlockPairs && (more = reader.next(pair))) {
      for (const std::string& text : pair) block.add(text);
    }
    score_block(block, embedder, number, first, common.json);
  }
}

}  // namespace

void add_similarity(CLI::App& program, Common& common) {
  static SimilarityArguments arguments;
  CLI::App* verb =
      add_verb(program, "similarity", "Print how similar two texts are",
               R"(  contrastive similarity --model DIR "A man eats." "Someone has a meal."
  contrastive similarity --model DIR --input pairs.tsv --json)",
               common, [&common] { run(arguments, common); });
  add_model_options(verb, arguments.model);
  verb->add_option("texts", arguments.texts, "two texts")->expected(0, 2)->option_text("TEXT TEXT");
  add_option(verb, "-i,--input", arguments.input,
             "tsv or jsonl with two texts a row; - for standard input; one score a row is printed");
  add_option(verb, "--format", arguments.rows.format,
             "tsv or jsonl; default: by the input's name, else its first line")
      ->check(CLI::IsMember({"auto", "tsv", "jsonl"}));
  arguments.column.add_to(verb, "the two columns, the first two by default", 2);
  add_metric_option(verb, arguments.metric);
  add_embed_options(verb, arguments.embed);
}

}  // namespace contrastive::cli
