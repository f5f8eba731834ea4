// The config keys "sgopt.*": every switch of core/torch/methods/sg_opt/README.md 4 and 6, and the
// two presets.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/torch/methods/sg_opt/sg_opt.h"

namespace contrastive::methods {
namespace {

void visit_loss(SgOptOptions& o, OptionVisitor& v) {
  v.choice("objective", o.objective,
           {{"sg", SgObjective::kSg},
            {"opt1", SgObjective::kOpt1},
            {"opt2", SgObjective::kOpt2},
            {"opt3", SgObjective::kSgOpt},
            {"sg-opt", SgObjective::kSgOpt},
            {"bt", SgObjective::kBt},
            {"bt-sg-opt", SgObjective::kBtSgOpt}},
           OptionDoc(
               "sg: NT-Xent with one sampled layer for each sentence; opt1: sg without the views "
               "as anchors; opt2: opt1 without other sentences' vectors; sg-opt, or opt3: opt2 "
               "with all layers; bt: NT-Xent with a back-translation, the data's second text, "
               "instead of views; bt-sg-opt: sg-opt with the views of the back-translation")
               .source("SG-OPT sections 3.1, 3.2 and 6: sg-opt"));
  v.real("temperature", o.temperature, between(1e-4, 1e4),
         OptionDoc("divides every cosine").source("SG-OPT table 8: 0.01"));
  v.real("lambda", o.lambda, between(0, 1e6),
         OptionDoc(
             "weight of the squared distance of all encoder weights from their initial values")
             .source("SG-OPT table 8: 0.1"));
  v.choice("head", o.mlp, {{"mlp", true}, {"none", false}},
           OptionDoc("head for vectors and views before they are compared: two layers, each with "
                     "GELU, or none")
               .source("SG-OPT 3.1: mlp"));
  v.integer(
      "head_width", o.head_width, between(1, 65536),
      OptionDoc("width of both layers of the head").source("SG-OPT 3.1: 4096").unit("dimensions"));
  v.flag("opt2_drop_first", o.opt2_drop_first,
         OptionDoc("opt2 without the first of the other sentences' views, which a slice in the "
                   "authors' code drops")
             .source("off: SG-OPT; on: its code"));
  v.choice("false_negatives", o.false_negatives,
           {{"keep", objectives::FalseNegatives::kKeep},
            {"mask", objectives::FalseNegatives::kMask}},
           OptionDoc("whether a sentence equal to the anchor's counts as its negative")
               .source("keep: SG-OPT"));
}

void visit_views(SgOptOptions& o, OptionVisitor& v) {
  v.integer("lmin", o.lmin, between(0, 1000),
            OptionDoc("first layer that gives views; 0 = the embeddings")
                .source("SG-OPT: 0")
                .unit("layers"));
  v.integer("lmax", o.lmax, between(-1, 1000),
            OptionDoc("last layer that gives views; -1 = the encoder's last")
                .source("SG-OPT: the last")
                .unit("layers"));
  v.list("layer_weights", o.layer_weights,
         OptionDoc(
             "sampling weight of each layer from lmin to lmax, in any unit; empty = equal weights")
             .source("SG-OPT: all alike"));
  v.name("view_pooling", o.view_pooling, {"max", "mean", "cls"},
         OptionDoc("how a layer's states become a view").source("SG-OPT: max; its code: mean"));
  v.choice("teacher", o.teacher, {{"frozen", SgTeacher::kFrozen}, {"shared", SgTeacher::kShared}},
           OptionDoc("where views come from: the encoder as it was at the start, or the trained "
                     "encoder itself, with gradients")
               .source("SG-OPT 3.1: frozen"));
  v.flag("teacher_dropout", o.teacher_dropout,
         OptionDoc("dropout in the pass that gives the views; sgopt.dropout is for the other pass")
             .source("off: SG-OPT; on: its code, by oversight"));
}

double weight_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && end == text.data() + text.size() &&
                      std::isfinite(value) && value >= 0;
  check(number, Status::kArgument, "config key 'sgopt.layer_weights' takes numbers from 0, not '",
        text, "'");
  return value;
}

}  // namespace

SgOptOptions::SgOptOptions() {
  encoder.pooling = "cls";
  encoder.prefix = kPrefix;
  encoder.max_length = 128;
  encoder.freeze_embeddings = true;
  encoder.dense = DenseModules::kDrop;
}

SgOptOptions SgOptOptions::preset_of(const Config& config) {
  SgOptOptions options;
  const Json* preset = config.find("sgopt.preset");
  if (preset == nullptr) return options;
  Config alone;
  alone.set_json("sgopt.preset", *preset);
  options = read_options<SgOptOptions>(alone, kPrefix);
  if (options.preset == SgPreset::kCode) {
    options.view_pooling = "mean";
    options.teacher_dropout = true;
    options.opt2_drop_first = true;
    options.encoder.max_length = 131;  // 128 pieces and 3 ids
  }
  return options;
}

SgOptOptions SgOptOptions::read(const Config& config) {
  return read_options<SgOptOptions>(config, kPrefix, preset_of(config));
}

void SgOptOptions::visit(OptionVisitor& v) {
  v.choice("preset", preset, {{"sgopt", SgPreset::kPaper}, {"sgopt-code", SgPreset::kCode}},
           OptionDoc("the paper's settings, or those of the authors' code where the two differ; "
                     "keys that are set take precedence")
               .source("core/torch/methods/sg_opt/README.md 4"));
  visit_loss(*this, v);
  visit_views(*this, v);
  encoder.visit(v);
}

void SgOptOptions::validate(const Config& config) const {
  encoder.validate(config);
  check(lmax == -1 || lmin <= lmax, Status::kArgument, "config key 'sgopt.lmin' is ", lmin,
        ", above 'sgopt.lmax', which is ", lmax);
  check(mlp || !config.has("sgopt.head_width"), Status::kArgument,
        "config key 'sgopt.head_width' is set, but sgopt.head is none");
  check(samples_layers() || layer_weights.empty(), Status::kArgument,
        "config key 'sgopt.layer_weights' goes with the objectives that sample a layer: sg, opt1 "
        "and opt2");
  check(objective == SgObjective::kOpt2 || !config.has("sgopt.opt2_drop_first"), Status::kArgument,
        "config key 'sgopt.opt2_drop_first' goes with sgopt.objective = opt2");
  if (objective == SgObjective::kBt) {
    for (const char* key : {"lmin", "lmax", "view_pooling", "teacher", "teacher_dropout"}) {
      check(!config.has(std::string(kPrefix) + key), Status::kArgument, "config key 'sgopt.", key,
            "' is set, but sgopt.objective = bt has no views");
    }
  }
  const std::vector<double> weights = sampler_weights();
  if (weights.empty()) return;
  check(std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0; }),
        Status::kArgument, "config key 'sgopt.layer_weights': at least one must be above 0");
  check(lmax == -1 || static_cast<int64_t>(weights.size()) == lmax - lmin + 1, Status::kArgument,
        "config key 'sgopt.layer_weights' has ", weights.size(), " numbers for the layers ", lmin,
        " to ", lmax);
}

std::vector<double> SgOptOptions::sampler_weights() const {
  std::vector<double> weights;
  for (const std::string& text : layer_weights) weights.push_back(weight_of(text));
  return weights;
}

SgOptOptions SgOptOptions::fitted(const Config& config, const encoder::Architecture& shape) const {
  SgOptOptions result = *this;
  result.encoder = encoder.fitted(config, shape);
  const int64_t depth = shape.num_hidden_layers;
  for (const auto& [key, layer] : {std::pair("lmin", lmin), std::pair("lmax", lmax)}) {
    check(layer <= depth, Status::kArgument, "config key 'sgopt.", key, "' is ", layer,
          ", but the model has the layers 0 (embeddings) to ", depth);
  }
  if (lmax == -1) result.lmax = depth;
  const auto weights = static_cast<int64_t>(layer_weights.size()), layers = result.lmax - lmin + 1;
  check(weights == 0 || weights == layers, Status::kArgument,
        "config key 'sgopt.layer_weights' has ", weights, " numbers for the ", layers,
        " layers from ", lmin, " to ", result.lmax);
  return result;
}

// SG-OPT table 8 and, where the paper is silent, its code (core/torch/methods/sg_opt/README.md 4
// and 5).
Config SgOptOptions::training_defaults() const {
  Config config;
  config.set_json("batch_size", 16);
  config.set_json("epochs", 1);
  config.set_json("lr", 5e-5);
  config.set_json("optimizer", "adamw-hf");
  config.set_json("betas", Json::array({0.9, 0.9}));
  config.set_json("eps", 1e-6);
  config.set_json("correct_bias", true);
  config.set_json("weight_decay", 0.01);
  config.set_json("schedule", "warmup-linear");
  config.set_json("warmup_ratio", 0.1);
  config.set_json("clip_norm", 1.0);
  config.set_json("eval_every", 50);
  config.set_json("eval_each_epoch", true);
  config.set_json("eval_at_start", true);
  config.set_json("patience", 10);
  config.set_json("early_stop", "previous");
  return config;
}

MethodTraits describe_sg_opt(const Config& config) {
  const SgOptOptions options = SgOptOptions::read(config);
  options.validate(config);
  MethodTraits traits;
  traits.rows =
      describe_options<SgOptOptions>(SgOptOptions::kPrefix, SgOptOptions::preset_of(config));
  traits.training_defaults = options.training_defaults();
  traits.in_batch_negatives = SgOptOptions::kInBatchNegatives;
  traits.needs_pairs = options.takes_back_translations();
  if (traits.needs_pairs)
    traits.needed_by = cat("config key 'sgopt.objective' is ",
                           options.objective == SgObjective::kBt ? "bt" : "bt-sg-opt");
  traits.separates_pairs = !options.takes_back_translations();
  traits.preset_keys = {"sgopt.preset"};
  traits.check_shape = [options, config](const encoder::Architecture& shape) {
    options.fitted(config, shape);
  };
  return traits;
}

}  // namespace contrastive::methods
