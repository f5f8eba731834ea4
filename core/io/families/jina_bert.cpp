// JinaBERT v2: BERT with attention biased by distance (ALiBi) instead of learned positions, and
// with gated feed-forward blocks. Its model_type is "bert"; it is recognised by
// position_embedding_type or by the class in auto_map.
#include <utility>

#include "core/base/error.h"
#include "core/io/families/bert.h"

namespace contrastive::io {
namespace {

void describe_jina_bert(ConfigKeys& keys, encoder::Architecture& a) {
  keys.only("position_embedding_type", std::string("alibi"));
  check(!keys.reads() || own_code(keys.json()).find("qk-post-norm") == std::string::npos,
        Status::kUnsupported, keys.reads() ? keys.json().source() : "",
        ": auto_map names JinaBERT's variant qk-post-norm, whose norms of queries and keys are not "
        "computed here");
  describe_widths(keys, a);
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
  return joined({{"encoder.layer.#.mlp.gated_layers",
                  {"encoder.layer.#.intermediate.gate", "encoder.layer.#.intermediate.dense"}},
                 {"encoder.layer.#.mlp.wo", {"encoder.layer.#.output.dense"}},
                 {"encoder.layer.#.mlp.layernorm", {"encoder.layer.#.output.LayerNorm"}}},
                bert_modules(a));
}

bool is_jina_bert(const JsonObject& config) {
  return config.string("position_embedding_type", "absolute") == "alibi" ||
         own_class(config).rfind("JinaBert", 0) == 0;
}

}  // namespace

Family jina_bert_family() {
  Family family{"jina_bert", "JinaBERT",         {{"bert", "JinaBert"}}, "Model",        nullptr,
                "bert.",     describe_jina_bert, jina_bert_modules,      bert_mlm_head()};
  family.claims = is_jina_bert;
  return with_pooler_classifier(std::move(family));
}

}  // namespace contrastive::io
