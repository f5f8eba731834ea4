// RoBERTa: BERT with positions that start after the padding row, and with its own head for masked
// language modelling.
#include <utility>

#include "core/io/families/bert.h"

namespace contrastive::io {

void describe_roberta(ConfigKeys& keys, encoder::Architecture& a) {
  only_learned_positions(keys);
  describe_sizes(keys, a);
  if (keys.reads()) keys.only("embedding_size", a.hidden_size);
  describe_bert_rest(keys, a, 1);
  count_from_padding(keys, a);
  a.classifier = encoder::ClassifierForm::kDense;
}

std::vector<ModuleName> roberta_mlm_head() {
  return {{"lm_head.dense", {"cls.predictions.transform.dense"}},
          {"lm_head.layer_norm", {"cls.predictions.transform.LayerNorm"}},
          {"lm_head", {"cls.predictions"}}};
}

namespace {

void start_roberta(encoder::Architecture& a) {
  a.type_vocab_size = 1;
  a.layer_norm_eps = 1e-5;
  a.max_position_embeddings += a.pad_token_id + 1;
}

}  // namespace

Family roberta_as(const char* name, const char* title, const char* class_prefix,
                  const char* tokenizer_class) {
  Family family{name,
                title,
                {{name, class_prefix}},
                "Model",
                "ForMaskedLM",
                "roberta.",
                describe_roberta,
                bert_modules,
                roberta_mlm_head()};
  family.sentencepiece = tokenizer_class;
  return with_dense_classifier(std::move(family));
}

Family roberta_family() {
  return with_dense_classifier({"roberta",
                                "RoBERTa",
                                {{"roberta", "Roberta"}},
                                "Model",
                                "ForMaskedLM",
                                "roberta.",
                                describe_roberta,
                                bert_modules,
                                roberta_mlm_head(),
                                start_roberta,
                                "byte-bpe"});
}

}  // namespace contrastive::io
