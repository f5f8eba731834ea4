#include "core/torch/tasks/glue/glue_options.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"

namespace contrastive::eval {
namespace {

// What fairseq publishes for RoBERTa on GLUE, in its examples. WNLI is not there: RTE's learning
// rate and batch, ten epochs.
struct FairseqRow {
  const char* task;
  double lr;
  int64_t batch_size, updates, warmup;
};
constexpr FairseqRow kFairseqRows[] = {
    {"MNLI", 1e-5, 32, 123873, 7432}, {"QNLI", 1e-5, 32, 33112, 1986},
    {"QQP", 1e-5, 32, 113272, 28318}, {"RTE", 2e-5, 16, 2036, 122},
    {"SST-2", 1e-5, 32, 20935, 1256}, {"MRPC", 1e-5, 16, 2296, 137},
    {"CoLA", 1e-5, 16, 5336, 320},    {"STS-B", 2e-5, 16, 3598, 214},
    {"WNLI", 2e-5, 16, 0, 0},
};
constexpr double kQqpWarmup = 0.25;  // the others: 0.06

constexpr const char* kRobertaValues = R"({"lr": [1e-5, 2e-5, 3e-5], "batch_size": [16, 32]})";

// SG-OPT A.4 and the seeds of its experiments; from max_length on what BERT's appendix A.3
// recommends, in the middle of its ranges.
constexpr const char* kSgOptValues = R"({
  "tasks": ["QNLI", "SST-2", "CoLA", "MRPC", "RTE"], "split": "split-dev", "select_part": 0.1,
  "seeds": [1, 2, 3, 4, 1234, 2345, 3456, 7890],
  "max_length": 128, "lr": [2e-5], "batch_size": [32], "epochs": 3, "warmup_ratio": 0.1, "schedule": "warmup-linear", "weight_decay": 0.01,
  "decay_all": false, "betas": [0.9, 0.999], "eps": 1e-6, "clip_norm": 1, "head_dropout": 0.1})";

Config fairseq_values(const std::string& task) {
  Config values;
  for (const FairseqRow& row : kFairseqRows) {
    if (task != row.task) continue;
    values.set_json("lr", Json::array({row.lr}));
    values.set_json("batch_size", Json::array({row.batch_size}));
    values.set_json("max_steps", row.updates);
    values.set_json("warmup_steps", row.warmup);
  }
  return values;
}

Config preset_values(GluePreset preset, const std::string& task) {
  if (preset == GluePreset::kSgOpt) return Config::parse(kSgOptValues);
  Config values =
      preset == GluePreset::kFairseq ? fairseq_values(task) : Config::parse(kRobertaValues);
  if (task == "QQP") values.set_json("warmup_ratio", kQqpWarmup);
  return values;
}

void check_together(const Config& user, const GlueOptions& options) {
  const auto both = [&](const char* one, const char* other) {
    check(!(user.has(one) && user.has(other)), Status::kArgument, "config keys '", one, "' and '",
          other, "' exclude each other");
  };
  both("warmup_steps", "warmup_ratio");
  check(options.split == GlueSplit::kSplitDev || !user.has("select_part"), Status::kArgument,
        "config key 'select_part' goes with split = split-dev");
  check(options.epochs > 0 || options.max_steps > 0, Status::kArgument,
        "config keys 'epochs' and 'max_steps' are both 0: nothing says how long a run is");
  options.tuning.resolved_optimizer();
}

}  // namespace

GlueOptions::GlueOptions() {
  for (const GlueDefinition& definition : glue_definitions()) {
    if (definition.averaged) tasks.push_back(definition.name);
  }
  tuning.classifier.head_dropout = 0;
}

void GlueOptions::visit(OptionVisitor& v) {
  v.text("data", data,
         "folder with a folder for each task: train.tsv, dev.tsv (MNLI: dev_matched.tsv, "
         "dev_mismatched.tsv) in GLUE's own columns, or plain lines 'label TAB text [TAB text]'");
  v.list("tasks", tasks,
         OptionDoc("which of these tasks to run: " +
                   [] {
                     std::string names;
                     for (const std::string& name : glue_task_names())
                       names += (names.empty() ? "" : ", ") + name;
                     return names;
                   }())
             .source("CLEAR: all but WNLI"));
  v.choice("preset", preset,
           {{"fairseq", GluePreset::kFairseq},
            {"roberta", GluePreset::kRoberta},
            {"sg-opt", GluePreset::kSgOpt}},
           OptionDoc("defaults of the other keys: fairseq = what fairseq publishes for each task "
                     "(lr, batch_size, max_steps, warmup_steps; the other defaults are shown "
                     "here); roberta = the grid of RoBERTa's paper; sg-opt = SG-OPT's tasks, split "
                     "and seeds, with BERT's hyper-parameters")
               .source("CLEAR 4.2 follows RoBERTa; SG-OPT A.4"));
  v.choice("split", split,
           {{"dev", GlueSplit::kDev},
            {"split-dev", GlueSplit::kSplitDev},
            {"test", GlueSplit::kTest}},
           OptionDoc("data for the selection (of epoch and cell of the grid) and for the report: "
                     "dev = the dev set for both; split-dev = its first part and the rest; test = "
                     "the dev set and a labelled test.tsv")
               .source("CLEAR: dev; SG-OPT: split-dev"));
  v.real("select_part", select_part, {0, 1, true, true},
         OptionDoc(
             "share of the dev set, from its start, that split = split-dev uses for the selection")
             .source("SG-OPT A.4: 0.1"));
  v.choice("mnli", mnli, {{"mean", MnliScore::kMean}, {"matched", MnliScore::kMatched}},
           OptionDoc("MNLI's score: the mean of both dev sets' accuracies, or the matched one")
               .source("mean: CLEAR table 1; matched: table 3"));
  v.choice("keep", keep, {{"best", GlueKeep::kBest}, {"last", GlueKeep::kLast}},
           OptionDoc("report the epoch with the best score on the selection data, or the last")
               .source("fairseq: best"));
  v.integers("seeds", seeds, at_least(0),
             OptionDoc("one run for each seed; it decides initial weights, order and dropout")
                 .source("SG-OPT: 8"));
  v.numbers("lr", lr, above(0, 1000),
            OptionDoc("peak learning rates; with batch_size, the cells of a grid")
                .source("RoBERTa: 1e-5, 2e-5, 3e-5"));
  v.integers("batch_size", batch_size, between(1, 1 << 20),
             OptionDoc("examples of an update").source("RoBERTa: 16, 32").unit("examples"));
  v.integer("grid_seeds", grid_seeds, at_least(0),
            OptionDoc("number of seeds for each cell of a grid; 0 = all").unit("seeds"));
  v.integer("epochs", epochs, between(0, 1e9),
            OptionDoc("passes over the training set; 0 = as max_steps says")
                .source("RoBERTa: 10")
                .unit("epochs"));
  v.integer(
      "max_steps", max_steps, at_least(0),
      OptionDoc(
          "number of updates of the schedule, which a run does not exceed; 0 = as epochs says")
          .source("fairseq: by task")
          .unit("updates"));
  v.integer("warmup_steps", warmup_steps, at_least(0),
            OptionDoc("updates in which the learning rate rises; 0 = as warmup_ratio says")
                .source("fairseq: by task")
                .unit("updates"));
  v.real("warmup_ratio", warmup_ratio, between(0, 1),
         OptionDoc("warm-up as a share of the run").source("RoBERTa: 0.06, QQP 0.25"));
  v.integer("max_length", max_length, between(0, 1e6),
            OptionDoc(
                "longer inputs are cut, in pairs the longer text first; 0 = the model's own limit")
                .source("fairseq: 512")
                .unit("tokens"));
  v.nested("", tuning);
}

GlueOptions read_glue_options(const Config& config, const std::string& task) {
  const GluePreset preset = read_options<GlueOptions>(config).preset;
  Config merged = preset_values(preset, task);
  // Published numbers of updates belong to the published batch size and number of epochs.
  const auto changed = [&](std::initializer_list<const char*> keys) {
    return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return config.has(key); });
  };
  if (changed({"epochs", "max_steps", "batch_size"})) {
    merged.erase("max_steps");
    merged.erase("warmup_steps");
  }
  if (changed({"warmup_ratio"})) merged.erase("warmup_steps");
  merged.merge(config);
  const auto options = read_options<GlueOptions>(merged);
  check_together(config, options);
  return options;
}

GluePlan plan_glue_run(const GlueOptions& options, int64_t examples, int64_t batch_size) {
  const int64_t of_epochs = options.epochs * ((examples + batch_size - 1) / batch_size);
  GluePlan plan;
  plan.total = options.max_steps > 0 ? options.max_steps : of_epochs;
  plan.steps = of_epochs > 0 ? std::min(plan.total, of_epochs) : plan.total;
  const double share = options.warmup_ratio * static_cast<double>(plan.total);
  plan.warmup =
      options.warmup_steps > 0 ? options.warmup_steps : static_cast<int64_t>(std::ceil(share));
  return plan;
}

}  // namespace contrastive::eval
