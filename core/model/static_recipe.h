// Distils static embeddings from an encoder, like model2vec: each token of the vocabulary goes
// through the encoder separately, the vectors are reduced to their principal components, and
// frequent tokens get a lower weight. The result is a SentenceEncoder without layers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/cancel.h"
#include "core/base/options.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::model {

// The config keys "static.*" of cs_model_create. The defaults are model2vec's.
struct StaticRecipe {
  static constexpr const char* kPrefix = "static.";

  std::string encoder;           // folder of the model to distil; "" to distil none
  int64_t dimension = 256;       // 0 for the encoder's, without PCA
  double sif = 1e-4;             // 0 gives every token the same weight
  std::string pooling = "mean";  // of a token's states, special tokens included
  bool drop_unused = true;
  bool normalize = true;
  int64_t max_length = 512;

  void visit(OptionVisitor& v);
};

// The result depends only on the model and the recipe. `model` does not change, and the steps after
// its pooling are not used. Throws kUnsupported if its folder has no tokenizer.json.
std::shared_ptr<SentenceEncoder> distill_static(const SentenceEncoder& model,
                                                const StaticRecipe& recipe,
                                                const Cancel* cancel = nullptr);

}  // namespace contrastive::model
