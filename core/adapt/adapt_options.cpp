#include "core/adapt/adapt_options.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/data/data_options.h"
#include "core/training/trainer.h"

namespace contrastive::adapt {
namespace {

constexpr const char* kDefaultMethod = "mnrl";
constexpr const char* kRerankerMethod =
    "reranker";  // gives no vectors, which is what the search of the test needs
constexpr const char* kMining = "mining.";
// A run has about so many updates, in so many passes over the pairs at most.
constexpr int64_t kUsualUpdates = 200, kMostEpochs = 20, kLeastEpochs = 3;
constexpr int64_t kEvaluations = 10;  // of the dev part in a run
constexpr int64_t kPatience = 3;

const std::vector<std::string> kMetricNames(kSearchMetrics.begin(), kSearchMetrics.end());

// Keys of mining that the adaptation has itself or decides.
bool is_ours(const std::string& mining_key) {
  for (const char* key :
       {"seed", "similarity", "output_format", "output_scores", "query_prompt", "document_prompt",
        "guide_query_prompt", "guide_document_prompt", "cache"}) {
    if (mining_key == cat(kMining, key)) return true;
  }
  return mining_key.rfind(cat(kMining, "encode."), 0) == 0;
}

// Keys of a training run that the adaptation decides, and why.
const char* reason_not_to_set(const std::string& key) {
  if (key == "checkpoints" || key == "keep")
    return "an adaptation keeps its state in its own folder; save_every says how often";
  if (key == "dev_task" || key == "dev_select" || key == "evaluate_every" ||
      key.rfind("evaluate.", 0) == 0)
    return "the best weights are chosen by 'metric' on the dev part";
  if (key == "metrics_file")
    return "the report has the course of the run; metrics_csv writes a file of it";
  if (key.rfind("dist.", 0) == 0) return "an adaptation runs in one process";
  if (key.rfind("stage", 0) == 0) return "an adaptation has one stage";
  if (key.rfind("task", 0) == 0)
    return "an adaptation trains on its pairs alone, of which none is like a held-out one";
  if (key == "eval_at_start") return "an adaptation measures before its first update in any case";
  return nullptr;
}

// The adaptation's own keys, and those of mining that a caller may set.
Json own_rows() {
  Json rows = Json::array();
  const Json all = describe_options<AdaptOptions>();
  for (const Json& row : all) {
    if (!is_ours(row["key"])) rows.push_back(row);
  }
  return rows;
}

bool has_row(const Json& rows, const std::string& key) {
  return std::any_of(rows.begin(), rows.end(), [&](const Json& row) { return row["key"] == key; });
}

// The rows of a training run that a caller may set.
Json training_rows(const std::string& method) {
  Json rows = Json::array();
  const Json own = own_rows(), all = training::describe_config(method);
  for (const Json& row : all) {
    const std::string key = row["key"];
    if (reason_not_to_set(key) == nullptr && !has_row(own, key)) rows.push_back(row);
  }
  return rows;
}

std::string method_of(const Config& config) {
  const Json* const method = config.find("method");
  if (method == nullptr) return kDefaultMethod;
  check(method->is_string(), Status::kArgument, "config key 'method' must be a text");
  return method->get<std::string>();
}

Json default_of(const Json& rows, const std::string& key) {
  for (const Json& row : rows) {
    if (row["key"] == key) return row["default"];
  }
  fail(Status::kInternal, "a training run has no key '", key, "'");
}

int64_t number_of(const Config& config, const Json& rows, const std::string& key) {
  const Json* const given = config.find(key);
  const Json value = given != nullptr ? *given : default_of(rows, key);
  return value.is_number_integer() ? std::max<int64_t>(1, value.get<int64_t>())
                                   : 1;  // the trainer refuses a value that is not a number
}

}  // namespace

void AdaptOptions::visit(OptionVisitor& v) {
  v.integer("seed", seed, at_least(0),
            "decides every random choice: the split, what is drawn, the training, the resamples");
  v.text("dev", dev,
         "file of pairs by which the best weights are chosen, read with the keys data.*; empty: a "
         "part of the pairs");
  v.real("test_share", test_share, between(0.01, 0.9),
         "share of the pairs that is held out and decides whether the model is better");
  v.real("dev_share", dev_share, between(0.01, 0.9),
         "share of the pairs that is held out to choose the best weights, if dev is empty");
  v.real("near_duplicate", near_duplicate, between(0.1, 1),
         "two texts are near duplicates if they share at least this part of their words and pairs "
         "of neighbouring words (Jaccard). Near duplicates of held-out pairs are not trained on, "
         "and near duplicates of an answer are left out of the corpus");
  v.integer("dev_documents", dev_documents, at_least(0),
            OptionDoc("number of random texts that are searched for the dev queries, in addition "
                      "to the answers")
                .unit("documents"));
  v.flag("mine", mine,
         "mine hard negatives for the training pairs; false: train on the plain pairs");
  v.name("metric", metric, kMetricNames,
         OptionDoc("metric that decides the test").source("BEIR: ndcg@10"));
  v.real("min_gain", min_gain, between(0, 1),
         "a model is written if the metric rises by at least this; with 0 it must rise");
  v.flag("require_significant", require_significant,
         "write the model only if the interval of the gain is above 0 too");
  v.integer("resamples", resamples, between(100, 1e6),
            OptionDoc(
                "resamples of the test queries, for the intervals of the gains (paired bootstrap)")
                .source("Koehn, 2004"));
  v.real("confidence", confidence, between(0.5, 0.999), "confidence level of the intervals");
  v.integer("examples", examples, between(0, 1000),
            OptionDoc("number of queries in the report that got better, and of queries that got "
                      "worse")
                .unit("queries"));
  v.integer("save_every", save_every, between(1, 1e9),
            OptionDoc(
                "updates between two saves of the training, so that it can resume after a kill")
                .unit("updates"));
  v.text("report", report, "folder that gets the report as adapt.json; empty: none is written");
  v.choice("similarity", similarity, retrieval::metric_names(),
           "how documents are found, in the test and in mining (there with vectors of length 1); "
           "distances are negated");
  v.text("query_prompt", query_prompt,
         "text put before queries; empty: the model's own prompt named query, if it has one");
  v.text("document_prompt", document_prompt,
         "text put before documents; empty: the model's own prompt named document, passage or "
         "corpus, if it has one");
  v.nested("encode.", encode);
  v.nested(kMining, mining);
}

void AdaptOptions::validate() const {
  check(!dev.empty() || test_share + dev_share < 0.95, Status::kArgument,
        "config keys 'test_share' (", test_share, ") and 'dev_share' (", dev_share,
        ") leave nothing to train on");
  mining.validate();
}

Config AdaptOptions::dump() const {
  const Config all = dump_options(*this);
  Config own;
  const Json rows = own_rows();
  for (const std::string& key : all.keys()) {
    if (has_row(rows, key)) own.set_json(key, *all.find(key));
  }
  return own;
}

size_t AdaptOptions::metric_number() const {
  return static_cast<size_t>(std::find(kMetricNames.begin(), kMetricNames.end(), metric) -
                             kMetricNames.begin());
}

AdaptConfig read_adapt_config(const Config& config) {
  for (const std::string& key : config.keys()) {
    const char* const reason = reason_not_to_set(key);
    check(reason == nullptr, Status::kArgument, "config key '", key,
          "' is not set in an adaptation: ", reason == nullptr ? "" : reason);
  }
  const std::string method = method_of(config);
  check(method != kRerankerMethod, Status::kArgument, "config key 'method' is ", method,
        ", but an adaptation trains sentence encoders: a reranker is ",
        "trained by a separate run (contrastive train --method ", method, ")");
  const Json own = own_rows(), training = training_rows(method);
  Json known = own;
  for (const Json& row : training) known.push_back(row);
  reject_unknown_keys(config, known);
  AdaptConfig result;
  result.options = read_options<AdaptOptions>(config);
  AdaptOptions& options = result.options;
  options.mining.seed = options.seed;
  options.mining.similarity = options.similarity;
  options.mining.query_prompt = options.query_prompt;
  options.mining.document_prompt = options.document_prompt;
  options.mining.encode = options.encode;
  options.validate();
  for (const std::string& key : config.keys()) {
    const bool reads = key.rfind(data::DataOptions::kPrefix, 0) == 0 && key != "data.duplicates";
    if (reads) result.data.set_json(key, *config.find(key));
    else if (!has_row(own, key)) result.training.set_json(key, *config.find(key));
  }
  return result;
}

Config training_defaults(const AdaptConfig& config, int64_t rows) {
  const AdaptOptions& options = config.options;
  const std::string method = method_of(config.training);
  const Json described = training_rows(method);
  const auto given = [&](const char* key) { return config.training.has(key); };
  Config defaults;
  defaults.set_json("method", method);
  defaults.set_json("seed", options.seed);
  const auto number = [&](const char* key) { return number_of(config.training, described, key); };
  const int64_t batch = number("batch_size") * number("accumulate"),
                updates = std::max<int64_t>(1, (rows + batch - 1) / batch);  // of an epoch
  const int64_t usual =
      std::clamp((kUsualUpdates + updates - 1) / updates, kLeastEpochs, kMostEpochs);
  const Json* const steps = config.training.find("max_steps");
  const bool limited = steps != nullptr && *steps != 0;
  if (!limited && !given("epochs")) defaults.set_json("epochs", usual);
  if (!given("eval_every") && !given("eval_every_epochs") && !given("eval_each_epoch")) {
    int64_t total = updates * (given("epochs") ? number("epochs") : usual);
    if (limited)
      total = given("epochs") ? std::min(total, number("max_steps")) : number("max_steps");
    defaults.set_json("eval_every", (total + kEvaluations - 1) / kEvaluations);
  }
  defaults.set_json("patience", kPatience);
  defaults.set_json("eval_at_start", false);  // the run is measured before its first update anyway
  // Questions share answers, and near documents are negatives of many: neither may be pushed away
  // from where it belongs.
  if (has_row(described, method + ".false_negatives"))
    defaults.set_json(method + ".false_negatives", "mask");
  // The prompts that the model is measured with are those that it is trained with, by methods that
  // have keys for them.
  if (!options.query_prompt.empty() && has_row(described, method + ".anchor_prompt"))
    defaults.set_json(method + ".anchor_prompt", options.query_prompt);
  if (!options.document_prompt.empty() && has_row(described, method + ".candidate_prompt"))
    defaults.set_json(method + ".candidate_prompt", options.document_prompt);
  return defaults;
}

Json describe_adapt_config() {
  Json rows = own_rows();
  const Json training = training_rows("");
  for (const Json& row : training) {
    if (row["key"].get<std::string>().rfind(cat(kRerankerMethod, "."), 0) != 0) rows.push_back(row);
  }
  for (Json& row : rows) {
    if (row["key"] == "method") {
      row["default"] = kDefaultMethod;
      Json& names = row["values"];
      names.erase(std::remove(names.begin(), names.end(), kRerankerMethod), names.end());
    }
    if (row["key"] == "patience") row["default"] = kPatience;
    if (row["key"] == "epochs")
      row["help"] =
          cat("passes over the training pairs; if neither this nor max_steps is set, ",
              kLeastEpochs, " to ", kMostEpochs, ", for about ", kUsualUpdates, " updates");
    if (row["key"] == "eval_every")
      row["help"] = cat("updates between dev evaluations; if no key sets this, the run has ",
                        kEvaluations, " evaluations");
    if (row["key"] == cat(kDefaultMethod, ".false_negatives")) row["default"] = "mask";
  }
  return rows;
}

}  // namespace contrastive::adapt
