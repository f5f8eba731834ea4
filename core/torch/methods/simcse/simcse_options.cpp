// The config keys "simcse.*".
#include "core/base/error.h"
#include "core/torch/methods/simcse/simcse.h"

namespace contrastive::methods {

SimCseOptions::SimCseOptions(Positives wanted) : positives(wanted) {
  // Only the authors' unsupervised script has the flag --mlp_only_train.
  if (positives == Positives::kPairs) mlp = MlpUse::kAlways;
  encoder.pooling = "cls";
  encoder.prefix = kPrefix;
  encoder.max_length = 32;
  encoder.dense = DenseModules::kDrop;
}

void SimCseOptions::visit(OptionVisitor& v) {
  v.choice("positives", positives,
           {{"auto", Positives::kAuto},
            {"dropout", Positives::kDropout},
            {"pairs", Positives::kPairs}},
           OptionDoc("positive of a text: dropout = itself with another dropout mask (every text "
                     "of the data is then a separate example); pairs = the second text of its "
                     "pair, with the pair's hard negatives if it has any; auto = pairs if the data "
                     "are pairs, else dropout. Other defaults depend on it: pairs has those of "
                     "supervised SimCSE, auto and dropout those of unsupervised")
               .source("SimCSE sections 3 and 4"));
  v.real("temperature", temperature, between(1e-4, 1e4),
         OptionDoc("divides every cosine").source("SimCSE: 0.05"));
  v.real("hard_negative_weight", hard_negative_weight, above(0, 1e6),
         OptionDoc("how many ordinary negatives each of a pair's own hard negatives counts for: "
                   "alpha of the paper; the authors' flag is its logarithm")
             .source("SimCSE table B.2: 1"));
  v.choice(
      "false_negatives", false_negatives,
      {{"keep", objectives::FalseNegatives::kKeep}, {"mask", objectives::FalseNegatives::kMask}},
      OptionDoc("whether a candidate that equals the anchor or its positive counts as a negative")
          .source("keep: SimCSE"));
  v.choice(
      "mlp", mlp, {{"none", MlpUse::kNone}, {"train", MlpUse::kTrain}, {"always", MlpUse::kAlways}},
      OptionDoc("dense layer with tanh after the pooling: none; train = for the loss only; always "
                "= also in the saved model, as a Dense module")
          .source(
              "train: unsupervised SimCSE; always: supervised, the default of positives = pairs"));
  encoder.visit(v);
}

void SimCseOptions::validate(const Config& config) const {
  encoder.validate(config);
  check(positives != Positives::kDropout || encoder.dropout, Status::kArgument,
        "config key 'simcse.dropout' is off, but with simcse.positives = dropout nothing else "
        "makes the two views of a text differ");
  for (const char* key : {"simcse.hard_negative_weight", "data.negatives"}) {
    check(positives != Positives::kDropout || !config.has(key), Status::kArgument, "config key '",
          key, "' goes with pairs, not with simcse.positives = dropout");
  }
}

// Table A.1 of the paper for BERT-base, and the authors' scripts: Hugging Face's Trainer with
// linear decay, no warm-up, clipping at 1.
Config SimCseOptions::training_defaults() const {
  const bool pairs = positives == Positives::kPairs;
  Config config;
  config.set_json("batch_size", pairs ? 512 : 64);
  config.set_json("epochs", pairs ? 3 : 1);
  config.set_json("lr", pairs ? 5e-5 : 3e-5);
  config.set_json("optimizer", "adamw");
  config.set_json("weight_decay", 0);
  config.set_json("schedule", "warmup-linear");
  config.set_json("clip_norm", 1.0);
  config.set_json("eval_every", 125);
  return config;
}

SimCseOptions read_simcse_options(const Config& config) {
  const Positives positives = read_options<SimCseOptions>(config, SimCseOptions::kPrefix).positives;
  return read_options<SimCseOptions>(config, SimCseOptions::kPrefix, SimCseOptions(positives));
}

MethodTraits describe_simcse(const Config& config) {
  const SimCseOptions options = read_simcse_options(config);
  options.validate(config);
  MethodTraits traits;
  traits.rows =
      describe_options<SimCseOptions>(SimCseOptions::kPrefix, SimCseOptions(options.positives));
  traits.training_defaults = options.training_defaults();
  traits.in_batch_negatives = SimCseOptions::kInBatchNegatives;
  traits.needs_pairs = options.positives == Positives::kPairs;
  traits.hard_negatives = options.positives != Positives::kDropout;
  if (traits.needs_pairs) traits.needed_by = "config key 'simcse.positives' is pairs";
  traits.separates_pairs = options.positives == Positives::kDropout;
  traits.preset_keys = {"simcse.positives"};
  if (options.mlp == MlpUse::kNone)
    traits.sentence_vectors = {"anchor",  "positive", "negative", "a.view1",
                               "a.view2", "b.view1",  "b.view2"};
  else
    traits.uncut =
        "the layer of simcse.mlp stands between them and the loss; set simcse.mlp to none";
  traits.check_shape = options.encoder.shape_check(config);
  traits.encoder_keys = options.encoder.shared_keys();
  return traits;
}

}  // namespace contrastive::methods
