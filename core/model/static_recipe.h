// Static embeddings out of an encoder, as model2vec distils them: each token of the vocabulary goes
// through the encoder by itself, principal components of these vectors are kept, and what is
// frequent counts less. What comes out is a SentenceEncoder without layers.
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

  std::string encoder;           // folder of the model that is distilled; "" = none is
  int64_t dimension = 256;       // 0 = the encoder's, without components
  double sif = 1e-4;             // 0 = every token counts alike
  std::string pooling = "mean";  // of a token's states, special tokens included
  bool drop_unused = true;
  bool normalize = true;
  int64_t max_length = 512;

  void visit(OptionVisitor& v);
};

// A function of the model and the recipe alone. `model` stays as it is; what follows its pooling
// takes no part. kUnsupported where its folder has no tokenizer.json.
std::shared_ptr<SentenceEncoder> distill_static(const SentenceEncoder& model,
                                                const StaticRecipe& recipe,
                                                const Cancel* cancel = nullptr);

}  // namespace contrastive::model
