#include "core/model/model_recipe.h"

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/encoder/weights.h"
#include "core/io/families/family.h"
#include "core/io/folder_snapshot.h"
#include "core/io/hf_config.h"
#include "core/io/tokenizer_files.h"

namespace contrastive::model {
namespace {

// The families that can be created, and the one that matches a tokenizer if none is named.
std::vector<std::string> family_names() {
  std::vector<std::string> names{""};
  for (const io::Family& family : io::families()) {
    if (family.start != nullptr) names.emplace_back(family.name);
  }
  return names;
}

const io::Family& family_of(const ModelRecipe& recipe, const text::Tokenizer& tokenizer) {
  for (const io::Family& family : io::families()) {
    if (family.start == nullptr) continue;
    if (recipe.family.empty() ? tokenizer.kind() == family.tokenizer : recipe.family == family.name)
      return family;
  }
  const bool named = !recipe.family.empty();
  const std::vector<std::string> names = family_names();
  fail(Status::kArgument,
       named ? cat("'", recipe.family, "' is not a family")
             : cat("no family goes with a tokenizer of the kind ", tokenizer.kind()),
       "; known: ", joined_names({names.begin() + 1, names.end()}),
       ", or empty for the tokenizer's");
}

// A key without effect is an error: the caller would get another model than requested.
void check_keys(const ModelRecipe& recipe) {
  const std::string student = StudentRecipe::kPrefix, distilled = StaticRecipe::kPrefix;
  const bool teaches = !recipe.student.encoder.empty(), distils = !recipe.distilled.encoder.empty();
  const Config given = dump_options(recipe), usual = dump_options(ModelRecipe());
  for (const std::string& key : given.keys()) {
    if (*given.find(key) == *usual.find(key)) continue;
    check(distils || !begins_with(key, distilled), Status::kArgument, "config key '", key,
          "' is set, but config key 'static.encoder' is missing: the folder of the model that "
          "becomes a table");
    if (!teaches && !distils) continue;
    // A seed is allowed even if nothing is random, because scripts pass one to every call.
    const bool general = key == "device" || key == "precision" || key == "seed";
    const bool used = general || (teaches && key == "pooling") || begins_with(key, student) ||
                      begins_with(key, distilled);
    const std::string own = (teaches ? student : distilled) + key;
    check(used, Status::kArgument, "config key '", key, "' has no effect together with '",
          teaches ? student : distilled,
          "encoder', whose folder decides the tokenizer and the shape",
          usual.has(own) ? cat(": set ", own) : std::string());
  }
}

// Writes the shape as config.json and reads it again, so that one reader checks ranges and names
// for both.
encoder::Architecture shape_of(const ModelRecipe& recipe, const text::Tokenizer& tokenizer) {
  const io::Family& family = family_of(recipe, tokenizer);
  const int32_t pad = tokenizer.special_ids().pad;
  check(pad >= 0, Status::kArgument, recipe.tokenizer, ": the tokenizer has no padding token");
  encoder::Architecture a;
  a.family = family.name;
  a.vocab_size = tokenizer.vocab_size();
  a.hidden_size = recipe.hidden_size;
  a.num_hidden_layers = recipe.layers;
  a.num_attention_heads = recipe.attention_heads;
  a.intermediate_size =
      recipe.intermediate_size > 0 ? recipe.intermediate_size : 4 * recipe.hidden_size;
  a.max_position_embeddings = recipe.max_length;
  a.pad_token_id = pad;
  a.hidden_dropout_prob = recipe.dropout;
  a.attention_probs_dropout_prob = recipe.attention_dropout;
  a.initializer_range = recipe.initializer_range;
  family.start(a);
  if (recipe.layer_norm_eps > 0) a.layer_norm_eps = recipe.layer_norm_eps;
  Json config = io::write_hf_config(a, {});
  config["hidden_act"] = recipe.activation;
  std::vector<std::string> notes;
  return io::read_hf_config(config, "the recipe of the model", notes);
}

}  // namespace

void ModelRecipe::visit(OptionVisitor& v) {
  v.text("tokenizer", tokenizer,
         "folder of the tokenizer: tokenizer.json, vocab.txt, or vocab.json and merges.txt; "
         "required for a new encoder");
  v.name("family", family, family_names(),
         "which encoder; empty = bert for a WordPiece tokenizer, roberta for a byte-level one");
  v.integer("layers", layers, between(1, 1000),
            OptionDoc("transformer layers").source("BERT-base"));
  v.integer("hidden_size", hidden_size, between(1, 1 << 17),
            OptionDoc("width of the hidden states").source("BERT-base").unit("dimensions"));
  v.integer("attention_heads", attention_heads, between(1, 1 << 17),
            OptionDoc("number of attention heads; it must divide hidden_size").source("BERT-base"));
  v.integer("intermediate_size", intermediate_size, between(0, 1 << 17),
            OptionDoc("width between the two matrices of a feed-forward block; 0 = 4 x hidden_size")
                .source("BERT-base")
                .unit("dimensions"));
  v.integer("max_length", max_length, between(2, 1 << 20),
            OptionDoc("longest text, special tokens included").source("BERT-base").unit("tokens"));
  v.name("activation", activation, {"gelu", "gelu_new", "relu", "silu"},
         OptionDoc("activation of the feed-forward blocks").source("BERT: gelu"));
  v.real("dropout", dropout, between(0, 0.99),
         OptionDoc("probability of dropping an element of a hidden state in training")
             .source("BERT: 0.1"));
  v.real("attention_dropout", attention_dropout, between(0, 0.99),
         OptionDoc("probability of dropping an attention probability in training")
             .source("BERT: 0.1"));
  v.real("layer_norm_eps", layer_norm_eps, between(0, 1),
         "epsilon of LayerNorm; 0 = 1e-12 for bert, 1e-5 for roberta");
  v.real("initializer_range", initializer_range, above(0, 1e3),
         OptionDoc("standard deviation of the initial matrices").source("BERT: 0.02"));
  v.flag("pooler", pooler, "add the dense layer on the first token that pooling cls-pooler needs");
  v.text("pooling", pooling,
         OptionDoc("how token states become one vector; required for a new encoder")
             .source("CLEAR: cls"));
  v.flag("normalize", normalize, "embeddings are scaled to length 1");
  v.integer("seed", seed, between(0, 9007199254740991.0), "decides the initial weights");
  v.text("device", device, "where the model computes: cpu, cuda or cuda:N");
  v.name("precision", precision, {"float32", "bfloat16"},
         "the number format of weights and states");
  v.nested(StaticRecipe::kPrefix, distilled);
  v.nested(StudentRecipe::kPrefix, student);
}

std::shared_ptr<SentenceEncoder> create_model(const ModelRecipe& recipe) {
  recipe.student.validate();
  check(recipe.distilled.encoder.empty() || recipe.student.encoder.empty(), Status::kArgument,
        "config keys 'static.encoder' and 'student.encoder' exclude each other");
  check_keys(recipe);
  LoadOptions load;
  load.device = recipe.device;
  load.precision = recipe.precision;
  if (!recipe.student.encoder.empty()) {
    load.pooling = recipe.pooling;
    return make_student(recipe.student, load);
  }
  if (!recipe.distilled.encoder.empty()) {
    load.pooling = "mean";  // any value will do: pooling is not used here
    return distill_static(*SentenceEncoder::load(recipe.distilled.encoder, load), recipe.distilled);
  }
  check(!recipe.tokenizer.empty(), Status::kArgument,
        "config key 'tokenizer' is missing: the folder of the tokenizer that the model reads with");
  check(!recipe.pooling.empty(), Status::kArgument,
        "config key 'pooling' is missing: no pooling is guessed; choose mean, cls, ...");
  io::ModelFolder folder;
  folder.tokenizer_folder = recipe.tokenizer;
  folder.tokenizer_files = io::read_snapshot(recipe.tokenizer, [&] {
    folder.tokenizer = io::load_tokenizer(recipe.tokenizer);
    folder.encoder = shape_of(recipe, *folder.tokenizer);
    folder.config = io::write_hf_config(folder.encoder, {});
    auto files = io::read_tokenizer_bytes(recipe.tokenizer);
    io::keep_tokenizer_class(recipe.tokenizer, folder.config["model_type"].get<std::string>(),
                             files);
    return files;
  });
  folder.weights =
      encoder::random_weights(folder.encoder, static_cast<uint64_t>(recipe.seed), recipe.pooler);
  folder.poolings = {recipe.pooling};
  folder.normalize = recipe.normalize;
  folder.max_seq_length = recipe.max_length;
  folder.notes = {
      cat("created with random weights from seed ", recipe.seed, ", not read from a file")};
  return std::make_shared<SentenceEncoder>(std::move(folder), load);
}

}  // namespace contrastive::model
