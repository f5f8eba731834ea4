// A model that does not exist yet: the shape of a BERT or RoBERTa encoder, a tokenizer to go with
// it, and the seed of its weights. What comes out is a SentenceEncoder like any other, to be
// trained from scratch (CLEAR).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/options.h"
#include "core/model/sentence_encoder.h"
#include "core/model/static_recipe.h"
#include "core/model/student_recipe.h"

namespace contrastive::model {

// The config keys of cs_model_create. The defaults are BERT-base's.
struct ModelRecipe {
  std::string tokenizer;  // folder with tokenizer.json, vocab.txt, or vocab.json and merges.txt
  std::string family;     // "bert", "roberta", or "" for the one that goes with the tokenizer
  int64_t layers = 12;
  int64_t hidden_size = 768;
  int64_t attention_heads = 12;
  int64_t intermediate_size = 0;  // 0 = 4 x hidden_size
  int64_t max_length = 512;       // tokens of a text, special tokens included
  std::string activation = "gelu";
  double dropout = 0.1;
  double attention_dropout = 0.1;
  double layer_norm_eps = 0;  // 0 = the family's own
  double initializer_range = 0.02;
  bool pooler = false;
  std::string pooling;  // must be given
  bool normalize = false;
  int64_t seed = 1;
  std::string device = "cpu";
  std::string precision = "float32";
  StaticRecipe distilled;  // "static.*": static embeddings out of another model, in the place of
                           // all of the above but `device` and `precision`
  StudentRecipe student;   // "student.*": another model with fewer layers or dimensions, in their
                           // place likewise; `pooling` goes before its own

  void visit(OptionVisitor& v);
};

// Weights are a function of (recipe, seed): core/torch/nn/README.md 2. kArgument for a shape
// that cannot be, kNotFound and kFormat for the tokenizer's files.
std::shared_ptr<SentenceEncoder> create_model(const ModelRecipe& recipe);

}  // namespace contrastive::model
