// ELECTRA: BERT without a pooler, whose embeddings may be narrower than its states.
#include "core/io/families/bert.h"

namespace contrastive::io {
namespace {

void describe_electra(ConfigKeys& keys, encoder::Architecture& a) {
  only_learned_positions(keys);
  keys.size({"vocab_size"}, a.vocab_size, kMaxRows);
  keys.size({"embedding_size"}, a.embedding_size, kMaxWidth, 128);
  keys.size({"hidden_size"}, a.hidden_size, kMaxWidth, 256);
  keys.size({"num_hidden_layers"}, a.num_hidden_layers, kMaxLayers, 12);
  keys.size({"num_attention_heads"}, a.num_attention_heads, kMaxWidth, 4);
  keys.size({"intermediate_size"}, a.intermediate_size, kMaxWidth, 1024);
  keys.size({"max_position_embeddings"}, a.max_position_embeddings, kMaxRows, 512);
  describe_bert_rest(keys, a, 0);
  a.embedding_projection = a.embedding_size != a.hidden_size;
  a.pooler = false;
  a.classifier = encoder::ClassifierForm::kDense;
}

std::vector<ModuleName> electra_modules(const encoder::Architecture& a) {
  return joined({{"embeddings_project", {"embeddings.projection"}}}, bert_modules(a));
}

std::vector<ModuleName> electra_mlm_head() {
  return {{"generator_predictions.dense", {"cls.predictions.transform.dense"}},
          {"generator_predictions.LayerNorm", {"cls.predictions.transform.LayerNorm"}},
          {"generator_lm_head", {"cls.predictions"}}};
}

void classify_electra(const JsonObject& config, encoder::ClassificationHead& head) {
  head.dropout = head_dropout(config, "classifier_dropout", -1);
  head.pooling = "cls";
  head.activation = "gelu";
  head.drops_first = true;
}

}  // namespace

Family electra_family() {
  Family family = with_dense_classifier({"electra",
                                         "ELECTRA",
                                         {{"electra", "Electra"}},
                                         "Model",
                                         "ForMaskedLM",
                                         "electra.",
                                         describe_electra,
                                         electra_modules,
                                         electra_mlm_head()});
  family.classifier = classify_electra;
  return family;
}

}  // namespace contrastive::io
