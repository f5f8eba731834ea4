// MPNet: RoBERTa's positions without token types, and a learned bias for each distance between two
// tokens.
#include "core/io/families/bert.h"

namespace contrastive::io {
namespace {

void describe_mpnet(ConfigKeys& keys, encoder::Architecture& a) {
  describe_sizes(keys, a);
  a.type_vocab_size = 0;
  keys.real({"layer_norm_eps"}, a.layer_norm_eps, 0.0, 1.0, 1e-12);
  keys.real({"hidden_dropout_prob"}, a.hidden_dropout_prob, 0.0, 1.0, 0.1);
  keys.real({"attention_probs_dropout_prob"}, a.attention_probs_dropout_prob, 0.0, 1.0, 0.1);
  keys.real({"initializer_range"}, a.initializer_range, 0.0, 1e3, 0.02);
  keys.activation({"hidden_act"}, a.hidden_act, "gelu");
  // transformers always counts from 1 and ignores this key.
  const bool another =
      keys.reads() && keys.json().integer("pad_token_id", 0, a.vocab_size - 1, 1) != 1;
  if (another) keys.note("pad_token_id is ignored, as transformers does: MPNet's is 1");
  a.pad_token_id = 1;
  keys.only("relative_attention_num_buckets", int64_t{32});
  a.relative_bias = encoder::RelativeBias::kBuckets;
  a.relative_buckets = 32;
  a.relative_distance = 128;
  count_from_padding(keys, a);
  a.classifier = encoder::ClassifierForm::kDense;
}

std::vector<ModuleName> mpnet_modules(const encoder::Architecture&) {
  return {{"embeddings.word_embeddings", {"embeddings.word_embeddings"}},
          {"embeddings.position_embeddings", {"embeddings.position_embeddings"}},
          {"embeddings.LayerNorm", {"embeddings.LayerNorm"}},
          {"encoder.relative_attention_bias", {"encoder.relative_attention_bias"}},
          {"encoder.layer.#.attention.attn.q", {"encoder.layer.#.attention.self.query"}},
          {"encoder.layer.#.attention.attn.k", {"encoder.layer.#.attention.self.key"}},
          {"encoder.layer.#.attention.attn.v", {"encoder.layer.#.attention.self.value"}},
          {"encoder.layer.#.attention.attn.o", {"encoder.layer.#.attention.output.dense"}},
          {"encoder.layer.#.attention.LayerNorm", {"encoder.layer.#.attention.output.LayerNorm"}},
          {"encoder.layer.#.intermediate.dense", {"encoder.layer.#.intermediate.dense"}},
          {"encoder.layer.#.output.dense", {"encoder.layer.#.output.dense"}},
          {"encoder.layer.#.output.LayerNorm", {"encoder.layer.#.output.LayerNorm"}},
          {"pooler.dense", {"pooler.dense"}}};
}

}  // namespace

Family mpnet_family() {
  Family family = with_dense_classifier({"mpnet",
                                         "MPNet",
                                         {{"mpnet", "MPNet"}},
                                         "Model",
                                         "ForMaskedLM",
                                         "mpnet.",
                                         describe_mpnet,
                                         mpnet_modules,
                                         roberta_mlm_head()});
  family.classifier = classify_densely;  // transformers reads no dropout key of the head here
  return family;
}

}  // namespace contrastive::io
