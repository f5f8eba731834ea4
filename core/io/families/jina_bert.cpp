// JinaBERT v2: BERT whose attention is biased by distance (ALiBi) instead of learned positions, with gated feed-forward blocks. Its files say "bert"; what
// tells them is position_embedding_type.
#include "core/io/families/bert.h"

namespace contrastive::io {
namespace {

void describe_jina_bert(ConfigKeys& keys, encoder::Architecture& a) {
  keys.only("position_embedding_type", std::string("alibi"));
  keys.size({"vocab_size"}, a.vocab_size, kMaxRows);
  keys.size({"hidden_size"}, a.hidden_size, kMaxWidth);
  keys.size({"num_hidden_layers"}, a.num_hidden_layers, kMaxLayers);
  keys.size({"num_attention_heads"}, a.num_attention_heads, kMaxWidth);
  keys.size({"intermediate_size"}, a.intermediate_size, kMaxWidth);
  keys.size({"max_position_embeddings"}, a.longest_text, kMaxText, 8192);
  describe_bert_rest(keys, a, 0);
  a.max_position_embeddings = 0;
  a.relative_bias = encoder::RelativeBias::kAlibi;
  if (!keys.reads()) return;
  const std::string block = keys.json().string("feed_forward_type", "original");
  a.gated = block != "original";
  if (block == "reglu") {
    a.hidden_act = encoder::Activation::kRelu;
  } else if (block == "geglu") {
    a.hidden_act = encoder::Activation::kGeluErf;
  } else {
    keys.only("feed_forward_type", std::string("original"));
  }
  a.intermediate_bias = !a.gated;
  a.drop_intermediate = a.gated ? encoder::DropRate::kHidden : encoder::DropRate::kNone;
  a.drop_output = a.gated ? encoder::DropRate::kNone : encoder::DropRate::kHidden;
}

std::vector<ModuleName> jina_bert_modules(const encoder::Architecture& a) {
  if (!a.gated) return bert_modules(a);
  return joined({{"encoder.layer.#.mlp.gated_layers", {"encoder.layer.#.intermediate.gate", "encoder.layer.#.intermediate.dense"}},
                 {"encoder.layer.#.mlp.wo", {"encoder.layer.#.output.dense"}},
                 {"encoder.layer.#.mlp.layernorm", {"encoder.layer.#.output.LayerNorm"}}},
                bert_modules(a));
}

}  // namespace

Family jina_bert_family() {
  return {"jina_bert", "JinaBERT", {{"bert", "JinaBert"}}, "Model", nullptr, "bert.", describe_jina_bert, jina_bert_modules, bert_mlm_head()};
}

}  // namespace contrastive::io
