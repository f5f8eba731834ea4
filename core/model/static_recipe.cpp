#include "core/model/static_recipe.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/encoder/static_encoder.h"
#include "core/host/fp_environment.h"
#include "core/io/pruned_tokenizer.h"
#include "core/io/tokenizer_files.h"
#include "core/model/principal_components.h"
#include "core/runtime/thread_pool.h"
#include "core/runtime/threads.h"

namespace contrastive::model {
namespace {

constexpr int64_t kTokensAtOnce = 128;  // of the vocabulary, in one packed batch

// The tokens that the tokenizer puts before and after a text.
struct Around {
  std::vector<int32_t> before, behind;
};
Around special_tokens(const text::Tokenizer& tokenizer) {
  const text::Encoding encoding = tokenizer.encode("a", 0);
  Around around;
  for (size_t i = 0; i < encoding.ids.size() && encoding.begins[i] < 0; ++i)
    around.before.push_back(encoding.ids[i]);
  for (size_t i = encoding.ids.size(); i > around.before.size() && encoding.begins[i - 1] < 0;
       --i) {
    around.behind.insert(around.behind.begin(), encoding.ids[i - 1]);
  }
  return around;
}

// Replaces NaN by 0, as model2vec does. But an encoder whose results are NaN for every token is an
// error.
void take_out_nan(Tensor& vectors) {
  int64_t tokens = 0;
  for (int64_t token = 0; token < vectors.size(0); ++token) {
    float* const row = vectors.mutable_floats() + token * vectors.size(1);
    const auto is_nan = [](float x) { return std::isnan(x); };
    if (std::none_of(row, row + vectors.size(1), is_nan)) continue;
    ++tokens;
    std::replace_if(row, row + vectors.size(1), is_nan, 0.0f);
  }
  check(tokens < vectors.size(0), Status::kNumeric, "the model to distil gives NaN for all of its ",
        tokens, " tokens: its weights are so large that ", "sums overflow, or hold NaN");
  if (tokens > 0)
    log_warning("the model to distil gives NaN for ", tokens, " of its ", vectors.size(0),
                " tokens: NaN is replaced by 0");
}

// [tokens, hidden]: the pooled states of each token between the special tokens.
Tensor token_vectors(const SentenceEncoder& model, const std::vector<int32_t>& ids,
                     const std::string& pooling, const Cancel* cancel) {
  const encoder::Encoder& encoder = model.encoder();
  const int64_t width = model.shape().hidden_size, count = static_cast<int64_t>(ids.size());
  const Around around = special_tokens(model.tokenizer());
  const std::vector<encoder::Pooling> poolings = {
      encoder::parse_pooling(pooling, model.shape().num_hidden_layers)};
  check(poolings[0].reduce != encoder::Reduce::kClsPooler || encoder.has_pooler(),
        Status::kArgument,
        "config key 'static.pooling' is cls-pooler, but the checkpoint has no pooler.dense");
  Tensor vectors({count, width});
  const auto embed = [&](int64_t batch, int most_threads) {
    throw_if_cancelled(cancel);
    const int64_t first = batch * kTokensAtOnce, some = std::min(kTokensAtOnce, count - first);
    std::vector<int32_t> packed;
    std::vector<int64_t> offsets = {0};
    for (int64_t i = first; i < first + some; ++i) {
      packed.insert(packed.end(), around.before.begin(), around.before.end());
      packed.push_back(ids[static_cast<size_t>(i)]);
      packed.insert(packed.end(), around.behind.begin(), around.behind.end());
      offsets.push_back(static_cast<int64_t>(packed.size()));
    }
    encoder::PackedTokens tokens;
    tokens.ids = packed.data();
    tokens.offsets = offsets.data();
    tokens.texts = some;
    encoder.infer(tokens, poolings, {nullptr}, vectors.mutable_floats() + first * width,
                  most_threads);
  };
  const int64_t batches = (count + kTokensAtOnce - 1) / kTokensAtOnce;
  if (encoder.computes_on_caller())
    runtime::parallel_for(batches, [&](int64_t batch) { embed(batch, 1); });
  else
    for (int64_t batch = 0; batch < batches; ++batch) embed(batch, runtime::threads());
  take_out_nan(vectors);
  return vectors;
}

void check_finite(const Tensor& vectors, const SentenceEncoder& model,
                  const std::vector<int32_t>& ids) {
  for (int64_t i = 0; i < vectors.elements(); ++i) {
    check(std::isfinite(vectors.floats()[i]), Status::kNumeric,
          "the model to distil gives no finite vector for the token '",
          model.tokenizer().token(ids[static_cast<size_t>(i / vectors.size(1))]),
          "': its weights are so large that sums overflow");
  }
}

// PCA keeps as many components as in model2vec: none are computed if there are no more tokens than
// that.
Tensor reduced(const Tensor& vectors, int64_t dimension, const Cancel* cancel) {
  const int64_t kept = std::min(dimension, vectors.size(1));
  if (dimension == 0) return vectors;
  if (kept < dimension)
    log_warning("config key 'static.dimension' is ", dimension, ", but the encoder gives ", kept,
                ": all of them are kept");
  if (kept >= vectors.size(0)) {
    log_warning("config key 'static.dimension' is ", dimension,
                ", as many as the vocabulary has tokens: no components are taken");
    return vectors;
  }
  return principal_components(vectors, kept, cancel);
}

// a / (a + p), where p follows from a token's rank in the vocabulary by Zipf's law.
void weigh(Tensor& table, double sif) {
  if (sif == 0) return;
  double total = 0;
  for (int64_t i = 0; i < table.size(0); ++i) total += 1 / static_cast<double>(i + 2);
  for (int64_t i = 0; i < table.size(0); ++i) {
    const double probability = 1 / static_cast<double>(i + 2) / total,
                 weight = sif / (sif + probability);
    float* const row = table.mutable_floats() + i * table.size(1);
    for (int64_t k = 0; k < table.size(1); ++k) row[k] = static_cast<float>(row[k] * weight);
  }
}

}  // namespace

void StaticRecipe::visit(OptionVisitor& v) {
  v.text("encoder", encoder,
         OptionDoc("folder of a model to distil into static embeddings: a vector for each token, "
                   "and their mean for a text. The tokenizer is that of the model, and keys for "
                   "the shape of an encoder are not allowed. Empty = a new encoder")
             .source("model2vec 0.10"));
  v.integer("dimension", dimension, between(0, 1 << 17),
            OptionDoc("number of principal components of the tokens' vectors to keep; 0 = keep the "
                      "vectors unchanged")
                .source("model2vec: 256")
                .unit("dimensions"));
  v.real("sif", sif, {0, 1, false, true},
         OptionDoc("the a in a token's weight a / (a + p), where p is its frequency, estimated "
                   "from its rank in the vocabulary by Zipf's law; 0 = equal weights")
             .source("model2vec: 1e-4"));
  v.text("pooling", pooling,
         OptionDoc("how the states of a token and the special tokens around it become its vector: "
                   "mean, cls, lasttoken, cls-pooler")
             .source("model2vec: mean"));
  v.flag("drop_unused", drop_unused,
         OptionDoc("leave out tokens that occur in no text: [unused0], [unused1], ...")
             .source("model2vec"));
  v.flag("normalize", normalize,
         OptionDoc("embeddings are scaled to length 1").source("model2vec"));
  v.integer("max_length", max_length, between(1, 1000000),
            OptionDoc("number of tokens of a text that are used")
                .source("model2vec: 512")
                .unit("tokens"));
}

std::shared_ptr<SentenceEncoder> distill_static(const SentenceEncoder& model,
                                                const StaticRecipe& recipe, const Cancel* cancel) {
  const host::FpEnvironment environment;
  const io::ModelFolder& from = model.folder();
  const auto file = from.tokenizer_files.find("tokenizer.json");
  check(file != from.tokenizer_files.end(), Status::kUnsupported, from.tokenizer_folder,
        ": the model to distil has no tokenizer.json");
  check(!encoder::is_static(model.shape()), Status::kArgument,
        "the model to distil is static already");
  const std::string source = from.tokenizer_folder + "/tokenizer.json";
  const io::PrunedTokenizer pruned =
      io::prune_tokenizer(file->second, source, model.tokenizer(), recipe.drop_unused);
  const Tensor vectors = token_vectors(model, pruned.kept, recipe.pooling, cancel);
  check_finite(vectors, model, pruned.kept);
  Tensor table = reduced(vectors, recipe.dimension, cancel);
  check_finite(table, model, pruned.kept);
  weigh(table, recipe.sif);
  io::ModelFolder folder;
  folder.encoder = encoder::static_architecture(table.size(0), table.size(1));
  folder.weights["embeddings.word_embeddings.weight"] = table;
  folder.tokenizer_folder = from.tokenizer_folder;
  folder.tokenizer_files["tokenizer.json"] = pruned.document;
  folder.tokenizer =
      io::static_tokenizer(pruned.document, source, true, model.tokenizer().invalid_utf8());
  folder.poolings = {"mean"};
  folder.normalize = recipe.normalize;
  folder.max_seq_length = recipe.max_length;
  folder.similarity = from.similarity;
  folder.config = {{"model_type", "model2vec"},
                   {"architectures", {"StaticModel"}},
                   {"tokenizer_name", from.origin},
                   {"apply_pca", recipe.dimension == 0 ? Json() : Json(recipe.dimension)},
                   {"sif_coefficient", recipe.sif == 0 ? Json() : Json(recipe.sif)},
                   {"hidden_dim", table.size(1)},
                   {"seq_length", 1000000},
                   {"normalize", recipe.normalize},
                   {"pooling", recipe.pooling},
                   {"max_length", recipe.max_length}};
  folder.notes = {cat("distilled from ", from.origin.empty() ? std::string("a model") : from.origin,
                      ", ", table.size(0), " tokens in ", table.size(1), " dimensions")};
  return std::make_shared<SentenceEncoder>(std::move(folder));
}

}  // namespace contrastive::model
