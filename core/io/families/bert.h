// What BERT and the families around it share: config keys, modules, and the heads for masked
// language modelling.
#pragma once

#include "core/io/families/family.h"

namespace contrastive::io {

// Lists vocab_size, hidden_size, num_hidden_layers, num_attention_heads and intermediate_size,
// which are required.
void describe_widths(ConfigKeys& keys, encoder::Architecture& a);
// The same and max_position_embeddings.
void describe_sizes(ConfigKeys& keys, encoder::Architecture& a);
// Lists type_vocab_size, pad_token_id, layer_norm_eps, the two dropout rates, initializer_range and
// hidden_act.
void describe_bert_rest(ConfigKeys& keys, encoder::Architecture& a, int64_t pad);
// Refuses positions other than those of a learned table.
void only_learned_positions(const ConfigKeys& keys);
// RoBERTa's positions start after the row of padding, and padding inside a text uses that row.
void count_from_padding(const ConfigKeys& keys, encoder::Architecture& a);
void describe_roberta(ConfigKeys& keys, encoder::Architecture& a);

std::vector<ModuleName> bert_modules(const encoder::Architecture& a);
// {"cls.predictions.bias"} and the transformation before it.
std::vector<ModuleName> bert_mlm_head();
std::vector<ModuleName> roberta_mlm_head();
// The modules of a and then those of b.
std::vector<ModuleName> joined(std::vector<ModuleName> a, const std::vector<ModuleName>& b);

// Adds a head of ...ForSequenceClassification to `family`: a linear layer after the pooler; or
// dense, tanh and a linear layer on the first token.
Family with_pooler_classifier(Family family);
Family with_dense_classifier(Family family);
void classify_densely(
    const JsonObject& config,
    encoder::ClassificationHead& head);  // the head of the second, with the encoder's dropout rate
// The dropout rate of a head: config.json's `key`, otherwise `fallback`; below 0 it is the
// encoder's.
double head_dropout(const JsonObject& config, const char* key, double fallback);

// The family RoBERTa under another name, with a SentencePiece model.
Family roberta_as(const char* name, const char* title, const char* class_prefix,
                  const char* tokenizer_class);

}  // namespace contrastive::io
