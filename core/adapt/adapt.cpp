#include "core/adapt/adapt.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/adapt/adapt_options.h"
#include "core/adapt/corpus_rows.h"
#include "core/adapt/dev_files.h"
#include "core/adapt/pair_set.h"
#include "core/adapt/pair_split.h"
#include "core/adapt/search_test.h"
#include "core/adapt/text_rows.h"
#include "core/adapt/training_rows.h"
#include "core/adapt/adapt_training.h"
#include "core/adapt/verdict.h"
#include "core/adapt/work_folder.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/io/atomic_file.h"
#include "core/io/atomic_folder.h"
#include "core/io/kept_readme.h"
#include "core/mining/miner.h"
#include "core/mining/mining_encoder.h"
#include "core/runtime/device.h"
#include "core/training/trainer.h"

namespace contrastive::adapt {
namespace {

constexpr const char* kDevTask = "evaluate.retrieval.";

// What was noticed, with its count: said in the log, and kept for the report. `logged`: so many of
// them the log told when their dataset was opened.
class Findings {
 public:
  void add(int64_t count, const std::string& what, int64_t logged = 0) {
    if (count == 0) return;
    if (count > logged) log_warning("adapt: ", count - logged, " ", what);
    list_.push_back({{"count", count}, {"what", what}});
  }
  const Json& list() const { return list_; }

 private:
  Json list_ = Json::array();
};

// The keys that begin with one of `prefixes`, with their values.
Json keys_of(const AdaptOptions& options, const std::vector<std::string>& prefixes) {
  Json json = Json::object();
  const Config config = dump_options(options);
  for (const std::string& key : config.keys()) {
    const bool wanted =
        std::any_of(prefixes.begin(), prefixes.end(),
                    [&](const std::string& prefix) { return key.rfind(prefix, 0) == 0; });
    if (wanted) json[key] = *config.find(key);
  }
  return json;
}

std::shared_ptr<data::Dataset> open_rows(const std::string& path) {
  Config config;
  config.set_json("data.format", "jsonl");
  return data::open_dataset(path, config);
}

std::vector<AdaptPair> without_negatives(std::vector<AdaptPair> pairs) {
  for (AdaptPair& pair : pairs) pair.negatives.clear();
  return pairs;
}

std::shared_ptr<data::Dataset> documents_of(const std::vector<std::string>& texts) {
  auto documents = data::make_dataset();
  for (const std::string& text : texts) {
    data::Example example;
    example.a = text;
    documents->add(std::move(example));
  }
  return documents;
}

class Adaptation {
 public:
  Adaptation(const AdaptInput& input, const std::string& output, const Config& config,
             const Cancel* cancel)
      : input_(input), config_(read_adapt_config(config)), options_(config_.options),
        output_(output), cancel_(cancel), work_(output) {}

  // A call that fails before any work is done leaves neither a work folder nor a report behind.
  Json run() {
    try {
      return all_steps();
    } catch (...) {
      if (!work_.is_done("split")) work_.remove();
      // A folder that holds something stays.
      if (made_report_) system::remove_folder(options_.report.c_str());
      throw;
    }
  }

 private:
  Json all_steps() {
    check_places();
    check_training(nullptr);
    const Json split = work_.step("split", split_inputs(), false, [&] { return make_split(); });
    open_parts(split);
    check_training(open_rows(work_.path("train.jsonl")));
    const mining::MiningEncoder start = encoder_of(*input_.model, input_.fingerprint);
    prompts(start);
    const Json before = work_.step("before", search_inputs(), false,
                                   [&] { return search(start, "the model as it is").to_json(); });
    const Json mined =
        work_.step("mine", keys_of(options_, {"mine", "mining."}), false, [&] { return mine(); });
    const Json trained =
        work_.step("train", training_config().to_json(), true, [&] { return train(); });
    const Json after =
        work_.step("after", search_inputs(), false, [&] { return search_trained(); });
    return finish(split, before, mined, trained, after);
  }

  // Reports errors now that would otherwise occur after hours.
  void check_places() {
    const auto check_place = [&](const char* key, const std::string& place) {
      check(place.empty() || !lies_in(place, output_), Status::kArgument, "config key '", key,
            "': ", place, " is in ", output_,
            ", which is replaced as a whole: choose a path outside of it");
      check(place.empty() || !lies_in(place, work_folder_of(output_)), Status::kArgument,
            "config key '", key, "': ", place, " is in ", work_folder_of(output_),
            ", which is removed at the end: choose a path outside of it");
    };
    check_place("report", options_.report);
    for (const char* key : {"cache", "metrics_csv"}) {
      const Json* const place = config_.training.find(key);
      if (place != nullptr && place->is_string()) check_place(key, place->get<std::string>());
    }
    const Json* const table = config_.training.find("metrics_csv");
    const std::string folder =
        table != nullptr && table->is_string() ? parent_folder(table->get<std::string>()) : ".";
    check(path_exists(folder), Status::kNotFound, "config key 'metrics_csv': ", folder,
          ": no such folder");
    const io::AtomicFolder place(output_);  // refuses an output that cannot be replaced
    if (options_.report.empty()) return;
    const bool is_new = !path_exists(options_.report);
    make_folders(options_.report);
    made_report_ = is_new;
  }
  // Before the pairs are read, of a config for any pairs; and then for these.
  void check_training(const std::shared_ptr<const data::Dataset>& rows) const {
    Config config = training_config();
    const encoder::Encoder& encoder = input_.model->encoder();
    config.set("device", encoder.device().is_cpu() ? "cpu" : encoder.device().str());
    config.set("precision", runtime::precision_name(encoder.precision()));
    training::check_config(config, rows, std::nullopt);
  }

  Json split_inputs() {
    if (!options_.dev.empty()) dev_ = data::open_dataset(options_.dev, config_.data);
    Json inputs = {{"model", input_.fingerprint}, {"pairs", input_.pairs.fingerprint()}};
    inputs["corpus"] = input_.corpus == nullptr ? Json() : Json(input_.corpus->fingerprint());
    inputs["dev file"] = dev_ == nullptr ? Json() : Json(dev_->fingerprint());
    inputs.update(
        keys_of(options_, {"seed", "test_share", "dev_share", "near_duplicate", "dev_documents"}));
    return inputs;
  }
  Json search_inputs() const {
    return keys_of(options_, {"similarity", "query_prompt", "document_prompt", "encode."});
  }

  Json make_split() {
    log_info("adapt: the pairs are split");
    Findings findings;
    const PairSet set = read_pair_set(input_.pairs, "pairs", cancel_);
    findings.add(set.empty, "pairs are left out: one of their texts is empty",
                 input_.pairs.report().empty_left_out());
    findings.add(set.repeated, "pairs repeat others; each counts once");
    findings.add(set.labelled, "pairs have a label or a score, which is not looked at: "
                               "data.min_label leaves out those that do not belong together");
    std::vector<AdaptPair> dev;
    if (dev_ != nullptr) dev = read_pair_set(*dev_, "dev file", cancel_).pairs;
    const SplitOptions how{options_.dev_share, options_.test_share, options_.near_duplicate,
                           options_.seed, dev_ != nullptr};
    const PairSplit split = split_pairs(set.pairs, std::move(dev), how, cancel_);
    findings.add(
        split.train_near,
        "pairs are not trained on: they are nearly the same as held-out ones (near_duplicate)");
    findings.add(split.dev_near, "pairs are left out of the dev part: they are nearly the same as "
                                 "pairs of the test (near_duplicate)");
    write_pairs(work_.path("train.jsonl"), split.train);
    write_pairs(work_.path("dev.jsonl"), split.dev);
    write_pairs(work_.path("test.jsonl"), split.test);
    Json result = {{"pairs", set.read},
                   {"empty", set.empty},
                   {"repeated", set.repeated},
                   {"groups", split.groups},
                   {"train", split.train.size()},
                   {"dev", split.dev.size()},
                   {"test", split.test.size()},
                   {"train_near_duplicates", split.train_near},
                   {"dev_near_duplicates", split.dev_near}};
    read_parts();
    result.update(look_through(findings));
    result["warnings"] = findings.list();
    return result;
  }

  Json look_through(Findings& findings) {
    CorpusRows rows;
    if (input_.corpus != nullptr)
      rows = look_through_corpus(*input_.corpus, answers_, options_.near_duplicate, cancel_);
    const int64_t logged = input_.corpus == nullptr ? 0 : input_.corpus->report().empty_left_out();
    findings.add(rows.empty, "empty documents of the corpus are left out", logged);
    findings.add(rows.repeated, "documents of the corpus repeat others; each text counts once");
    findings.add(rows.near_answers, "documents of the corpus are nearly the same as an answer of "
                                    "the pairs, and are left out: found in its place they "
                                    "would count as mistakes (near_duplicate)");
    Json json = {{"corpus", rows.read},
                 {"corpus_empty", rows.empty},
                 {"corpus_repeated", rows.repeated},
                 {"corpus_near_answers", rows.near_answers}};
    const std::vector<AdaptPair> dev = read_pairs_back(work_.path("dev.jsonl"));
    if (input_.corpus == nullptr)
      write_dev_files(work_.path("dev"), dev, *documents_of(answers_), options_.dev_documents,
                      options_.seed);
    else
      write_dev_files(work_.path("dev"), dev, TextRows(*input_.corpus, rows.left_out),
                      options_.dev_documents, options_.seed);
    json["left_out"] = std::move(rows.left_out);
    return json;
  }

  void read_parts() {
    test_ = read_pairs_back(work_.path("test.jsonl"));
    train_ = read_pairs_back(work_.path("train.jsonl"));
    answers_.clear();
    for (const auto* part : {&train_, &test_}) {
      for (const AdaptPair& pair : *part) answers_.push_back(pair.positive);
    }
    for (const AdaptPair& pair : read_pairs_back(work_.path("dev.jsonl")))
      answers_.push_back(pair.positive);
  }

  void open_parts(const Json& split) {
    if (test_.empty()) read_parts();
    if (input_.corpus != nullptr)
      corpus_.emplace(*input_.corpus, split.at("left_out").get<std::vector<int64_t>>());
    search_test_ =
        std::make_unique<SearchTest>(test_, corpus_ ? &*corpus_ : nullptr, answers_, cancel_);
  }

  // As the model is searched with: cosines do not mind the length of vectors, and other measures
  // take them as the model gives them.
  mining::MiningEncoder encoder_of(const model::SentenceEncoder& model,
                                   const std::string& fingerprint) const {
    const int normalize = options_.similarity == retrieval::Metric::kCosine ? 1 : -1;
    return mining::make_mining_encoder(model, fingerprint, options_.encode, options_.query_prompt,
                                       options_.document_prompt, cancel_, normalize);
  }
  // From here on the prompts are texts: of the trained model, too, and of its training.
  void prompts(const mining::MiningEncoder& start) {
    options_.query_prompt = start.queries.prompt;
    options_.document_prompt = start.documents.prompt;
    config_.options = options_;
  }

  SearchFigures search(const mining::MiningEncoder& encoder, const char* whose) const {
    log_info("adapt: ", whose, " searches ", search_test_->documents(),
             " documents for the answers of ", search_test_->queries(), " queries");
    return search_test_->run(encoder, work_.path("vectors"), options_.similarity, cancel_);
  }

  Json mine() {
    Findings findings;
    Json report;
    std::string triplets;
    if (options_.mine) {
      log_info("adapt: hard negatives are mined for ", train_.size(), " pairs");
      mining::MiningOptions mining = options_.mining;
      mining.query_prompt = options_.query_prompt;
      mining.document_prompt = options_.document_prompt;
      mining.format = mining::OutputFormat::kTriplet;
      mining.cache = work_.path("vectors");
      triplets = work_.path("mined.jsonl");
      write_pairs(work_.path("pairs.jsonl"),
                  without_negatives(train_));  // a pair's own negatives need no warning
      const auto pairs = open_rows(work_.path("pairs.jsonl"));
      const mining::MiningEncoder start =
          mining::make_mining_encoder(*input_.model, input_.fingerprint, options_.encode,
                                      options_.query_prompt, options_.document_prompt, cancel_);
      report = mining::mine(start, nullptr, {*pairs, corpus_ ? &*corpus_ : nullptr}, triplets,
                            mining, cancel_);
    }
    const TrainingRows rows =
        write_training_rows(work_.path("rows.jsonl"), train_, triplets, cancel_);
    if (options_.mine)
      findings.add(rows.rows - rows.with_negatives,
                   "pairs are trained on as they are: no negative was left for them");
    return {{"report", report},
            {"rows", rows.rows},
            {"with_negatives", rows.with_negatives},
            {"warnings", findings.list()}};
  }

  std::string dev_figure() const { return cat("retrieval.", options_.metric); }

  Config training_config() const {
    Config config = training_defaults(config_, static_cast<int64_t>(train_.size()));
    config.merge(config_.training);
    const auto set = [&](const char* key, const Json& value) {
      config.set_json(cat(kDevTask, key), value);
    };
    set("data", work_.path("dev"));
    set("split", "dev");
    set("k", Json::array({1, 10}));
    const Json keys = search_inputs();
    for (const auto& [key, value] : keys.items()) set(key.c_str(), value);
    config.set_json("dev_select", dev_figure());
    return config;
  }

  Json train() {
    log_info("adapt: the model is trained on ", train_.size(), " pairs");
    const TrainingPlaces places{work_.path("run"), work_.path("start.json"),
                                work_.path("course.jsonl"), work_.path("model")};
    return run_training(input_.model, open_rows(work_.path("rows.jsonl")), training_config(),
                        dev_figure(), places, options_.save_every, cancel_);
  }

  Json search_trained() const {
    model::LoadOptions where;
    where.device = input_.model->encoder().device().str();
    where.precision = runtime::precision_name(input_.model->encoder().precision());
    const auto trained = model::SentenceEncoder::load(work_.path("model"), where);
    return search(encoder_of(*trained, trained->fingerprint()), "the trained model").to_json();
  }

  // What a step has left; its file may have been damaged since.
  SearchFigures figures_of(const Json& json, const std::string& name) const {
    const std::string path = work_.path(name);
    const SearchFigures figures = SearchFigures::from_json(json, path);
    const auto queries = static_cast<int64_t>(figures.ranks.size()),
               documents = search_test_->documents();
    check(queries == search_test_->queries(), Status::kCorrupt, path, ": figures of ", queries,
          " queries, and the test has ", search_test_->queries());
    for (const int64_t first : figures.firsts) {
      check(first >= 0 && first < documents, Status::kCorrupt, path, ": names document ", first,
            " of ", documents);
    }
    return figures;
  }

  Json finish(const Json& split, const Json& before_json, const Json& mined, const Json& trained,
              const Json& after_json) {
    const SearchFigures before = figures_of(before_json, "before.done.json"),
                        after = figures_of(after_json, "after.done.json");
    const Verdict verdict = decide(before, after, options_, cancel_);
    Json report = {{"shipped", verdict.ship},
                   {"reason", verdict.reason},
                   {"output", output_},
                   {"metric", options_.metric}};
    report["figures"] = verdict.figures(before, after);
    Json data = split;
    data.erase("left_out");
    data.erase("warnings");
    data["queries"] = search_test_->queries();
    data["documents"] = search_test_->documents();
    report["data"] = std::move(data);
    report["mining"] = mined.at("report");
    report["training"] = {{"rows", mined.at("rows")},
                          {"with_negatives", mined.at("with_negatives")}};
    report["training"].update(trained);
    report["examples"] =
        best_and_worst(*search_test_, before, after, options_.metric_number(), options_.examples);
    report["warnings"] = split.at("warnings");
    for (const Json& warning : mined.at("warnings")) report["warnings"].push_back(warning);
    report["settings"] = options_.dump().to_json();
    throw_if_cancelled(cancel_);
    if (verdict.ship) ship();
    write_report(report);
    log_info("adapt: ", verdict.reason);
    work_.remove();
    return report;
  }

  void write_report(const Json& report) const {
    if (options_.report.empty()) return;
    make_folders(options_.report);
    io::write_file_atomic(options_.report + "/adapt.json", dump_ascii(report, 2) + "\n");
  }

  void ship() const {
    io::AtomicFolder folder(output_);
    copy_tree(work_.path("model"), folder.path());
    io::keep_readme(folder.target(), folder.path());
    folder.commit();
  }

  const AdaptInput& input_;
  AdaptConfig config_;
  AdaptOptions options_;
  std::string output_;
  const Cancel* cancel_;
  WorkFolder work_;
  bool made_report_ = false;
  std::shared_ptr<data::Dataset> dev_;
  std::vector<AdaptPair> test_, train_;
  std::vector<std::string> answers_;  // of all pairs
  std::optional<TextRows> corpus_;
  std::unique_ptr<SearchTest> search_test_;
};

}  // namespace

Json adapt(const AdaptInput& input, const std::string& output, const Config& config,
           const Cancel* cancel) {
  check(!output.empty(), Status::kArgument, "adapt: the output has no name");
  throw_if_cancelled(cancel);
  return Adaptation(input, output, config, cancel).run();
}

}  // namespace contrastive::adapt
