// ALBERT: BERT whose layers share their weights, with narrow embeddings.
#include <utility>

#include "core/base/error.h"
#include "core/io/families/bert.h"

namespace contrastive::io {
namespace {

// Each step of num_hidden_layers runs all layers of one group.
void share_weights(ConfigKeys& keys, encoder::Architecture& a) {
  int64_t groups = 1, inner = 1;
  keys.size({"num_hidden_groups"}, groups, kMaxLayers, 1);
  keys.size({"inner_group_num"}, inner, kMaxLayers, 1);
  const int64_t steps = a.num_hidden_layers;
  check(groups <= steps && steps % groups == 0, Status::kFormat, keys.json().source(),
        ": num_hidden_groups ", groups, " does not divide num_hidden_layers ", steps);
  check(steps * inner <= kMaxLayers, Status::kLimit, keys.json().source(), ": num_hidden_layers ",
        steps, " times inner_group_num ", inner, " is above the limit of ", kMaxLayers);
  a.num_hidden_layers = steps * inner;
  a.sets_in_group = inner;
  for (int64_t layer = 0; layer < a.num_hidden_layers; ++layer)
    a.weight_sets.push_back(layer / inner / (steps / groups) * inner + layer % inner);
}

void describe_albert(ConfigKeys& keys, encoder::Architecture& a) {
  only_learned_positions(keys);
  keys.only("is_causal", false);
  for (const char* key : {"gap_size", "num_memory_blocks", "net_structure_type"})
    keys.only(key, int64_t{0});
  keys.only("down_scale_factor", int64_t{1});
  int64_t steps = a.num_hidden_layers / a.sets_in_group;
  keys.size({"vocab_size"}, a.vocab_size, kMaxRows, 30000);
  keys.size({"embedding_size"}, a.embedding_size, kMaxWidth, 128);
  keys.size({"hidden_size"}, a.hidden_size, kMaxWidth, 4096);
  keys.size({"num_hidden_layers"}, steps, kMaxLayers, 12);
  keys.size({"num_attention_heads"}, a.num_attention_heads, kMaxWidth, 64);
  keys.size({"intermediate_size"}, a.intermediate_size, kMaxWidth, 16384);
  keys.size({"max_position_embeddings"}, a.max_position_embeddings, kMaxRows, 512);
  keys.integer({"type_vocab_size"}, a.type_vocab_size, 1, 1 << 16, 2);
  keys.integer({"pad_token_id"}, a.pad_token_id, 0, a.vocab_size - 1, 0);
  keys.real({"layer_norm_eps"}, a.layer_norm_eps, 0.0, 1.0, 1e-12);
  keys.real({"hidden_dropout_prob"}, a.hidden_dropout_prob, 0.0, 1.0, 0.0);
  keys.real({"attention_probs_dropout_prob"}, a.attention_probs_dropout_prob, 0.0, 1.0, 0.0);
  keys.real({"initializer_range"}, a.initializer_range, 0.0, 1e3, 0.02);
  keys.activation({"hidden_act"}, a.hidden_act, "gelu_new");
  if (keys.reads()) {
    a.num_hidden_layers = steps;
    share_weights(keys, a);
  }
  a.embedding_projection = true;
  a.drop_output = encoder::DropRate::kNone;
  a.mlm_act = a.hidden_act;
}

std::vector<ModuleName> albert_modules(const encoder::Architecture&) {
  return {{"embeddings.word_embeddings", {"embeddings.word_embeddings"}},
          {"embeddings.position_embeddings", {"embeddings.position_embeddings"}},
          {"embeddings.token_type_embeddings", {"embeddings.token_type_embeddings"}},
          {"embeddings.LayerNorm", {"embeddings.LayerNorm"}},
          {"encoder.embedding_hidden_mapping_in", {"embeddings.projection"}},
          {"encoder.albert_layer_groups.#.albert_layers.@.attention.query",
           {"encoder.layer.#.attention.self.query"}},
          {"encoder.albert_layer_groups.#.albert_layers.@.attention.key",
           {"encoder.layer.#.attention.self.key"}},
          {"encoder.albert_layer_groups.#.albert_layers.@.attention.value",
           {"encoder.layer.#.attention.self.value"}},
          {"encoder.albert_layer_groups.#.albert_layers.@.attention.dense",
           {"encoder.layer.#.attention.output.dense"}},
          {"encoder.albert_layer_groups.#.albert_layers.@.attention.LayerNorm",
           {"encoder.layer.#.attention.output.LayerNorm"}},
          {"encoder.albert_layer_groups.#.albert_layers.@.ffn",
           {"encoder.layer.#.intermediate.dense"}},
          {"encoder.albert_layer_groups.#.albert_layers.@.ffn_output",
           {"encoder.layer.#.output.dense"}},
          {"encoder.albert_layer_groups.#.albert_layers.@.full_layer_layer_norm",
           {"encoder.layer.#.output.LayerNorm"}},
          {"pooler", {"pooler.dense"}}};
}

std::vector<ModuleName> albert_mlm_head() {
  return {{"predictions.dense", {"cls.predictions.transform.dense"}},
          {"predictions.LayerNorm", {"cls.predictions.transform.LayerNorm"}},
          {"predictions", {"cls.predictions"}}};
}

}  // namespace

Family albert_family() {
  Family family{"albert",  "ALBERT",        {{"albert", "Albert"}}, "Model",          "ForMaskedLM",
                "albert.", describe_albert, albert_modules,         albert_mlm_head()};
  family.sentencepiece = "AlbertTokenizer";
  family = with_pooler_classifier(std::move(family));
  family.classifier = [](const JsonObject& config, encoder::ClassificationHead& head) {
    head.pooling = "cls-pooler";
    head.dropout = head_dropout(config, "classifier_dropout_prob", 0.1);
  };
  return family;
}

}  // namespace contrastive::io
