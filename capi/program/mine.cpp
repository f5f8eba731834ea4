// contrastive mine: mines hard negatives for pairs from a corpus.
#include <optional>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/mine_with_progress.h"
#include "capi/program/signals.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

struct MineArguments {
  ModelArguments model;
  CorpusArguments corpus;
  std::string pairs, output, guide, sampling, output_format, cache;
  std::optional<int64_t> num_negatives, range_min, range_max, seed;
  std::string max_score, min_score, absolute_margin, relative_margin;
  bool output_scores = false, force = false;
};

// Sets a bound of scores; for "none" to the value `none`, which excludes no score.
void set_bound(Settings& settings, const char* key, const std::string& value, const char* none) {
  if (!value.empty()) settings.set_flag(key, value == "none" ? none : value);
}

Settings mine_settings(const MineArguments& arguments) {
  Settings settings = arguments.model.settings();
  for (const char* topic : {"model", "data", "mining"}) settings.use_topic(topic);
  const std::pair<const char*, const std::optional<int64_t>&> numbers[] = {
      {"num_negatives", arguments.num_negatives},
      {"range_min", arguments.range_min},
      {"range_max", arguments.range_max},
      {"seed", arguments.seed}};
  for (const auto& [key, value] : numbers) {
    if (value) settings.set_flag(key, *value);
  }
  set_bound(settings, "max_score", arguments.max_score, "1e9");
  set_bound(settings, "min_score", arguments.min_score, "-1e9");
  set_bound(settings, "absolute_margin", arguments.absolute_margin, "-1e9");
  set_bound(settings, "relative_margin", arguments.relative_margin, "-1e9");
  if (!arguments.sampling.empty()) settings.set_flag("sampling_strategy", arguments.sampling);
  if (!arguments.output_format.empty()) settings.set_flag("output_format", arguments.output_format);
  if (!arguments.cache.empty()) settings.set_flag("cache", arguments.cache);
  if (arguments.output_scores) settings.set_flag("output_scores", "true");
  return settings;
}

// Loads the guide; null without --guide. The keys for pooling and adapter belong to the model and
// not to the guide.
Model load_guide(const MineArguments& arguments, Settings settings) {
  if (arguments.guide.empty()) return nullptr;
  ModelArguments guide = arguments.model;
  guide.model = arguments.guide;
  guide.any_kind = true;
  guide.pooling.clear();
  for (const char* key : {"pooling", "adapter"}) settings.set_flag(key, "");
  return load_model(guide, settings, false);
}

void mine(const MineArguments& arguments, const Common& common) {
  if (exists(arguments.output) && !arguments.force)
    throw usage_failure("'" + arguments.output + "' exists", "use --force to replace it");
  for (const std::string& input : {arguments.pairs, arguments.corpus.path}) {
    if (!input.empty() && is_same_file(arguments.output, input))
      throw usage_failure("--output is one of the inputs: name another file");
  }
  const Settings settings = mine_settings(arguments);
  const ConfigHandle keys = settings.config("mining", true);
  const Dataset pairs = open_data(arguments.pairs, settings.config("data", false).get());
  const Dataset corpus = arguments.corpus.dataset();
  const Model model = load_model(arguments.model, settings, false);
  const Model guide = load_guide(arguments, settings);
  const Json report = mine_file({model.get(), guide.get(), pairs.get(), corpus.get(), keys.get()},
                                arguments.output, common);
  if (common.json) print_json(report);
  else if (!common.quiet) print_mining(report, arguments.output);
}

}  // namespace

void add_mine(CLI::App& program, Common& common) {
  static MineArguments arguments;
  CLI::App* verb = add_verb(
      program, "mine", "Find hard negatives for pairs of texts",
      R"(  contrastive mine --model DIR --pairs pairs.tsv --corpus documents.txt --output triplets.jsonl
  contrastive mine --model DIR --pairs pairs.tsv --range-min 10 --num-negatives 5 --output-format n-tuple --output mined.jsonl
  contrastive train --method mnrl --model DIR --train triplets.jsonl --output my-model
The filters and formats are those of sentence-transformers' mine_hard_negatives. --set takes every
key of `contrastive config mining`.)",
      common, [&common] { mine(arguments, common); });
  add_model_options(verb, arguments.model);
  add_option(verb, "--pairs", arguments.pairs, "tsv or jsonl of pairs: anchor and positive")
      ->required();
  arguments.corpus.add_to(verb, "that are candidates in addition to the positives of the pairs");
  add_option(verb, "-o,--output", arguments.output, "file for the result: .jsonl or .tsv")
      ->required();
  add_option(verb, "--guide", arguments.guide,
             "folder of a second model or of a reranker: its scores of the candidates decide");
  add_option(verb, "--num-negatives", arguments.num_negatives, "negatives of each pair; default 3");
  add_option(verb, "--range-min", arguments.range_min,
             "number of nearest candidates to skip; default 0");
  add_option(verb, "--range-max", arguments.range_max,
             "the last rank to use; default: as many as the negatives need");
  add_option(verb, "--max-score", arguments.max_score,
             "candidates with a higher score are left out; default none");
  add_option(verb, "--min-score", arguments.min_score,
             "candidates with a lower score are left out; default none");
  add_option(verb, "--absolute-margin", arguments.absolute_margin,
             "a negative's score is lower than the positive's by at least this; default none");
  add_option(verb, "--relative-margin", arguments.relative_margin,
             "a negative's score is lower than the positive's by at least this share of it, or "
             "none for no margin; default 0.05");
  add_option(verb, "--sampling", arguments.sampling,
             "top: the nearest candidates; random: some of the range; default top")
      ->check(CLI::IsMember({"top", "random"}));
  add_option(verb, "--output-format", arguments.output_format,
             "triplet, n-tuple, labeled-pair or labeled-list; default triplet")
      ->check(CLI::IsMember({"triplet", "n-tuple", "labeled-pair", "labeled-list"}));
  verb->add_flag("--output-scores", arguments.output_scores, "write the scores too");
  add_option(verb, "--seed", arguments.seed, "number that decides every random choice; default 1");
  add_option(verb, "--cache", arguments.cache,
             "folder that keeps the vectors for later runs; default: one next to the output, for "
             "this run only");
  verb->add_flag("-f,--force", arguments.force, "replace an existing output");
}

}  // namespace contrastive::cli
