// What the families around BERT share: its keys, its modules, and the heads of masked language
// modelling.
#pragma once

#include "core/io/families/family.h"

namespace contrastive::io {

// vocab_size, hidden_size, num_hidden_layers, num_attention_heads, intermediate_size: they must be
// there.
void describe_widths(ConfigKeys& keys, encoder::Architecture& a);
// These and max_position_embeddings.
void describe_sizes(ConfigKeys& keys, encoder::Architecture& a);
// type_vocab_size, pad_token_id, layer_norm_eps, the two of dropout, initializer_range, hidden_act.
void describe_bert_rest(ConfigKeys& keys, encoder::Architecture& a, int64_t pad);
// Positions from a table alone.
void only_learned_positions(const ConfigKeys& keys);
// RoBERTa counts positions from behind the row of padding, and padding inside a text has that row.
void count_from_padding(const ConfigKeys& keys, encoder::Architecture& a);
void describe_roberta(ConfigKeys& keys, encoder::Architecture& a);

std::vector<ModuleName> bert_modules(const encoder::Architecture& a);
// {"cls.predictions.bias"} and what transforms before it.
std::vector<ModuleName> bert_mlm_head();
std::vector<ModuleName> roberta_mlm_head();
// a and then b.
std::vector<ModuleName> joined(std::vector<ModuleName> a, const std::vector<ModuleName>& b);

// `family` with the head of ...ForSequenceClassification that goes with it: a linear layer behind
// the pooler; dense, tanh and a linear layer on the first token.
Family with_pooler_classifier(Family family);
Family with_dense_classifier(Family family);
void classify_densely(const JsonObject& config,
                      encoder::ClassificationHead&
                          head);  // the head of the second, which drops at the encoder's rate
// The rate at which a head drops: config.json's `key`, else `fallback`; below 0 it is the
// encoder's.
double head_dropout(const JsonObject& config, const char* key, double fallback);

// The family RoBERTa under another name, and with a SentencePiece model.
Family roberta_as(const char* name, const char* title, const char* class_prefix,
                  const char* tokenizer_class);

}  // namespace contrastive::io
