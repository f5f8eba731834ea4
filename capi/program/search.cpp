// contrastive search: finds the texts of a corpus that are nearest to a query, by exact search.
#include <optional>

#include "capi/program/corpus.h"
#include "capi/program/embed.h"
#include "capi/program/failure.h"
#include "capi/program/metric.h"
#include "capi/program/rows.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kBlockQueries = 512;

struct SearchArguments {
  ModelArguments model;
  EmbedArguments embed;  // for the corpus, and for the queries if they have no separate prompt
  std::optional<std::string> query_prompt;
  std::string query_prompt_name;
  RowOptions rows;
  ColumnArguments column;
  std::string corpus, embeddings, queries, metric;
  std::vector<std::string> texts;
  int k = 10;
};

void print_hits(const TextBlock& queries, const Corpus& corpus, const std::vector<int32_t>& indices,
                const std::vector<float>& scores, int64_t k, bool json) {
  for (int64_t q = 0; q < queries.size(); ++q) {
    Json hits = Json::array();
    if (!json) print_line((q > 0 ? "\n" : "") + queries.text(q));
    for (int64_t rank = 0; rank < k; ++rank) {
      const auto at = static_cast<size_t>(q * k + rank);
      if (indices[at] < 0) break;
      const std::string& text = corpus.texts[static_cast<size_t>(indices[at])];
      if (json) {
        hits.push_back(
            {{"rank", rank + 1}, {"id", indices[at]}, {"score", scores[at]}, {"text", text}});
      } else {
        print_line("  " + std::to_string(rank + 1) + ". " + fixed(scores[at], 4) + "  " + text);
      }
    }
    if (json) print_json({{"query", queries.text(q)}, {"hits", std::move(hits)}});
  }
}

void search_block(const TextBlock& queries, const Corpus& corpus, const Embedder& embedder,
                  const SearchArguments& arguments, bool json) {
  if (queries.size() == 0) return;
  const int64_t k = std::min<int64_t>(arguments.k, static_cast<int64_t>(corpus.texts.size()));
  const std::vector<float> vectors = embedder.embed(queries);
  std::vector<int32_t> indices(static_cast<size_t>(queries.size() * k));
  std::vector<float> scores(indices.size());
  Outcome outcome;
  cs_search(vectors.data(), queries.size(), corpus.vectors.values.data(),
            static_cast<int64_t>(corpus.texts.size()), embedder.dimension(),
            metric_number(arguments.metric), static_cast<int32_t>(k), indices.data(), scores.data(),
            queries.size() * k, cancel_flag(), outcome);
  outcome.check();
  print_hits(queries, corpus, indices, scores, k, json);
}

EmbedArguments query_arguments_of(const SearchArguments& arguments) {
  EmbedArguments own = arguments.embed;
  if (!arguments.query_prompt && arguments.query_prompt_name.empty()) return own;
  own.prompt = arguments.query_prompt;
  own.prompt_name = arguments.query_prompt_name;
  return own;
}

void run(SearchArguments& arguments, const Common& common) {
  if (!arguments.texts.empty() && !arguments.queries.empty())
    throw usage_failure("queries are given twice: as arguments and with --queries",
                        "leave one out");
  if (arguments.texts.empty() && arguments.queries.empty())
    throw usage_failure("queries as arguments, or --queries with a file, are needed");
  if (arguments.corpus == "-" && arguments.queries == "-")
    throw usage_failure("only one of --corpus and --queries can be standard input");
  arguments.column.apply(arguments.rows);
  arguments.embed.pooling = arguments.model.pooling;
  const Model model = load_model(arguments.model);
  arguments.metric = metric_name(arguments.metric, model.get());
  const Embedder embedder(model.get(), arguments.embed);
  const EmbedArguments query_arguments = query_arguments_of(arguments);
  const Embedder query_embedder(model.get(), query_arguments);
  const Corpus corpus = read_corpus(arguments.corpus, arguments.rows, arguments.embeddings,
                                    embedder, common.progress());
  TextBlock block;
  for (const std::string& text : arguments.texts) block.add(text);
  if (arguments.queries.empty()) {
    search_block(block, corpus, query_embedder, arguments, common.json);
    return;
  }
  RowReader reader(arguments.queries, RowOptions{});
  std::vector<std::string> row;
  for (bool more = true; more;) {
    block.clear();
    while (block.size() < kBlockQueries && (more = reader.next(row))) block.add(row[0]);
    search_block(block, corpus, query_embedder, arguments, common.json);
  }
}

}  // namespace

void add_search(CLI::App& program, Common& common) {
  static SearchArguments arguments;
  CLI::App* verb =
      add_verb(program, "search", "Find the texts of a corpus that are nearest to queries",
               R"(  contrastive search --model DIR --corpus texts.txt "a program that draws graphs"
  contrastive search --model DIR --corpus texts.txt --embeddings texts.npy --queries queries.txt --top-k 3 --json
  contrastive search --model DIR --corpus texts.txt --prompt "passage: " --query-prompt "query: " "a program that draws graphs")",
               common, [&common] { run(arguments, common); });
  add_model_options(verb, arguments.model);
  add_option(verb, "--corpus", arguments.corpus, "txt, tsv or jsonl: the texts that are searched")
      ->required();
  add_option(
      verb, "--embeddings", arguments.embeddings,
      ".npy of the corpus, as `contrastive encode` wrote it with the same model and options");
  add_option(verb, "--format", arguments.rows.format,
             "txt, tsv or jsonl; default: by the corpus' name, else its first line")
      ->check(CLI::IsMember({"auto", "txt", "tsv", "jsonl"}));
  arguments.column.add_to(verb, "column of the corpus' text");
  add_option(verb, "--queries", arguments.queries,
             "txt, tsv or jsonl of queries; - for standard input");
  verb->add_option("texts", arguments.texts, "queries");
  add_option(verb, "-k,--top-k", arguments.k, "hits of each query; default 10")
      ->check(CLI::Range(1, 1000000));
  add_metric_option(verb, arguments.metric);
  add_embed_options(verb, arguments.embed);
  CLI::Option* prompt = add_option(verb, "--query-prompt", arguments.query_prompt,
                                   "text put before every query, if --prompt is only for the "
                                   "corpus; \"\" for none; default: --prompt");
  add_option(verb, "--query-prompt-name", arguments.query_prompt_name,
             "one of the model's own prompts, for the queries")
      ->excludes(prompt);
}

}  // namespace contrastive::cli
