// Creates a new model from a config: the shape of a BERT or RoBERTa encoder, its tokenizer, and the
// seed of its weights. The result is an ordinary SentenceEncoder, to be trained from scratch
// (CLEAR).
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
  std::string family;     // "bert", "roberta", or "" for the one that matches the tokenizer
  int64_t layers = 12;
  int64_t hidden_size = 768;
  int64_t attention_heads = 12;
  int64_t intermediate_size = 0;  // 0 for 4 x hidden_size
  int64_t max_length = 512;       // tokens of a text, special tokens included
  std::string activation = "gelu";
  double dropout = 0.1;
  double attention_dropout = 0.1;
  double layer_norm_eps = 0;  // 0 for the family's default
  double initializer_range = 0.02;
  bool pooler = false;
  std::string pooling;  // required
  bool normalize = false;
  int64_t seed = 1;
  std::string device = "cpu";
  std::string precision = "float32";
  StaticRecipe distilled;  // "static.*": static embeddings distilled from another model, instead of
                           // all of the above except `device` and `precision`
  StudentRecipe student;   // "student.*": another model with fewer layers or dimensions, likewise
                           // instead of the above; `pooling` overrides its own

  void visit(OptionVisitor& v);
};

// The weights depend only on (recipe, seed): core/torch/nn/README.md 2. Throws kArgument for an
// impossible shape, kNotFound and kFormat for the tokenizer's files.
std::shared_ptr<SentenceEncoder> create_model(const ModelRecipe& recipe);

}  // namespace contrastive::model
