#include "core/torch/run/training_card.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/data/data_options.h"
#include "core/io/card_text.h"
#include "core/torch/run/task_evaluations.h"
#include "core/torch/run/tasks.h"
#include "core/torch/run/evaluation.h"

namespace contrastive::run {
namespace {

using io::card_count;
using io::markdown_code;

constexpr size_t kMostFigures = 60;  // rows of the table
constexpr int64_t kMostHashedBytes = int64_t{256}
                                     << 20;  // of a data file; a larger one would take seconds

// ---- The config ----

// Keys about where and how a run was stored, which do not affect the model.
bool concerns_the_model(const std::string& key) {
  static const std::vector<std::string> kOthers = {"cache",         "metrics_file", "metrics_csv",
                                                   "metrics_every", "checkpoints",  "save_every",
                                                   "data_threads",  "threads",      "keep"};
  return !begins_with(key, "x-") && !begins_with(key, CardOptions::kPrefix) &&
         std::find(kOthers.begin(), kOthers.end(), key) == kOthers.end();
}

// Shows files by their names only. A text with a slash is treated as a path unless its key is known
// to have none.
Json without_folders(const std::string& key, const Json& value) {
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& item : value) list.push_back(without_folders(key, item));
    return list;
  }
  const bool text = value.is_string() && !ends_with(key, "prompt") &&
                    !begins_with(key, data::DataOptions::kPrefix);
  if (!text || value.get<std::string>().find('/') == std::string::npos) return value;
  return io::card_file(value.get<std::string>());
}

Json shown_config(const Config& config, const std::string& method) {
  Json shown = {{"method", method}};
  for (const std::string& key : config.keys()) {
    const auto of_stage = parse_stage_key(key);
    const auto of_task = parse_task_key(key);
    const std::string& name = of_stage ? of_stage->name : of_task ? of_task->name : key;
    if (concerns_the_model(name)) shown[key] = without_folders(name, *config.find(key));
  }
  return shown;
}

// ---- Figures ----

// "stsb-dev.tsv.gz" -> "stsb-dev"
std::string dataset_name(std::string file) {
  for (const char* ending : {".gz", ".tsv", ".csv", ".txt", ".jsonl"}) {
    if (ends_with(file, ending)) file.resize(file.size() - std::string(ending).size());
  }
  return file;
}

const std::string kSimilarity = "Semantic Similarity", kRetrieval = "Information Retrieval";
const std::string kPairCorrelation = "Cross Encoder Correlation",
                  kReranking = "Cross Encoder Reranking",
                  kPairClassification = "Cross Encoder Classification";

// How a task compares vectors: as in its config, else as the model does.
std::string similarity_of(const Config& config, const std::string& task,
                          const io::ModelFolder& model) {
  const Json* value = config.find(TaskEvaluations::kPrefix + task + ".similarity");
  return value != nullptr && value->is_string() && *value != "model" ? value->get<std::string>()
                                                                     : model.similarity;
}

std::string shown(const Config& config, const std::string& key) {
  const Json* value = config.find(key);
  return value == nullptr     ? ""
         : value->is_string() ? value->get<std::string>()
                              : dump_ascii(*value);
}

// Whether the saved folder reproduces a figure when it is measured again: a dev file is measured
// with the lengths of the training, and a task with its own keys.
bool measured_as_saved(const Score& score, const Config& complete, const std::string& method,
                       int64_t model_length) {
  if (score.figure == TrainOptions::kDevFile) {
    const std::string prefix = method + ".", pooling = shown(complete, prefix + "eval_pooling");
    const std::string length = shown(complete, prefix + "max_length");
    return pooling.empty() &&
           (length.empty() || length == "0" || length == std::to_string(model_length));
  }
  const std::string task =
      TaskEvaluations::kPrefix + score.figure.substr(0, score.figure.find('.')) + ".";
  const std::vector<std::string> keys = complete.keys();
  return std::none_of(keys.begin(), keys.end(), [&](const std::string& key) {
    return begins_with(key, task + "encode.") || key == task + "split" || key == task + "drop_top";
  });
}

// The figures of sentence-transformers' evaluators, with its names, by which hubs compare models.
// The others are in the card's text.
std::vector<io::CardFigure> hub_figures(const Scores& scores, const Config& config,
                                        const Config& complete, const std::string& method,
                                        methods::Gives gives, const model::Model& start) {
  std::vector<io::CardFigure> figures;
  for (const Score& score : scores.all()) {
    if (!measured_as_saved(score, complete, method, start.max_length())) continue;
    // The dev file is measured with complete vectors, but the saved model truncates them.
    if (score.figure == TrainOptions::kDevFile && start.folder().truncate_dim > 0) continue;
    const std::string data = dataset_name(score.data);
    const auto add = [&](const std::string& task, const std::string& metric) {
      figures.push_back({task, data, metric, score.value});
    };
    if (score.figure == TrainOptions::kDevFile) {
      if (gives == methods::Gives::kScores)
        add(score.measure == "spearman" ? kPairCorrelation : kReranking, score.measure);
      else if (gives == methods::Gives::kClasses) add(kPairClassification, score.measure);
      else if (score.measure == "spearman") add(kSimilarity, "spearman_cosine");
      else add(kRetrieval, "cosine_" + score.measure);
    } else if (score.figure == "sts.spearman.all" || score.figure == "sts.pearson.all") {
      add(kSimilarity, score.figure.substr(4, score.figure.find('.', 4) - 4) + "_" +
                           similarity_of(config, "sts", start.folder()));
    } else if (begins_with(score.figure, "retrieval.") &&
               score.figure.find('@') != std::string::npos) {
      add(kRetrieval, similarity_of(config, "retrieval", start.folder()) + "_" + score.measure);
    }
  }
  // Figures of one task and dataset are grouped, in the order in which they were measured.
  std::stable_sort(figures.begin(), figures.end(),
                   [](const io::CardFigure& a, const io::CardFigure& b) {
                     return a.task != b.task ? a.task > b.task : a.dataset < b.dataset;
                   });
  // The same file may be the dev file and a task's: each figure is listed once.
  const auto same = [](const io::CardFigure& a, const io::CardFigure& b) {
    return a.task == b.task && a.dataset == b.dataset && a.metric == b.metric;
  };
  for (auto at = figures.begin(); at != figures.end(); ++at) {
    figures.erase(std::remove_if(std::next(at), figures.end(),
                                 [&](const io::CardFigure& later) { return same(*at, later); }),
                  figures.end());
  }
  return figures;
}

std::string figure_table(const Scores& scores, int64_t step) {
  if (scores.all().empty() || scores.step() != step) return "";
  std::string table = "| figure | value | measured on |\n| --- | --- | --- |\n";
  for (size_t i = 0; i < std::min(scores.all().size(), kMostFigures); ++i) {
    const Score& score = scores.all()[i];
    const std::string name =
        is_dev_figure(score.figure) ? cat(score.figure, " (", score.measure, ")") : score.figure;
    table += cat("| ", io::markdown_text(name), " | ", io::card_number(score.value), " | ",
                 io::markdown_text(score.data), " |\n");
  }
  if (scores.all().size() > kMostFigures)
    table += cat("\n", scores.all().size() - kMostFigures, " further figures were measured.\n");
  return table + "\nThe run measured them on these weights, with the settings of its config; what "
                 "this folder alone cannot reproduce is not in the header. The best weights "
                 "are chosen by such figures, so a file that nothing was chosen by says more.\n";
}

// ---- Sentences about the run ----

std::string line(const std::string& name, const std::string& text) {
  return "- **" + name + ":** " + text + "\n";
}

std::string data_line(const DataFacts& data, const TrainOptions& options, const std::string& name) {
  if (data.examples == 0) return line(name, "batches of the program that trained it");
  const std::string kind = data.negatives ? "pairs with hard negatives"
                           : data.pairs   ? "pairs of texts"
                                          : "texts";
  std::string text = data.file.empty() ? "" : markdown_code(data.file) + ", ";
  text += cat(card_count(data.examples), data.labels ? " labelled " : " ", kind);
  if (options.few_shot > 0 && data.given > data.examples)
    text += cat(", drawn from ", card_count(data.given));
  if (!data.sha256.empty()) text += "; SHA-256 of the file `" + data.sha256 + "`";
  return line(name, text);
}

}  // namespace

DataFacts facts_of(const data::Dataset* data, int64_t given) {
  DataFacts facts;
  if (data == nullptr || data->size() == 0) return facts;
  facts.examples = data->size();
  facts.given = given;
  const data::Example first = data->get(0);
  facts.pairs = first.has_b;
  facts.labels = first.label == first.label;
  facts.negatives = !first.negatives.empty();
  const std::string path = data->path();
  if (path.empty()) return facts;
  facts.file = io::card_file(path);
  try {
    facts.sha256 = sha256_of_file(path, kMostHashedBytes);
  } catch (const Error&) {
    facts.sha256.clear();  // too large; or missing, which the run will report
  }
  return facts;
}

io::ModelCard training_card(const CardSubject& run, bool best) {
  const RunConfig& config = run.config;
  const TrainOptions& options = config.options;
  const bool chosen = best && run.selection.has_best();
  const Scores& scores = chosen ? run.selection.best_scores() : run.selection.last_scores();
  const int64_t of_step = chosen ? run.selection.best_step() : run.progress.step;
  const std::string& origin = run.start.folder().origin;
  const bool on_hub = origin.find('/') != std::string::npos && is_hub_name(origin);

  io::ModelCard card;
  card.description = options.card.description;
  card.license = options.card.license;
  card.languages = options.card.language;
  card.datasets = options.card.datasets;
  card.base_model = options.card.base_model.empty() && on_hub ? origin : options.card.base_model;
  const std::string& base = card.base_model.empty() ? origin : card.base_model;
  card.title = options.card.title;
  if (card.title.empty())
    card.title = cat(base.empty() ? "Sentence encoder" : base, " trained with ",
                     config.method->paper.method);
  card.tags = {"generated_from_trainer"};
  int64_t examples = 0;
  for (size_t i = 0; i < config.tasks(); ++i) {
    const methods::Paper& paper = config.task(i).method->paper;
    if (std::find(card.tags.begin(), card.tags.end(), paper.tag) == card.tags.end()) {
      card.tags.push_back(paper.tag);
      card.citation += (card.citation.empty() ? "" : "\n") + std::string(paper.bibtex);
    }
    examples += run.facts[i].examples;
  }
  if (examples > 0) card.tags.push_back(cat("dataset_size:", examples));
  const std::vector<int64_t> dimensions = methods::trained_dimensions(config.user);
  if (!dimensions.empty()) {
    card.tags.push_back(methods::cut_vectors_paper().tag);
    card.citation += std::string("\n") + methods::cut_vectors_paper().bibtex;
  }

  std::string& text = card.training;
  text += line("Method", cat(config.method->paper.method, ", `", options.method,
                             "`: ", config.method->summary));
  if (run.stage.staged())
    text += line("Stage", cat(run.stage.index() + 1, " of ", run.stage.plan().stages.size(),
                              ", each of which begins with the best weights of the one before"));
  if (!base.empty()) text += line("Began with", markdown_code(base));
  text += data_line(run.facts.front(), options, "Data");
  for (size_t i = 1; i < config.tasks(); ++i) {
    const RunConfig& task = config.task(i);
    text +=
        line(cat("Method of task ", i + 1), cat(task.method->paper.method, ", `",
                                                task.options.method, "`: ", task.method->summary));
    text += data_line(run.facts[i], task.options, cat("Data of task ", i + 1));
  }
  std::string weights = cat(chosen ? "the best on " : "the last, ",
                            chosen ? markdown_code(options.dev_select) + ", " : "", "after update ",
                            card_count(of_step));
  if (run.plan.total_steps > 0) weights += cat(" of ", card_count(run.plan.total_steps));
  if (run.selection.exhausted())
    weights += cat("; the run ended at update ", card_count(run.progress.step), ", after ",
                   options.patience, " evaluations without success");
  text += line("Weights", weights);
  text +=
      line("Batch",
           cat(options.batch_size, " examples",
               options.accumulate > 1 ? cat(", ", options.accumulate, " batches an update") : ""));
  const Config& complete = config.complete;
  for (const char* key : {"temperature", "scale", "max_length"}) {
    const std::string value = shown(complete, options.method + "." + key);
    if (!value.empty() && value != "0")
      text += line(std::string(key) == "max_length" ? "Longest text" : key,
                   value + (std::string(key) == "max_length" ? " tokens" : ""));
  }
  if (!dimensions.empty()) {
    std::string numbers;
    for (const int64_t dimension : dimensions)
      numbers += cat(numbers.empty() ? "" : ", ", dimension);
    text += line("Dimensions", cat("the vectors were trained at ", numbers, " dimensions (",
                                   methods::cut_vectors_paper().method,
                                   "): they may be cut to their first numbers, so many of them"));
  }
  text += line("Optimizer", cat(shown(complete, "optimizer"), ", learning rate ",
                                shown(complete, "lr"), ", schedule ", shown(complete, "schedule")));
  text += line("Seed", cat(options.seed));
  if (run.progress.truncated > 0)
    text += line("Cut texts", cat(card_count(run.progress.truncated), ", each time one was met"));
  if (run.progress.skipped > 0)
    text += line("Skipped updates",
                 cat(card_count(run.progress.skipped), ", whose loss or gradient was not finite"));
  text +=
      "\nThe config of the run. A key that is not shown had its default; of files the names alone "
      "are shown.\n\n```json\n" +
      dump_ascii(shown_config(run.stage.staged() ? run.stage.plan().whole : config.user,
                              options.method),
                 2) +
      "\n```\n";

  if (scores.step() == of_step)
    card.figures =
        hub_figures(scores, config.user, complete, options.method, config.traits.gives, run.start);
  card.evaluation = figure_table(scores, of_step);
  if (card.evaluation.empty())
    card.evaluation = "Nothing was measured on these weights during the run.\n";
  for (const std::string& remark : run.method.remarks())
    card.evaluation += cat("\nAgainst the paper: ", io::markdown_text(remark), ".\n");
  card.limits.push_back("It was trained for texts like those of its data; on others nothing was "
                        "measured unless a table above says so.");
  return card;
}

}  // namespace contrastive::run
