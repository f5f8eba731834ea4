// BERT, and the code that its relatives share.
#include "core/io/families/bert.h"

#include "core/base/error.h"

namespace contrastive::io {

void describe_widths(ConfigKeys& keys, encoder::Architecture& a) {
  keys.size({"vocab_size"}, a.vocab_size, kMaxRows);
  keys.size({"hidden_size"}, a.hidden_size, kMaxWidth);
  keys.size({"num_hidden_layers"}, a.num_hidden_layers, kMaxLayers);
  keys.size({"num_attention_heads"}, a.num_attention_heads, kMaxWidth);
  keys.size({"intermediate_size"}, a.intermediate_size, kMaxWidth);
}

void describe_sizes(ConfigKeys& keys, encoder::Architecture& a) {
  describe_widths(keys, a);
  keys.size({"max_position_embeddings"}, a.max_position_embeddings, kMaxRows);
}

void describe_bert_rest(ConfigKeys& keys, encoder::Architecture& a, int64_t pad) {
  keys.only("is_causal", false);
  keys.integer({"type_vocab_size"}, a.type_vocab_size, 1, 1 << 16, 2);
  keys.integer({"pad_token_id"}, a.pad_token_id, 0, a.vocab_size - 1, pad);
  keys.real({"layer_norm_eps"}, a.layer_norm_eps, 0.0, 1.0, 1e-12);
  keys.real({"hidden_dropout_prob"}, a.hidden_dropout_prob, 0.0, 1.0, 0.1);
  keys.real({"attention_probs_dropout_prob"}, a.attention_probs_dropout_prob, 0.0, 1.0, 0.1);
  keys.real({"initializer_range"}, a.initializer_range, 0.0, 1e3, 0.02);
  keys.activation({"hidden_act"}, a.hidden_act, "gelu");
}

void only_learned_positions(const ConfigKeys& keys) {
  keys.only("position_embedding_type", std::string("absolute"));
}

void count_from_padding(const ConfigKeys& keys, encoder::Architecture& a) {
  if (!keys.reads()) return;
  a.first_position = a.pad_token_id + 1;
  a.skips_padding = true;
  check(a.max_tokens() >= 1, Status::kFormat, keys.json().source(), ": max_position_embeddings ",
        a.max_position_embeddings, " leaves no position after pad_token_id ", a.pad_token_id);
}

std::vector<ModuleName> bert_modules(const encoder::Architecture&) {
  return {{"embeddings.word_embeddings", {"embeddings.word_embeddings"}},
          {"embeddings.position_embeddings", {"embeddings.position_embeddings"}},
          {"embeddings.token_type_embeddings", {"embeddings.token_type_embeddings"}},
          {"embeddings.LayerNorm", {"embeddings.LayerNorm"}},
          {"encoder.layer.#.attention.self.query", {"encoder.layer.#.attention.self.query"}},
          {"encoder.layer.#.attention.self.key", {"encoder.layer.#.attention.self.key"}},
          {"encoder.layer.#.attention.self.value", {"encoder.layer.#.attention.self.value"}},
          {"encoder.layer.#.attention.output.dense", {"encoder.layer.#.attention.output.dense"}},
          {"encoder.layer.#.attention.output.LayerNorm",
           {"encoder.layer.#.attention.output.LayerNorm"}},
          {"encoder.layer.#.intermediate.dense", {"encoder.layer.#.intermediate.dense"}},
          {"encoder.layer.#.output.dense", {"encoder.layer.#.output.dense"}},
          {"encoder.layer.#.output.LayerNorm", {"encoder.layer.#.output.LayerNorm"}},
          {"pooler.dense", {"pooler.dense"}}};
}

std::vector<ModuleName> bert_mlm_head() {
  return {{"cls.predictions.transform.dense", {"cls.predictions.transform.dense"}},
          {"cls.predictions.transform.LayerNorm", {"cls.predictions.transform.LayerNorm"}},
          {"cls.predictions", {"cls.predictions"}}};
}

std::vector<ModuleName> joined(std::vector<ModuleName> a, const std::vector<ModuleName>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

double head_dropout(const JsonObject& config, const char* key, double fallback) {
  return config.has(key) ? config.real(key, 0.0, 1.0) : fallback;
}

void classify_densely(const JsonObject&, encoder::ClassificationHead& head) {
  head.pooling = "cls";
  head.activation = "tanh";
  head.drops_first = true;
}

Family with_pooler_classifier(Family family) {
  family.classifier = [](const JsonObject& config, encoder::ClassificationHead& head) {
    head.pooling = "cls-pooler";
    head.dropout = head_dropout(config, "classifier_dropout", -1);
  };
  family.classifier_modules = {{"classifier", {"classifier.out_proj"}}};
  return family;
}

Family with_dense_classifier(Family family) {
  family.classifier = [](const JsonObject& config, encoder::ClassificationHead& head) {
    classify_densely(config, head);
    head.dropout = head_dropout(config, "classifier_dropout", -1);
  };
  family.classifier_modules = {{"classifier.dense", {"classifier.dense"}},
                               {"classifier.out_proj", {"classifier.out_proj"}}};
  return family;
}

namespace {

void describe_bert(ConfigKeys& keys, encoder::Architecture& a) {
  only_learned_positions(keys);
  describe_sizes(keys, a);
  if (keys.reads()) keys.only("embedding_size", a.hidden_size);
  describe_bert_rest(keys, a, 0);
  a.mlm_act = a.hidden_act;
}

void start_bert(encoder::Architecture&) {}

}  // namespace

Family bert_family() {
  return with_pooler_classifier({"bert",
                                 "BERT",
                                 {{"bert", "Bert"}},
                                 "Model",
                                 "ForMaskedLM",
                                 "bert.",
                                 describe_bert,
                                 bert_modules,
                                 bert_mlm_head(),
                                 start_bert,
                                 "wordpiece"});
}

}  // namespace contrastive::io
