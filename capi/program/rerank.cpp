// contrastive rerank: orders documents by a reranker's score for a query, or prints the scores of
// pairs.
#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "capi/program/embed.h"
#include "capi/program/failure.h"
#include "capi/program/rows.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kBlockScored = 2048;  // pairs for each call of the library

struct RerankArguments {
  ModelArguments model;
  RowOptions rows;
  ColumnArguments column;
  std::string input, activation, prompt_name;
  std::optional<std::string> query, prompt;
  std::vector<std::string> documents;
  int k = 0, max_length = 0, batch_tokens = 0;
};

class Scorer {
 public:
  explicit Scorer(const RerankArguments& arguments) {
    Settings settings = arguments.model.settings();
    settings.use_topic("model");
    settings.set_flag("kind", "reranker");
    for (const char* key : {"pooling", "adapter"}) settings.ignore_environment(key);
    ModelArguments model = arguments.model;
    model.any_kind = true;
    reranker_ = load_model(model, settings, true);
    Outcome outcome;
    labels_ = cs_model_labels(reranker_.get());
    const String info(cs_model_info(reranker_.get(), outcome));
    outcome.check();
    names_ = Json::parse(info.get())["labels"].get<std::vector<std::string>>();
    if (!arguments.activation.empty()) options_.activation = arguments.activation.c_str();
    if (arguments.prompt) options_.prompt = arguments.prompt->c_str();
    if (!arguments.prompt_name.empty()) options_.prompt_name = arguments.prompt_name.c_str();
    options_.max_length = arguments.max_length;
    options_.batch_tokens = arguments.batch_tokens;
    options_.cancel = cancel_flag();
  }

  const std::vector<std::string>& names() const { return names_; }
  // Scores a block with the two texts of each pair one after the other: [pairs, names().size()].
  std::vector<float> score(const TextBlock& block) const {
    std::vector<float> scores(static_cast<size_t>(block.size() / 2 * labels_));
    Outcome outcome;
    cs_rerank_packed(reranker_.get(), block.data.data(), block.offsets.data(), block.size() / 2,
                     &options_, scores.data(), static_cast<int64_t>(scores.size()), outcome);
    outcome.check();
    return scores;
  }

 private:
  Model reranker_;
  int32_t labels_ = 0;
  std::vector<std::string> names_;
  cs_rerank_options options_ = CS_RERANK_OPTIONS_INIT;
};

// The scores of a pair as JSON: one number, or an object with a number for each label.
Json scores_json(const float* scores, const std::vector<std::string>& names) {
  if (names.size() == 1) return scores[0];
  Json all = Json::object();
  for (size_t i = 0; i < names.size(); ++i) all[names[i]] = scores[i];
  return all;
}

void print_pairs(const Scorer& scorer, const TextBlock& block, int64_t first, bool json) {
  const std::vector<float> scores = scorer.score(block);
  const size_t labels = scorer.names().size();
  for (size_t i = 0; i < scores.size() / labels; ++i) {
    if (json) {
      print_json({{"id", first + static_cast<int64_t>(i)},
                  {"score", scores_json(&scores[i * labels], scorer.names())}});
      continue;
    }
    std::string line;
    for (size_t label = 0; label < labels; ++label)
      line += (label > 0 ? "\t" : "") + fixed(scores[i * labels + label], 6);
    print_line(line);
  }
}

// Prints the documents for a query, best first.
void rank_documents(const Scorer& scorer, const RerankArguments& arguments,
                    const std::vector<std::string>& documents, bool json) {
  if (scorer.names().size() != 1)
    throw usage_failure(
        "the model has " + std::to_string(scorer.names().size()) +
        " labels and gives no order: leave --query out, and give pairs with --input");
  std::vector<float> scores;
  TextBlock block;
  for (size_t i = 0; i < documents.size(); ++i) {
    block.add(*arguments.query);
    block.add(documents[i]);
    if (block.size() < 2 * kBlockScored && i + 1 < documents.size()) continue;
    const std::vector<float> part = scorer.score(block);
    scores.insert(scores.end(), part.begin(), part.end());
    block.clear();
  }
  std::vector<size_t> order(documents.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  if (arguments.k > 0 && order.size() > static_cast<size_t>(arguments.k))
    order.resize(static_cast<size_t>(arguments.k));
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const size_t at = order[rank];
    if (json)
      print_json({{"rank", rank + 1}, {"id", at}, {"score", scores[at]}, {"text", documents[at]}});
    else print_line(std::to_string(rank + 1) + ". " + fixed(scores[at], 4) + "  " + documents[at]);
  }
}

// Refuses empty input: success without output would hide that a file is empty by mistake.
void need_rows(bool any, const std::string& input, const char* what) {
  if (!any) throw Failure(kExitData, "FORMAT", std::string("the input has no ") + what).at(input);
}

void run(RerankArguments& arguments, const Common& common) {
  if (arguments.model.model.empty()) throw usage_failure("--model is empty: a folder is needed");
  const bool ranks = arguments.query.has_value();
  if (!ranks && !arguments.documents.empty()) throw usage_failure("documents need --query");
  if (!arguments.documents.empty() && !arguments.input.empty()) {
    throw usage_failure("documents are given twice: as arguments and with --input",
                        "leave one out");
  }
  if (arguments.documents.empty() && arguments.input.empty()) {
    throw usage_failure(ranks ? "either documents as arguments or --input with a file is needed"
                              : "--query with documents, or --input with pairs, is needed");
  }
  if (!ranks) {
    arguments.rows.columns = {"1", "2"};
    arguments.rows.columns_from_one = true;
  }
  arguments.column.apply(arguments.rows);
  std::vector<std::string> row;
  if (ranks) {
    std::vector<std::string> documents = arguments.documents;
    if (!arguments.input.empty()) {
      RowReader reader(arguments.input, arguments.rows);
      while (reader.next(row)) documents.push_back(row[0]);
      need_rows(!documents.empty(), arguments.input, "documents");
    }
    rank_documents(Scorer(arguments), arguments, documents, common.json);
    return;
  }
  RowReader reader(arguments.input, arguments.rows);
  const Scorer scorer(arguments);
  TextBlock block;
  int64_t first = 0;
  for (bool more = true; more; first += kBlockScored) {
    block.clear();
    while (block.size() < 2 * kBlockScored && (more = reader.next(row))) {
      for (const std::string& text : row) block.add(text);
    }
    need_rows(first > 0 || block.size() > 0, arguments.input, "pairs");
    print_pairs(scorer, block, first, common.json);
  }
}

}  // namespace

void add_rerank(CLI::App& program, Common& common) {
  static RerankArguments arguments;
  CLI::App* verb = add_verb(
      program, "rerank",
      "Sort documents by how well they answer a query, with a reranker (cross-encoder)",
      R"(  contrastive rerank --model DIR --query "how many people live in Berlin" "Berlin has museums." "3.7 million people live there."
  contrastive rerank --model DIR --query "how many people live in Berlin" --input documents.txt --top-k 3 --json
  contrastive rerank --model DIR --input pairs.tsv)",
      common, [&common] { run(arguments, common); });
  add_option(
      verb, "-m,--model", arguments.model.model,
      "folder of a reranker: Hugging Face's ...ForSequenceClassification, or a saved CrossEncoder")
      ->required();
  add_option(verb, "--device", arguments.model.device, "cpu, cuda or cuda:N; default cpu");
  add_option(verb, "--precision", arguments.model.precision,
             "float32, bfloat16 or int8 (on the CPU); default float32");
  verb->add_option("--config", arguments.model.config, "JSON file of config keys");
  one_at_a_time(
      verb->add_option("--set", arguments.model.assignments, "one config key: --set key=value"));
  add_option(verb, "--query", arguments.query, "the query that the documents should answer");
  verb->add_option("documents", arguments.documents, "documents");
  add_option(verb, "-i,--input", arguments.input,
             "txt, tsv or jsonl of documents; without --query, tsv or jsonl of pairs to score; - "
             "for standard input");
  add_option(verb, "--format", arguments.rows.format,
             "txt, tsv or jsonl; default: by the input's name, else its first line")
      ->check(CLI::IsMember({"auto", "txt", "tsv", "jsonl"}));
  verb->add_option("--column", arguments.column.columns,
                   "column of the documents, or the two of pairs: numbers from 0 or names (tsv), "
                   "fields (jsonl)")
      ->expected(1, 2)
      ->envname(environment_name("column"));
  add_option(verb, "-k,--top-k", arguments.k, "documents that are printed; default all")
      ->check(CLI::Range(1, 1000000));
  add_option(
      verb, "--activation", arguments.activation,
      "identity (logits), sigmoid, softmax (over several labels), ...; default: the model's own");
  add_option(verb, "--prompt", arguments.prompt, "text put before the query");
  add_option(verb, "--prompt-name", arguments.prompt_name, "name of one of the model's prompts");
  add_option(verb, "--max-length", arguments.max_length,
             "maximum number of tokens of a pair; default: the model's own limit")
      ->check(CLI::Range(1, 1 << 24));
  add_option(verb, "--batch-tokens", arguments.batch_tokens,
             "tokens in one internal batch; fewer take less memory")
      ->check(CLI::Range(1, 1 << 30));
}

}  // namespace contrastive::cli
