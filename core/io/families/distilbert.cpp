// DistilBERT: BERT without token types and pooler, with its own names.
#include "core/io/families/bert.h"

namespace contrastive::io {
namespace {

void describe_distilbert(ConfigKeys& keys, encoder::Architecture& a) {
  keys.only("is_causal", false);
  keys.size({"vocab_size"}, a.vocab_size, kMaxRows);
  keys.size({"hidden_size", "dim"}, a.hidden_size, kMaxWidth, 768);
  keys.size({"num_hidden_layers", "n_layers"}, a.num_hidden_layers, kMaxLayers, 6);
  keys.size({"num_attention_heads", "n_heads"}, a.num_attention_heads, kMaxWidth, 12);
  keys.size({"hidden_dim"}, a.intermediate_size, kMaxWidth, 3072);
  keys.size({"max_position_embeddings"}, a.max_position_embeddings, kMaxRows, 512);
  keys.integer({"pad_token_id"}, a.pad_token_id, 0, a.vocab_size - 1, 0);
  keys.real({"dropout"}, a.hidden_dropout_prob, 0.0, 1.0, 0.1);
  keys.real({"attention_dropout"}, a.attention_probs_dropout_prob, 0.0, 1.0, 0.1);
  keys.real({"initializer_range"}, a.initializer_range, 0.0, 1e3, 0.02);
  keys.activation({"activation"}, a.hidden_act, "gelu");
  a.type_vocab_size = 0;
  a.layer_norm_eps = 1e-12;
  a.pooler = false;
  a.drop_attention_output = encoder::DropRate::kNone;
  a.mlm_act = a.hidden_act;
}

std::vector<ModuleName> distilbert_modules(const encoder::Architecture&) {
  return {{"embeddings.word_embeddings", {"embeddings.word_embeddings"}},
          {"embeddings.position_embeddings", {"embeddings.position_embeddings"}},
          {"embeddings.LayerNorm", {"embeddings.LayerNorm"}},
          {"transformer.layer.#.attention.q_lin", {"encoder.layer.#.attention.self.query"}},
          {"transformer.layer.#.attention.k_lin", {"encoder.layer.#.attention.self.key"}},
          {"transformer.layer.#.attention.v_lin", {"encoder.layer.#.attention.self.value"}},
          {"transformer.layer.#.attention.out_lin", {"encoder.layer.#.attention.output.dense"}},
          {"transformer.layer.#.sa_layer_norm", {"encoder.layer.#.attention.output.LayerNorm"}},
          {"transformer.layer.#.ffn.lin1", {"encoder.layer.#.intermediate.dense"}},
          {"transformer.layer.#.ffn.lin2", {"encoder.layer.#.output.dense"}},
          {"transformer.layer.#.output_layer_norm", {"encoder.layer.#.output.LayerNorm"}}};
}

std::vector<ModuleName> distilbert_mlm_head() {
  return {{"vocab_transform", {"cls.predictions.transform.dense"}},
          {"vocab_layer_norm", {"cls.predictions.transform.LayerNorm"}},
          {"vocab_projector", {"cls.predictions"}}};
}

void classify_distilbert(const JsonObject& config, encoder::ClassificationHead& head) {
  head.dropout = head_dropout(config, "seq_classif_dropout", 0.2);
  head.pooling = "cls";
  head.activation = "relu";
}

}  // namespace

Family distilbert_family() {
  Family family{"distilbert",
                "DistilBERT",
                {{"distilbert", "DistilBert"}},
                "Model",
                "ForMaskedLM",
                "distilbert.",
                describe_distilbert,
                distilbert_modules,
                distilbert_mlm_head()};
  family.classifier = classify_distilbert;
  family.classifier_modules = {{"pre_classifier", {"classifier.dense"}},
                               {"classifier", {"classifier.out_proj"}}};
  return family;
}

}  // namespace contrastive::io
