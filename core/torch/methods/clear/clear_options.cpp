// The config keys "clear.*": every switch of core/torch/methods/clear/README.md, and the presets.
#include "core/base/error.h"
#include "core/base/idle_keys.h"
#include "core/torch/methods/clear/clear.h"

namespace contrastive::methods {
namespace {

void visit_objective(ClearOptions& o, OptionVisitor& v) {
  v.choice("preset", o.preset,
           {{"paper", ClearPreset::kPaper},
            {"clear-code", ClearPreset::kCode},
            {"small", ClearPreset::kSmall}},
           "defaults of all other keys: the paper's, those of the authors' code, or the paper's "
           "with batches and a learning rate for one machine");
  v.choice("objective", o.objective,
           {{"mlm+contrastive", ClearObjective::kBoth},
            {"mlm", ClearObjective::kMlm},
            {"double-batch", ClearObjective::kDoubleBatch},
            {"double-mlm", ClearObjective::kDoubleMlm}},
           OptionDoc("mlm+contrastive = both losses; baselines: mlm = masked language modelling "
                     "alone, double-batch = the same with twice the usual batch_size, double-mlm = "
                     "the same over two masks of each text")
               .source("CLEAR eq. 3; baselines: CLEAR 5.1"));
  v.nested("", o.loss);
  v.real("contrastive_weight", o.contrastive_weight, above(0, 1e6),
         OptionDoc(
             "weight of the contrastive loss, which is added to that of masked language modelling")
             .source("CLEAR eq. 3: 1"));
  v.choice("head", o.head,
           {{"code", ClearHeadKind::kCode},
            {"simclr-mlp", ClearHeadKind::kSimclrMlp},
            {"none", ClearHeadKind::kNone}},
           OptionDoc(
               "head between the sentence vector and the contrastive loss, discarded after "
               "training: code = dense, gelu, LayerNorm, dense, ReLU; simclr-mlp = W2 relu(W1 h)")
               .source("the paper says 'nonlinear'; code: the authors'"));
  v.integer(
      "head_dim", o.head_dim, between(1, 65536),
      OptionDoc("width of the head's output").source("the authors' code: 1024").unit("dimensions"));
  v.flag(
      "head_relu", o.head_relu,
      OptionDoc("ReLU after the head's last layer (head = code)").source("the authors' code: on"));
}

void visit_views(ClearOptions& o, OptionVisitor& v) {
  const std::string choice = "subs, del-word, del-span and reorder, several joined with '+' and "
                             "always applied in this order, or none";
  v.text("recipe", o.recipe,
         OptionDoc("how both views of a text are made: " + choice).source("CLEAR tables 1 and 2"));
  v.text("view1_recipe", o.view1_recipe,
         OptionDoc("how the first view is made; empty = as 'recipe' says")
             .source("CLEAR 3.1 leaves it open"));
  v.text("view2_recipe", o.view2_recipe,
         OptionDoc("how the second view is made; empty = as 'recipe' says")
             .source("CLEAR 3.1 leaves it open"));
  v.text("del_token", o.del_token,
         OptionDoc(
             "what replaces deleted tokens: mask (the mask token), unused:K (the spare token "
             "[unusedK] or madeupwordK), id:K, or new (a separate embedding, which is not saved)")
             .source("CLEAR 3.3: a token 'similar to [MASK]'; the authors' code: the mask token"));
  v.flag("del_collapse", o.views.del.collapse,
         OptionDoc("replace consecutive deleted tokens by one").source("CLEAR 3.3"));
  v.real("del_keep", o.views.del.keep, between(0, 1),
         OptionDoc("share of the tokens chosen for deletion that stay")
             .source("the authors' code: 0.1"));
  v.real("del_random", o.views.del.random, between(0, 1),
         OptionDoc("share of the tokens chosen for deletion that become a random token")
             .source("the authors' code: 0.1"));
  v.real("del_prob", o.views.del_share, inside(0, 1),
         OptionDoc("share of the tokens that del-word deletes")
             .source("CLEAR 4.1: 0.7, studied from 0.3 to 0.9"));
  v.integer("span_count", o.views.spans.count, between(1, 1000),
            OptionDoc("spans that del-span deletes")
                .source("CLEAR 4.1: 5; the authors' code: 10")
                .unit("spans"));
  v.real("span_share", o.views.spans.share, inside(0, 1),
         OptionDoc("length of a span as a share of the text, in del-span and reorder")
             .source("CLEAR 4.1: 0.05"));
  v.choice("span_sampler", o.views.spans.sampler,
           {{"fixed", augment::SpanSampler::kFixed}, {"gaussian", augment::SpanSampler::kGaussian}},
           OptionDoc("fixed = every span has the length that span_share sets; gaussian = random "
                     "lengths around it")
               .source("fixed: CLEAR 4.1; gaussian: the authors' code"));
  v.real("span_deviation", o.views.spans.deviation, between(0, 1000),
         OptionDoc("standard deviation of the gaussian sampler's lengths")
             .source("the authors' code: 3")
             .unit("tokens"));
  v.integer("reorder_pairs", o.views.reorder_pairs, between(1, 1000),
            OptionDoc("number of pairs of spans that reorder swaps")
                .source("CLEAR 4.1: 5; the authors' code: 3")
                .unit("pairs"));
  v.flag("reorder_skip", o.views.reorder_skip,
         OptionDoc(
             "if reorder is the only step, swap no pair with probability 1 / (reorder_pairs + 1)")
             .source("the authors' code"));
  v.real("subs_prob", o.views.subs_share, inside(0, 1),
         OptionDoc("share of the tokens that subs replaces")
             .source("CLEAR 4.1: 0.3; the authors' code: 0.4"));
  v.text("synonyms", o.synonyms,
         "file of synonyms for subs: a JSON object of words and lists, or lines of token ids");
}

// Keys of augmentations that neither recipe uses: a preset may set them, but if the user does, it
// is an error.
void check_idle_keys(const ClearOptions& o, const Config& config) {
  const augment::Recipe first = o.recipe_of(0), second = o.recipe_of(1);
  const bool del_word = first.del_word || second.del_word,
             del_span = first.del_span || second.del_span;
  const bool reorder = first.reorder || second.reorder, spans = del_span || reorder;
  reject_idle_keys(config, ClearOptions::kPrefix,
                   {{!o.view1_recipe.empty() && !o.view2_recipe.empty(),
                     "clear.view1_recipe and clear.view2_recipe replace it",
                     {"recipe"}},
                    {!first.subs && !second.subs, "no recipe has subs", {"subs_prob"}},
                    {!del_word, "no recipe has del-word", {"del_prob"}},
                    {!del_word && !del_span,
                     "no recipe has del-word or del-span",
                     {"del_token", "del_collapse", "del_keep", "del_random"}},
                    {!del_span, "no recipe has del-span", {"span_count"}},
                    {!spans,
                     "no recipe has del-span or reorder",
                     {"span_share", "span_sampler", "span_deviation"}},
                    {o.views.spans.sampler != augment::SpanSampler::kGaussian,
                     "it goes with clear.span_sampler = gaussian",
                     {"span_deviation"}},
                    {!reorder, "no recipe has reorder", {"reorder_pairs"}},
                    {!first.reorders_only() && !second.reorders_only(),
                     "no recipe is reorder alone",
                     {"reorder_skip"}}});
}

}  // namespace

ClearOptions::ClearOptions(ClearPreset wanted) : preset(wanted) {
  encoder.prefix = kPrefix;
  encoder.pooling = "cls";
  encoder.dense = DenseModules::kDrop;     // the vector that trains is the encoder's own
  blocks = preset != ClearPreset::kSmall;  // small trains on texts as they are: one machine sees
                                           // few blocks of 512 ids
  if (preset != ClearPreset::kCode) return;
  views.del.keep = 0.1;
  views.del.random = 0.1;
  views.del_share = 0.3;
  views.spans.count = 10;
  views.spans.sampler = augment::SpanSampler::kGaussian;
  views.reorder_pairs = 3;
  views.reorder_skip = true;
  views.subs_share = 0.4;
  mlm.include_special = true;
}

void ClearOptions::visit(OptionVisitor& v) {
  visit_objective(*this, v);
  v.nested("", encoder);
  v.nested("", mlm);
  visit_views(*this, v);
  v.flag(
      "blocks", blocks,
      OptionDoc(
          "pre-train on blocks: whole texts of the dataset, in its order, packed until max_length "
          "is full; in a caller's batch every line of a text is a sentence of its block")
          .source("fairseq: on; off with preset = small"));
  v.flag("decay_all", decay_all,
         OptionDoc("weight decay for every parameter, biases and LayerNorm weights too")
             .source("fairseq: on"));
  v.flag("deliver_mlm_head", deliver_mlm_head,
         "save the head of the masked language model in the trained model's file, under Hugging "
         "Face's names");
}

augment::Recipe ClearOptions::recipe_of(int view) const {
  const std::string& own = view == 0 ? view1_recipe : view2_recipe;
  const char* const key = own.empty() ? "clear.recipe"
                          : view == 0 ? "clear.view1_recipe"
                                      : "clear.view2_recipe";
  return augment::parse_recipe(own.empty() ? recipe : own, key);
}

void ClearOptions::validate(const Config& config) const {
  encoder.validate(config);
  loss.validate(kPrefix);
  mlm.validate(kPrefix);
  if (!contrasts()) {
    for (const char* key :
         {"contrastive_weight", "head",           "head_dim",        "head_relu",   "recipe",
          "view1_recipe",       "view2_recipe",   "synonyms",        "subs_prob",   "temperature",
          "reduction",          "sides",          "false_negatives", "del_token",   "del_collapse",
          "del_keep",           "del_random",     "del_prob",        "span_count",  "span_share",
          "span_sampler",       "span_deviation", "reorder_pairs",   "reorder_skip"}) {
      check(!config.has(std::string(kPrefix) + key), Status::kArgument, "config key 'clear.", key,
            "' goes with clear.objective = mlm+contrastive only: a baseline has no views");
    }
    return;
  }
  augment::parse_recipe(recipe, "clear.recipe");  // even where neither view reads it
  const augment::Recipe first = recipe_of(0), second = recipe_of(1);
  const bool subs = first.subs || second.subs;
  check(!subs || !synonyms.empty(), Status::kArgument,
        "config key 'clear.synonyms' is needed: the recipe has subs");
  check(subs || synonyms.empty(), Status::kArgument,
        "config key 'clear.synonyms' is set, but no recipe has subs");
  check_idle_keys(*this, config);
  check(views.del.keep + views.del.random <= 1 + 1e-12, Status::kArgument,
        "config keys 'clear.del_keep' and 'clear.del_random' add up to ",
        views.del.keep + views.del.random, ": together they may be at most 1");
  check(head == ClearHeadKind::kCode || !config.has("clear.head_relu"), Status::kArgument,
        "config key 'clear.head_relu' goes with clear.head = code only");
  check(head != ClearHeadKind::kNone || !config.has("clear.head_dim"), Status::kArgument,
        "config key 'clear.head_dim' is set, but clear.head is none");
  const bool numbered = del_token.rfind("unused:", 0) == 0 || del_token.rfind("id:", 0) == 0;
  const std::string number = numbered ? del_token.substr(del_token.find(':') + 1) : "";
  const bool digits = !number.empty() && number.size() < 10 &&
                      number.find_first_not_of("0123456789") == std::string::npos;
  check(del_token == "mask" || del_token == "new" || digits, Status::kArgument,
        "config key 'clear.del_token' is '", del_token, "', not mask, new, unused:K or id:K");
}

void ClearOptions::check_del_token(int64_t rows) const {
  const bool numbered = del_token.rfind("id:", 0) == 0;
  check(!numbered || std::stoll(del_token.substr(3)) < rows, Status::kArgument,
        "config key 'clear.del_token' is ", del_token, ", but the model has ", rows, " tokens");
}

// CLEAR 4.1 and core/torch/methods/clear/README.md 5: 8,192 sequences an update, of which a GPU
// compares about 32 with each other.
Config ClearOptions::training_defaults() const {
  Config config;
  const bool small = preset == ClearPreset::kSmall;
  config.set_json("batch_size", objective == ClearObjective::kDoubleBatch ? 64 : 32);
  config.set_json("accumulate", small ? 1 : 256);
  if (small) {
    config.set_json("epochs", 1);
    config.set_json("warmup_ratio", 0.05);  // of the run, as the paper's 24,000 are of its 500,000
  } else {
    config.set_json("max_steps", 500000);
    config.set_json("warmup_steps", 24000);
  }
  config.set_json("lr", small ? 1e-4 : 6e-4);
  config.set_json("optimizer", "adamw");
  config.set_json("betas", Json::array({0.9, 0.98}));
  config.set_json("eps", 1e-6);
  config.set_json("weight_decay", 0.01);
  config.set_json("schedule", "fairseq-linear");
  config.set_json("clip_norm", 0.0);
  return config;
}

ClearOptions read_clear_options(const Config& config) {
  const auto preset = read_options<ClearOptions>(config, ClearOptions::kPrefix).preset;
  return read_options<ClearOptions>(config, ClearOptions::kPrefix, ClearOptions(preset));
}

MethodTraits describe_clear(const Config& config) {
  const ClearOptions options = read_clear_options(config);
  options.validate(config);
  ClearOptions defaults(options.preset);
  defaults.objective = options.objective;
  MethodTraits traits;
  traits.rows = describe_options<ClearOptions>(ClearOptions::kPrefix, defaults);
  traits.training_defaults = options.training_defaults();
  traits.in_batch_negatives = options.contrasts();
  traits.separates_pairs = true;
  traits.arranges_examples = options.blocks;
  traits.preset_keys = {"clear.preset", "clear.objective"};
  traits.check_shape = [options, config](const encoder::Architecture& shape) {
    options.encoder.fitted(config, shape);
    options.check_del_token(shape.vocab_size);
  };
  return traits;
}

}  // namespace contrastive::methods
