// The config keys "consert.*": every switch of core/torch/methods/consert/README.md 2 to 5, and
// which of them can be combined.
#include <utility>

#include "core/base/error.h"
#include "core/base/idle_keys.h"
#include "core/torch/methods/consert/consert.h"
#include "core/torch/methods/consert/consert_presets.h"

namespace contrastive::methods {
namespace {

const char* kStrategies = "none, shuffle, token-cutoff, feature-cutoff, span-cutoff, dropout, "
                          "several of them joined, such as shuffle+token-cutoff, or adversarial";

void visit_views(ConsertOptions& o, OptionVisitor& v) {
  const std::string rate = "part that a cutoff or dropout of this view sets to zero; 0 = 0.15 for "
                           "tokens and spans, 0.2 for features and elements";
  const Range rates{0, 1, false, true};
  v.text("view1", o.view1,
         OptionDoc(std::string("augmentation of the first view: ") + kStrategies)
             .source("ConSERT figure 5: feature-cutoff"));
  v.real("cutoff_rate1", o.cutoff_rate1, rates,
         OptionDoc(rate).source("ConSERT 4.1: 0.15 and 0.2"));
  v.text("view2", o.view2,
         OptionDoc(std::string("augmentation of the second view: ") + kStrategies)
             .source("ConSERT figure 5: shuffle"));
  v.real("cutoff_rate2", o.cutoff_rate2, rates,
         OptionDoc(rate).source("ConSERT 4.1: 0.15 and 0.2"));
  v.real("fgv_eps", o.fast_gradient.eps, above(0, 1e6),
         OptionDoc("length of an adversarial view's step, for each token")
             .source("ConSERT's code: 1"));
  v.flag("fgv_normalize", o.fast_gradient.normalize,
         "every token's step has the length fgv_eps; off: it is fgv_eps times the gradient of the "
         "mean loss of the batch or its part, and negatives = global does not allow accumulate "
         "above 1");
}

void visit_supervision(ConsertOptions& o, OptionVisitor& v) {
  v.list("nli_features", o.nli_features,
         OptionDoc("what the classifier of pairs reads: uv (both vectors), absdiff, mul, maxsq "
                   "(element-wise maximum, squared)")
             .source("ConSERT eq. 2: uv,absdiff; its code adds maxsq"));
  v.integer("classes", o.classes, between(2, 65536),
            OptionDoc(
                "number of classes: the labels of the pairs are integers from 0 to below this")
                .source("NLI: 3"));
  v.choice(
      "joint_cl", o.joint_cl,
      {{"per-side-sum", JointContrast::kPerSideSum},
       {"per-side-mean", JointContrast::kPerSideMean},
       {"merged", JointContrast::kMerged}},
      OptionDoc(
          "contrastive loss of pairs in mode joint: per-side-sum = the two-sided losses of the "
          "texts a and of the texts b, added; per-side-mean = the mean over all rows, with "
          "negatives of the same side; merged = one loss over all texts, with 'reduction'")
          .source("ConSERT's code, to which alpha belongs: per-side-sum"));
  v.real("alpha", o.alpha, between(0, 1e6),
         OptionDoc("weight of the contrastive loss, which is added to the classification loss")
             .source("ConSERT 4.1: 0.15"));
  v.flag("alpha_everywhere", o.alpha_everywhere,
         OptionDoc("also multiply the contrastive loss by alpha in mode unsup")
             .source("ConSERT's code: on"));
}

void check_view(const ConsertOptions& o, const Config& config, const augment::Strategy& strategy,
                const std::string& number) {
  // A preset's rate may be unused; a rate that the user set may not.
  const Json* rate = config.find("consert.cutoff_rate" + number);
  check(rate == nullptr || *rate == 0 || !strategy.cutoffs.empty(), Status::kArgument,
        "config key 'consert.cutoff_rate", number, "' is set, but consert.view", number,
        " cuts nothing");
  check(!strategy.adversarial || o.mode == ConsertMode::kJoint, Status::kArgument,
        "config key 'consert.view", number,
        "' is adversarial, which follows the gradient of a supervised loss: it needs labels, with "
        "consert.mode = joint");
}

// Keys that have no effect in this run: a preset may set them, but if the user does, it is an
// error.
void check_idle_keys(const ConsertOptions& o, const Config& config) {
  const bool adversarial =
      o.contrasts() && (o.strategy1().adversarial || o.strategy2().adversarial);
  const bool sides = o.contrasts() && o.labelled() && o.joint_cl != JointContrast::kMerged;
  reject_idle_keys(
      config, ConsertOptions::kPrefix,
      {{!o.contrasts(),
        "consert.mode = sup has no views",
        {"view1", "view2", "cutoff_rate1", "cutoff_rate2", "temperature", "reduction", "sides",
         "false_negatives", "joint_cl", "alpha"}},
       {!o.labelled(),
        "consert.mode = unsup has no labelled pairs",
        {"nli_features", "classes", "joint_cl"}},
       {!o.labelled() && !o.alpha_everywhere,
        "in consert.mode = unsup it has a use with consert.alpha_everywhere only",
        {"alpha"}},
       {o.labelled(), "it goes with consert.mode = unsup", {"alpha_everywhere"}},
       {sides, "in consert.mode = joint it goes with consert.joint_cl = merged", {"reduction"}},
       {!adversarial, "no view is adversarial", {"fgv_eps", "fgv_normalize"}}});
}

// The gradient of a part's mean loss depends on the part; a step of fixed length does not.
void check_split(const ConsertOptions& o, const Config& config) {
  const Json* negatives = config.find("negatives");
  const Json* accumulate = config.find("accumulate");
  const bool split =
      negatives != nullptr && *negatives == "global" && accumulate != nullptr && *accumulate != 1;
  check(!split || o.fast_gradient.normalize ||
            !(o.strategy1().adversarial || o.strategy2().adversarial),
        Status::kArgument,
        "config key 'consert.fgv_normalize' is off, which makes an adversarial view depend on how "
        "the update is split, but 'negatives' = global with "
        "'accumulate' above 1 promises that it does not");
}

}  // namespace

void ConsertOptions::visit(OptionVisitor& v) {
  v.name(
      "preset", preset, consert_preset_names(),
      OptionDoc(
          "defaults of the other keys, the trainer's included: auto = the authors' script for the "
          "mode, with the paper's classifier; consert-code = that script, with everything that the "
          "authors' code does differently from the paper; others = the script of that name")
          .source("core/torch/methods/consert/README.md 4"));
  v.choice("mode", mode,
           {{"unsup", ConsertMode::kUnsup},
            {"sup", ConsertMode::kSup},
            {"joint", ConsertMode::kJoint},
            {"sup-unsup", ConsertMode::kSupUnsup},
            {"joint-unsup", ConsertMode::kJointUnsup}},
           OptionDoc("unsup = views of texts; sup = labelled pairs; joint = both; sup-unsup, "
                     "joint-unsup = first sup or joint, then views of stage2.dataset")
               .source("ConSERT 3.3"));
  v.nested("", loss);
  v.nested("", encoder);
  visit_views(*this, v);
  visit_supervision(*this, v);
  v.text("eval_pooling", eval_pooling,
         OptionDoc("pooling of the resulting model, also used on the dev set; empty = the pooling "
                   "that is trained. sentence-transformers does not know the paper's last2. To "
                   "reproduce the paper's figures, set last2 here or as a task's encode.pooling. "
                   "Every preset but auto has last2")
             .source("ConSERT 4.1: last2"));
}

void ConsertOptions::validate(const Config& config) const {
  loss.validate(kPrefix);
  objectives::parse_pair_features(nli_features, "consert.nli_features");
  encoder.validate(config);
  if (!eval_pooling.empty()) parse_pooling_key("consert.eval_pooling", eval_pooling);
  const augment::Strategy first = strategy1(), second = strategy2();
  if (staged()) return;  // each stage is checked separately
  if (!is_consert_stage(config)) check_idle_keys(*this, config);
  if (!contrasts()) return;
  check_split(*this, config);
  check_view(*this, config, first, "1");
  check_view(*this, config, second, "2");
}

ConsertOptions read_consert_options(const Config& config) {
  ConsertOptions options;
  for (const Config& layer : {consert_defaults(config), config})
    OptionReader(layer).nested(ConsertOptions::kPrefix, options);
  return options;
}

MethodTraits describe_consert(const Config& config) {
  const Config all = consert_defaults(config);
  const ConsertOptions defaults = read_consert_options(all), options = read_consert_options(config);
  options.validate(config);
  MethodTraits traits;
  traits.rows = describe_options<ConsertOptions>(ConsertOptions::kPrefix, defaults);
  for (const std::string& key : all.keys()) {
    if (key.rfind(ConsertOptions::kPrefix, 0) != 0)
      traits.training_defaults.set_json(key, *all.find(key));
  }
  traits.in_batch_negatives = options.contrasts();
  traits.needs_pairs = traits.needs_labels = options.labelled();
  if (options.labelled())
    traits.needed_by =
        cat("config key 'consert.mode' is ", options.mode == ConsertMode::kSup ? "sup" : "joint");
  for (const auto& [view, strategy] :
       {std::pair("view1", options.strategy1()), std::pair("view2", options.strategy2())}) {
    if (options.labelled() && options.contrasts() && strategy.adversarial)
      traits.needed_by += cat(" and 'consert.", view, "' adversarial");
  }
  traits.separates_pairs = !options.labelled();
  traits.preset_keys = {"consert.preset", "consert.mode"};
  traits.stages = consert_stages(config);
  if (!options.labelled()) traits.sentence_vectors = {"a.view1", "a.view2", "b.view1", "b.view2"};
  else
    traits.uncut = "the classifier of labelled pairs reads them whole; set consert.mode to unsup";
  traits.encoder_keys = options.encoder.shared_keys();
  traits.encoder_keys.push_back("consert.eval_pooling");
  traits.check_shape = [options, config](const encoder::Architecture& shape) {
    options.encoder.fitted(config, shape);
    if (!options.eval_pooling.empty())
      parse_pooling_key("consert.eval_pooling", options.eval_pooling, shape.num_hidden_layers);
  };
  return traits;
}

}  // namespace contrastive::methods
